/**
 * The live markets of a desk: opened and closed together; also what a bot's command waits for before its
 * step.
 */
import type { CandleHub } from '../../../bots/market/candle-hub.ts';
import type { BotRecord } from '../../../domain/bot.ts';
import { str } from '../../../domain/decimal.ts';
import type { Depth } from '../../../domain/depth.ts';
import { marketOf } from '../../../domain/exchange.ts';
import type { Row } from '../../../domain/rows.ts';
import type { OrderCommand } from '../../../engine/step.ts';
import type { Tick } from '../../../market/feed.ts';
import type { LiveTick, MarketData } from '../../../market/market-data.ts';
import type { KnownPrice } from '../market-view.ts';
import type { LiveCandles } from './live-candles.ts';
import { LiveMarket, type LiveMarketOptions } from './live-market.ts';

export type LiveMarketsOptions = Omit<
  LiveMarketOptions,
  'data' | 'hub' | 'told' | 'staleness' | 'matched' | 'marked' | 'pricesOf' | 'looked'
> & {
  readonly hub: (market: string) => CandleHub;
  readonly told: (market: string, tick: Tick) => void;
  readonly staleness: (market: string, symbol: string) => void;
  /** Returns the time of a market's newest price, Unix ms; null: there is none, or it is not known. */
  readonly pricesOf?: (market: string) => number | null;
  readonly matched?: (market: string, tick: Tick) => void;
  readonly marked?: (market: string, ...mark: Parameters<NonNullable<LiveMarketOptions['marked']>>) => void;
  readonly looked?: {
    readonly trades: (market: string, symbol: string, ticks: readonly LiveTick[]) => void;
    readonly depth: (market: string, symbol: string, depth: Depth | null) => void;
  };
};

export class LiveMarkets {
  readonly #o: LiveMarketsOptions;
  readonly #markets = new Map<string, LiveMarket>();
  /** The `changes` of each market in the last stored rows, and in those that are being stored. */
  readonly #stored = new Map<string, number>();
  readonly #written = new Map<string, number>();
  /** Names of all markets, also those added while the desk runs. */
  readonly names = new Set<string>();
  #isRunning = false;

  constructor(data: readonly MarketData[], options: LiveMarketsOptions) {
    this.#o = options;
    // If two sources are of one market, as of a connection and a mirror, the first one is used.
    for (const one of data) if (!this.#markets.has(one.market)) this.#make(one);
  }

  #make(data: MarketData): LiveMarket {
    const options = this.#o;
    const { market } = data;
    const own = {
      hub: () => options.hub(market),
      told: (tick: Tick) => options.told(market, tick),
      staleness: (symbol: string) => options.staleness(market, symbol),
      pricesOf: () => options.pricesOf?.(market) ?? null,
      matched: (tick: Tick) => options.matched?.(market, tick),
      marked: (...mark: Parameters<NonNullable<LiveMarketOptions['marked']>>) =>
        options.marked?.(market, ...mark),
      looked: {
        trades: (symbol: string, ticks: readonly LiveTick[]) => options.looked?.trades(market, symbol, ticks),
        depth: (symbol: string, depth: Depth | null) => options.looked?.depth(market, symbol, depth),
      },
    };
    const made = new LiveMarket({ ...options, ...own, data });
    this.#markets.set(market, made);
    this.names.add(market);
    return made;
  }

