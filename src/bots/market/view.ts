/**
 * What bots know of the market: last prices, closed and forming candles, indicators, figures of the last 24
 * hours (strategies.md 1 and 2). One hub serves all runs, so each candle and each indicator is computed once.
 * Types only.
 */
import type { Dec } from '../../domain/decimal.ts';

/** Prices as decimals; `time` is the open time, Unix ms. */
export interface BotCandle {
  readonly time: number;
  readonly open: Dec;
  readonly high: Dec;
  readonly low: Dec;
  readonly close: Dec;
  /** Base units. */
  readonly volume: Dec;
}

export interface DayFigures {
  /** Quote units traded in the last 24 h. */
  readonly quoteVolume: Dec;
  /** Percent from the price 24 h ago; null when that is not known. */
  readonly changePercent: Dec | null;
}

/** The last price that runs were given; null before the first. */
export interface LastTold {
  readonly price: Dec | null;
  /** Market time, Unix ms. */
  readonly at: number;
}

/** One symbol as a run sees it. */
export interface SymbolView {
  readonly symbol: string;
  /** Null before the first known price. */
  readonly price: Dec | null;
  /** Market time of the last price. */
  readonly priceTime: number;
  /** Ticks since the hub was made: distinguishes ticks with the same time and price. */
  readonly ticks: number;
  /** The last price that runs have seen: after a start in the middle of a tick, the one before it. */
  readonly lastTold: LastTold;
  /** Last closed candle of the frame; null before the first. */
  lastClosed(frameMs: number): BotCandle | null;
  /** Up to `count` closed candles, oldest first, the newest last. */
  closed(frameMs: number, count: number): readonly BotCandle[];
  /** The candle that is being built, null before its first tick. */
  forming(frameMs: number): BotCandle | null;
  /** RSI over closed candles (Wilder); null before the seed is complete. */
  rsi(frameMs: number, period: number): number | null;
  /** RSI one close earlier. */
  previousRsi(frameMs: number, period: number): number | null;
  /** EMA over closed candles; null before the seed is complete. */
  ema(frameMs: number, period: number): number | null;
  day(): DayFigures;
}
