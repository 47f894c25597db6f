/** A feed whose ticks a test sends one by one. */
import type { Feed, Tick } from '../../src/market/feed.ts';

export interface HandFeedOptions {
  readonly symbols: readonly string[];
  readonly startTime: number;
  /** Default: a replay, in lock-step with the desk. */
  readonly live?: boolean;
  readonly label?: string;
}

export class HandFeed implements Feed {
  readonly label: string;
  readonly live: boolean;
  readonly symbols: readonly string[];
  readonly startTime: number;
  #ticks: Tick[] = [];

  constructor({ symbols, startTime, live = false, label = 'by hand' }: HandFeedOptions) {
    this.symbols = symbols;
    this.startTime = startTime;
    this.live = live;
    this.label = label;
  }

  /** Sends ticks, in market-time order. */
  push(...ticks: readonly Tick[]): void {
    this.#ticks.push(...ticks);
  }

  peek(): number | null {
    return this.#ticks[0]?.time ?? null;
  }

  next(): Tick | null {
    return this.#ticks.shift() ?? null;
  }

  resume(marketTime: number): void {
    this.#ticks = this.#ticks.filter(({ time }) => time > marketTime);
  }

  snapshot(): null {
    return null;
  }

  candles(): [] {
    return [];
  }
}
