/**
 * The generated past of a synthetic market: minutes walked backwards from the first price, a UTC day at a time, each
 * day from a generator of its own, so that the same seed gives the same past in any order of asking. Keeps the days
 * last used; never touches the live generator.
 */
import { SeededRandom } from './random.ts';
import {
  type StepModel,
  type SyntheticMarket,
  shock,
  stepModel,
  type TickCandle,
  ticksOf,
} from './synthetic-model.ts';
import { DAY_MS, MINUTE_MS } from './timeframe.ts';

/** Days of history before the first price; earlier the markets did not exist. */
export const HISTORY_DAYS = 730;
const MINUTES_PER_DAY = DAY_MS / MINUTE_MS;
/** Enough for 5,000 hours, 13 MB. */
const KEPT_DAYS = 220;
const KEPT_FACTORS = 220;
/** Words that keep the generators of different purposes apart. */
const FACTOR_STREAM = 1;
const SYMBOL_STREAM = 2;

/**
 * A day's minutes, the newest day first: day 0 ends with the genesis minute and may be short. Columns of open, high, low,
 * close, volume; generated from the last minute backwards, as far as somebody has asked.
 */
interface Day {
  readonly number: number;
  readonly start: number;
  readonly minutes: Float64Array;
  readonly random: SeededRandom;
  /** First minute that is generated, and the log price that it opens at. */
  first: number;
  log: number;
}

const COLUMNS = 5;
/** Numbers that a minute takes from the generator besides its shock: two excursions and the volume. */
const CANDLE_DRAWS = 3;

export type MinuteVisitor = (
  time: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number,
) => void;

export class SyntheticHistory {
  /** Open time of the first minute there is. */
  readonly start: number;
  /** The past ends here: the minute in which the first price came begins. */
  readonly end: number;
  readonly #words: readonly number[];
  readonly #markets: readonly SyntheticMarket[];
  readonly #model: StepModel = stepModel(MINUTE_MS);
  readonly #lastDayStart: number;
  /** Per market the log price at the end of day k, as far back as it was asked for. */
  readonly #ends: number[][];
  readonly #days = new Map<string, Day>();
  readonly #factors = new Map<number, Float64Array>();
  /** Per market whole days already added up, by number of the day. */
  readonly #sums: Map<number, TickCandle>[];

  constructor(seedWords: readonly number[], genesis: number, markets: readonly SyntheticMarket[]) {
    this.#words = seedWords;
    this.#markets = markets;
    this.end = Math.floor(genesis / MINUTE_MS) * MINUTE_MS;
    this.#lastDayStart = Math.floor(this.end / DAY_MS) * DAY_MS;
    this.start = this.#lastDayStart - HISTORY_DAYS * DAY_MS;
    this.#ends = markets.map((market) => [market.startLog]);
    this.#sums = markets.map(() => new Map());
  }

