/**
 * The market of strategies.md 1 computed from scratch from lists of ticks: slow, and nothing is cached
 * between two calls.
 */
import type { BotCandle } from '../../../src/bots/market/view.ts';
import { type Dec, str } from '../../../src/domain/decimal.ts';
import type { Candle } from '../../../src/domain/rows.ts';

export interface NaiveTick {
  readonly time: number;
  readonly price: Dec;
  readonly volume: Dec;
}

/**
 * The candle that opens at `open`, from the ticks with number `from` or higher; flat at the last price known
 * by its end; null before any.
 */
export function naiveCandle(
  ticks: readonly NaiveTick[],
  open: number,
  frameMs: number,
  from = 0,
): BotCandle | null {
  const traded = ticks.filter(({ time }, at) => at >= from && time >= open && time < open + frameMs);
  const known = ticks.filter(({ time }) => time < open + frameMs).at(-1);
  const prices = traded.length > 0 ? traded.map(({ price }) => price) : known ? [known.price] : [];
  if (prices.length === 0) return null;
  const sorted = prices.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return {
    time: open,
    open: prices[0] as Dec,
    high: sorted.at(-1) as Dec,
    low: sorted[0] as Dec,
    close: prices.at(-1) as Dec,
    volume: traded.reduce((sum, { volume }) => sum + volume, 0n),
  };
}

/** Every candle closed at `now`, oldest first. */
export function naiveCandles(ticks: readonly NaiveTick[], frameMs: number, now: number): BotCandle[] {
  const candles: BotCandle[] = [];
  const first = ticks[0];
  if (!first) return candles;
  for (let open = first.time - (first.time % frameMs); open + frameMs <= now; open += frameMs) {
    const candle = naiveCandle(ticks, open, frameMs);
    if (candle) candles.push(candle);
  }
  return candles;
}

/** The candle in the form of a feed. */
export function feedCandle(candle: BotCandle): Candle {
  const { time, open, high, low, close, volume } = candle;
  return {
    time,
    open: str(open),
    high: str(high),
    low: str(low),
    close: str(close),
    volume: str(volume),
  };
}

export function naiveRsi(closes: readonly number[], period: number): number | null {
  const changes = closes.slice(1).map((close, at) => close - (closes[at] as number));
  if (changes.length < period) return null;
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / period;
  const seed = changes.slice(0, period);
  let gain = mean(seed.map((change) => Math.max(change, 0)));
  let loss = mean(seed.map((change) => Math.max(-change, 0)));
  for (const change of changes.slice(period)) {
    gain = (gain * (period - 1) + Math.max(change, 0)) / period;
    loss = (loss * (period - 1) + Math.max(-change, 0)) / period;
  }
  if (loss === 0) return gain === 0 ? 50 : 100;
  return 100 - 100 / (1 + gain / loss);
}

export function naiveEma(closes: readonly number[], period: number): number | null {
  if (closes.length < period) return null;
  const k = 2 / (period + 1);
  const seed = closes.slice(0, period).reduce((sum, close) => sum + close, 0) / period;
  return closes.slice(period).reduce((ema, close) => close * k + ema * (1 - k), seed);
}
