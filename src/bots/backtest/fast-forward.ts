/**
 * How far a table of candles can be played at once: up to the first row in which a tick or a close may have
 * an effect. Computed in plain doubles, on the safe side: a row in doubt is played tick by tick. Pure.
 */
import { type Dec, ZERO } from '../../domain/decimal.ts';
import { type CandleTable, priceUnit } from '../market/candle-table.ts';
import type { BotCandle } from '../market/view.ts';
import type { Follow, TickBounds } from '../run/contract.ts';
import type { WakeBounds } from '../run/wake-bounds.ts';
import type { CandleEdge } from '../settings/compiled.ts';

export interface FastForwardOptions {
  readonly table: CandleTable;
  readonly from: number;
  readonly to: number;
  readonly wake: WakeBounds;
  /** Prices at which orders rest. */
  readonly market: TickBounds;
  /** True when every frame that is built consists of whole rows. */
  readonly whole: boolean;
  /** The begun part of a candle whose close is followed. */
  readonly forming: BotCandle | null;
}

/** The first row that reaches one of these bounds is not played at once. In units of the table's prices. */
interface Bounds {
  /** The row is reached by a low at or below `low`, or a high at or above `high`. */
  low: number;
  high: number;
  /** The same bounds for the close. */
  closeLow: number;
  closeHigh: number;
}

/** Relative error of doubles is at most this large here. */
const MARGIN = 1e-9;

/** Returns the first row that must be played tick by tick, `to` at most; rows before it have no gap. */
export function fastForwardEnd(options: FastForwardOptions): number {
  const { table, wake, from, to } = options;
  const bounds = boundsOf(options);
  const { closes } = wake;
  if (closes === 'nothing' || closes === null || closes.factor === null) {
    return plainEnd(table, from, to, bounds);
  }
  return followedEnd(table, from, plainEnd(table, from, to, bounds), closes, options.forming);
}

function boundsOf({ table, wake, market, whole }: FastForwardOptions): Bounds {
  const unit = priceUnit(table);
  const { ticks, equity } = wake;
  const bounds: Bounds = { low: -1, high: Infinity, closeLow: -1, closeHigh: Infinity };
  const lower = (at: number) => {
    if (at > bounds.low) bounds.low = at;
  };
  const upper = (at: number) => {
    if (at < bounds.high) bounds.high = at;
  };
  for (const { below, above } of [ticks, market]) {
    if (below !== null) lower(floor(below, unit));
    if (above !== null) upper(ceil(above, unit));
  }
  if (!equity) return bounds;
  if (equity.lowest !== null) lower(ceil(equity.lowest, unit) - 1);
  if (equity.highest !== null) upper(floor(equity.highest, unit) + 1);
  if (equity.lowestClose !== null) bounds.closeLow = ceil(equity.lowestClose, unit) - 1;
  if (equity.highestClose !== null) bounds.closeHigh = floor(equity.highestClose, unit) + 1;
  if (!whole) {
    // Within a row, candles of smaller frames may close at any of its prices.
    lower(bounds.closeLow);
    upper(bounds.closeHigh);
  }
  return bounds;
}

function plainEnd(table: CandleTable, from: number, to: number, bounds: Bounds): number {
  const { times, low, high, close, frameMs } = table;
  const { low: lowest, high: highest, closeLow, closeHigh } = bounds;
  let next = times[from] as number;
  for (let row = from; row < to; row++) {
    const last = close[row] as number;
    if (
      times[row] !== next ||
      (low[row] as number) <= lowest ||
      (high[row] as number) >= highest ||
      last <= closeLow ||
      last >= closeHigh
    ) {
      return row;
    }
    next += frameMs;
  }
  return to;
}

/**
 * Returns the end where an order follows the closes: the first row that reaches the order's price at that
 * time.
 */
function followedEnd(
  table: CandleTable,
  from: number,
  to: number,
  { frameMs, edge, factor, falling, moves }: Follow,
  forming: BotCandle | null,
): number {
  const { times, open, low, high, close } = table;
  const near = (value: Dec, up: boolean) => (Number(value) / 1e30) * (up ? 1 + MARGIN : 1 - MARGIN);
  const scale = near(factor ?? ZERO, falling);
  const moving = moves === null ? Number.NaN : near(moves, !falling);
  const unit = priceUnit(table);
  const begun = forming !== null;
  let o = begun ? Number(forming.open / unit) : -1;
  let h = begun ? Number(forming.high / unit) : -Infinity;
  let l = begun ? Number(forming.low / unit) : Infinity;
  let bound = Number.NaN;
  let other = Number.NaN;
  for (let row = from; row < to; row++) {
    const highest = high[row] as number;
    const lowest = low[row] as number;
    if (falling ? lowest <= bound || highest >= other : highest >= bound || lowest <= other) return row;
    if (o < 0) o = open[row] as number;
    if (highest > h) h = highest;
    if (lowest < l) l = lowest;
    if (((times[row] as number) + table.frameMs) % frameMs !== 0) continue;
    const last = close[row] as number;
    const value = edgeNumber(edge, o, h, l, last);
    bound = value * scale;
    other = value * moving;
    // An order placed at that price would execute at once.
    if (falling ? last <= bound : last >= bound) return row + 1;
    o = -1;
    h = -Infinity;
    l = Infinity;
  }
  return to;
}

function edgeNumber(edge: CandleEdge, o: number, h: number, l: number, c: number): number {
  switch (edge) {
    case 'open':
      return o;
    case 'close':
      return c;
    case 'high':
      return h;
    case 'low':
      return l;
    case 'hl2':
      return (h + l) / 2;
    case 'oc2':
      return (o + c) / 2;
    case 'hlc3':
      return (h + l + c) / 3;
    case 'ohlc4':
      return (o + h + l + c) / 4;
  }
}

/** Whole units at or below a price; -1 for a negative price. */
function floor(price: Dec, unit: Dec): number {
  return price < ZERO ? -1 : Number(price / unit);
}

/** Whole units at or above a price. */
function ceil(price: Dec, unit: Dec): number {
  if (price < ZERO) return 0;
  const down = price / unit;
  return Number(down * unit === price ? down : down + 1n);
}
