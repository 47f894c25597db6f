/**
 * The market that all runs share: last prices, candles, indicators and figures of the day, each built once however many
 * runs read it, and only while one does. Told of the time and of every tick by its host; never asks for either.
 *
 * At one instant the host first calls `advance`, then handles its timers and orders, then `tick` (strategies.md 1).
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
  /** Its candles are closed by the exchange's word, `told`; left out: by time. */
  readonly told?: boolean;
}

/** A candle has closed. `time` is the close time. */
export interface Close {
  readonly symbol: string;
  readonly frameMs: number;
  readonly time: number;
  readonly candle: BotCandle;
}

/** The candles being built, at market time `time`: changes with every tick. Plain JSON. */
export interface FormingSnapshot {
  readonly time: number;
  readonly candles: readonly (readonly [symbol: string, frameMs: number, candle: CandleRow])[];
}

/** Closed candles and indicators: changes when `closedVersion` does. Plain JSON. */
export type ClosedSnapshot = readonly SeriesSnapshot[];

export class CandleHub {
  readonly #time: MarketTime;
  readonly #dayBucketMs: number;
  /** One for every symbol that had a tick or a reader: as many as the feed has. */
  readonly #symbols = new Map<string, SymbolMarket>();
  /** By symbol, then frame. Replaced, not changed: a reader may come or go while a round of closes is told. */
  #series: readonly CandleSeries[] = [];
  #nextDue = Infinity;
  #closedVersion = 0;
  #closing = false;
  /** No candle closes by time. */
  readonly isTold: boolean;
  /** The candles in which its runs started. */
  readonly firsts = new FirstCandlePool();

  constructor({ time, dayBucketMs = MINUTE_MS, told = false }: CandleHubOptions) {
    this.#time = { now: time };
    this.#dayBucketMs = dayBucketMs;
    this.isTold = told;
  }

  /** Market time as it was last told. */
  get time(): number {
    return this.#time.now;
  }

  /** When the next candle closes, Unix ms; Infinity when none is built. */
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

  /** The shared view of a symbol, the same object every time. What nobody needed is null in it. */
  view(symbol: string): SymbolView {
    return this.#symbol(symbol);
  }

  /** Builds the candles of a symbol and frame until the answer is called. */
  subscribe(symbol: string, frameMs: number): () => void {
    return this.need(symbol, frameMs, {});
  }

  /**
   * `subscribe`, with an indicator or more than the last closed candle to read. Ask `historyWanted` afterwards. A reader
   * needs all that it reads: what only others needed goes when they do. Throws RangeError for needs out of bounds.
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

  /** How many of the newest closed candles `history` should be given now; 0: none. */
  historyWanted(symbol: string, frameMs: number): number {
    return this.#symbols.get(symbol)?.find(frameMs)?.historyWanted ?? 0;
  }

  /** The feed's closed candles, oldest first; fewer than wanted when it has no more. Later ones are made of ticks alone. */
  history(symbol: string, frameMs: number, candles: readonly Candle[]): void {
    const series = this.#symbols.get(symbol)?.find(frameMs);
    if (!series) return;
    series.seed(candles);
    this.#closedVersion++;
  }

  /** Keeps the figures of the day of a symbol until the answer is called. Ask `dayHistoryFrom` afterwards. */
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

  /** Closed candles of `dayBucketMs`, oldest first. The figures begin anew with them. */
  dayHistory(symbol: string, candles: readonly Candle[]): void {
    this.#symbols.get(symbol)?.day24h?.seed(candles);
  }

  /** A price known from before, when no newer one is: of a stored market. Builds no candle. */
  lastPrice(symbol: string, time: number, price: Dec): void {
    const market = this.#symbol(symbol);
    if (market.price !== null && market.priceTime >= time) return;
    market.price = price;
    market.priceTime = time;
  }

  /** A price that a fill tells of before its tick: the last one until then. Builds no candle. */
  ahead(symbol: string, price: Dec): void {
    this.#symbol(symbol).price = price;
  }

