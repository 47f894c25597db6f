/**
 * The executions of one order as they are known, each once, with the sums of their rows (engine.md, submission
 * rule 5). Pure.
 */
import { type Dec, dec, mul, ZERO } from '../domain/decimal.ts';
import type { FillRecord } from '../domain/order.ts';

/** Up to this many executions a search through all is faster, and takes less memory, than a set of their ids. */
const SEARCHED_MAX = 16;

export class OrderFills {
  readonly #rows: FillRecord[] = [];
  /** Ids of all rows; null while they are few. */
  #ids: Set<string> | null = null;
  #quantity = ZERO;
  #quote = ZERO;
  #inferred = false;

  constructor(rows: Iterable<FillRecord> = []) {
    for (const row of rows) this.add(row);
  }

  /** Base units executed. */
  get quantity(): Dec {
    return this.#quantity;
  }

  /** Quote units executed. */
  get quote(): Dec {
    return this.#quote;
  }

  /** Whether one of them was inferred from what the exchange has counted. */
  get hasInferred(): boolean {
    return this.#inferred;
  }

  get size(): number {
    return this.#rows.length;
  }

  has(tradeId: string): boolean {
    return this.#ids?.has(tradeId) ?? this.#rows.some((row) => row.tradeId === tradeId);
  }

  /** Adds an execution that is not known yet. */
  add(row: FillRecord): void {
    this.#rows.push(row);
    if (this.#rows.length > SEARCHED_MAX) this.#ids ??= new Set(this.#rows.map(({ tradeId }) => tradeId));
    this.#ids?.add(row.tradeId);
    const qty = dec(row.qty);
    this.#quantity += qty;
    this.#quote += mul(dec(row.price), qty);
    this.#inferred ||= row.inferred === true;
  }

  [Symbol.iterator](): Iterator<FillRecord> {
    return this.#rows.values();
  }
}
