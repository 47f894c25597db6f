/**
 * A live market of a desk: an exchange's prices and candles become inputs of the engine, in the order of
 * strategies.md 1. The exchange pushes them; the market sets no pace and waits for no call. History that a
 * step needs is loaded before it; candles close when the exchange says so. A market that cannot be opened
 * delays nobody else: it is tried again.
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

/** How often the watched symbols and missing data are checked, ms. */
const LOOK_MS = 1_000;
/** How often prices of all symbols are asked for, ms: for symbols that are only valued. */
const PRICES_MS = 10_000;
/** How long a step waits for its history at most, ms. */
export const PAST_WAIT_MS = 10_000;
const CLOSE_WAIT_MS = 5_000;
const REOPEN_MS = 500;
const REOPEN_MAX_MS = 30_000;

/** Prices that have been missing for this long count as broken, ms. */
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
  /** The engine has got a tick. */
  readonly told: (tick: Tick) => void;
  /**
   * Called between the bots' and the engine's input of a tick: accounts in this process that mirror the
   * market match it.
   */
  readonly matched?: (tick: Tick) => void;
  /**
   * Called with a mark price before the engine gets it; funding is the present one, null where the exchange
   * does not report it.
   */
  readonly marked?: (symbol: string, price: string, funding: Funding | null) => void;
  /**
   * Returns the time of the newest stored price, Unix ms; null or left out: there is none, or it is not
   * known.
   */
  readonly pricesOf?: () => number | null;
  /** Called when the prices of a symbol begin or stop to arrive; an empty symbol stands for all. */
  readonly staleness: (symbol: string) => void;
  /** Single trades and the depth of symbols that are looked at closely. */
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
  /** Until it is ready, inputs wait; of several reports about missing prices only the last counts. */
  #isReady = false;
  readonly #staleness = new Map<string, string | null>();
  #isClosed = false;
  #failures = 0;
  #watching = '';
  #pricesAt = Number.NEGATIVE_INFINITY;
  /** The last question for all prices failed, which is logged once. */
  #lacksPrices = false;
  #timer: Cancelable | null = null;
  /** Rises with every tick. */
  changes = 0;
  /** Symbols with a tick since their prices last began to arrive. */
  readonly #ticked = new Set<string>();
  /** Why prices do not arrive now, and since when (monotonic), by symbol; an empty one stands for all. */
  readonly #whys = new Map<string, { readonly why: string; readonly since: number }>();
  readonly #funding = new Map<string, Funding>();
  /** The last reported funding of watched symbols. */
  readonly #lastFunding = new Map<string, Funding>();
  /** Symbols that are looked at closely. */
  readonly #lookedAt = new Set<string>();
  /** Symbols whose history has come, before the engine has got it. */
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

  /**
   * Connects, as far as that is possible now, and loads the history that stored runs need; at most
   * `PAST_WAIT_MS`. Gives the engine nothing yet.
   */
  open(): Promise<void> {
    return atMost(this.#o.clock, PAST_WAIT_MS, this.#connect());
  }

  /** Begins to give inputs to the engine. Once, after `open`. */
  run(): void {
    this.#isReady = true;
    this.#soon();
    this.#look();
  }

  /**
   * Closes the market. Never rejects and does not wait for an exchange that hangs: a desk that ends has
   * orders to store.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const { data, clock, report } = this.#o;
    await atMost(clock, CLOSE_WAIT_MS, data.close()).catch((error: unknown) =>
      report('warn', `${this.market} was not closed: ${errorText(error)}`),
    );
  }

  /** Whether prices of a symbol arrive now and one has come. */
  isFresh(symbol: string): boolean {
    return this.#ticked.has(symbol) && this.#whyNot(symbol) === undefined;
  }

  /** Whether prices of a symbol have been missing for a while. */
  isBroken(symbol: string): boolean {
    const not = this.#whyNot(symbol);
    return not !== undefined && this.#o.clock.monotonic() - not.since > BROKEN_MS;
  }

  /** Asks for the prices of a symbol now, since somebody waits for them. `always`: watches it from now on. */
  want(symbol: string, always = false): void {
    const letGo = this.watched.hold(symbol);
    if (!always) letGo();
    if (this.#isReady) this.#watch();
  }

  /**
   * Watches a symbol with its depth until the returned function is called. One caller at a time for each
   * symbol.
   */
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

  /** Whether the exchange sends depth and single trades at all. */
  get tellsDepth(): boolean {
    return this.#o.data.watchDepth !== undefined;
  }

  /** Returns the last reported funding; null: none was reported. */
  fundingOf(symbol: string): Funding | null {
    return this.#lastFunding.get(symbol) ?? null;
  }

  #watchDepth(): void {
    if (!this.#isClosed) this.#o.data.watchDepth?.(new Set(this.#lookedAt));
  }

  #whyNot(symbol: string): { readonly why: string; readonly since: number } | undefined {
    const all = this.#whys.get('');
    const own = this.#whys.get(symbol);
    return all && own && own.since < all.since ? own : (all ?? own);
  }

  /** Resolves when all history that was asked for is here or has failed, or after `PAST_WAIT_MS`. */
  past(): Promise<void> {
    return atMost(this.#o.clock, PAST_WAIT_MS, this.candles.settled());
  }

  /**
   * Returns closed candles like `LiveCandles.read`, loading them if needed; none when that takes too long.
   */
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
      // Screens with older prices show how old they are.
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

  /**
   * Asks for prices of symbols that are not watched, for their value alone, and of all symbols before the
   * first tick: such prices move no order.
   */
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

  /** Tells the exchange which symbols are wanted, when that has changed. */
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
    // If it is watched again, the exchange reports anew whether its prices come.
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

  /** Gives the engine what has come, history first: a close is known before the tick after it. */
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

  /** Closes the candles that the exchange has closed, the smaller frames first. */
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
