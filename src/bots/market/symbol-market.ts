/** All that the hub knows of one symbol, and the view of it that every run reads. */
import type { Dec } from '../../domain/decimal.ts';
import type { CandleSeries } from './candle-series.ts';
import { type DayWindow, NO_FIGURES } from './day-window.ts';
import type { BotCandle, DayFigures, LastTold, SymbolView } from './view.ts';

/** Latest market time of the hub, shared by its symbols. */
export interface MarketTime {
  now: number;
}

export class SymbolMarket implements SymbolView {
  readonly symbol: string;
  price: Dec | null = null;
  /** Market time of the last price. */
  priceTime = 0;
  ticks = 0;
  /** Series in order of creation, one for each frame. */
  series: readonly CandleSeries[] = [];
  day24h: DayWindow | null = null;
  /** Number of readers of the figures of the day. */
  dayNeeds = 0;
  readonly #time: MarketTime;
  /** The price before a tick that must still be given to the runs, after a start in the middle of it. */
  #beforePending: LastTold | null = null;

  constructor(symbol: string, time: MarketTime) {
    this.symbol = symbol;
    this.#time = time;
  }

  find(frameMs: number): CandleSeries | undefined {
    for (const one of this.series) if (one.frameMs === frameMs) return one;
    return undefined;
  }

  tick(time: number, price: Dec, volume: Dec): void {
    this.#beforePending = null;
    this.price = price;
    this.priceTime = time;
    this.ticks++;
    for (const one of this.series) one.tick(price, volume, time);
    if (this.day24h !== null) this.day24h.tick(time, price, volume);
  }

  get lastTold(): LastTold {
    return this.#beforePending ?? { price: this.price, at: this.priceTime };
  }

  /** Sets the price of a tick that the candles contain but that must still be given to the runs. */
  pending(time: number, price: Dec): void {
    this.#beforePending = { price: this.price, at: this.priceTime };
    this.price = price;
    this.priceTime = time;
    this.ticks++;
  }

  lastClosed(frameMs: number): BotCandle | null {
    return this.find(frameMs)?.last ?? null;
  }

  closed(frameMs: number, count: number): BotCandle[] {
    return this.find(frameMs)?.closed(count) ?? [];
  }

  forming(frameMs: number): BotCandle | null {
    return this.find(frameMs)?.forming ?? null;
  }

  rsi(frameMs: number, period: number): number | null {
    return this.find(frameMs)?.rsi(period)?.value ?? null;
  }

  previousRsi(frameMs: number, period: number): number | null {
    return this.find(frameMs)?.rsi(period)?.previous ?? null;
  }

  ema(frameMs: number, period: number): number | null {
    return this.find(frameMs)?.ema(period)?.value ?? null;
  }

  day(): DayFigures {
    return this.day24h?.figures(this.#time.now) ?? NO_FIGURES;
  }
}
