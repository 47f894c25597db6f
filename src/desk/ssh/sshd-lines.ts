/**
 * Which lines of sshd's log go to the desk's log: logins, refusals and their reasons, errors; bounded, since
 * anybody can make sshd write.
 */
import type { LogLine } from '../../domain/rows.ts';

const WINDOW_MS = 60_000;
/** Most lines in that time; logins are reported beyond it, as only keys of operators can cause them. */
const MOST = 30;

const TROUBLE =
  /^(?:error|fatal)\b|bad ownership|\bpenalty\b|not allowed|too many authentication failures|maximum authentication|drop connection|beginning MaxStartups|key exchange|no matching/i;
const REFUSED =
  /^(?:Failed |Invalid user|Connection (?:closed|reset) by (?:authenticating|invalid) user|Timeout before)|has expired|Authentication tried for/;
const TOLD = /^(?:Accepted publickey|Server listening)/;

/** Returns the level of a line in the desk's log; null: it is left out. */
export function levelOf(line: string): LogLine['level'] | null {
  if (TOLD.test(line)) return 'info';
  return TROUBLE.test(line) || REFUSED.test(line) ? 'warn' : null;
}

export class LineGate {
  readonly #now: () => number;
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;
  #left = 0;

  /** `monotonic`: time in ms. */
  constructor(monotonic: () => number) {
    this.#now = monotonic;
  }

  lets(line: string): boolean {
    if (TOLD.test(line)) return true;
    const now = this.#now();
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= MOST) return true;
    this.#left += 1;
    return false;
  }

  /** Returns the number of lines left out since the last call. */
  leftOut(): number {
    const left = this.#left;
    this.#left = 0;
    return left;
  }
}
