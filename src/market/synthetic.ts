/**
 * The default price feed: a seeded market of the table's symbols with correlated moves, four ticks a second
 * each. All symbols tick at each moment of the grid, in table order. Reads no clock: market time moves only
 * when a tick is pulled.
 */
import type { Candle } from '../domain/rows.ts';
import { closedFrames, type FrameRange, fillFlat, frameStart } from './aggregate.ts';
import type { Feed, Tick } from './feed.ts';
import { SeededRandom } from './random.ts';
import { formatScaled } from './scaled.ts';
import { MARKETS, type MarketSpec } from './symbols.ts';
import { SyntheticHistory } from './synthetic-history.ts';
import { RecentMinutes } from './synthetic-minutes.ts';
import {
  candleTexts,
  candleTicks,
  compileMarket,
  type StepModel,
  type SyntheticMarket,
  shock,
  stepModel,
  type TickCandle,
  ticksOf,
} from './synthetic-model.ts';
import { readSyntheticState, type SyntheticState } from './synthetic-state.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './timeframe.ts';

export interface SyntheticFeedOptions {
  /** A whole number; the same seed and start time give the same ticks. */
  readonly seed: number;
  /** Unix ms of the very first start; a stored state replaces it. */
  readonly startTime: number;
  /**
   * Returns stored minutes with from <= open time < to, oldest first: those that `onCandle` received earlier.
   */
  readonly recorded?: (symbol: string, from: number, to: number) => readonly Candle[];
  /** Called with each closed minute in which there were ticks, before the tick that closed it is returned. */
  readonly onCandle?: (symbol: string, candle: Candle) => void;
  readonly markets?: readonly MarketSpec[];
  /** Ticks of each symbol per second; must divide 1,000. */
  readonly ticksPerSecond?: number;
  /** False when market time should not equal wall time. */
  readonly live?: boolean;
}

/** First word of the seed, which separates the live generator from those of the history. */
const LIVE_STREAM = 0;

export function createSyntheticFeed(options: SyntheticFeedOptions): Feed {
  return new SyntheticFeed(options);
}

class SyntheticFeed implements Feed {
  readonly label = 'synthetic';
  readonly live: boolean;
  readonly symbols: readonly string[];
  readonly startTime: number;
  readonly #markets: readonly SyntheticMarket[];
  readonly #model: StepModel;
  readonly #stepMs: number;
  readonly #recorded: NonNullable<SyntheticFeedOptions['recorded']>;
  readonly #onCandle: SyntheticFeedOptions['onCandle'];
  readonly #minutes: readonly RecentMinutes[];
  readonly #logs: number[];
  #seed: number;
  #genesis: number;
  #history: SyntheticHistory;
  #random: SeededRandom;
  /** Time of the next tick, its symbol, and the common shock of that moment (drawn with its first tick). */
  #time: number;
  #index = 0;
  #shock = 0;
  #present: number;

