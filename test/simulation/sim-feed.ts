/** The market of a world as a feed of the desk: the world decides when ticks come, the seed their content. */
import type { Candle } from '../../src/domain/rows.ts';
import type { Feed, Tick } from '../../src/market/feed.ts';
import { type SimMarket, SYMBOLS } from './market.ts';

interface Piece {
  /** Number of its first tick. */
  readonly first: number;
  /** Market time of that tick. */
  readonly time: number;
  /** Market time from tick to tick. */
  readonly every: number;
}

/** The times of all ticks. Shared by everybody who trades on this market, over every life of the desk. */
export class Schedule {
  readonly #pieces: Piece[];
  /** Number of the last tick whose time was read: times up to it stay fixed. */
  #asked = -1;

  constructor(start: number, every: number) {
    this.#pieces = [{ first: 0, time: start + every, every }];
  }

  /** Market time of tick n, Unix ms. */
  timeOf(n: number): number {
    this.#asked = Math.max(this.#asked, n);
    return this.#at(n);
  }

  /** Number of the first tick later than `time`. */
  after(time: number): number {
    const piece = this.#pieces.findLast((one) => one.time <= time);
    if (!piece) return 0;
    const n = piece.first + Math.floor((time - piece.time) / piece.every) + 1;
    const next = this.#pieces[this.#pieces.indexOf(piece) + 1];
    return next ? Math.min(n, next.first) : n;
  }

  /** Changes the interval from `now` on; ticks whose time was already read keep it. */
  change(every: number, now: number): void {
    const first = Math.max(this.#asked + 1, this.after(now));
    const last = this.#pieces.at(-1);
    if (last && last.first >= first) this.#pieces.pop();
    const time = (first === 0 ? now : this.#at(first - 1)) + every;
    this.#pieces.push({ first, time, every });
  }

  #at(n: number): number {
    const piece = this.#pieces.findLast(({ first }) => first <= n) as Piece;
    return piece.time + (n - piece.first) * piece.every;
  }
}

export interface SimFeedOptions {
  readonly market: SimMarket;
  readonly schedule: Schedule;
  readonly startTime: number;
  readonly live: boolean;
}

/** A feed without a past: bots begin without candles. */
export class SimFeed implements Feed {
  readonly label = 'simulation';
  readonly live: boolean;
  readonly symbols = SYMBOLS.map(({ symbol }) => symbol);
  readonly startTime: number;
  readonly #market: SimMarket;
  readonly #schedule: Schedule;
  #next = 0;

  constructor({ market, schedule, startTime, live }: SimFeedOptions) {
    this.#market = market;
    this.#schedule = schedule;
    this.startTime = startTime;
    this.live = live;
  }

  peek(): number {
    return this.#schedule.timeOf(this.#next);
  }

  next(): Tick {
    const time = this.peek();
    return { ...this.#market.tick(this.#next++), time };
  }

  resume(marketTime: number): void {
    this.#next = this.#schedule.after(marketTime);
    // Whatever the world changes from now on, the next tick keeps its time.
    this.peek();
  }

  snapshot(): null {
    return null;
  }

  candles(): Candle[] {
    return [];
  }
}
