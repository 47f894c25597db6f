/**
 * Replay of recorded candles: every candle is played as four ticks (`strategies.md` 1, rule 6), several
 * symbols merged in time order. Depends only on its rows and the cursor: the same rows always give the same
 * ticks.
 */
import type { Candle } from '../domain/rows.ts';
import { CandleFrames, closedFrames, compareDecimals, fillFlat } from './aggregate.ts';
import { type CsvRows, sampleStride } from './csv-rows.ts';
import { type Feed, FeedError, type Tick } from './feed.ts';
import { quarterOf } from './scaled.ts';
import type { PriceSample } from './symbols.ts';

export interface CsvSeries {
  readonly symbol: string;
  readonly rows: CsvRows;
}

export interface CsvReplayOptions {
  readonly label: string;
  /** The series, in the order in which ticks of the same time are played. */
  readonly series: readonly CsvSeries[];
  readonly frameMs: number;
  /**
   * The first candle played opens at or after this time; earlier ones are history. Null: from the beginning.
   */
  readonly from: number | null;
  /** Starts again at the end, with times shifted forward by a whole number of frames. */
  readonly loop: boolean;
}

/** The state that `snapshot` returns when some ticks of the last time are still to come. */
interface CsvState {
  readonly time: number;
  /** Number of ticks of that time already played. */
  readonly given: number;
}

/** The position in a symbol's series: the row being played and its four ticks. */
interface Cursor {
  readonly symbol: string;
  readonly rows: CsvRows;
  /** First row that is played; equal to the row count when all rows are history. */
  readonly first: number;
  row: number;
  quarter: number;
  /** Time of the next tick, Infinity when none is left in this round. */
  next: number;
  prices: readonly [string, string, string, string];
  volume: string;
  loaded: number;
}

export class CsvFeed implements Feed {
  readonly label: string;
  readonly live = false;
  readonly symbols: readonly string[];
  readonly startTime: number;
  readonly frameMs: number;
  readonly #cursors: readonly Cursor[];
  readonly #loop: boolean;
  /** Length of a round: from the first candle played to the last one's close. */
  readonly #period: number;
  /** Offset that is added to the rows' times in this round. */
  #shift = 0;
  /** Index of the cursor with the next tick, -1 at the end. */
  #at = -1;
  #present: number;
  #given = 0;

  constructor(options: CsvReplayOptions) {
    const { series, frameMs, from } = options;
    this.label = options.label;
    this.frameMs = frameMs;
    this.symbols = series.map(({ symbol }) => symbol);
    this.#loop = options.loop;
    this.#cursors = series.map(({ symbol, rows }) => newCursor(symbol, rows, from));
    const opens = this.#cursors.map(({ rows, first }) => (first < rows.count ? rows.time(first) : Infinity));
    this.startTime = Math.min(...opens);
    const last = Math.max(...series.map(({ rows }) => rows.time(rows.count - 1)));
    if (this.startTime === Infinity) {
      const asked = new Date(from ?? 0).toISOString();
      throw new FeedError(
        `${this.label}: no candle opens at or after ${asked}; the last one opens at ${new Date(last).toISOString()}`,
      );
    }
    this.#period = last + frameMs - this.startTime;
    this.#present = this.startTime;
    this.#seek(this.startTime - 1);
  }

  peek(): number | null {
    const cursor = this.#cursors[this.#at];
    return cursor ? cursor.next + this.#shift : null;
  }

  next(): Tick | null {
    const cursor = this.#cursors[this.#at];
    if (!cursor) return null;
    if (cursor.loaded !== cursor.row) load(cursor);
    const time = cursor.next + this.#shift;
    const tick = {
      time,
      symbol: cursor.symbol,
      price: cursor.prices[cursor.quarter] as string,
      volume: cursor.volume,
    };
    this.#given = time === this.#present ? this.#given + 1 : 1;
    this.#present = time;
    this.#advance(cursor);
    return tick;
  }

  /** Resumes the replay. A market time before the first candle to be played starts it with that candle. */
  resume(marketTime: number, state: unknown): void {
    const left = readState(state);
    if (left !== null && left.time === marketTime) {
      this.#seek(marketTime - 1);
      for (let i = 0; i < left.given && this.peek() === marketTime; i++)
        this.#advance(this.#cursors[this.#at] as Cursor);
      this.#given = left.given;
    } else {
      this.#seek(Math.max(marketTime, this.startTime - 1));
      this.#given = 0;
    }
    this.#present = marketTime;
  }