  constructor(options: SyntheticFeedOptions) {
    const { seed, startTime, markets = MARKETS, ticksPerSecond = 4, live = true } = options;
    this.live = live;
    this.startTime = startTime;
    this.symbols = markets.map((market) => market.symbol);
    this.#markets = markets.map(compileMarket);
    this.#stepMs = 1_000 / ticksPerSecond;
    if (!Number.isInteger(this.#stepMs))
      throw new RangeError(`ticksPerSecond ${ticksPerSecond} does not divide 1,000`);
    this.#model = stepModel(this.#stepMs);
    this.#recorded = options.recorded ?? (() => []);
    this.#onCandle = options.onCandle;
    this.#minutes = markets.map(() => new RecentMinutes());
    this.#logs = this.#markets.map((market) => market.startLog);
    this.#seed = seed;
    this.#genesis = startTime;
    this.#history = new SyntheticHistory([seed], startTime, this.#markets);
    this.#random = SeededRandom.of(seed, LIVE_STREAM);
    this.#time = Math.ceil(startTime / this.#stepMs) * this.#stepMs;
    this.#present = startTime;
  }

  peek(): number {
    return this.#time;
  }

  next(): Tick {
    const index = this.#index;
    const time = this.#time;
    const random = this.#random;
    const market = this.#markets[index] as SyntheticMarket;
    if (index === 0) this.#shock = shock(random, this.#model);
    const log = this.#logs[index] as number;
    const move = market.common * this.#shock + market.own * shock(random, this.#model);
    const moved =
      log + market.volatility * this.#model.root * move - (log - market.startLog) * this.#model.reversion;
    const price = ticksOf(market, moved);
    const volume = Math.max(1, Math.round(market.dailyVolume * this.#model.root ** 2 * random.exponential()));
    this.#logs[index] = moved;
    this.#present = time;
    if (index + 1 === this.#markets.length) {
      this.#index = 0;
      this.#time = time + this.#stepMs;
    } else this.#index = index + 1;
    const closed = (this.#minutes[index] as RecentMinutes).add(time, price, volume);
    if (closed !== null) this.#onCandle?.(market.symbol, candleTexts(market, closed));
    return {
      time,
      symbol: market.symbol,
      price: formatScaled(price, market.priceDecimals),
      volume: formatScaled(volume, market.volumeDecimals),
    };
  }

  /**
   * Resumes. A state older than `marketTime` continues from its own prices; a state with another seed keeps
   * its seed. Throws FeedError.
   */
  resume(marketTime: number, state: unknown): void {
    const stored = readSyntheticState(state);
    if (stored !== null) this.#restore(stored);
    if (this.#time < marketTime || (this.#time === marketTime && this.#index === 0)) {
      this.#time = frameStart(marketTime, this.#stepMs) + this.#stepMs;
      this.#index = 0;
    }
    this.#present = marketTime;
  }

  snapshot(): SyntheticState {
    const markets: Record<string, readonly number[]> = {};
    this.#markets.forEach(({ symbol }, index) => {
      const log = this.#logs[index] as number;
      const forming = this.#minutes[index]?.forming;
      markets[symbol] = forming
        ? [log, forming.time, forming.open, forming.high, forming.low, forming.close, forming.volume]
        : [log];
    });
    return {
      seed: this.#seed,
      genesis: this.#genesis,
      time: this.#time,
      index: this.#index,
      shock: this.#shock,
      random: this.#random.state(),
      markets,
    };
  }

  candles(symbol: string, frameMs: number, from: number, to: number): Candle[] {
    const index = this.symbols.indexOf(symbol);
    const market = this.#markets[index];
    if (!market || frameMs < MINUTE_MS || frameMs % MINUTE_MS !== 0) return [];
    const range = closedFrames(frameMs, Math.max(from, this.#history.start), to, this.#present);
    if (range === null) return [];
    const frames: TickCandle[] = [];
    const minutes = this.#minutes[index] as RecentMinutes;
    const add = frameAdder(frames, frameMs);
    const kept = minutes.firstTime ?? Infinity;
    this.#history.visit(index, range.start, range.end, frameMs, add);
    for (const candle of this.#stored(symbol, range.start, Math.min(range.end, kept))) {
      const { time, open, high, low, close, volume } = candleTicks(market, candle);
      add(time, open, high, low, close, volume);
    }
    minutes.visit(range.start, range.end, add);
    const candles = frames.map((frame) => candleTexts(market, frame));
    return fillFlat(candles, frameMs, range, () => this.#closeBefore(index, range));
  }

  #restore(state: SyntheticState): void {
    if (state.seed !== this.#seed || state.genesis !== this.#genesis) {
      this.#seed = state.seed;
      this.#genesis = state.genesis;
      this.#history = new SyntheticHistory([state.seed], state.genesis, this.#markets);
    }
    this.#random = new SeededRandom(state.random);
    this.#time = state.time;
    this.#index = state.index < this.#markets.length ? state.index : 0;
    this.#shock = state.shock;
    this.#markets.forEach(({ symbol, startLog }, index) => {
      const [log = startLog, time, open = 0, high = 0, low = 0, close = 0, volume = 0] =
        state.markets[symbol] ?? [];
      this.#logs[index] = log;
      const forming = time === undefined ? null : { time, open, high, low, close, volume };
      (this.#minutes[index] as RecentMinutes).restore(forming);
    });
  }

  /** Returns stored minutes since the first start. */
  #stored(symbol: string, from: number, to: number): readonly Candle[] {
    const first = Math.max(from, this.#history.end);
    return first < to ? this.#recorded(symbol, first, to) : [];
  }

  /** Returns the close for a flat first frame when it has no ticks; searches further and further back. */
  #closeBefore(index: number, { start }: FrameRange): string | null {
    const market = this.#markets[index] as SyntheticMarket;
    if (start <= this.#history.end) return null;
    const recent = (this.#minutes[index] as RecentMinutes).closeBefore(start);
    if (recent !== null) return formatScaled(recent, market.priceDecimals);
    for (const span of [HOUR_MS, DAY_MS, 32 * DAY_MS, Infinity]) {
      const close = this.#stored(market.symbol, start - span, start).at(-1)?.close;
      if (close !== undefined) return close;
    }
    return formatScaled(ticksOf(market, market.startLog), market.priceDecimals);
  }
}

/** Returns a function that adds minutes, or larger pieces, in time order to frames of `frameMs`. */
function frameAdder(frames: TickCandle[], frameMs: number) {
  let frame: TickCandle | undefined;
  return (time: number, open: number, high: number, low: number, close: number, volume: number): void => {
    const start = time - (time % frameMs);
    if (frame?.time !== start) {
      frame = { time: start, open, high, low, close, volume };
      frames.push(frame);
      return;
    }
    if (high > frame.high) frame.high = high;
    if (low < frame.low) frame.low = low;
    frame.close = close;
    frame.volume += volume;
  };
}
