/** The live markets of a desk: opened and closed together, and what a command of a bot waits for before its step. */
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
  /** When the newest price of a market is from, Unix ms; null: there is none, or that is not known. */
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
  /** `changes` of each market whose prices are stored, and of those on their way. */
  readonly #stored = new Map<string, number>();
  readonly #written = new Map<string, number>();
  /** Of all markets, those too that come while the desk runs. */
  readonly names = new Set<string>();
  #isRunning = false;

  constructor(data: readonly MarketData[], options: LiveMarketsOptions) {
    this.#o = options;
    // Where two are of one market, as of a connection and a mirror, the first one tells.
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

  /** One that is there from now on, on a desk that runs; resolves when it was tried. One that is there stays as it is. */
  async add(data: MarketData): Promise<void> {
    if (this.#markets.has(data.market)) return;
    const market = this.#make(data);
    await market.open();
    if (this.#isRunning) market.run();
  }

  /** Nobody trades on it any more: what it asks and hears ends. Its last prices stay. */
  async remove(name: string): Promise<void> {
    const market = this.#markets.get(name);
    this.#markets.delete(name);
    this.#stored.delete(name);
    this.#written.delete(name);
    await market?.close();
  }

  /** Undefined: the market is not a live one. */
  of(market: string): LiveMarket | undefined {
    return this.#markets.get(market);
  }

  candles(market: string): LiveCandles | undefined {
    return this.#markets.get(market)?.candles;
  }

  /** Somebody looks at a symbol now: it is watched, and a minute longer. Only of what an account can trade there. */
  look(market: string, symbol: string): void {
    const live = this.#markets.get(market);
    if (!live) return;
    for (const { account, instruments } of this.#o.memory().accounts.values())
      if (marketOf(account) === market && instruments.has(symbol)) {
        live.watched.hold(symbol)();
        return;
      }
  }

  /** The same of a symbol as an account has it, which a request may name or not. */
  lookFor({ exchange = '', symbol = '' }: { readonly exchange?: string; readonly symbol?: string }): void {
    const account = this.#o.memory().accounts.get(exchange)?.account;
    if (account) this.look(marketOf(account), symbol);
  }

  /**
   * The last prices of what runs trade, for every commit: what a run that is taken up again decides before the first tick it
   * decides at them, never at none.
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

  /** The commit has them. */
  deferredStored(): void {
    for (const [market, changes] of this.#written) this.#stored.set(market, changes);
  }

  /** What `deferredRows` have stored of each market. */
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

  /** What the bots that a command starts read of the past, where it is not here; null: nothing is missing. */
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

/** Why the paper market keeps to the clock beside live markets and connections (exchanges.md 2): market time is one, and it is wall time. */
export function inRealTime(names: readonly string[]): string {
  return `the desk trades on ${names.join(', ')}, which runs with the clock: so must the paper market`;
}

function rowOf(market: string): string {
  return `live-prices ${market}`;
}
