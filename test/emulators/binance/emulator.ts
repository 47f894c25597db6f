/**
 * A strict emulator of Binance, spot and USD-M futures: requests in, answers out; sockets as streams of
 * messages. Clock and chance are passed in, so it works in the simulation as well as behind real sockets
 * (`emulator-net.ts`, `serve.ts`).
 */
import type { Cancelable, Clock, Random } from '../../../src/domain/clock.ts';
import { dec, str } from '../../../src/domain/decimal.ts';
import type { Gate, ServedEmulator } from '../kit/wire.ts';
import { accountEndpoints } from './futures/account-endpoints.ts';
import { Algos } from './futures/algos.ts';
import { futuresEndpoints } from './futures/endpoints.ts';
import { ExchangeActs } from './futures/events.ts';
import { FuturesExchange } from './futures/exchange.ts';
import { ListenKeys } from './futures/listen-keys.ts';
import { binanceGate } from './gate.ts';
import { type EmulatorKey, Keys } from './keys.ts';
import { Limits } from './limits.ts';
import { Market } from './market.ts';
import { publicEndpoints } from './public.ts';
import { Rest } from './rest.ts';
import { type CompiledSettings, compileSettings, type EmulatorSettings } from './settings.ts';
import { withLife } from './socket-life.ts';
import { spotEndpoints } from './spot/endpoints.ts';
import { SpotExchange } from './spot/exchange.ts';
import { SpotSocketSession } from './spot/socket-api.ts';
import { MarketStreams } from './streams.ts';
import { walletEndpoints } from './wallet.ts';
import {
  type EmulatorAnswer,
  type EmulatorRequest,
  type Endpoint,
  type Kind,
  Refusal,
  type SocketPeer,
  type SocketSession,
} from './wire.ts';

export interface EmulatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly settings?: EmulatorSettings;
  /** Rows of the raw log: starts, transfers, orders, fills, fees, funding, balances. */
  readonly log?: (row: Record<string, unknown>) => void;
}

export class BinanceEmulator implements ServedEmulator {
  readonly gate: Gate;
  readonly settings: CompiledSettings;
  readonly keys: Keys;
  readonly spotMarket: Market;
  readonly spot: SpotExchange;
  readonly spotStreams: MarketStreams;
  readonly futuresMarket: Market;
  readonly futures: FuturesExchange;
  readonly algos: Algos;
  readonly acts: ExchangeActs;
  readonly futuresStreams: MarketStreams;
  readonly listenKeys: ListenKeys;
  readonly spotLimits: Limits;
  readonly futuresLimits: Limits;
  readonly endpoints: readonly Endpoint[];
  readonly #rest: Rest;
  readonly #clock: Clock;
  readonly #base: number;
  readonly #spotSessions = new Set<SpotSocketSession>();
  readonly #log: (row: Record<string, unknown>) => void;
  /** Time for which a new order cannot be queried, ms. */
  hiddenMs: number;
  /** Time between a trigger and the matching engine, ms. */
  triggeringMs: number;
  /** Whether the futures endpoints refuse the account. */
  portfolioMargin: boolean;
  /** Interval of mark prices and tickers, ms, whether anybody trades or not. */
  beatMs = 1_000;
  #clockAheadMs: number;
  #timer: Cancelable | null = null;

