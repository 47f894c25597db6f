/**
 * Log lines about requests and WebSockets that did not prove a key. Strangers can cause them for free, and
 * the log's files are bounded: a minute has few lines per address and in all; the rest is counted in one
 * line.
 */
import { addressBucket } from '../access/address.ts';
import type { Cancelable, Clock } from '../domain/clock.ts';

/** Most lines of one address (IPv6: of its /64) in a minute. */
export const FAILED_LOGIN_LINES = 10;
/** Most lines of all addresses together in a minute. */
export const FAILED_LOGIN_LINES_ALL = 300;
/** Most addresses that are counted separately in a minute. */
export const FAILED_LOGIN_ADDRESSES = 1_000;
const MINUTE_MS = 60_000;

export class FailedLogins {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #log: (text: string) => void;
  /** Lines of this minute by address. */
  #lines = new Map<string, number>();
  #all = 0;
  #unwritten = 0;
  /** Addresses with lines left out. */
  #from = new Set<string>();
  #minute: Cancelable | null = null;

  constructor(clock: Pick<Clock, 'after'>, log: (text: string) => void) {
    this.#clock = clock;
    this.#log = log;
  }

  note(address: string, line: string): void {
    this.#minute ??= this.#clock.after(MINUTE_MS, () => this.#over());
    const bucket = addressBucket(address);
    const lines = this.#lines.get(bucket) ?? (this.#lines.size < FAILED_LOGIN_ADDRESSES ? 0 : Number.NaN);
    if (lines < FAILED_LOGIN_LINES && this.#all < FAILED_LOGIN_LINES_ALL) {
      this.#lines.set(bucket, lines + 1);
      this.#all += 1;
      this.#log(line);
      return;
    }
    this.#unwritten += 1;
    if (this.#from.size < FAILED_LOGIN_ADDRESSES) this.#from.add(bucket);
  }

  /** Reports what was left out so far. */
  close(): void {
    this.#minute?.cancel();
    this.#over();
  }

  #over(): void {
    this.#minute = null;
    if (this.#unwritten > 0) this.#log(this.#summary());
    this.#lines = new Map();
    this.#from = new Set();
    this.#all = 0;
    this.#unwritten = 0;
  }

  #summary(): string {
    const [first = ''] = this.#from;
    const others = this.#from.size - 1;
    const more = others === 0 ? '' : ` and ${others} other address${others === 1 ? '' : 'es'}`;
    return `failed logins without a line of their own in the last minute: ${this.#unwritten}, from ${first}${more}`;
  }
}
