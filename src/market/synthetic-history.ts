/**
 * The generated past of a synthetic market, in three steps: a random walk over days, backwards from the first
 * price, then the hours of a day and the minutes of an hour, which add up to it exactly. So a long frame
 * needs one step per day, not 1,440 minutes. Each day's and each hour's parts have a generator of their own,
 * so that the same seed gives the same past in any order of requests. Never uses the live generator.
 */
import { SeededRandom } from './random.ts';
import { activity, excursion, type SyntheticMarket, stepModel, ticksOf } from './synthetic-model.ts';
import { candleParts } from './synthetic-parts.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './timeframe.ts';

/** Days of history before the first price; before that the markets have no data. */
export const HISTORY_DAYS = 730;
const HOURS_PER_DAY = DAY_MS / HOUR_MS;
/** Number of hours whose minutes are cached: 220 days, 13 MB. */
const KEPT_HOURS = 220 * HOURS_PER_DAY;
/** First words of the seeds, which separate the generators by purpose. */
const FACTOR_STREAM = 1;
const SYMBOL_STREAM = 2;
const MINUTE_STREAM = 3;
const HOUR_STREAM = 4;
const COLUMNS = 5;

export type CandleVisitor = (
  time: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number,
) => void;

export class SyntheticHistory {
  /** Open time of the first minute. */
  readonly start: number;
  /** End of the past: the beginning of the minute with the first price. */
  readonly end: number;
  readonly #words: readonly number[];
  readonly #markets: readonly SyntheticMarket[];
  readonly #lastDayStart: number;
  /** For each market, day k as a candle's numbers, as far back as was requested. */
  readonly #days: Float64Array[][];
  /** For each market, the log price at which the oldest of these days opens. */
  readonly #logs: number[];
  /** For each market, the hours of the requested days. */
  readonly #hours: Map<number, Float64Array>[];
  readonly #minutes = new Map<string, Float64Array>();

  constructor(seedWords: readonly number[], genesis: number, markets: readonly SyntheticMarket[]) {
    this.#words = seedWords;
    this.#markets = markets;
    this.end = Math.floor(genesis / MINUTE_MS) * MINUTE_MS;
    this.#lastDayStart = Math.floor(this.end / DAY_MS) * DAY_MS;
    this.start = this.#lastDayStart - HISTORY_DAYS * DAY_MS;
    this.#days = markets.map(() => []);
    this.#logs = markets.map((market) => market.startLog);
    this.#hours = markets.map(() => new Map());
  }