  /** Gives the minutes with from <= open time < to, oldest first; whole days at once when `byDay`. */
  visit(index: number, from: number, to: number, byDay: boolean, each: MinuteVisitor): void {
    const first = Math.max(from, this.start);
    const last = Math.min(to, this.end);
    const oldest = this.#dayNumber(first);
    const known = (this.#ends[index] as number[]).length - 1;
    // Newest first: each of them is walked once, with its candles.
    for (let day = Math.max(this.#dayNumber(last - 1), known); day < oldest; day++) this.#day(index, day);
    for (let day = oldest; day >= 0; day--) {
      const start = this.#lastDayStart - day * DAY_MS;
      if (start >= last) break;
      if (byDay && day > 0 && start >= first && start + DAY_MS <= last) {
        const sum = this.#sumOf(index, day);
        each(sum.time, sum.open, sum.high, sum.low, sum.close, sum.volume);
      } else {
        const minute = Math.max(0, Math.ceil((first - start) / MINUTE_MS));
        visitDay(this.#day(index, day, minute), first, last, each);
      }
    }
  }

  #dayNumber(time: number): number {
    return Math.ceil((this.#lastDayStart - time) / DAY_MS);
  }

  #sumOf(index: number, day: number): TickCandle {
    const sums = this.#sums[index] as Map<number, TickCandle>;
    if (!sums.has(day)) this.#day(index, day);
    return sums.get(day) as TickCandle;
  }

  /** The day with its minutes from the one numbered `first` on. */
  #day(index: number, number: number, first = 0): Day {
    const ends = this.#ends[index] as number[];
    for (let later = ends.length - 1; later < number; later++) ends.push(this.#logBefore(index, later));
    const key = `${index}/${number}`;
    let day = this.#days.get(key);
    if (!day) {
      day = this.#begin(index, number);
      keep(this.#days, key, day, KEPT_DAYS);
    }
    if (day.first > first) this.#walk(index, day, first);
    return day;
  }

  /** The log price that a day opens at: its walk without the candles. */
  #logBefore(index: number, number: number): number {
    const market = this.#markets[index] as SyntheticMarket;
    const day = this.#days.get(`${index}/${number}`) ?? this.#begin(index, number);
    const random = new SeededRandom(day.random.state());
    const factor = this.#factor(number);
    let { log } = day;
    for (let minute = day.first - 1; minute >= 0; minute--) {
      log = this.#before(market, log, this.#move(market, factor[minute] as number, random));
      random.skip(CANDLE_DRAWS);
    }
    return log;
  }

  #move(market: SyntheticMarket, factor: number, random: SeededRandom): number {
    const sigma = market.volatility * this.#model.root;
    return sigma * (market.common * factor + market.own * shock(random, this.#model));
  }

  #before(market: SyntheticMarket, log: number, move: number): number {
    return log - move - (log - market.startLog) * this.#model.reversion;
  }

  #begin(index: number, number: number): Day {
    const { symbol } = this.#markets[index] as SyntheticMarket;
    const start = this.#lastDayStart - number * DAY_MS;
    const count = number === 0 ? (this.end - start) / MINUTE_MS : MINUTES_PER_DAY;
    return {
      number,
      start,
      minutes: new Float64Array(count * COLUMNS),
      random: SeededRandom.of(...this.#words, SYMBOL_STREAM, number, hashText(symbol)),
      first: count,
      log: this.#ends[index]?.[number] as number,
    };
  }

  /** Walks a day back to a minute; at its first one notes where the day before must end. */
  #walk(index: number, day: Day, first: number): void {
    const { number, minutes, random } = day;
    const market = this.#markets[index] as SyntheticMarket;
    const factor = this.#factor(number);
    const sigma = market.volatility * this.#model.root;
    const meanVolume = market.dailyVolume / MINUTES_PER_DAY;
    let { log } = day;
    let close = ticksOf(market, log);
    for (let minute = day.first - 1; minute >= first; minute--) {
      const move = this.#move(market, factor[minute] as number, random);
      const before = this.#before(market, log, move);
      const open = ticksOf(market, before);
      const distance = Math.abs(before - log);
      const at = minute * COLUMNS;
      minutes[at] = open;
      minutes[at + 1] = Math.max(
        open,
        close,
        Math.round(Math.max(open, close) * (1 + excursion(random, distance, sigma))),
      );
      minutes[at + 2] = Math.max(
        1,
        Math.round(Math.min(open, close) * (1 - excursion(random, distance, sigma))),
      );
      minutes[at + 3] = close;
      minutes[at + 4] = Math.max(1, Math.round(meanVolume * activity(random, Math.abs(move) / sigma)));
      log = before;
      close = open;
    }
    day.log = log;
    day.first = first;
    if (first > 0) return;
    (this.#ends[index] as number[])[number + 1] = log;
    if (number > 0) (this.#sums[index] as Map<number, TickCandle>).set(number, sumOf(day.start, minutes));
  }

  /** The common market's shocks of a day's minutes. */
  #factor(day: number): Float64Array {
    const kept = this.#factors.get(day);
    if (kept) return kept;
    const random = SeededRandom.of(...this.#words, FACTOR_STREAM, day);
    const made = new Float64Array(MINUTES_PER_DAY);
    for (let minute = 0; minute < MINUTES_PER_DAY; minute++) made[minute] = shock(random, this.#model);
    keep(this.#factors, day, made, KEPT_FACTORS);
    return made;
  }
}

/** How far a walk with the given distance between its ends went beyond them: the maximum of a Brownian bridge. */
function excursion(random: SeededRandom, distance: number, sigma: number): number {
  return (Math.sqrt(distance * distance + 2 * sigma * sigma * random.exponential()) - distance) / 2;
}

function sumOf(start: number, minutes: Float64Array): TickCandle {
  const close = minutes[minutes.length - COLUMNS + 3] as number;
  const sum = { time: start, open: minutes[0] as number, high: 0, low: Infinity, close, volume: 0 };
  for (let at = 0; at < minutes.length; at += COLUMNS) {
    sum.high = Math.max(sum.high, minutes[at + 1] as number);
    sum.low = Math.min(sum.low, minutes[at + 2] as number);
    sum.volume += minutes[at + 4] as number;
  }
  return sum;
}

/** A minute's volume as a multiple of the mean: more when the price moved more. Its own mean is 1. */
function activity(random: SeededRandom, move: number): number {
  return (0.6 + 0.5 * move) * (0.6 + 0.8 * random.uniform());
}

function visitDay({ start, minutes }: Day, from: number, to: number, each: MinuteVisitor): void {
  const first = Math.max(0, Math.ceil((from - start) / MINUTE_MS)) * COLUMNS;
  const end = Math.min(minutes.length, Math.ceil((to - start) / MINUTE_MS) * COLUMNS);
  let time = start + (first / COLUMNS) * MINUTE_MS;
  for (let at = first; at < end; at += COLUMNS, time += MINUTE_MS) {
    each(
      time,
      minutes[at] as number,
      minutes[at + 1] as number,
      minutes[at + 2] as number,
      minutes[at + 3] as number,
      minutes[at + 4] as number,
    );
  }
}

/** Adds to a map that forgets its oldest entry beyond `limit`. */
function keep<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.set(key, value);
  if (map.size > limit) map.delete(map.keys().next().value as K);
}

/** FNV-1a: a symbol's past does not depend on its place in the table. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}