  snapshot(): CsvState | null {
    return this.#given > 0 && this.peek() === this.#present
      ? { time: this.#present, given: this.#given }
      : null;
  }

  /** Returns candles; none for a frame that is smaller than the files' frame or no multiple of it. */
  candles(symbol: string, frameMs: number, from: number, to: number): Candle[] {
    const cursor = this.#cursors.find((one) => one.symbol === symbol);
    if (!cursor || frameMs < this.frameMs || frameMs % this.frameMs !== 0) return [];
    const range = closedFrames(frameMs, from, to, this.#present);
    if (range === null) return [];
    const frames = new CandleFrames(frameMs);
    this.#visit(cursor, range.start, range.end, (row, time) => {
      const { open, high, low, close, volume } = cursor.rows.at(row);
      frames.add(time, open, high, low, close, volume);
    });
    return fillFlat(frames.finish(), frameMs, range, () => this.#closeBefore(cursor, range.start));
  }

  /** Returns sample prices of a symbol from its file, for `spotInstruments`. */
  readonly samplePrices: PriceSample = (symbol) => {
    const rows = this.#cursors.find((one) => one.symbol === symbol)?.rows;
    if (!rows) return [];
    const prices: string[] = [];
    const stride = sampleStride(rows.count);
    for (let row = 0; row < rows.count; row += stride) {
      const { open, high, low, close } = rows.at(row);
      prices.push(open, high, low, close);
    }
    return prices;
  };

  /** Returns the time of a row's tick: open, a quarter, half, the last millisecond. */
  #tickTime(cursor: Cursor): number {
    if (cursor.row >= cursor.rows.count) return Infinity;
    const open = cursor.rows.times[cursor.row] as number;
    return cursor.quarter === 3 ? open + this.frameMs - 1 : open + (cursor.quarter * this.frameMs) / 4;
  }

  #advance(cursor: Cursor): void {
    if (cursor.quarter === 3) {
      cursor.quarter = 0;
      cursor.row++;
    } else cursor.quarter++;
    cursor.next = this.#tickTime(cursor);
    this.#choose();
  }

  #choose(): void {
    const cursors = this.#cursors;
    let best = -1;
    let time = Infinity;
    for (let i = 0; i < cursors.length; i++) {
      const next = (cursors[i] as Cursor).next;
      if (next < time) {
        time = next;
        best = i;
      }
    }
    this.#at = best;
    if (best < 0 && this.#loop) this.#startOver();
  }

  #startOver(): void {
    this.#shift += this.#period;
    for (const cursor of this.#cursors) {
      cursor.row = cursor.first;
      cursor.quarter = 0;
      cursor.next = this.#tickTime(cursor);
    }
    this.#choose();
  }

  /** Moves to the first tick later than `time`. */
  #seek(time: number): void {
    this.#shift = this.#loop ? Math.max(0, this.#roundOf(time)) * this.#period : 0;
    const raw = time - this.#shift;
    for (const cursor of this.#cursors) {
      cursor.row = Math.max(cursor.first, cursor.rows.countBefore(raw + 1) - 1);
      cursor.quarter = 0;
      cursor.next = this.#tickTime(cursor);
      while (cursor.next <= raw) {
        cursor.quarter++;
        if (cursor.quarter === 4) {
          cursor.quarter = 0;
          cursor.row++;
        }
        cursor.next = this.#tickTime(cursor);
      }
    }
    this.#choose();
  }

  #roundOf(time: number): number {
    return Math.floor((time - this.startTime) / this.#period);
  }

  /** Visits rows with from <= open time < to: those before the start once, the others in every round. */
  #visit(cursor: Cursor, from: number, to: number, each: (row: number, time: number) => void): void {
    const { rows, first } = cursor;
    const historyEnd = Math.min(first, rows.countBefore(to));
    for (let row = rows.countBefore(from); row < historyEnd; row++) each(row, rows.time(row));
    const lastRound = this.#loop ? this.#roundOf(to - 1) : 0;
    for (let round = this.#loop ? Math.max(0, this.#roundOf(from)) : 0; round <= lastRound; round++) {
      const shift = round * this.#period;
      const end = rows.countBefore(to - shift);
      for (let row = Math.max(first, rows.countBefore(from - shift)); row < end; row++)
        each(row, rows.time(row) + shift);
    }
  }

  #closeBefore({ rows, first }: Cursor, time: number): string | null {
    if (first < rows.count) {
      for (let round = this.#loop ? this.#roundOf(time - 1) : 0; round >= 0; round--) {
        const row = rows.countBefore(time - round * this.#period) - 1;
        if (row >= first) return rows.at(row).close;
      }
    }
    const row = Math.min(first, rows.countBefore(time)) - 1;
    return row >= 0 ? rows.at(row).close : null;
  }
}

function newCursor(symbol: string, rows: CsvRows, from: number | null): Cursor {
  const first = from === null ? 0 : rows.countBefore(from);
  return {
    symbol,
    rows,
    first,
    row: first,
    quarter: 0,
    next: Infinity,
    prices: ['', '', '', ''],
    volume: '',
    loaded: -1,
  };
}

/**
 * Cuts the row into its four ticks: the path of a rising or a falling candle, with a quarter of the volume
 * each.
 */
function load(cursor: Cursor): void {
  const { open, high, low, close, volume } = cursor.rows.at(cursor.row);
  const rising = compareDecimals(close, open) >= 0;
  cursor.prices = rising ? [open, low, high, close] : [open, high, low, close];
  cursor.volume = quarterOf(volume);
  cursor.loaded = cursor.row;
}

function readState(state: unknown): CsvState | null {
  if (typeof state !== 'object' || state === null) return null;
  const { time, given } = state as Partial<CsvState>;
  return typeof time === 'number' && typeof given === 'number' ? { time, given } : null;
}
