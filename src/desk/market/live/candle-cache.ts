/**
 * Stores closed candles of a live market: a start asks its exchange only for what is missing. Stored candles
 * are split into sequences without holes; the holes are asked for. Only candles that are over by the
 * exchange's clock are written, a bounded number at a time, with commits that are made anyway: lost ones are
 * asked for again.
 */
import type { Candle, Row } from '../../../domain/rows.ts';
import type { Store } from '../../../store/store.ts';

/** Most candles handed to the commits at a time, about once a second: a start has thousands. */
const WRITTEN_AT_ONCE = 1_000;
/** Most candles that wait to be written; beyond them the oldest are dropped. */
const WAITING_MAX = 100_000;

export interface CandleCacheOptions {
  readonly market: string;
  readonly store: Pick<Store, 'candles'>;
  /** Stores a row with a commit that is made anyway. */
  readonly keep: (row: Row) => void;
}

type CandleRow = Extract<Row, { kind: 'candle' }>;

/** Candles without a hole between them, oldest first; never empty. */
export type Unbroken = readonly Candle[];

export class CandleCache {
  readonly #o: CandleCacheOptions;
  #waiting: CandleRow[] = [];

  constructor(options: CandleCacheOptions) {
    this.#o = options;
  }

  /**
   * Returns the stored candles with `from` <= open time < `to`, oldest first; none if the store cannot be
   * read.
   */
  read(symbol: string, frameMs: number, from: number, to: number): Unbroken[] {
    const { market, store } = this.#o;
    const parts: Candle[][] = [];
    try {
      for (const candle of store.candles(market, symbol, from, to, frameMs)) {
        const last = parts.at(-1);
        if (last && candle.time === (last.at(-1)?.time ?? 0) + frameMs) last.push(candle);
        else if (candle.time % frameMs === 0) parts.push([candle]);
      }
    } catch {
      return [];
    }
    return parts;
  }

  /** Queues candles that are over to be written. */
  write(symbol: string, frameMs: number, candles: readonly Candle[]): void {
    const { market } = this.#o;
    for (const candle of candles) this.#waiting.push({ kind: 'candle', market, symbol, frameMs, candle });
    if (this.#waiting.length > WAITING_MAX) this.#waiting = this.#waiting.slice(-WAITING_MAX);
  }

  /** Hands waiting candles to the commits. Called about once a second. */
  flush(): void {
    for (const row of this.#waiting.splice(0, WRITTEN_AT_ONCE)) this.#o.keep(row);
  }
}