  /** As `lastPrice`, of a tick that the candles have and that runs are still to be told of as an input. */
  pendingTick(symbol: string, time: number, price: Dec): void {
    this.#symbol(symbol).pending(time, price);
  }

  /**
   * Closes every candle whose close time is not after `time`, in order of close time, then symbol, then frame, empty ones
   * included. All closes of an instant are done before the first of them is told, so whoever is told sees every frame as
   * it is then. Nothing is gathered beyond an instant: a jump over a year tells of each close in turn, and a host that
   * wants pauses, or timers between closes, advances to `nextDue` step by step. One comparison when nothing is due.
   */
  advance(time: number, onClose: (close: Close) => void): void {
    if (time >= this.#nextDue) this.#closeDue(time, onClose);
    if (time > this.#time.now) this.#time.now = time;
  }

  /** Open time of the candle that `told` takes next; null: nobody reads any. */
  toldNext(symbol: string, frameMs: number): number | null {
    const series = this.#symbols.get(symbol)?.find(frameMs);
    return series ? series.due - frameMs : null;
  }

  /** The exchange's own closed candle; only the one that `toldNext` names closes anything. */
  told(symbol: string, frameMs: number, candle: BotCandle): Close | null {
    const series = this.#symbols.get(symbol)?.find(frameMs);
    if (!this.isTold || !series || candle.time !== series.due - frameMs) return null;
    const closed = series.told(candle);
    this.#closedVersion++;
    this.#time.now = Math.max(this.#time.now, candle.time + frameMs);
    return closed && { symbol, frameMs, time: candle.time + frameMs, candle: closed };
  }

  /** The exchange has no candle where `toldNext` is, nor any before: what comes after it is waited for. Nobody is told of a close. */
  none(symbol: string, frameMs: number): void {
    if (this.isTold) this.#symbols.get(symbol)?.find(frameMs)?.none();
  }

  /** A new last price. `advance` to `time` comes before. Hot path: allocates nothing where no candle is built. */
  tick(symbol: string, time: number, price: Dec, volume: Dec): void {
    if (time >= this.#nextDue) throw new Error(`candles: a tick at ${time} before the closes due by then`);
    if (time > this.#time.now) this.#time.now = time;
    this.#symbol(symbol).tick(time, price, volume);
    this.firsts.tick(symbol, time, price, volume);
  }

  /**
   * Rows from <= row < to of a table, at least one, without a gap, as their ticks would be, the closes up to the last row's open
   * untold: for a host that knows that nobody waits for them. `advance` to the first row's time comes before; figures of the
   * day are not kept up.
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
   * When the first candle of a larger frame closes of which a part is built already, Unix ms; Infinity: none. A close before
   * that is made of what comes from now on alone.
   */
  begunDue(symbol: string, frameMs: number): number {
    let due = Infinity;
    for (const series of this.#symbol(symbol).series) {
      if (series.frameMs > frameMs && series.forming !== null && series.due < due) due = series.due;
    }
    return due;
  }

  /** Frames of a symbol that are built, in ascending order. */
  frames(symbol: string): number[] {
    return this.#symbol(symbol).series.map(({ frameMs }) => frameMs);
  }

  /** Somebody reads the figures of the day of a symbol. */
  keepsDay(symbol: string): boolean {
    return this.#symbol(symbol).day24h !== null;
  }

  /** To be stored with every commit. */
  formingSnapshot(): FormingSnapshot {
    const candles: [string, number, CandleRow][] = [];
    for (const { symbol, frameMs, forming } of this.#series) {
      if (forming !== null) candles.push([symbol, frameMs, candleRow(forming)]);
    }
    return { time: this.#time.now, candles };
  }

  /** To be stored with a commit before which `closedVersion` has changed. */
  closedSnapshot(): ClosedSnapshot {
    return this.#series.map((series) => series.snapshot());
  }

  /**
   * Takes a stored market up again, in a new hub, after `lastPrice` of every stored price. The answer is to be called when
   * the runs have said what they need: what none of them does is dropped then. Figures of the day are seeded anew.
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
