/**
 * Candles of one symbol as columns, for hosts that know them ahead (backtest, preview): prices are whole
 * numbers of one unit in plain doubles, so that a year of them is compared without decimal arithmetic. Exact:
 * no price is ever rounded.
 */
import { type Dec, dec, str, ZERO } from '../../domain/decimal.ts';
import type { Candle } from '../../domain/rows.ts';
import { periodStart } from './candle.ts';
import { MAX_HISTORY } from './join-history.ts';

export interface CandleTable {
  readonly symbol: string;
  readonly frameMs: number;
  readonly count: number;
  /** Open times, Unix ms, ascending, on frame boundaries. */
  readonly times: Float64Array;
  /** Whole numbers of 10^-decimals below 2^53. */
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  /** Decimal places of the prices. */
  readonly decimals: number;
  /** Base units traded in a row. */
  volume(row: number): Dec;
}

/** One unit of a table's prices. */
export function priceUnit({ decimals }: Pick<CandleTable, 'decimals'>): Dec {
  return 10n ** BigInt(30 - decimals);
}

/** Row of the first candle that opens at or after `time`; the count when there is none. */
export function rowAt({ times, count }: Pick<CandleTable, 'times' | 'count'>, time: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Time of one of the four ticks that a candle is played as (strategies.md 1, rule 6). */
export function tickTime(open: number, frameMs: number, quarter: number): number {
  return quarter === 3 ? open + frameMs - 1 : open + (quarter * frameMs) / 4;
}

/**
 * Price of one of the four ticks: open, low, high, close for a candle that closed at or above its open, else
 * open, high, low, close.
 */
export function tickPrice({ open, high, low, close }: CandleTable, row: number, quarter: number): number {
  if (quarter === 0) return open[row] as number;
  if (quarter === 3) return close[row] as number;
  const rises = (close[row] as number) >= (open[row] as number);
  return rises === (quarter === 1) ? (low[row] as number) : (high[row] as number);
}

/**
 * Makes the table of a feed's candles, which are in order and on frame boundaries. Throws RangeError for a
 * price with too many digits.
 */
export function tableOfCandles(symbol: string, frameMs: number, candles: readonly Candle[]): CandleTable {
  let decimals = 0;
  for (const { open, high, low, close } of candles) {
    for (const text of [open, high, low, close]) decimals = Math.max(decimals, places(text));
  }
  const column = (read: (candle: Candle) => string) =>
    Float64Array.from(candles, (candle) => scaled(read(candle), decimals));
  return {
    symbol,
    frameMs,
    count: candles.length,
    times: Float64Array.from(candles, ({ time }) => time),
    open: column(({ open }) => open),
    high: column(({ high }) => high),
    low: column(({ low }) => low),
    close: column(({ close }) => close),
    decimals,
    volume: (row) => dec(candles[row]?.volume ?? '0'),
  };
}

/**
 * Closed candles of `frameMs` with from <= open time < to, oldest first, built from the table's; a period
 * without one is flat. Empty for a frame that is not a multiple of the table's. The same as a replay of these
 * candles gives.
 */
export function historyOf(table: CandleTable, frameMs: number, from: number, to: number): Candle[] {
  if (frameMs < table.frameMs || frameMs % table.frameMs !== 0) return [];
  const end = periodStart(to, frameMs);
  const start = Math.max(Math.ceil(from / frameMs) * frameMs, end - MAX_HISTORY * frameMs);
  const out: Candle[] = [];
  let row = rowAt(table, start);
  let close = row > 0 ? (table.close[row - 1] as number) : null;
  for (let time = start; time < end; time += frameMs) {
    const first = row;
    while (row < table.count && (table.times[row] as number) < time + frameMs) row++;
    if (row === first) {
      if (close !== null) out.push(written(table, time, [close, close, close, close], ZERO));
      continue;
    }
    close = table.close[row - 1] as number;
    let volume = ZERO;
    for (let i = first; i < row; i++) volume += table.volume(i);
    const { high, low } = extremes(table, first, row);
    out.push(written(table, time, [table.open[first] as number, high, low, close], volume));
  }
  return out;
}

/** Highest and lowest price of the rows from <= row < to. */
export function extremes(table: CandleTable, from: number, to: number): { high: number; low: number } {
  let high = table.high[from] as number;
  let low = table.low[from] as number;
  for (let row = from + 1; row < to; row++) {
    if ((table.high[row] as number) > high) high = table.high[row] as number;
    if ((table.low[row] as number) < low) low = table.low[row] as number;
  }
  return { high, low };
}

function written(
  table: CandleTable,
  time: number,
  [open, high, low, close]: readonly [number, number, number, number],
  volume: Dec,
): Candle {
  const unit = priceUnit(table);
  const text = (price: number) => str(BigInt(price) * unit);
  return {
    time,
    open: text(open),
    high: text(high),
    low: text(low),
    close: text(close),
    volume: str(volume),
  };
}

function places(text: string): number {
  const dot = text.indexOf('.');
  return dot < 0 ? 0 : text.length - dot - 1;
}

function scaled(text: string, decimals: number): number {
  const value = dec(text) / 10n ** BigInt(30 - decimals);
  if (value >= BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(`price ${text} has more digits than can be played: 15 with ${decimals} decimals`);
  }
  return Number(value);
}