  /** Adds a market to a running desk; resolves when it was tried. An existing one stays as it is. */
  async add(data: MarketData): Promise<void> {
    if (this.#markets.has(data.market)) return;
    const market = this.#make(data);
    await market.open();
    if (this.#isRunning) market.run();
  }

  /** Removes a market on which nobody trades any more: its requests and streams end. Its last prices stay. */
  async remove(name: string): Promise<void> {
    const market = this.#markets.get(name);
    this.#markets.delete(name);
    this.#stored.delete(name);
    this.#written.delete(name);
    await market?.close();
  }

  /** Returns a live market; undefined: the market is not a live one. */
  of(market: string): LiveMarket | undefined {
    return this.#markets.get(market);
  }

  candles(market: string): LiveCandles | undefined {
    return this.#markets.get(market)?.candles;
  }

  /** Watches a symbol now and for a minute longer. Only symbols that an account can trade there. */
  look(market: string, symbol: string): void {
    const live = this.#markets.get(market);
    if (!live) return;
    for (const { account, instruments } of this.#o.memory().accounts.values())
      if (marketOf(account) === market && instruments.has(symbol)) {
        live.watched.hold(symbol)();
        return;
      }
  }

  /** Does the same for a symbol on an account, where a request names both. */
  lookFor({ exchange = '', symbol = '' }: { readonly exchange?: string; readonly symbol?: string }): void {
    const account = this.#o.memory().accounts.get(exchange)?.account;
    if (account) this.look(marketOf(account), symbol);
  }

  /**
   * Returns rows with the last prices of symbols that runs trade, for every commit: a resumed run must have
   * them for what it decides before the first tick.
   */
  deferredRows(): Row[] {
    const rows: Row[] = [];
    for (const [market, live] of this.#markets) {
      const { changes } = live;
      if (changes === this.#stored.get(market)) continue;
      this.#written.set(market, changes);
      const hub = this.#o.hub(market);
      const value = [...new Set(live.symbolsOfRuns())].flatMap((symbol) => {
        const { price, priceTime } = hub.view(symbol);
        return price === null ? [] : [[symbol, str(price), priceTime] as const];
      });
      rows.push({ kind: 'meta', name: rowOf(market), value });
    }
    return rows;
  }

  /** Called when a commit has stored those rows. */
  deferredStored(): void {
    for (const [market, changes] of this.#written) this.#stored.set(market, changes);
  }

  /** Yields the stored prices of each market. */
  *known(meta: ReadonlyMap<string, unknown>): Iterable<[market: string, price: KnownPrice]> {
    for (const market of this.#markets.keys())
      for (const price of (meta.get(rowOf(market)) as readonly KnownPrice[] | undefined) ?? [])
        yield [market, price];
  }

  async open(): Promise<void> {
    await Promise.all([...this.#markets.values()].map((market) => market.open()));
  }

  run(): void {
    this.#isRunning = true;
    for (const market of this.#markets.values()) market.run();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#markets.values()].map((market) => market.close()));
  }

  /** Loads the history that the bots started by a command read; null: nothing is missing. */
  past(command: OrderCommand): Promise<void> | null {
    if (this.#markets.size === 0) return null;
    const waits = new Set<LiveMarket>();
    for (const bot of this.#started(command)) {
      const account = this.#o.memory().accounts.get(bot.exchange)?.account;
      const market = account && this.#markets.get(marketOf(account));
      if (market && this.#o.bots()?.lacksPast(bot, this.#o.now())) waits.add(market);
    }
    if (waits.size === 0) return null;
    return Promise.all([...waits].map((market) => market.past())).then(() => {});
  }

  *#started(command: OrderCommand): Iterable<BotRecord> {
    const book = this.#o.bots()?.book;
    const ids =
      command.type === 'bot.batchStart' ? command.ids : command.type === 'bot.start' ? [command.id] : [];
    for (const id of ids) {
      const bot = book?.bots.get(id);
      if (bot) yield bot;
    }
    if (command.type !== 'bot.patch' || command.change.restart !== true) return;
    const bot = book?.bots.get(command.id);
    const { config } = command.change;
    if (bot) yield { ...bot, settings: { ...bot.settings, ...config } };
  }
}

/**
 * Returns why the paper market keeps to the clock beside live markets and connections (exchanges.md 2): there
 * is one market time, and it is wall time.
 */
export function inRealTime(names: readonly string[]): string {
  return `the desk trades on ${names.join(', ')}, which runs with the clock: so must the paper market`;
}

function rowOf(market: string): string {
  return `live-prices ${market}`;
}
