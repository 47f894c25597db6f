/** Filters and ranges of a run: whether entries may be placed at this moment (strategies.md 2). Pure. */
import { type Dec, div, mul, ONE, ZERO } from '../../domain/decimal.ts';
import { lineAt } from '../market/price-line.ts';
import type { SymbolView } from '../market/view.ts';
import type { CommonSettings, Filters, Range } from '../settings/compiled.ts';
import type { FrameNeeds } from './contract.ts';

const HUNDRED = 100n * ONE;
/** Number of candles before the last one whose mean volume it is compared with. */
const VOLUME_LOOKBACK = 20;
const FAST_EMA = 50;
const SLOW_EMA = 200;
export const DEFAULT_FRAME_MS = 60_000;

export interface GateInput {
  readonly market: SymbolView;
  readonly price: Dec;
  /** The run's first price. */
  readonly firstPrice: Dec;
  readonly now: number;
}

export function hasGate(settings: CommonSettings): boolean {
  return settings.filters !== null || settings.ranges.length > 0;
}

/** Candles and indicators that filters and ranges read. */
export function gateNeeds({ filters }: CommonSettings, own: number): FrameNeeds[] {
  const needs: FrameNeeds[] = [];
  if (filters?.volume?.percentChange != null) needs.push({ frameMs: own, keep: VOLUME_LOOKBACK + 1 });
  if (filters?.market?.rsi) {
    needs.push({ frameMs: filters.market.rsi.timeFrame, rsi: filters.market.rsi.period });
  }
  if (filters?.market?.trend) needs.push({ frameMs: own, ema: FAST_EMA }, { frameMs: own, ema: SLOW_EMA });
  return needs;
}

export function readsDay({ filters }: CommonSettings): boolean {
  return filters?.volume?.minVal != null || filters?.price?.percentChange != null;
}

/** Returns true when all filters and ranges pass. A condition without a value does not pass. */
export function gateOpen(settings: CommonSettings, input: GateInput): boolean {
  const frame = settings.timeFrame ?? DEFAULT_FRAME_MS;
  const { filters } = settings;
  if (filters && !filtersPass(filters, settings.symbol, frame, input)) return false;
  return settings.ranges.every((range) => rangePasses(range, frame, input));
}

export function filtersPass(
  filters: Filters,
  symbol: string,
  frame: number,
  { market, price }: Pick<GateInput, 'market' | 'price'>,
): boolean {
  if (filters.blacklist.includes(symbol)) return false;
  const { volume, market: conditions } = filters;
  if (volume?.minVal != null && market.day().quoteVolume < volume.minVal) return false;
  if (volume?.percentChange != null && !volumeRose(market, frame, volume.percentChange)) return false;
  if (filters.price?.minVal != null && price < filters.price.minVal) return false;
  if (filters.price?.percentChange != null) {
    const wanted = filters.price.percentChange;
    const change = market.day().changePercent;
    if (change === null || (wanted >= ZERO ? change < wanted : change > wanted)) return false;
  }
  if (conditions?.rsi) {
    const { period, timeFrame, min, max } = conditions.rsi;
    const rsi = market.rsi(timeFrame, period);
    if (rsi === null || (min !== null && rsi < min) || (max !== null && rsi > max)) return false;
  }
  if (conditions?.trend) {
    const fast = market.ema(frame, FAST_EMA);
    const slow = market.ema(frame, SLOW_EMA);
    if (fast === null || slow === null || (conditions.trend === 'up' ? fast <= slow : fast >= slow))
      return false;
  }
  return true;
}

function volumeRose(market: SymbolView, frame: number, percent: Dec): boolean {
  const candles = market.closed(frame, VOLUME_LOOKBACK + 1);
  const last = candles.at(-1);
  if (!last || candles.length <= VOLUME_LOOKBACK) return false;
  let sum = ZERO;
  for (const candle of candles.slice(0, -1)) sum += candle.volume;
  const mean = sum / BigInt(VOLUME_LOOKBACK);
  return last.volume >= div(mul(mean, HUNDRED + percent), HUNDRED);
}

function rangePasses(range: Range, frame: number, input: GateInput): boolean {
  const value = rangeValue(range, frame, input);
  if (value === null) return false;
  return (range.min === null || value >= range.min) && (range.max === null || value <= range.max);
}

function rangeValue(range: Range, frame: number, { market, price, firstPrice, now }: GateInput): Dec | null {
  switch (range.type) {
    case 'price':
      return price;
    case 'kline_percent': {
      const forming = market.forming(frame);
      return forming === null ? null : percentFrom(forming.open, price);
    }
    case 'scaled_price':
      return percentFrom(firstPrice, price);
    case 'trend_percent_price': {
      const line = range.trend && lineAt(range.trend, now);
      return line === null || line <= ZERO ? null : percentFrom(line, price);
    }
  }
}

/** Percent change between two prices: `(to / from - 1) x 100`. */
export function percentFrom(from: Dec, to: Dec): Dec {
  return div((to - from) * 100n, from);
}
