/**
 * The order in which terminals are told of changes: those of this machine first, then all others, never two
 * in one turn.
 */
import type { Clock } from '../../domain/clock.ts';

/**
 * Time between two terminals of other machines, ms. The console of each runs on this machine and draws when
 * it is told; sixteen at once would take the processor from the desk for as long as they all draw, and would
 * be no faster for it.
 */
export const APART_MS = 6;

export class Turns {
  readonly #clock: Clock;
  readonly #local: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #isTurn = false;
  /** A terminal of another machine was told a moment ago. */
  #isApart = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(run: () => void, isLocal: boolean): void {
    (isLocal ? this.#local : this.#others).push(run);
    if (!this.#isTurn) this.#next();
  }

  #next(): void {
    const local = this.#local.shift();
    const run = local ?? (this.#isApart ? undefined : this.#others.shift());
    this.#isTurn = run !== undefined;
    if (!run) return;
    if (!local) this.#stayApart();
    // Scheduled before it runs: an error in one must not stop the others.
    this.#clock.endOfTurn(() => this.#next());
    run();
  }

  #stayApart(): void {
    this.#isApart = true;
    this.#clock.after(APART_MS, () => {
      this.#isApart = false;
      if (!this.#isTurn) this.#next();
    });
  }
}