  /**
   * Visits the minutes with from <= open time < to, oldest first; for frames of whole hours or days it visits
   * whole hours or days. The last hour and the last day are visited as far as they go.
   */
  visit(index: number, from: number, to: number, frameMs: number, each: CandleVisitor): void {
    const first = Math.max(from, this.start);
    const last = Math.min(to, this.end);
    const isWhole = (time: number, length: number) => {
      const end = Math.min(time + length, this.end);
      return frameMs % length === 0 && time >= first && end <= last;
    };
    for (let day = Math.ceil((this.#lastDayStart - first) / DAY_MS); day >= 0; day--) {
      const start = this.#dayStart(day);
      const end = Math.min(start + DAY_MS, last);
      if (start >= last) return;
      if (isWhole(start, DAY_MS)) {
        visitColumns(this.#day(index, day), 0, start, 0, 1, each);
        continue;
      }
      const hours = this.#hoursOf(index, day);
      const firstHour = Math.max(0, Math.floor((first - start) / HOUR_MS));
      for (let at = firstHour, hour = start + at * HOUR_MS; hour < end; at++, hour += HOUR_MS) {
        const columns = hours.subarray(at * COLUMNS, (at + 1) * COLUMNS);
        if (isWhole(hour, HOUR_MS)) visitColumns(columns, 0, hour, 0, 1, each);
        else {
          const skipped = Math.max(0, Math.ceil((first - hour) / MINUTE_MS));
          const count = Math.ceil((Math.min(hour + HOUR_MS, last) - hour) / MINUTE_MS);
          visitColumns(this.#minutesOf(index, hour, columns), 0, hour, skipped, count, each);
        }
      }
    }
  }

  #dayStart(day: number): number {
    return this.#lastDayStart - day * DAY_MS;
  }

  /** Returns a day; later days are generated first, since each opens where the one before it closes. */
  #day(index: number, day: number): Float64Array {
    const days = this.#days[index] as Float64Array[];
    while (days.length <= day) {
      const number = days.length;
      days.push(number === 0 ? this.#lastDay(index) : this.#walk(index, number));
    }
    return days[day] as Float64Array;
  }

  #hoursOf(index: number, day: number): Float64Array {
    const candle = this.#day(index, day);
    const known = this.#hours[index] as Map<number, Float64Array>;
    let hours = known.get(day);
    if (!hours) {
      hours = this.#partsOf(index, HOUR_STREAM, this.#dayStart(day) / DAY_MS, candle, HOURS_PER_DAY, HOUR_MS);
      known.set(day, hours);
    }
    return hours;
  }

  #minutesOf(index: number, hour: number, candle: Float64Array): Float64Array {
    const key = `${index}/${hour}`;
    const kept = this.#minutes.get(key);
    if (kept) return kept;
    const count = (Math.min(hour + HOUR_MS, this.end) - hour) / MINUTE_MS;
    const made = this.#partsOf(index, MINUTE_STREAM, hour / HOUR_MS, candle, count, MINUTE_MS);
    this.#minutes.set(key, made);
    if (this.#minutes.size > KEPT_HOURS) this.#minutes.delete(this.#minutes.keys().next().value as string);
    return made;
  }

  #partsOf(
    index: number,
    stream: number,
    number: number,
    candle: Float64Array,
    count: number,
    stepMs: number,
  ): Float64Array {
    const market = this.#markets[index] as SyntheticMarket;
    const common = SeededRandom.of(...this.#words, stream, number);
    const own = SeededRandom.of(...this.#words, stream, number, hashText(market.symbol));
    return candleParts({ market, candle, count, stepMs, own, common });
  }

  /** Returns the last day: it and its last hour may be short, so its hours are generated one by one. */
  #lastDay(index: number): Float64Array {
    const length = this.end - this.#lastDayStart;
    const hours = new Float64Array(HOURS_PER_DAY * COLUMNS);
    const sum = Float64Array.of(0, 0, Number.POSITIVE_INFINITY, 0, 0);
    const random = this.#randomOf(index, 0);
    const factors = this.#factorOf(0);
    const count = Math.ceil(length / HOUR_MS);
    const factor = Array.from({ length: count }, () => factors.normal());
    for (let hour = count - 1; hour >= 0; hour--) {
      const candle = this.#step(
        index,
        Math.min(HOUR_MS, length - hour * HOUR_MS),
        factor[hour] as number,
        random,
      );
      hours.set(candle, hour * COLUMNS);
      const [open = 0, high = 0, low = 0, close = 0, volume = 0] = candle;
      sum[0] = open;
      sum[1] = Math.max(sum[1] as number, high);
      sum[2] = Math.min(sum[2] as number, low);
      if (hour === count - 1) sum[3] = close;
      sum[4] = (sum[4] as number) + volume;
    }
    (this.#hours[index] as Map<number, Float64Array>).set(0, hours);
    return sum;
  }

  #walk(index: number, day: number): Float64Array {
    return this.#step(index, DAY_MS, this.#factorOf(day).normal(), this.#randomOf(index, day));
  }

  #randomOf(index: number, day: number): SeededRandom {
    const { symbol } = this.#markets[index] as SyntheticMarket;
    return SeededRandom.of(...this.#words, SYMBOL_STREAM, day, hashText(symbol));
  }

  /** Returns the generator of the shocks that all markets share on a day. */
  #factorOf(day: number): SeededRandom {
    return SeededRandom.of(...this.#words, FACTOR_STREAM, day);
  }

  /** Makes one step back in the random walk of a market. */
  #step(index: number, length: number, factor: number, random: SeededRandom): Float64Array {
    const market = this.#markets[index] as SyntheticMarket;
    const log = this.#logs[index] as number;
    const { root, reversion } = stepModel(length);
    const sigma = market.volatility * root;
    const move = sigma * (market.common * factor + market.own * random.normal());
    const before = log - move - (log - market.startLog) * reversion;
    const distance = Math.abs(before - log);
    const [open, close] = [ticksOf(market, before), ticksOf(market, log)];
    const high = topOf(open, close, excursion(random, distance, sigma));
    const low = bottomOf(open, close, excursion(random, distance, sigma));
    const mean = market.dailyVolume * (length / DAY_MS);
    // Every minute has some volume.
    const volume = Math.max(length / MINUTE_MS, Math.round(mean * activity(random, Math.abs(move) / sigma)));
    this.#logs[index] = before;
    return Float64Array.of(open, high, low, close, volume);
  }
}

function topOf(open: number, close: number, beyond: number): number {
  const higher = Math.max(open, close);
  return Math.max(higher, Math.round(higher * (1 + beyond)));
}

function bottomOf(open: number, close: number, beyond: number): number {
  const lower = Math.min(open, close);
  return Math.max(1, Math.min(lower, Math.round(lower * (1 - beyond))));
}

/**
 * Visits candles `from` to before `to` of columns that begin at `offset`; a single one opens at `time`, the
 * others a minute apart.
 */
function visitColumns(
  columns: Float64Array,
  offset: number,
  time: number,
  from: number,
  to: number,
  each: CandleVisitor,
): void {
  for (let i = from; i < to; i++) {
    const at = offset + i * COLUMNS;
    each(
      time + i * MINUTE_MS,
      columns[at] as number,
      columns[at + 1] as number,
      columns[at + 2] as number,
      columns[at + 3] as number,
      columns[at + 4] as number,
    );
  }
}

/** Returns the FNV-1a hash, so that a symbol's past does not depend on its place in the table. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}
