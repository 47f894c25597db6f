/**
 * The price feed port: a pull source of ticks in market-time order, and candles of the past. A feed reads no clock: the
 * driver (`driver.ts`) decides when the next tick is due. Implementations: `synthetic.ts`, `csv.ts`.
 */
import type { Candle } from '../domain/rows.ts';

/** One new last price. `time` is market time, Unix ms; `volume` base units traded with it. Decimal strings. */
export interface Tick {
  readonly time: number;
  readonly symbol: string;
  readonly price: string;
  readonly volume: string;
}

export interface Feed {
  /** `synthetic` or `csv:...`, as shown to the user. */
  readonly label: string;
  /** True when market time is meant to be wall time (synthetic at speed 1). */
  readonly live: boolean;
  /** It has no ticks: what trades here trades at the prices of live markets. Left out: it has. */
  readonly pushed?: true;
  readonly symbols: readonly string[];
  /** Market time at which the feed begins when nothing is stored. */
  readonly startTime: number;
  /** Smallest frame that `candles` can answer, ms; a minute when absent. */
  readonly frameMs?: number;
  /** Time of the next tick, null at the end of a replay. Ticks of one time come in the order of `symbols`. */
  peek(): number | null;
  next(): Tick | null;
  /** Continues after a stop: the next tick is the first one later than `marketTime`, or the rest of the ticks of that very time when `state` (what `snapshot` gave, if any) was taken among them. */
  resume(marketTime: number, state: unknown): void;
  /** Generator state, plain JSON; null when the cursor (market time) says it all. */
  snapshot(): unknown;
  /** Closed candles with from <= open time < to and closed at or before the feed's present, oldest first; at most 5,000. `frameMs` >= 60,000. */
  candles(symbol: string, frameMs: number, from: number, to: number): Candle[];
}

/** A feed that cannot be opened or read: one clear sentence with file and line where there is one. Exit code 2. */
export class FeedError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'FeedError';
  }
}
