/**
 * A live market on a desk: what an exchange tells of prices and candles becomes inputs of the engine, in the order of
 * strategies.md 1. Pushed, never pulled: it sets no pace and waits for no call. What a step needs of the past is loaded
 * before it; candles close by the exchange's word. A market that cannot be opened stops nobody else: it is tried again.
 */
import type { CandleHub } from '../../../bots/market/candle-hub.ts';
import type { BotEngine } from '../../../bots/runtime/bot-engine.ts';
import type { Cancelable, Clock } from '../../../domain/clock.ts';
import { dec } from '../../../domain/decimal.ts';
import type { Depth } from '../../../domain/depth.ts';
import { errorText } from '../../../domain/errors.ts';
import type { Candle } from '../../../domain/rows.ts';
import { utcText } from '../../../domain/utc-time.ts';
import type { EngineMemory } from '../../../engine/memory.ts';
import type { EngineEvent } from '../../../engine/step.ts';
import type { Tick } from '../../../market/feed.ts';
import type { LiveTick, MarketData, MarketSink } from '../../../market/market-data.ts';
import { atMost } from '../../core/at-most.ts';
import { CandleCache, type CandleCacheOptions } from './candle-cache.ts';
import { LiveCandles } from './live-candles.ts';
import { TickMerger } from './tick-merger.ts';
import { WatchedSymbols } from './watched-symbols.ts';

/** What is watched, and what is missing, is looked at so often, ms. */
const LOOK_MS = 1_000;
/** Prices of all symbols are asked for so often, ms: for what is only valued. */
const PRICES_MS = 10_000;
/** A step waits so long for its past at most, ms. */
export const PAST_WAIT_MS = 10_000;
const CLOSE_WAIT_MS = 5_000;
const REOPEN_MS = 500;
const REOPEN_MAX_MS = 30_000;

/** Prices that are not told for so long are not on their way, ms. */
const BROKEN_MS = 3_000;

type Funding = NonNullable<Parameters<MarketSink['mark']>[2]>;

export interface LiveMarketOptions extends Partial<Pick<CandleCacheOptions, 'store' | 'keep'>> {
  readonly data: MarketData;
  readonly clock: Clock;
  /** Market time now, Unix ms. */
  readonly now: () => number;
  readonly step: (event: EngineEvent) => void;
  readonly hub: () => CandleHub;
  readonly memory: () => EngineMemory;
  readonly bots: () => BotEngine | null;
  /** A tick has been told to the engine. */
  readonly told: (tick: Tick) => void;
  /** Between what bots are told of a tick and what the engine is: accounts in this process that mirror the market match it. */
  readonly matched?: (tick: Tick) => void;
  /** A mark, before the engine is told; funding as it stands, null where that is not told. */
  readonly marked?: (symbol: string, price: string, funding: Funding | null) => void;
  /** When the newest of its prices is from, Unix ms; null or left out: there is none, or that is not known. */
  readonly pricesOf?: () => number | null;
  /** Whether the prices of a symbol arrive has changed; an empty one stands for all. */
  readonly staleness: (symbol: string) => void;
  /** Single trades and the depth of what is looked at closely. */
  readonly looked?: {
    readonly trades: (symbol: string, ticks: readonly LiveTick[]) => void;
    readonly depth: (symbol: string, depth: Depth | null) => void;
  };
  readonly report: (level: 'info' | 'warn', text: string) => void;
}

export class LiveMarket {
  readonly candles: LiveCandles;
  readonly watched: WatchedSymbols;
  readonly #o: LiveMarketOptions;
  readonly #merger = new TickMerger();
  #flushing = false;
  readonly #marks = new TickMerger();
  /** What comes before waits: of staleness the last word. */
  #isReady = false;
  readonly #staleness = new Map<string, string | null>();
  #isClosed = false;
  #failures = 0;
  #watching = '';
  #pricesAt = Number.NEGATIVE_INFINITY;
  /** The last question for all prices failed, which is said once. */
  #lacksPrices = false;
  #timer: Cancelable | null = null;
  /** Rises with every price that a run has seen. */
  changes = 0;
  /** Symbols of which a tick has come since their prices are told. */
  readonly #ticked = new Set<string>();
  /** Why prices are not told now, by symbol, an empty one for all; and since when, monotonic. */
  readonly #whys = new Map<string, { readonly why: string; readonly since: number }>();
  readonly #funding = new Map<string, Funding>();
  /** Funding as it was told last, of what is watched. */
  readonly #lastFunding = new Map<string, Funding>();
  /** What is looked at closely. */
  readonly #lookedAt = new Set<string>();
  /** The past of these symbols has come, and nobody was told yet. */
  readonly #loaded = new Set<string>();

  constructor(options: LiveMarketOptions) {
    this.#o = options;
    const { data, clock, store, keep } = options;
    const { market } = data;
    const cache = store && keep && new CandleCache({ market, store, keep });
    this.candles = new LiveCandles({
      data,
      clock,
      ...(cache ? { cache } : {}),
      loaded: (symbol) => {
        this.#loaded.add(symbol);
        this.#soon();
      },
      failed: (text) => options.report('warn', text),
    });
    this.watched = new WatchedSymbols(data.market, clock);
  }

