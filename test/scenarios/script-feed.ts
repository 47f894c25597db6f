/**
 * The market of a scenario as a feed of the desk: a script of ticks that grows as the scenario goes on, the
 * same for every life of the desk. A tick of `PASSING` lets time pass without a trade: no account trades its
 * symbol.
 */
import type { Candle } from '../../src/domain/rows.ts';
import type { Feed, Tick } from '../../src/market/feed.ts';

/** A symbol that has ticks, but is traded on no account. */
export const PASSING = 'TIMEUSDT';

export interface ScriptFeedOptions {
  readonly symbols: readonly string[];
  readonly startTime: number;
  /** The ticks of the script; the list only grows. */
  readonly ticks: readonly Tick[];
  readonly candles: Feed['candles'];
}

export class ScriptFeed implements Feed {
  readonly label = 'scenario';
  readonly live = false;
  readonly symbols: readonly string[];
  readonly startTime: number;
  /**
   * Number of ticks of the script that the feed has delivered, in this life of the desk or an earlier one.
   */
  given = 0;
  readonly #o: ScriptFeedOptions;

  constructor(o: ScriptFeedOptions) {
    this.#o = o;
    this.symbols = [...o.symbols, PASSING];
    this.startTime = o.startTime;
  }

  peek(): number | null {
    return this.#o.ticks[this.given]?.time ?? null;
  }

  next(): Tick | null {
    return this.#o.ticks[this.given++] ?? null;
  }

  resume(marketTime: number, state: unknown): void {
    const later = this.#o.ticks.findIndex(({ time }) => time > marketTime);
    this.given = typeof state === 'number' ? state : later < 0 ? this.#o.ticks.length : later;
  }

  snapshot(): number {
    return this.given;
  }

  candles(symbol: string, frameMs: number, from: number, to: number): Candle[] {
    return this.#o.candles(symbol, frameMs, from, to);
  }
}
