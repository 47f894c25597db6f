/**
 * The market that all runs share: last prices, candles, indicators and figures of the day, each built once
 * however many runs read it, and only while one does. Its host gives it the time and every tick; it never
 * asks for them.
 *
 * At one instant the host first calls `advance`, then handles its timers and orders, then calls `tick`
 * (strategies.md 1).
 */
import type { Dec } from '../../domain/decimal.ts';
import type { Candle } from '../../domain/rows.ts';
import { type CandleRow, candleRow } from './candle.ts';
import { type CandleNeeds, CandleSeries, type SeriesSnapshot } from './candle-series.ts';
import { type CandleTable, priceUnit, tickTime } from './candle-table.ts';
import { DayWindow } from './day-window.ts';
import { FirstCandlePool } from './first-candle-pool.ts';
import { type MarketTime, SymbolMarket } from './symbol-market.ts';
import type { BotCandle, SymbolView } from './view.ts';

const MINUTE_MS = 60_000;

export interface CandleHubOptions {
  /** Market time at which it begins, Unix ms. */
  readonly time: number;
  /** Bucket of the day's figures: a minute, or the smallest frame the feed has candles of. */
  readonly dayBucketMs?: number;
  /** The exchange reports when its candles close (`told`); left out: they close by time. */
  readonly told?: boolean;
}

/** A candle has closed. `time` is the close time. */
export interface Close {
  readonly symbol: string;
  readonly frameMs: number;
  readonly time: number;
  readonly candle: BotCandle;
}

/** The candles being built, as of market time `time`; changes with every tick. Plain JSON. */
export interface FormingSnapshot {
  readonly time: number;
  readonly candles: readonly (readonly [symbol: string, frameMs: number, candle: CandleRow])[];
}

/** Closed candles and indicators: changes when `closedVersion` does. Plain JSON. */
export type ClosedSnapshot = readonly SeriesSnapshot[];

export class CandleHub {
  readonly #time: MarketTime;
  readonly #dayBucketMs: number;
  /** One entry for every symbol that had a tick or a reader: at most the symbols of the feed. */
  readonly #symbols = new Map<string, SymbolMarket>();
  /**
   * Ordered by symbol, then frame. Replaced, not changed: a reader may come or go while a round of closes is
   * reported.
   */
  #series: readonly CandleSeries[] = [];
  #nextDue = Infinity;
  #closedVersion = 0;
  #closing = false;
  /** True when no candle closes by time. */
  readonly isTold: boolean;
  /** The candles in which the runs of this market started. */
  readonly firsts = new FirstCandlePool();

  constructor({ time, dayBucketMs = MINUTE_MS, told = false }: CandleHubOptions) {
    this.#time = { now: time };
    this.#dayBucketMs = dayBucketMs;
    this.isTold = told;
  }

  /** Latest market time that was given. */
  get time(): number {
    return this.#time.now;
  }

  /** Time at which the next candle closes, Unix ms; Infinity when none is built. */
  get nextDue(): number {
    return this.#nextDue;
  }

  /** Changes whenever `closedSnapshot` would. */
  get closedVersion(): number {
    return this.#closedVersion;
  }

  get dayBucketMs(): number {
    return this.#dayBucketMs;
  }

  /** The shared view of a symbol, the same object every time. Values that no reader needs are null in it. */
  view(symbol: string): SymbolView {
    return this.#symbol(symbol);
  }

  /** Builds the candles of a symbol and frame until the returned function is called. */
  subscribe(symbol: string, frameMs: number): () => void {
    return this.need(symbol, frameMs, {});
  }

