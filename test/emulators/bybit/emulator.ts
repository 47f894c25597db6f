/**
 * A strict emulator of Bybit v5, the unified account with spot and linear: requests in, answers out; sockets
 * as streams of messages. Clock and chance are passed in, so it works in the simulation as well as behind
 * real sockets (kit/emulator-net.ts, serve.ts).
 */
import type { Cancelable, Clock, Random } from '../../../src/domain/clock.ts';
import { dec, str } from '../../../src/domain/decimal.ts';
import type {
  EmulatorAnswer,
  EmulatorRequest,
  Gate,
  ServedEmulator,
  SocketPeer,
  SocketSession,
} from '../kit/wire.ts';
import type { Account } from './account.ts';
import { accountEndpoints } from './account-endpoints.ts';
import { Acts } from './acts.ts';
import { assetEndpoints } from './asset-endpoints.ts';
import { Exchange } from './exchange.ts';
import { bybitGate } from './gate.ts';
import { type EmulatorKey, Keys } from './keys.ts';
import { Limits } from './limits.ts';
import { Market } from './market.ts';
import { orderEndpoints } from './order-endpoints.ts';
import { positionEndpoints } from './position-endpoints.ts';
import { PrivateStreams } from './private-streams.ts';
import { publicEndpoints } from './public-endpoints.ts';
import { PublicStreams } from './public-socket.ts';
import { Rest } from './rest.ts';
import { type CompiledSettings, compileSettings, type EmulatorSettings } from './settings.ts';
import { aliveMs, withLife } from './socket-life.ts';
import { otherSpelling } from './spelling.ts';
import { onMark, Stops } from './stops.ts';
import { type Category, type Endpoint, Refusal } from './wire.ts';

export interface EmulatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly settings?: EmulatorSettings;
  /** Rows of the raw log: starts, transfers, orders, fills, funding. */
  readonly log?: (row: Record<string, unknown>) => void;
}

export class BybitEmulator implements ServedEmulator {
  readonly settings: CompiledSettings;
  readonly keys: Keys;
  readonly limits: Limits;
  readonly spotMarket: Market;
  readonly linearMarket: Market;
  readonly exchange: Exchange;
  readonly stops: Stops;
  readonly acts: Acts;
  readonly gate: Gate;
  readonly streams: Readonly<Record<Category, PublicStreams>>;
  readonly privateStreams: PrivateStreams;
  readonly endpoints: readonly Endpoint[];
  /** Time from an acknowledgement to the matching engine, ms. */
  matchMs: number | readonly [number, number];
  /** Time for which a new order is in no list, ms. */
  hiddenMs: number;
  /** Delay of history and executions, ms. */
  lagMs: number;
  namesTheEnd: boolean;
  accountStatus: number;
  /** Interval of tickers, ms, whether anybody trades or not. */
  beatMs = 1_000;
  /** Whether account requests are answered 10016 and no socket opens. */
  maintenance = false;
  /** Asked for each arriving order of a client: whether the engine rejects it. */
  #strikes: () => boolean = () => false;
  #rejects = { left: 0, reason: 'EC_Others' };
  readonly #clock: Clock;
  readonly #rest: Rest;
  readonly #base: number;
  #clockAheadMs: number;
  #timer: Cancelable | null = null;

