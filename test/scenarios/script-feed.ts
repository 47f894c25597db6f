/**
 * The market of a scenario as a feed of the desk: a script of ticks that grows as the scenario goes on, the same for every
 * life of the desk. A tick of `PASSING` lets time pass with no trade: its symbol is traded nowhere.
 */
import type { Candle } from '../../src/domain/rows.ts';
import type { Feed, Tick } from '../../src/market/feed.ts';

/** Has ticks, and is traded on no account. */
export const PASSING = 'TIMEUSDT';

export interface ScriptFeedOptions {
  readonly symbols: readonly string[];
  readonly startTime: number;
  /** Grows only. */
  readonly ticks: readonly Tick[];
  readonly candles: Feed['candles'];
}

export class ScriptFeed implements Feed {
  readonly label = 'scenario';
  readonly live = false;
  readonly symbols: readonly string[];
  readonly startTime: number;
  /** Ticks of the script that it has given, in this life of the desk or an earlier one. */
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
