/** The equity curve of a backtest: sampled at closes, a bounded number of points, exact money. Pure. */
import { type Dec, div, ZERO } from '../../domain/decimal.ts';
import { type CandleTable, priceUnit } from '../market/candle-table.ts';
import type { BotSession } from './session.ts';

export interface EquityPoint {
  /** Close time of a candle; for the first point the start. */
  readonly time: number;
  /** Earnings beyond the first deposit, quote or margin units. */
  readonly earned: Dec;
}

export class EquityCurve {
  readonly points: EquityPoint[] = [];
  readonly #table: CandleTable;
  readonly #stride: number;
  readonly #last: number;
  #next: number;

  /** Rows from <= row < to are played; `count`: number of points at most, 2 at least. */
  constructor(table: CandleTable, from: number, to: number, count: number) {
    this.#table = table;
    this.#stride = Math.max(1, Math.ceil((to - from) / Math.max(1, count - 2)));
    this.#next = from + this.#stride - 1;
    this.#last = to - 1;
    this.points.push({ time: table.times[from] as number, earned: ZERO });
  }

  /**
   * Adds the points of all rows before `row`, which are played now; the held quantity did not change since
   * the last call.
   */
  reach(row: number, session: BotSession): void {
    while (this.#next < row) {
      this.#sample(this.#next, session);
      this.#next =
        this.#next === this.#last
          ? Number.POSITIVE_INFINITY
          : Math.min(this.#next + this.#stride, this.#last);
    }
  }

  /** Adds the last point: the end of the played range, at the price of that moment. */
  end(time: number, price: Dec, session: BotSession): void {
    while ((this.points.at(-1)?.time ?? 0) >= time && this.points.length > 1) this.points.pop();
    this.points.push({ time, earned: session.earned(price) });
  }

  #sample(row: number, session: BotSession): void {
    const { times, close, frameMs } = this.#table;
    const price = BigInt(close[row] as number) * priceUnit(this.#table);
    this.points.push({ time: (times[row] as number) + frameMs, earned: session.earned(price) });
  }
}

/** Percent below the highest equity so far, for each point; 0 while there is no deposit. */
export function drawdowns(points: readonly EquityPoint[], budget: Dec): Dec[] {
  let peak = budget;
  return points.map(({ earned }) => {
    const equity = budget + earned;
    if (equity > peak) peak = equity;
    return peak > ZERO && budget > ZERO ? div((peak - equity) * 100n, peak) : ZERO;
  });
}