  /**
   * Like `subscribe`, with an indicator or more than the last closed candle to read. Call `historyWanted`
   * afterwards. A reader must state everything it reads: what only other readers need is dropped with them.
   * Throws RangeError for needs out of bounds.
   */
  need(symbol: string, frameMs: number, needs: CandleNeeds): () => void {
    if (!Number.isSafeInteger(frameMs) || frameMs < 1) {
      throw new RangeError(`candles: a frame of ${frameMs} ms is not a whole number of them from 1`);
    }
    const market = this.#symbol(symbol);
    const { price, priceTime } = market;
    const known = market.find(frameMs);
    const series =
      known ??
      new CandleSeries(symbol, frameMs, { time: this.#time.now, price, priceTime, told: this.isTold });
    // A copy: two readers may give the same object.
    const own = { ...needs };
    series.add(own);
    if (!known) this.#insert(market, series);
    this.#closedVersion++;
    return this.#releaser(market, series, own);
  }

  /** Number of the newest closed candles that `history` should be given now; 0: none. */
  historyWanted(symbol: string, frameMs: number): number {
    return this.#symbols.get(symbol)?.find(frameMs)?.historyWanted ?? 0;
  }

  /**
   * Takes the feed's closed candles, oldest first; fewer than wanted when the feed has no more. Later candles
   * are built from ticks alone.
   */
  history(symbol: string, frameMs: number, candles: readonly Candle[]): void {
    const series = this.#symbols.get(symbol)?.find(frameMs);
    if (!series) return;
    series.seed(candles);
    this.#closedVersion++;
  }

  /**
   * Keeps the figures of the day of a symbol until the returned function is called. Call `dayHistoryFrom`
   * afterwards.
   */
  needDay(symbol: string): () => void {
    const market = this.#symbol(symbol);
    market.day24h ??= new DayWindow(this.#dayBucketMs);
    market.dayNeeds++;
    return once(() => {
      if (--market.dayNeeds === 0) market.day24h = null;
    });
  }

  /** Open time of the first candle that `dayHistory` should be given; null: none. */
  dayHistoryFrom(symbol: string): number | null {
    const day = this.#symbols.get(symbol)?.day24h;
    return day && !day.seeded ? day.from(this.#time.now) : null;
  }

  /** Takes closed candles of `dayBucketMs`, oldest first. The figures are computed anew from them. */
  dayHistory(symbol: string, candles: readonly Candle[]): void {
    this.#symbols.get(symbol)?.day24h?.seed(candles);
  }

  /** Sets a price known from before (from a stored market), unless a newer one is known. Builds no candle. */
  lastPrice(symbol: string, time: number, price: Dec): void {
    const market = this.#symbol(symbol);
    if (market.price !== null && market.priceTime >= time) return;
    market.price = price;
    market.priceTime = time;
  }

  /** Sets a price that a fill reports before its tick: until then it is the last price. Builds no candle. */
  ahead(symbol: string, price: Dec): void {
    this.#symbol(symbol).price = price;
  }

  /**
   * Like `lastPrice`, for a tick that the candles contain but that must still be given to the runs as an
   * input.
   */
  pendingTick(symbol: string, time: number, price: Dec): void {
    this.#symbol(symbol).pending(time, price);
  }

  /**
   * Closes every candle whose close time is not after `time`, in order of close time, then symbol, then
   * frame, empty ones included. All closes of an instant are done before the first of them is reported, so
   * the receiver sees every frame as it is then. Nothing is collected beyond an instant: a jump over a year
   * reports each close in turn, and a host that wants pauses, or timers between closes, advances to `nextDue`
   * step by step. One comparison when nothing is due.
   */
  advance(time: number, onClose: (close: Close) => void): void {
    if (time >= this.#nextDue) this.#closeDue(time, onClose);
    if (time > this.#time.now) this.#time.now = time;
  }

  /** Open time of the candle that `told` takes next; null: the series has no reader. */
  toldNext(symbol: string, frameMs: number): number | null {
    const series = this.#symbols.get(symbol)?.find(frameMs);
    return series ? series.due - frameMs : null;
  }

  /** Takes the exchange's own closed candle; only the candle that `toldNext` names closes anything. */
  told(symbol: string, frameMs: number, candle: BotCandle): Close | null {
    const series = this.#symbols.get(symbol)?.find(frameMs);
    if (!this.isTold || !series || candle.time !== series.due - frameMs) return null;
    const closed = series.told(candle);
    this.#closedVersion++;
    this.#time.now = Math.max(this.#time.now, candle.time + frameMs);
    return closed && { symbol, frameMs, time: candle.time + frameMs, candle: closed };
  }

  /**
   * Notes that the exchange has no candle at `toldNext` or before: the next one is expected. No close is
   * reported.
   */
  none(symbol: string, frameMs: number): void {
    if (this.isTold) this.#symbols.get(symbol)?.find(frameMs)?.none();
  }

  /**
   * Handles a new last price. Call `advance` to `time` before. Hot path: allocates nothing where no candle is
   * built.
   */
  tick(symbol: string, time: number, price: Dec, volume: Dec): void {
    if (time >= this.#nextDue) throw new Error(`candles: a tick at ${time} before the closes due by then`);
    if (time > this.#time.now) this.#time.now = time;
    this.#symbol(symbol).tick(time, price, volume);
    this.firsts.tick(symbol, time, price, volume);
  }

  /**
   * Plays rows from <= row < to of a table, at least one, without a gap, with the effect of their ticks but
   * without reporting the closes up to the last row's open: for a host that knows that no run waits for them.
   * Call `advance` to the first row's time before; figures of the day are not updated.
   */
  replay(table: CandleTable, from: number, to: number): void {
    const market = this.#symbol(table.symbol);
    const last = to - 1;
    for (const series of market.series) series.replay(table, from, to);
    market.price = BigInt(table.close[last] as number) * priceUnit(table);
    market.priceTime = tickTime(table.times[last] as number, table.frameMs, 3);
    market.ticks += 4 * (to - from);
    this.#time.now = market.priceTime;
    this.#closedVersion++;
    this.#findNextDue();
  }

  /**
   * Earliest close of a candle of a larger frame of which a part is built already, Unix ms; Infinity: none.
   * Candles that close before that contain only what comes from now on.
   */
  begunDue(symbol: string, frameMs: number): number {
    let due = Infinity;
    for (const series of this.#symbol(symbol).series) {
      if (series.frameMs > frameMs && series.forming !== null && series.due < due) due = series.due;
    }
    return due;
  }

  /** Frames of a symbol that are built. */
  frames(symbol: string): number[] {
    return this.#symbol(symbol).series.map(({ frameMs }) => frameMs);
  }

  /** True when the figures of the day of a symbol have a reader. */
  keepsDay(symbol: string): boolean {
    return this.#symbol(symbol).day24h !== null;
  }

  /** The candles being built, to be stored with every commit. */
  formingSnapshot(): FormingSnapshot {
    const candles: [string, number, CandleRow][] = [];
    for (const { symbol, frameMs, forming } of this.#series) {
      if (forming !== null) candles.push([symbol, frameMs, candleRow(forming)]);
    }
    return { time: this.#time.now, candles };
  }

  /** The closed candles, to be stored with the next commit after `closedVersion` has changed. */
  closedSnapshot(): ClosedSnapshot {
    return this.#series.map((series) => series.snapshot());
  }

  /**
   * Restores a stored market in a new hub, after `lastPrice` of every stored price. Call the returned
   * function when the runs have stated their needs: it drops what none of them needs. Figures of the day are
   * seeded anew.
   */
  restore(forming: FormingSnapshot, closed: ClosedSnapshot): () => void {
    if (this.#series.length > 0) throw new Error('candles: restored into a hub that is in use');
    this.#time.now = forming.time;
    const rows = new Map(forming.candles.map(([symbol, frameMs, row]) => [`${frameMs} ${symbol}`, row]));
    const releases: (() => void)[] = [];
    for (const snapshot of closed) {
      const row = rows.get(`${snapshot.frameMs} ${snapshot.symbol}`) ?? null;
      const { series, held } = CandleSeries.restore(snapshot, forming.time, row);
      const market = this.#symbol(snapshot.symbol);
      this.#insert(market, series);
      for (const needs of held) releases.push(this.#releaser(market, series, needs));
    }
    return () => {
      for (const release of releases) release();
    };
  }

  #symbol(symbol: string): SymbolMarket {
    let market = this.#symbols.get(symbol);
    if (market === undefined) {
      market = new SymbolMarket(symbol, this.#time);
      this.#symbols.set(symbol, market);
    }
    return market;
  }

  #insert(market: SymbolMarket, series: CandleSeries): void {
    const at = this.#series.findIndex((other) => isBefore(series, other));
    this.#series = this.#series.toSpliced(at < 0 ? this.#series.length : at, 0, series);
    market.series = [...market.series, series];
    if (!this.isTold) this.#nextDue = Math.min(this.#nextDue, series.due);
  }

  #releaser(market: SymbolMarket, series: CandleSeries, needs: CandleNeeds): () => void {
    return once(() => {
      series.release(needs);
      this.#closedVersion++;
      if (!series.idle) return;
      this.#series = this.#series.filter((other) => other !== series);
      market.series = market.series.filter((other) => other !== series);
      this.#findNextDue();
    });
  }

  #findNextDue(): void {
    let next = Infinity;
    if (!this.isTold) for (const { due } of this.#series) if (due < next) next = due;
    this.#nextDue = next;
  }

  #closeDue(time: number, onClose: (close: Close) => void): void {
    if (this.#closing) throw new Error('candles: advanced while closes are told');
    this.#closing = true;
    try {
      while (this.#nextDue <= time) {
        this.#time.now = Math.max(this.#time.now, this.#nextDue);
        for (const close of this.#closeInstant(this.#nextDue)) onClose(close);
      }
    } finally {
      this.#closing = false;
    }
  }

  #closeInstant(time: number): Close[] {
    const closes: Close[] = [];
    for (const series of this.#series) {
      if (series.due > time) continue;
      const candle = series.close();
      if (candle) closes.push({ symbol: series.symbol, frameMs: series.frameMs, time, candle });
    }
    if (closes.length > 0) this.#closedVersion++;
    this.#findNextDue();
    return closes;
  }
}

function isBefore(a: CandleSeries, b: CandleSeries): boolean {
  return a.symbol === b.symbol ? a.frameMs < b.frameMs : a.symbol < b.symbol;
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
