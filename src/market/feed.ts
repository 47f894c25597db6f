/**
 * The port of price feeds: a pull source of ticks in market-time order, and of candles of the past. A feed
 * reads no clock: the driver (`driver.ts`) decides when the next tick is due. Implementations:
 * `synthetic.ts`, `csv.ts`.
 */
import type { Candle } from '../domain/rows.ts';

/** One new last price. `time` is market time, Unix ms; `volume` is in base units. Decimal strings. */
export interface Tick {
  readonly time: number;
  readonly symbol: string;
  readonly price: string;
  readonly volume: string;
}

export interface Feed {
  /** `synthetic` or `csv:...`, as shown to the user. */
  readonly label: string;
  /** True when market time should equal wall time (synthetic at speed 1). */
  readonly live: boolean;
  /** The feed has no ticks: its market trades at the prices of live markets. Left out: it has ticks. */
  readonly pushed?: true;
  readonly symbols: readonly string[];
  /** Market time at which the feed begins when no state is stored. */
  readonly startTime: number;
  /** Smallest frame that `candles` supports, ms; a minute when left out. */
  readonly frameMs?: number;
  /**
   * Returns the time of the next tick, null at the end of a replay. Ticks of the same time come in the order
   * of `symbols`.
   */
  peek(): number | null;
  next(): Tick | null;
  /**
   * Continues after a stop: the next tick is the first one later than `marketTime`, or the rest of the ticks
   * of exactly that time when `state` (the result of `snapshot`, if any) was taken among them.
   */
  resume(marketTime: number, state: unknown): void;
  /** Returns the generator state, plain JSON; null when the cursor (market time) is enough. */
  snapshot(): unknown;
  /**
   * Returns closed candles with from <= open time < to and closed at or before the feed's present, oldest
   * first; at most 5,000. `frameMs` >= 60,000.
   */
  candles(symbol: string, frameMs: number, from: number, to: number): Candle[];
}

/**
 * A feed that cannot be opened or read: one clear sentence with file and line where there is one. Exit code
 * 2.
 */
export class FeedError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'FeedError';
  }
}
