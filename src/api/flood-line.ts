/** Reports a flood in the log: a line now and then with the number of refusals, not one for each. */

/** Least time between two lines, ms. */
const REPORT_EVERY_MS = 60_000;

export class FloodLine {
  readonly #what: string;
  readonly #report: (text: string) => void;
  #refused = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  /** `what` names what was refused, such as `requests refused by the limit of their address`. */
  constructor(what: string, report: (text: string) => void) {
    this.#what = what;
    this.#report = report;
  }

  /** Notes one refusal; `now`: monotonic. */
  note(bucket: string, now: number): void {
    this.#refused += 1;
    if (now - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#report(`${this.#what}: ${this.#refused}, the last from ${bucket}`);
    this.#reportedAt = now;
    this.#refused = 0;
  }
}
