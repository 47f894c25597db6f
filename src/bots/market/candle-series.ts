/**
 * The candles of one symbol and frame, shared by every run that asked for them: the one being built, the
 * closed ones that are still read, and the indicators over them. Does not know its readers.
 */
import { type Dec, dec, str, toNumber, ZERO } from '../../domain/decimal.ts';
import type { Candle } from '../../domain/rows.ts';
import {
  addTick,
  type CandleRow,
  candleOfRow,
  candleRow,
  flatCandle,
  type MutableCandle,
  openCandle,
  periodStart,
  readCandle,
} from './candle.ts';
import { type CandleTable, extremes, priceUnit, tickPrice, tickTime } from './candle-table.ts';
import { Ema, type EmaSnapshot } from './ema.ts';
import { joinHistory, MAX_HISTORY } from './join-history.ts';
import { Rsi, type RsiSnapshot } from './rsi.ts';
import type { BotCandle } from './view.ts';

/** Maximum number of closed candles that can be kept for reading. */
export const MAX_KEPT = 1_000;
/**
 * An indicator is seeded from this many times its period: then the start of the history has no visible effect
 * any more.
 */
export const SEED_PERIODS = 20;

/** What a reader of a series needs of it. */
export interface CandleNeeds {
  /** Period of an RSI. */
  readonly rsi?: number;
  /** Period of an EMA. */
  readonly ema?: number;
  /** Number of closed candles to read, 1 to `MAX_KEPT`; default 1. */
  readonly keep?: number;
}

/** A series without the candle being built. Plain JSON. */
export interface SeriesSnapshot {
  readonly symbol: string;
  readonly frameMs: number;
  readonly candles: readonly CandleRow[];
  readonly keep: number;
  readonly offered: number;
  readonly partial: number | null;
  readonly reference: string | null;
  readonly rsi: readonly RsiSnapshot[];
  readonly ema: readonly EmaSnapshot[];
}

/** State of the market when a series begins. */
export interface SeriesStart {
  readonly time: number;
  /** Last price and its time; null when none is known. */
  readonly price: Dec | null;
  readonly priceTime: number;
  /** Only the exchange closes its candles (`told`); left out: they close by time. */
  readonly told?: boolean;
}

export class CandleSeries {
  readonly symbol: string;
  readonly frameMs: number;
  /**
   * Close time of the oldest period that is not closed: the one in progress, or one that the exchange has not
   * closed yet.
   */
  due: number;
  /** The candle of the period in progress; null before its first tick. */
  forming: MutableCandle | null = null;
  last: BotCandle | null = null;
  readonly #needs = new Set<CandleNeeds>();
  readonly #rsi = new Map<number, Rsi>();
  readonly #ema = new Map<number, Ema>();
  /** Indicators that were not given any history yet. */
  readonly #unseeded = new Set<Rsi | Ema>();
  #candles: BotCandle[] = [];
  #keep = 1;
  /** Number of history candles that were asked for when history was given. */
  #offered = 0;
  /**
   * Open time of the period in which the series began, while its candle is kept: earlier ticks may be missing
   * in it.
   */
  #partial: number | null;
  /** Price of an empty candle; null before the first known price. */
  #reference: Dec | null;
  readonly #start: SeriesStart;

  constructor(symbol: string, frameMs: number, start: SeriesStart) {
    this.symbol = symbol;
    this.frameMs = frameMs;
    this.#start = start;
    this.#reference = start.price;
    const open = periodStart(start.time, frameMs);
    this.due = open + frameMs;
    this.#partial = start.time > open || (start.price !== null && start.priceTime >= open) ? open : null;
  }

  /** True when the series has no reader any more. */
  get idle(): boolean {
    return this.#needs.size === 0;
  }

  /** Meets `needs` from now on, until the same object is given to `release`, once. */
  add(needs: CandleNeeds): void {
    const { keep = 1, rsi, ema } = needs;
    check('keep', keep, MAX_KEPT);
    if (rsi !== undefined) check('rsi', rsi, MAX_HISTORY);
    if (ema !== undefined) check('ema', ema, MAX_HISTORY);
    this.#needs.add(needs);
    this.#keep = Math.max(this.#keep, keep);
    if (rsi !== undefined) this.#begin(this.#rsi, rsi, () => new Rsi(rsi));
    if (ema !== undefined) this.#begin(this.#ema, ema, () => new Ema(ema));
  }

  /** Drops what only this reader needed. */
  release(needs: CandleNeeds): void {
    this.#needs.delete(needs);
    const rsi = new Set<number | undefined>();
    const ema = new Set<number | undefined>();
    this.#keep = 1;
    for (const need of this.#needs) {
      this.#keep = Math.max(this.#keep, need.keep ?? 1);
      rsi.add(need.rsi);
      ema.add(need.ema);
    }
    this.#offered = Math.min(this.#offered, this.#keep);
    this.#trim();
    this.#drop(this.#rsi, rsi);
    this.#drop(this.#ema, ema);
  }