  constructor(o: EmulatorOptions) {
    const settings = compileSettings(o.settings);
    this.settings = settings;
    this.#clock = o.clock;
    this.#base = o.clock.wall() - o.clock.monotonic();
    this.#clockAheadMs = settings.clockAheadMs;
    this.#log = o.log ?? (() => {});
    this.hiddenMs = settings.hiddenMs;
    this.triggeringMs = settings.triggeringMs;
    this.portfolioMargin = settings.portfolioMargin;
    this.keys = new Keys(settings.keys);
    const now = () => this.now();
    this.spotLimits = new Limits(settings.spotLimits);
    this.futuresLimits = new Limits(settings.futuresLimits);
    const levelNotional = dec(settings.levelNotional);
    this.gate = binanceGate(now, (until) => {
      this.spotLimits.ban(until);
      this.futuresLimits.ban(until);
    });
    this.spotMarket = new Market({ kind: 'spot', symbols: settings.spotSymbols, now, levelNotional });
    this.spotStreams = new MarketStreams(this.spotMarket, now);
    this.spot = new SpotExchange({
      market: this.spotMarket,
      now,
      id: (length) => o.random.id(length),
      tell: (account, event) => {
        for (const session of this.#spotSessions) session.tell(account, event);
      },
      log: (row) => this.#log(row),
      firstFill: (account, isMaker) => this.spotLimits.orderFilled(account, isMaker ? 5 : 1, this.now()),
    });
    this.spotMarket.onPrint = (m, print) => {
      this.spotStreams.print(m, print);
      this.spot.onPrint(print);
    };
    this.futuresMarket = new Market({
      kind: 'futures',
      symbols: settings.futuresSymbols,
      now,
      levelNotional,
    });
    this.futuresStreams = new MarketStreams(this.futuresMarket, now);
    this.listenKeys = new ListenKeys(now, (length) => o.random.id(length));
    this.futures = new FuturesExchange({
      market: this.futuresMarket,
      now,
      after: (delayMs, run) => void o.clock.after(delayMs, run),
      id: (length) => o.random.id(length),
      tell: (account, event) => this.listenKeys.tell(account, event),
      log: (row) => this.#log(row),
    });
    this.algos = new Algos(this.futures, () => this.triggeringMs);
    this.acts = new ExchangeActs(this.futures, (m, order) => this.futuresStreams.forceOrder(m, order));
    this.futuresMarket.onPrint = (m, print) => {
      this.futuresStreams.print(m, print);
      this.futures.onPrint(print);
    };
    this.futuresMarket.onMark = (m) => {
      this.futures.onTriggers(m, m.mark, 'MARK_PRICE');
      this.acts.onMark(m);
    };
    let uid = 354_937_868;
    for (const account of new Set(settings.keys.map((key) => key.account ?? 'main'))) {
      this.spot.open(account, uid++, settings.spotBalances);
      this.futures.open(account, settings.futuresBalances, settings.hedge);
    }
    this.endpoints = [
      ...spotEndpoints({
        exchange: this.spot,
        market: this.spotMarket,
        limits: this.spotLimits,
        now,
        hiddenMs: () => this.hiddenMs,
      }),
      ...publicEndpoints(this.spotMarket, now),
      ...walletEndpoints({
        exchange: this.spot,
        market: this.spotMarket,
        keys: this.keys,
        now,
        portfolioMargin: () => this.portfolioMargin,
      }),
      ...futuresEndpoints({
        exchange: this.futures,
        algos: this.algos,
        acts: this.acts,
        market: this.futuresMarket,
        now,
        hiddenMs: () => this.hiddenMs,
      }),
      ...accountEndpoints({
        exchange: this.futures,
        market: this.futuresMarket,
        limits: this.futuresLimits,
        listenKeys: this.listenKeys,
        openAlgos: (account, symbol) => this.algos.open(account, symbol).length,
        now,
      }),
      ...publicEndpoints(this.futuresMarket, now),
    ];
    this.#rest = new Rest({
      endpoints: this.endpoints,
      keys: this.keys,
      limits: { spot: this.spotLimits, futures: this.futuresLimits },
      now,
      // Binance.Net#1485: an account in portfolio margin is refused as if the key lacked the permission.
      admit: (_, endpoint) => {
        if (this.portfolioMargin && endpoint.path.startsWith('/fapi'))
          throw new Refusal(-2015, 'Invalid API-key, IP, or permissions for action', 401);
      },
    });
  }

  /** The exchange's time, Unix ms: it goes on evenly, whatever happens to the wall clock. */
  now(): number {
    return Math.floor(this.#base + this.#clock.monotonic() + this.#clockAheadMs);
  }

  set clockAheadMs(ms: number) {
    this.#clockAheadMs = ms;
  }

  request(request: EmulatorRequest): EmulatorAnswer {
    this.#due();
    return this.#rest.answer(request);
  }

  /** Whether a socket exists at this path; other paths are answered 404 instead of an upgrade. */
  hasSocket(path: string): boolean {
    return /^\/(?:ws-api\/v3|stream|ws(?:\/[^?]*)?|(?:public|market|private)\/(?:stream|ws(?:\/[^?]*)?))(?:\?|$)/.test(
      path,
    );
  }

  /**
   * Opens a socket at path and query; null: there is none (the handshake fails with 404). Throws Refusal: the
   * handshake fails with that.
   */
  connect(path: string, peer: SocketPeer, ip?: string): SocketSession | null {
    if (!this.hasSocket(path)) return null;
    const kind = /^\/(?:public|market|private)\//.test(path) ? 'futures' : 'spot';
    (kind === 'spot' ? this.spotLimits : this.futuresLimits).admit(this.now());
    const session = this.#session(path, peer, ip);
    if (!session) return null;
    this.#tick();
    return withLife(kind, session, peer, this.#clock);
  }

  #session(path: string, peer: SocketPeer, ip?: string): SocketSession | null {
    const [where = '', query = ''] = path.split('?', 2);
    if (where === '/ws-api/v3') {
      const session = new SpotSocketSession(peer, {
        keys: this.keys,
        limits: this.spotLimits,
        rest: this.#rest,
        now: () => this.now(),
        ip,
        returnRateLimits: !query.includes('returnRateLimits=false'),
        gone: (gone) => this.#spotSessions.delete(gone),
      });
      this.#spotSessions.add(session);
      return session;
    }
    const [, root = '', form = '', ...rest] = where.split('/');
    if (root === 'private') return this.#privateSocket(peer, form, rest, query);
    if ((root === 'public' || root === 'market') && form === 'stream')
      return this.futuresStreams.open(peer, root, true, namesOf(query));
    if ((root === 'public' || root === 'market') && form === 'ws')
      return this.futuresStreams.open(peer, root, false, rest.map(decodeURIComponent).filter(isName));
    if (where === '/stream') return this.spotStreams.open(peer, 'spot', true, namesOf(query));
    if (where === '/ws' || where.startsWith('/ws/'))
      return this.spotStreams.open(
        peer,
        'spot',
        false,
        decodeURIComponent(where.slice(4)).split('/').filter(isName),
      );
    return null;
  }

  /**
   * Opens an account's stream. A listen key in the path gets no events; in the query it works (facts-binance
   * A).
   */
  #privateSocket(
    peer: SocketPeer,
    form: string,
    rest: readonly string[],
    query: string,
  ): SocketSession | null {
    if (form !== 'ws' && form !== 'stream') return null;
    const named = this.settings.pathListenKey && rest[0] ? `listenKey=${rest[0]}` : query;
    return this.listenKeys.open(peer, form === 'stream', named);
  }

  /** Prints a trade of another person, which moves the market. */
  printSpot(symbol: string, price: string, qty = '1', buyerIsMaker = true): void {
    this.spotMarket.print(symbol, dec(price), dec(qty), buyerIsMaker);
  }

  /** The same on futures. The mark price follows at once, as in quiet markets, unless `mark` is given. */
  printFutures(symbol: string, price: string, qty = '1', buyerIsMaker = true, mark = price): void {
    this.futuresMarket.print(symbol, dec(price), dec(qty), buyerIsMaker);
    this.futuresMarket.setMark(symbol, dec(mark), dec(mark));
  }

  /** Prints a trade on either market. */
  print(kind: string, symbol: string, price: string, qty = '1', buyerIsMaker = true): void {
    if (kind !== 'futures') this.printSpot(symbol, price, qty, buyerIsMaker);
    else this.printFutures(symbol, price, qty, buyerIsMaker);
  }

  markets(): { kind: Kind; market: Market }[] {
    return [
      { kind: 'spot', market: this.spotMarket },
      { kind: 'futures', market: this.futuresMarket },
    ];
  }

  /** Balances, positions and open orders, for comparisons. */
  state(): Record<string, unknown> {
    return {
      spot: [...this.spot.accounts.values()].map((account) => ({
        account: account.name,
        balances: Object.fromEntries(
          [...account.wallets].map(([asset, { free, locked }]) => [
            asset,
            { free: str(free), locked: str(locked) },
          ]),
        ),
        open: this.spot
          .openOrders(account)
          .map(({ symbol, orderId, clientOrderId }) => ({ symbol, orderId, clientOrderId })),
      })),
      futures: [...this.futures.accounts.values()].map((account) => ({
        account: account.name,
        wallets: Object.fromEntries([...account.wallets].map(([asset, amount]) => [asset, str(amount)])),
        positions: [...account.positions.values()]
          .filter(({ amount }) => amount !== 0n)
          .map(({ symbol, side, amount }) => ({ symbol, side, amount: str(amount) })),
        open: this.futures
          .openOrders(account)
          .map(({ symbol, orderId, clientOrderId }) => ({ symbol, orderId, clientOrderId })),
        conditional: this.algos
          .open(account)
          .map(({ symbol, algoId, clientAlgoId }) => ({ symbol, algoId, clientAlgoId })),
      })),
    };
  }

  addKey(key: EmulatorKey): void {
    this.keys.add(key);
  }

  /** Deletes a key: requests with it are refused and its subscriptions end. */
  revoke(apiKey: string): void {
    this.keys.revoke(apiKey);
    for (const session of this.#spotSessions) session.revoked(apiKey);
  }

  /** Announces a shutdown of the exchange on every socket. */
  shutdown(): void {
    for (const session of this.#spotSessions) session.shutdown();
    this.spotStreams.shutdown();
    this.futuresStreams.shutdown();
    for (const socket of this.listenKeys.sockets) socket.shutdown(this.now());
  }

  /** Handles what is due: listen keys, funding. */
  #due(): void {
    this.listenKeys.expire();
    for (const m of this.futuresMarket.symbols.values()) this.acts.funding(m);
  }

  /**
   * Runs at every beat while somebody listens to the market: closed candles, mini tickers, marks; for account
   * streams alone at every tenth.
   */
  #tick(): void {
    this.#timer?.cancel();
    const every = this.spotStreams.sockets.size + this.futuresStreams.sockets.size > 0 ? this.beatMs : 10_000;
    this.#timer = this.#clock.after(every - (this.now() % every), () => {
      this.#timer = null;
      this.spotStreams.second();
      this.futuresStreams.second();
      this.#due();
      const { sockets } = this.listenKeys;
      const listeners = this.spotStreams.sockets.size + this.futuresStreams.sockets.size + sockets.size;
      if (listeners + this.#spotSessions.size > 0) this.#tick();
    });
  }
}

function namesOf(query: string): string[] {
  const streams = new URLSearchParams(query).get('streams') ?? '';
  return streams.split('/').filter(isName);
}

function isName(name: string): boolean {
  return name !== '' && !/^\d+$/.test(name);
}