  get market(): string {
    return this.#o.data.market;
  }

  /** Connects, as far as that goes now, and brings what the runs of before need of the past; at most `PAST_WAIT_MS`. Tells nothing. */
  open(): Promise<void> {
    return atMost(this.#o.clock, PAST_WAIT_MS, this.#connect());
  }

  /** The market moves. After `open`, once. */
  run(): void {
    this.#isReady = true;
    this.#soon();
    this.#look();
  }

  /** Never rejects, and waits for nobody who hangs: a desk that ends has orders to store. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const { data, clock, report } = this.#o;
    await atMost(clock, CLOSE_WAIT_MS, data.close()).catch((error: unknown) =>
      report('warn', `${this.market} was not closed: ${errorText(error)}`),
    );
  }

  /** Prices of a symbol are told now, and one has come. */
  isFresh(symbol: string): boolean {
    return this.#ticked.has(symbol) && this.#whyNot(symbol) === undefined;
  }

  /** Prices of a symbol have not been told for a while. */
  isBroken(symbol: string): boolean {
    const not = this.#whyNot(symbol);
    return not !== undefined && this.#o.clock.monotonic() - not.since > BROKEN_MS;
  }

  /** Somebody waits for the prices of a symbol: they are asked for now. `always`: and told from now on. */
  want(symbol: string, always = false): void {
    const letGo = this.watched.hold(symbol);
    if (!always) letGo();
    if (this.#isReady) this.#watch();
  }

  /** Somebody looks at a symbol closely until the answer is called: it is watched, with its depth. Once at a time for each symbol. */
  lookAt(symbol: string): () => void {
    const letGo = this.watched.hold(symbol);
    this.#lookedAt.add(symbol);
    if (this.#isReady) this.#watch();
    this.#watchDepth();
    return () => {
      letGo();
      this.#lookedAt.delete(symbol);
      this.#watchDepth();
    };
  }

  /** Whether depth and single trades are told at all. */
  get tellsDepth(): boolean {
    return this.#o.data.watchDepth !== undefined;
  }

  /** As it was told last; null: it was not. */
  fundingOf(symbol: string): Funding | null {
    return this.#lastFunding.get(symbol) ?? null;
  }

  #watchDepth(): void {
    if (!this.#isClosed) this.#o.data.watchDepth?.(new Set(this.#lookedAt));
  }

  #whyNot(symbol: string): { readonly why: string; readonly since: number } | undefined {
    return this.#whys.get('') ?? this.#whys.get(symbol);
  }

  /** Resolves when everything that was asked for of the past is here or has failed, or after `PAST_WAIT_MS`. */
  past(): Promise<void> {
    return atMost(this.#o.clock, PAST_WAIT_MS, this.candles.settled());
  }

  /** Closed candles as `LiveCandles.read`, loaded where they are not here; none when that takes too long. */
  async history(...asked: Parameters<LiveCandles['read']>): Promise<readonly Candle[]> {
    if (this.candles.read(...asked) === null) await this.past();
    return this.candles.read(...asked) ?? [];
  }

  async #connect(): Promise<void> {
    const { data, clock, report } = this.#o;
    try {
      await data.open({
        ticks: (ticks) => this.#ticks(ticks),
        mark: (symbol, price, funding) => {
          this.#marks.add({ symbol, price, volume: '0' });
          if (funding) {
            this.#funding.set(symbol, funding);
            this.#lastFunding.set(symbol, funding);
          }
          this.#soon();
        },
        closed: (symbol, frameMs, candle) => this.candles.closed(symbol, frameMs, candle),
        stale: (symbol, why) => this.#stale(symbol, why),
        gap: (symbol) => this.candles.gap(symbol),
        depth: (symbol, depth) => {
          if (this.#lookedAt.has(symbol)) this.#o.looked?.depth(symbol, depth);
        },
      });
    } catch (error) {
      if (this.#isClosed) return;
      const wait = Math.min(REOPEN_MS * 2 ** this.#failures++, REOPEN_MAX_MS);
      if (this.#failures === 1)
        report(
          'warn',
          `${this.market} could not be opened: ${errorText(error)}; trying again${this.#oldPrices()}`,
        );
      // Whoever looks at what is left of before is told how old it is.
      this.#stale('', `it is not connected${this.#oldPrices()}`);
      clock.after(wait, () => {
        if (!this.#isClosed) void this.#connect();
      });
      return;
    }
    if (this.#failures > 0) report('info', `${this.market} is connected`);
    this.#stale('', null);
    this.#watch();
    await Promise.all([this.#askPrices(), this.candles.settled()]);
  }

  #oldPrices(): string {
    const of = this.#o.pricesOf?.() ?? null;
    return of === null ? '' : `; its prices are of ${utcText(of)}, or older`;
  }

  #look(): void {
    if (this.#isClosed) return;
    this.#watch();
    this.candles.look();
    const mono = this.#o.clock.monotonic();
    if (mono >= this.#pricesAt + PRICES_MS) void this.#askPrices();
    this.#timer = this.#o.clock.after(LOOK_MS, () => this.#look());
  }

  /** Prices of what is not watched, for its value alone, and of all before the first tick: they move no order. */
  async #askPrices(): Promise<void> {
    this.#pricesAt = this.#o.clock.monotonic();
    const { memory, bots, hub, now, step, report } = this.#o;
    const prices = await this.#o.data.prices().catch(() => null);
    if (this.#isClosed) return;
    if (prices === null && !this.#lacksPrices)
      report('warn', `${this.market}: its prices could not be asked for; asking again`);
    this.#lacksPrices = prices === null;
    if (prices === null) return;
    const watched = this.#isReady ? this.watched.now(memory(), bots()) : new Set();
    const used = new Set(this.symbolsOfRuns());
    for (const [symbol, price] of prices) {
      if (watched.has(symbol)) continue;
      step({ type: 'price', market: this.market, symbol, price });
      if (used.has(symbol)) hub().lastPrice(symbol, now(), dec(price));
    }
  }

  *symbolsOfRuns(): Iterable<string> {
    for (const { parts, run } of this.#o.bots()?.book.runs.values() ?? [])
      if (parts.market === this.market && run.settings.symbol !== '') yield run.settings.symbol;
  }

  /** Tells the exchange what is wanted, when that has changed. */
  #watch(): void {
    const { memory, bots, hub, data } = this.#o;
    const symbols = this.watched.now(memory(), bots());
    const wanted = new Map<string, number[]>();
    for (const symbol of symbols) {
      for (const frameMs of hub().frames(symbol))
        this.candles.follow(symbol, frameMs, hub().toldNext(symbol, frameMs) ?? data.now());
      wanted.set(
        symbol,
        this.candles.frames(symbol).toSorted((a, b) => a - b),
      );
    }
    for (const symbol of this.#ticked) if (!wanted.has(symbol)) this.#ticked.delete(symbol);
    for (const symbol of this.#lastFunding.keys()) if (!wanted.has(symbol)) this.#lastFunding.delete(symbol);
    // Whoever has it watched again hears anew whether its prices come.
    for (const symbol of this.#whys.keys())
      if (symbol !== '' && !wanted.has(symbol)) this.#whys.delete(symbol);
    const key = JSON.stringify([...wanted].toSorted());
    if (key === this.#watching) return;
    this.#watching = key;
    data.watch(wanted);
  }

  #ticks(ticks: readonly LiveTick[]): void {
    for (const tick of ticks) this.#merger.add(tick);
    const [first] = ticks;
    if (first && this.#lookedAt.has(first.symbol)) this.#o.looked?.trades(first.symbol, ticks);
    this.#soon();
  }

  #soon(): void {
    if (this.#flushing || !this.#isReady) return;
    this.#flushing = true;
    this.#o.clock.endOfTurn(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  /** The past first: what closes is known before the tick that comes after it. */
  #flush(): void {
    if (this.#isClosed) return;
    const { step, told, now, staleness, matched, marked } = this.#o;
    const { market } = this;
    for (const [symbol, why] of this.#staleness) {
      step({ type: 'stale', market, symbol, why });
      staleness(symbol);
    }
    this.#staleness.clear();
    if (this.#loaded.size > 0) {
      step({ type: 'history', market });
      for (const symbol of this.#loaded) this.#close(symbol);
      this.#loaded.clear();
    }
    for (const { symbol, price } of this.#marks.take()) {
      marked?.(symbol, price, this.#funding.get(symbol) ?? null);
      step({ type: 'mark', market, symbol, price });
    }
    this.#funding.clear();
    for (const { symbol, price, volume } of this.#merger.take()) {
      const time = now();
      step({ type: 'market', market, symbol, time, price, volume });
      this.#ticked.add(symbol);
      matched?.({ time, symbol, price, volume });
      step({ type: 'tick', market, symbol, price });
      this.changes += 1;
      told({ time, symbol, price, volume });
    }
  }

  /** Closes what the exchange has closed, the smaller frames first. */
  #close(symbol: string): void {
    const { hub, step } = this.#o;
    for (const frameMs of hub().frames(symbol)) {
      for (;;) {
        const next = hub().toldNext(symbol, frameMs);
        const candle = next === null ? null : this.candles.at(symbol, frameMs, next);
        if (next !== null && !candle && this.candles.isBefore(symbol, frameMs, next)) {
          hub().none(symbol, frameMs);
          continue;
        }
        if (!candle) break;
        step({ type: 'closed', market: this.market, symbol, frameMs, candle });
        // A desk that has broken takes no input.
        if (hub().toldNext(symbol, frameMs) === next) break;
      }
    }
  }

  #stale(symbol: string, why: string | null): void {
    this.#staleness.set(symbol, why);
    if (why === null) this.#whys.delete(symbol);
    else {
      const since = this.#whys.get(symbol)?.since ?? this.#o.clock.monotonic();
      this.#whys.set(symbol, { why, since });
      if (symbol === '') this.#ticked.clear();
      else this.#ticked.delete(symbol);
    }
    this.#soon();
  }
}
