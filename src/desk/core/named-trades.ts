/**
 * Executions that the ledger of a wallet names, whichever of its accounts has read it: no event may have told of them. They are asked
 * for soon and together, and never more often than now and then: a ledger names what this desk trades as well.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';

/** What is named is gathered for so long before it is asked for, ms. */
export const NAMED_SOON_MS = 2_000;
/** Between two questions for it at least, ms. */
export const NAMED_EVERY_MS = 30_000;

export interface NamedTradesOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** The executions of these symbols are asked for. False: not all are known. */
  readonly read: (symbols: readonly string[]) => Promise<boolean>;
  /** The line is up; while it is not, the comparison that follows its return asks for everything. */
  readonly isUp: () => boolean;
  /** They could not all be read: a comparison is needed soon. */
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

  /** Bounded by what the account trades: the caller names nothing else. */
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
