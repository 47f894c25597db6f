/**
 * Executions that the ledger of a wallet names, whichever of its accounts has read it: no event may have
 * reported them. They are asked for soon and together, but at most once in a while: a ledger also names what
 * this desk itself trades.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';

/** How long symbols are collected before their executions are asked for, ms. */
export const NAMED_SOON_MS = 2_000;
/** Shortest time between two questions, ms. */
export const NAMED_EVERY_MS = 30_000;

export interface NamedTradesOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Asks for the executions of these symbols. False: not all are known. */
  readonly read: (symbols: readonly string[]) => Promise<boolean>;
  /**
   * Whether the link is up; while it is down, nothing is asked: the comparison after its return asks for
   * everything.
   */
  readonly isUp: () => boolean;
  /** Not all could be read: a comparison is needed soon. */
  readonly failed: () => void;
}

export class NamedTrades {
  readonly #o: NamedTradesOptions;
  readonly #symbols = new Set<string>();
  #timer: Cancelable | null = null;
  #notBefore = 0;
  #isClosed = false;

  constructor(options: NamedTradesOptions) {
    this.#o = options;
  }

  /** Adds symbols. Their number is bounded by what the account trades: the caller names nothing else. */
  add(symbols: readonly string[]): void {
    for (const symbol of symbols) this.#symbols.add(symbol);
    if (this.#isClosed || this.#timer || this.#symbols.size === 0) return;
    const { clock } = this.#o;
    const wait = Math.max(NAMED_SOON_MS, this.#notBefore - clock.monotonic());
    this.#timer = clock.after(wait, () => void this.#ask());
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  async #ask(): Promise<void> {
    const { clock, read, isUp, failed } = this.#o;
    this.#timer = null;
    this.#notBefore = clock.monotonic() + NAMED_EVERY_MS;
    const symbols = [...this.#symbols];
    this.#symbols.clear();
    if (isUp() && !(await read(symbols)) && !this.#isClosed) failed();
  }
}