  constructor(o: EmulatorOptions) {
    const settings = compileSettings(o.settings);
    this.settings = settings;
    this.#clock = o.clock;
    this.#base = o.clock.wall() - o.clock.monotonic();
    this.#clockAheadMs = settings.clockAheadMs;
    this.matchMs = settings.matchMs;
    this.hiddenMs = settings.hiddenMs;
    this.lagMs = settings.lagMs;
    this.namesTheEnd = settings.namesTheEnd;
    this.accountStatus = settings.accountStatus;
    const now = () => this.now();
    const id = (length: number) => o.random.id(length);
    const after = (delayMs: number, run: () => void) => void o.clock.after(delayMs, run);
    this.keys = new Keys(settings.keys);
    this.limits = new Limits(settings.limits);
    this.gate = bybitGate(now, (until) => this.limits.ban(until));
    const spelt = settings.otherSpelling ? otherSpelling : (row: Record<string, unknown>) => row;
    const levelNotional = dec(settings.levelNotional);
    this.spotMarket = new Market({ category: 'spot', symbols: settings.spotSymbols, now, levelNotional });
    this.linearMarket = new Market({
      category: 'linear',
      symbols: settings.linearSymbols,
      now,
      levelNotional,
    });
    const markets = { spot: this.spotMarket, linear: this.linearMarket };
    this.streams = {
      spot: new PublicStreams(this.spotMarket, now, id),
      linear: new PublicStreams(this.linearMarket, now, id),
    };
    this.exchange = new Exchange({
      markets,
      now,
      after,
      tell: (account, topic, rows) =>
        this.privateStreams.tell(
          account,
          topic,
          topic === 'order' || topic === 'execution' ? rows.map(spelt) : rows,
        ),
      log: o.log ?? (() => {}),
      matchMs: () => {
        const [least, most] = typeof this.matchMs === 'number' ? [this.matchMs, this.matchMs] : this.matchMs;
        return most > least ? Math.round(least + o.random.next() * (most - least)) : least;
      },
    });
    this.exchange.lateReject = (order) => {
      if (order.createType !== 'CreateByUser') return null;
      if (this.#rejects.left > 0) {
        this.#rejects.left--;
        return this.#rejects.reason;
      }
      return this.#strikes() ? 'EC_SecurityStatusFail' : null;
    };
    this.stops = new Stops(this.exchange);
    this.acts = new Acts(this.exchange);
    this.privateStreams = new PrivateStreams({
      keys: this.keys,
      clock: o.clock,
      now,
      id,
      acts: this.acts,
      account: (name) => this.account(name),
    });
    for (const category of ['spot', 'linear'] as const) {
      markets[category].onPrint = (m, print) => {
        this.streams[category].print(m, print);
        this.exchange.onPrint(category, print);
      };
      markets[category].onMark = (m) => {
        this.streams[category].ticker(m);
        onMark(this.stops, markets[category], m);
        if (category === 'linear') this.acts.onMark();
      };
    }
    let uid = 592_324;
    for (const name of new Set(settings.keys.map((key) => key.account ?? 'main')))
      this.exchange.open(name, uid++, settings.balances, settings.hedge);
    const account = (name: string) => this.account(name);
    this.endpoints = [
      ...publicEndpoints({ markets, now, instrumentsPage: settings.instrumentsPage }),
      ...orderEndpoints({
        exchange: this.exchange,
        account,
        now,
        hiddenMs: () => this.hiddenMs,
        lagMs: () => this.lagMs,
        namesTheEnd: () => this.namesTheEnd,
        spelt,
      }),
      ...positionEndpoints({ exchange: this.exchange, stops: this.stops, account, now }),
      ...accountEndpoints({
        exchange: this.exchange,
        keys: this.keys,
        account,
        now,
        unifiedMarginStatus: () => this.accountStatus,
        hasDcp: () => settings.dcp,
      }),
      ...assetEndpoints({ exchange: this.exchange, account, now, after }),
    ];
    this.#rest = new Rest({
      endpoints: this.endpoints,
      keys: this.keys,
      limits: this.limits,
      now,
      refusesUnknown: settings.unknownNames === 'refuse',
      admit: (endpoint) => {
        if (this.maintenance && endpoint.security === 'signed') throw new Refusal(10_016, 'Server error.');
        if (
          this.accountStatus === 1 &&
          endpoint.security === 'signed' &&
          !endpoint.path.startsWith('/v5/user') &&
          endpoint.path !== '/v5/account/info'
        )
          throw new Refusal(10_028, 'The API can only be accessed by unified account users.');
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

  account(name = 'main'): Account {
    const account = this.exchange.accounts.get(name);
    if (!account) throw new Refusal(10_007, 'User authentication failed.');
    return account;
  }

  request(request: EmulatorRequest): EmulatorAnswer {
    this.#due();
    return this.#rest.answer(request);
  }

  hasSocket(path: string): boolean {
    return !this.maintenance && /^\/v5\/(?:private|public\/(?:spot|linear))(?:\?|$)/.test(path);
  }

  connect(path: string, peer: SocketPeer, ip?: string): SocketSession | null {
    if (!this.hasSocket(path) || !this.limits.socket(ip ?? '127.0.0.1', this.now())) return null;
    this.#tick();
    const [where = '', query = ''] = path.split('?', 2);
    if (where === '/v5/private') return this.privateStreams.open(peer, ip, aliveMs(query));
    const category = where.endsWith('spot') ? 'spot' : 'linear';
    return withLife(this.streams[category].open(peer), peer, this.#clock, aliveMs('')).session;
  }

  /**
   * Prints a trade of another person, which moves the market; a linear mark price follows unless it is given.
   */
  printSpot(symbol: string, price: string, qty = '1', buyerIsMaker = true): void {
    this.spotMarket.setMark(symbol, dec(price));
    this.spotMarket.print(symbol, dec(price), dec(qty), buyerIsMaker);
  }

  printLinear(symbol: string, price: string, qty = '1', buyerIsMaker = true, mark = price): void {
    this.linearMarket.print(symbol, dec(price), dec(qty), buyerIsMaker);
    this.linearMarket.setMark(symbol, dec(mark));
  }

  print(kind: string, symbol: string, price: string, qty = '1', buyerIsMaker = true): void {
    if (kind === 'linear' || kind === 'futures') this.printLinear(symbol, price, qty, buyerIsMaker);
    else this.printSpot(symbol, price, qty, buyerIsMaker);
  }

  markets(): { kind: string; market: Market }[] {
    return [
      { kind: 'spot', market: this.spotMarket },
      { kind: 'futures', market: this.linearMarket },
    ];
  }

  /** Deposits or withdraws money. */
  transfer(coin: string, amount: string, name = 'main'): void {
    const account = this.account(name);
    const sum = amount.startsWith('-') ? -dec(amount.slice(1)) : dec(amount);
    this.exchange.ledger.transfer(account, coin, sum);
    this.exchange.teller.wallet(account, [coin]);
  }

  /** Acknowledges the next orders and then rejects them. */
  rejectNext(reason: string, count = 1): void {
    this.#rejects = { left: count, reason };
  }

  lateRejects(strikes: () => boolean): void {
    this.#strikes = strikes;
  }

  addKey(key: EmulatorKey): void {
    this.keys.add(key);
  }

  /** Deletes a key: requests with it are refused and its connections end. */
  revoke(apiKey: string): void {
    this.keys.revoke(apiKey);
    this.privateStreams.revoked(apiKey);
  }

  /** Restarts the service: sockets end, and `order/realtime` forgets closed orders (open-order.mdx). */
  shutdown(): void {
    for (const account of this.exchange.accounts.values()) {
      account.recent.spot = [];
      account.recent.linear = [];
    }
    this.privateStreams.end('service restart');
    for (const { sockets } of Object.values(this.streams))
      for (const socket of [...sockets]) socket.end('service restart');
  }

  state(): Record<string, unknown> {
    const accounts = [...this.exchange.accounts.values()];
    const open = (account: Account, category: Category) =>
      this.exchange
        .openOrders(account, category)
        .map(({ symbol, orderId, orderLinkId }) => ({ symbol, orderId, clientOrderId: orderLinkId }));
    return {
      spot: accounts.map((account) => ({
        account: account.name,
        balances: Object.fromEntries(
          [...account.coins].map(([coin, amount]) => {
            const locked = this.exchange.margin.locked(account, coin);
            return [coin, { free: str(amount - locked), locked: str(locked) }];
          }),
        ),
        open: open(account, 'spot'),
      })),
      futures: accounts.map((account) => ({
        account: account.name,
        wallets: Object.fromEntries([...account.coins].map(([coin, amount]) => [coin, str(amount)])),
        positions: this.exchange.margin
          .held(account)
          .map(({ symbol, idx, amount }) => ({ symbol, positionIdx: idx, amount: str(amount) })),
        open: open(account, 'linear'),
      })),
    };
  }

  /** Handles what is due. */
  #due(): void {
    for (const m of this.linearMarket.symbols.values()) this.acts.funding(m);
  }

  /** Runs at every beat while somebody listens to a market; for accounts alone at every tenth. */
  #tick(): void {
    if (this.#timer) return;
    const listeners = () => this.streams.spot.sockets.size + this.streams.linear.sockets.size;
    const every = listeners() > 0 ? this.beatMs : 10_000;
    this.#timer = this.#clock.after(every - (this.now() % every), () => {
      this.#timer = null;
      this.streams.spot.second();
      this.streams.linear.second();
      this.#due();
      if (listeners() + this.privateStreams.size > 0) this.#tick();
    });
  }
}