  tick(price: Dec, volume: Dec, time: number): void {
    // Only where the exchange closes the candles may the period in progress differ from the one that closes
    // next.
    const open = time < this.due ? this.due - this.frameMs : periodStart(time, this.frameMs);
    if (this.forming === null || this.forming.time < open) this.forming = openCandle(open, price, volume);
    else addTick(this.forming, price, volume);
  }

  /**
   * Closes the oldest open period with the exchange's own candle, which replaces the one built here from
   * ticks.
   */
  told(candle: BotCandle): BotCandle | null {
    const { forming } = this;
    const { time } = candle;
    if (time !== this.due - this.frameMs)
      throw new Error(`candles: told of ${time} before ${this.due - this.frameMs}`);
    this.forming = { ...candle };
    const closed = this.close();
    if (forming !== null && forming.time > time) this.forming = forming;
    if (this.#partial === time) this.#partial = null;
    return closed;
  }

  /** Skips the oldest open period, for which the exchange has no candle. */
  none(): void {
    const time = this.due - this.frameMs;
    if (this.forming?.time === time) this.forming = null;
    if (this.#partial === time) this.#partial = null;
    this.due += this.frameMs;
  }

  /** Closes the period in progress. Null: no price was known in it. */
  close(): BotCandle | null {
    const time = this.due - this.frameMs;
    const candle = this.forming ?? (this.#reference === null ? null : flatCandle(time, this.#reference));
    this.forming = null;
    this.due += this.frameMs;
    if (candle === null) return null;
    this.last = candle;
    this.#reference = candle.close;
    this.#candles.push(candle);
    this.#trim();
    if (this.#rsi.size > 0 || this.#ema.size > 0) {
      const close = toNumber(candle.close);
      for (const rsi of this.#rsi.values()) rsi.push(close);
      for (const ema of this.#ema.values()) ema.push(close);
    }
    return candle;
  }

  /**
   * Plays rows from <= row < to of a table without a gap, with the effect of their four ticks each, without
   * reporting the closes in between. Only what can still be read is built.
   */
  replay(table: CandleTable, from: number, to: number): void {
    const whole = this.frameMs % table.frameMs === 0;
    const needed = Math.max(2, Math.ceil(((this.#keep + 2) * this.frameMs) / table.frameMs));
    const start = this.#rsi.size + this.#ema.size > 0 ? from : Math.max(from, to - needed);
    if (start > from) this.#jump(table, start);
    if (whole) this.#replayWhole(table, start, to);
    else this.#replayTicks(table, start, to);
  }

  /** Continues at a row as if all rows before it had been played. */
  #jump(table: CandleTable, row: number): void {
    const time = table.times[row] as number;
    const open = periodStart(time, this.frameMs);
    this.forming = null;
    this.#candles = [];
    this.#partial = null;
    this.due = open + this.frameMs;
    this.#reference = BigInt(table.close[row - 1] as number) * priceUnit(table);
  }

  /** Plays rows where this frame consists of whole rows. */
  #replayWhole(table: CandleTable, from: number, to: number): void {
    const unit = priceUnit(table);
    let row = from;
    while (row < to) {
      const time = table.times[row] as number;
      while (this.due <= time) this.close();
      const end = Math.min(to, row + Math.round((this.due - time) / table.frameMs));
      const { high, low } = extremes(table, row, end);
      let volume = ZERO;
      for (let i = row; i < end; i++) volume += table.volume(i);
      const open = BigInt(table.open[row] as number) * unit;
      this.forming ??= openCandle(this.due - this.frameMs, open, ZERO);
      addTick(this.forming, BigInt(low) * unit, volume);
      addTick(this.forming, BigInt(high) * unit, ZERO);
      addTick(this.forming, BigInt(table.close[end - 1] as number) * unit, ZERO);
      row = end;
    }
  }

  #replayTicks(table: CandleTable, from: number, to: number): void {
    const unit = priceUnit(table);
    for (let row = from; row < to; row++) {
      const quarter = table.volume(row) / 4n;
      for (let i = 0; i < 4; i++) {
        const time = tickTime(table.times[row] as number, table.frameMs, i);
        while (this.due <= time) this.close();
        this.tick(BigInt(tickPrice(table, row, i)) * unit, quarter, time);
      }
    }
  }

  /**
   * Number of closed candles up to the period in progress that `seed` should be given; 0 when it was given
   * all that is needed.
   */
  get historyWanted(): number {
    let wanted = this.#keep > this.#offered ? this.#keep : 0;
    for (const { period } of this.#unseeded) wanted = Math.max(wanted, period * SEED_PERIODS);
    if (this.#partial !== null) {
      wanted = Math.max(wanted, (this.due - this.frameMs - this.#partial) / this.frameMs);
    }
    return Math.min(wanted, MAX_HISTORY);
  }

  /**
   * Puts the feed's closed candles, oldest first, before those built here and into their gaps: indicators
   * that were waiting for history begin, the others stay as they are.
   */
  seed(history: readonly Candle[]): void {
    const { frameMs } = this;
    if (this.#start.told) this.#beginAfter(history);
    const end = this.due - frameMs;
    const joined = joinHistory({ history, own: this.#candles, partial: this.#partial, frameMs, end });
    if (this.#candles.length === 0) this.#refer(history.at(-1));
    if (this.#partial !== null && this.#partial < end) this.#partial = null;
    const closes = this.#unseeded.size > 0 ? joined.map((candle) => toNumber(candle.close)) : [];
    for (const indicator of this.#unseeded) {
      indicator.reset();
      for (const close of closes) indicator.push(close);
    }
    this.#unseeded.clear();
    this.#offered = this.#keep;
    this.#candles = joined.slice(-this.#keep);
    this.last = this.#candles.at(-1) ?? null;
  }

  /**
   * Sets the period that closes next from the newest candle that the exchange has closed: it is not always
   * the one in progress.
   */
  #beginAfter(history: readonly Candle[]): void {
    const newest = history.at(-1);
    if (newest && this.#candles.length === 0) this.due = Math.min(this.due, newest.time + 2 * this.frameMs);
  }

  /** Returns the newest `count` closed candles in a new array. */
  closed(count: number): BotCandle[] {
    return count > 0 ? this.#candles.slice(-count) : [];
  }

  rsi(period: number): Rsi | undefined {
    return this.#rsi.get(period);
  }

  ema(period: number): Ema | undefined {
    return this.#ema.get(period);
  }

  snapshot(): SeriesSnapshot {
    return {
      symbol: this.symbol,
      frameMs: this.frameMs,
      candles: this.#candles.map(candleRow),
      keep: this.#keep,
      offered: this.#offered,
      partial: this.#partial,
      reference: this.#reference === null ? null : str(this.#reference),
      rsi: [...this.#rsi.values()].map((rsi) => rsi.snapshot()),
      ema: [...this.#ema.values()].map((ema) => ema.snapshot()),
    };
  }

  /** Restores the series of a snapshot, and the needs that keep its contents until its readers are back. */
  static restore(
    snapshot: SeriesSnapshot,
    time: number,
    forming: CandleRow | null,
  ): { series: CandleSeries; held: readonly CandleNeeds[] } {
    const { symbol, frameMs, keep } = snapshot;
    const series = new CandleSeries(symbol, frameMs, { time, price: null, priceTime: 0 });
    series.forming = forming && candleOfRow(forming);
    series.#candles = snapshot.candles.map(candleOfRow);
    series.last = series.#candles.at(-1) ?? null;
    series.#offered = snapshot.offered;
    series.#partial = snapshot.partial;
    series.#reference = snapshot.reference === null ? null : dec(snapshot.reference);
    for (const rsi of snapshot.rsi) series.#rsi.set(rsi.period, Rsi.restore(rsi));
    for (const ema of snapshot.ema) series.#ema.set(ema.period, Ema.restore(ema));
    const held: CandleNeeds[] = [
      { keep },
      ...snapshot.rsi.map(({ period }) => ({ rsi: period })),
      ...snapshot.ema.map(({ period }) => ({ ema: period })),
    ];
    for (const needs of held) series.add(needs);
    return { series, held };
  }

  #begin<T extends Rsi | Ema>(indicators: Map<number, T>, period: number, create: () => T): void {
    if (indicators.has(period)) return;
    const indicator = create();
    indicators.set(period, indicator);
    this.#unseeded.add(indicator);
  }

  #drop<T extends Rsi | Ema>(indicators: Map<number, T>, needed: ReadonlySet<number | undefined>): void {
    for (const [period, indicator] of indicators) {
      if (needed.has(period)) continue;
      indicators.delete(period);
      this.#unseeded.delete(indicator);
    }
  }

  #trim(): void {
    const excess = this.#candles.length - this.#keep;
    if (excess <= 0) return;
    if (excess === 1) this.#candles.shift();
    else this.#candles.splice(0, excess);
    const oldest = this.#candles[0] as BotCandle;
    if (this.#partial !== null && this.#partial < oldest.time) this.#partial = null;
  }

  /** Sets the price of empty candles to the newer one of the last price and the newest close of history. */
  #refer(newest: Candle | undefined): void {
    if (newest === undefined) return;
    const { price, priceTime } = this.#start;
    const isNewer = price === null || newest.time + this.frameMs > priceTime;
    if (isNewer) this.#reference = readCandle(newest).close;
  }
}

function check(what: string, value: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return;
  throw new RangeError(`candles: ${what} ${value} is not a whole number from 1 to ${max}`);
}
