/**
 * A strict emulator of OKX v5, spot and swaps on one account: requests in, answers out; sockets as streams of
 * messages. Clock and chance are passed in, so it works in the simulation as well as behind real sockets
 * (`kit/emulator-net.ts`, `serve.ts`).
 */
import type { Cancelable, Clock, Random } from '../../../src/domain/clock.ts';
import { dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type {
  EmulatorAnswer,
  EmulatorRequest,
  Gate,
  ServedEmulator,
  SocketPeer,
  SocketSession,
  WalkedMarket,
} from '../kit/wire.ts';
import { type Account, frozenOf } from './account.ts';
import { accountEndpoints } from './account-endpoints.ts';
import { AccountRows } from './account-rows.ts';
import { Acts } from './acts.ts';
import { algoEndpoints } from './algo-endpoints.ts';
import { AlgoBook } from './algos.ts';
import { type Address, type Arg, CHANNELS } from './channels.ts';
import { convertEndpoints } from './convert.ts';
import { Countdown } from './countdown.ts';
import { Exchange } from './exchange.ts';
import { gateOf } from './gate.ts';
import { familyOf, type InstrumentSpec, unitOf } from './instruments.ts';
import { type EmulatorKey, Keys } from './keys.ts';
import { Limits } from './limits.ts';
import { listEndpoints } from './list-endpoints.ts';
import { OkxMarket } from './market.ts';
import { MarketFeed } from './market-feed.ts';
import { PrivateFeed } from './private-feed.ts';
import { type Maintenance, publicEndpoints } from './public-endpoints.ts';
import { Rest } from './rest.ts';
import { type CompiledSettings, compileSettings, type EmulatorSettings } from './settings.ts';
import { OkxSocket } from './socket.ts';
import { tradeEndpoints } from './trade-endpoints.ts';
import { type Endpoint, Refusal } from './wire.ts';

export interface EmulatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly settings?: EmulatorSettings;
  /** Rows of the raw log: starts, transfers, orders, fills, funding. */
  readonly log?: (row: Record<string, unknown>) => void;
}

const CONNECTIONS_A_CHANNEL = 30;
const CONNECTS_A_SECOND = 3;
const NOTICE_MS = 60_000;
const ODDITIES_KEPT = 1000;

export class OkxEmulator implements ServedEmulator {
  readonly settings: CompiledSettings;
  readonly keys: Keys;
  readonly limits: Limits;
  readonly market: OkxMarket;
  readonly exchange: Exchange;
  readonly algos: AlgoBook;
  readonly acts: Acts;
  readonly marketFeed: MarketFeed;
  readonly privateFeed: PrivateFeed;
  readonly endpoints: readonly Endpoint[];
  readonly gate: Gate;
  /**
   * Undocumented parts of requests: unknown names, numbers instead of texts. The real exchange accepts them
   * silently.
   */
  readonly oddities: string[] = [];
  readonly #rest: Rest;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #base: number;
  readonly #sockets = new Set<OkxSocket>();
  readonly #maintenance: Maintenance[] = [];
  /** Time for which a new order cannot be queried, ms. */
  hiddenMs: number;
  /** Time by which a triggered algo order is reported after its order, ms. */
  algoLagMs: number;
  /** Time between the acceptance of a cancel or an amendment and its execution, ms. */
  cancelLagMs: number;
  amendLagMs: number;
  /** Interval of mark prices and tickers, ms, whether anybody trades or not. */
  beatMs = 1_000;
  #clockAheadMs: number;
  #connects: number[] = [];
  #timer: Cancelable | null = null;

  constructor(o: EmulatorOptions) {
    const settings = compileSettings(o.settings);
    const log = o.log ?? (() => {});
    this.settings = settings;
    this.#clock = o.clock;
    this.#random = o.random;
    this.#base = o.clock.wall() - o.clock.monotonic();
    this.#clockAheadMs = settings.clockAheadMs;
    this.hiddenMs = settings.hiddenMs;
    this.algoLagMs = settings.algoLagMs;
    this.cancelLagMs = settings.cancelLagMs;
    this.amendLagMs = settings.amendLagMs;
    this.keys = new Keys(settings.keys);
    this.limits = new Limits(settings.limitFactor);
    const now = () => this.now();
    this.gate = gateOf(this.limits, now);
    this.market = new OkxMarket(settings.instruments, now, dec(settings.levelNotional));
    this.marketFeed = new MarketFeed(this.market, o.clock, now);
    this.privateFeed = new PrivateFeed({
      market: this.market,
      clock: o.clock,
      now,
      mergeMs: settings.mergeMs,
      algoLagMs: () => this.algoLagMs,
      repeatEvery: settings.repeatEvery,
      sockets: () => this.#sockets,
    });
    const exchange = new Exchange({ market: this.market, settings, now, teller: this.privateFeed, log });
    this.exchange = exchange;
    const rows = new AccountRows(this.market, exchange.margin, now);
    this.privateFeed.rows = rows;
    this.algos = new AlgoBook(exchange);
    this.acts = new Acts(exchange, (account, positions) => this.privateFeed.warn(account, positions));
    this.market.onPrint = (m, print) => {
      this.marketFeed.print(m, print);
      exchange.onPrint(print);
    };
    this.market.onMark = (m) => {
      this.marketFeed.mark(m);
      exchange.onTriggers(m, m.mark, 'mark');
      exchange.onTriggers(m, m.index, 'index');
      this.acts.onMark(m);
    };
    let uid = 44_705_892_343_619_584n;
    for (const account of new Set(settings.keys.map((key) => key.account ?? 'main')))
      exchange.open(account, String(uid++));
    const hiddenMs = () => this.hiddenMs;
    this.endpoints = [
      ...publicEndpoints(this.market, now, () => this.#maintenance),
      ...tradeEndpoints({
        exchange,
        countdowns: new Countdown(exchange, o.clock),
        after: (delayMs, run) => void o.clock.after(delayMs, run),
        cancelLagMs: () => this.cancelLagMs,
        amendLagMs: () => this.amendLagMs,
      }),
      ...listEndpoints(exchange, hiddenMs),
      ...algoEndpoints(exchange, this.algos, hiddenMs),
      ...accountEndpoints({ exchange, rows, keys: this.keys }),
      ...convertEndpoints(exchange, o.clock),
    ];
    this.#rest = new Rest({
      endpoints: this.endpoints,
      keys: this.keys,
      limits: this.limits,
      now,
      closed: () =>
        this.#maintenance.some(({ state, serviceType }) => state === 'ongoing' && serviceType === '5')
          ? new Refusal('50001', 'Service temporarily unavailable. Please try again later.', 503)
          : null,
      odd: (what) => this.#odd(what),
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

  hasSocket(path: string): boolean {
    return /^\/ws\/v5\/(?:public|private|business)(?:\?|$)/.test(path);
  }

  /** Opens a socket; null: there is nothing at that path, or the address connects too often (3 a second). */
  connect(path: string, peer: SocketPeer, ip = '127.0.0.1'): SocketSession | null {
    const address = /^\/ws\/v5\/(public|private|business)(?:\?|$)/.exec(path)?.[1] as Address | undefined;
    if (!address || !this.#mayConnect()) return null;
    const socket = new OkxSocket(peer, {
      address,
      connId: this.#random.id(8),
      keys: this.keys,
      clock: this.#clock,
      now: () => this.now(),
      ip,
      knows: (channel, arg) => this.#knows(channel, arg),
      subscribed: (one, subscription) => {
        if (one.account !== null && CHANNELS.get(subscription.arg.channel ?? '')?.isPrivate)
          this.privateFeed.subscribed(one, this.exchange.account(one.account), subscription);
        else this.marketFeed.subscribed(one, subscription);
      },
      count: (account, channel) => this.#count(account, channel),
      gone: (one) => {
        this.#sockets.delete(one);
        this.marketFeed.gone(one);
      },
      odd: (what) => this.#odd(what),
    });
    this.#sockets.add(socket);
    this.#tick();
    return socket;
  }

  #mayConnect(): boolean {
    const now = this.now();
    this.#connects = this.#connects.filter((time) => time > now - 1000);
    if (this.#connects.length >= CONNECTS_A_SECOND * this.settings.limitFactor) return false;
    this.#connects.push(now);
    return true;
  }

  #knows(channel: string, { instId, instType, instFamily }: Arg): boolean {
    if (channel === 'index-tickers')
      return this.market.ofType('SWAP').some(({ spec }) => familyOf(spec) === instId);
    if (
      instType !== undefined &&
      !['SPOT', 'MARGIN', 'SWAP', 'FUTURES', 'OPTION', 'EVENTS', 'ANY'].includes(instType)
    )
      return false;
    if (
      instFamily !== undefined &&
      !this.market.ofType('SWAP').some(({ spec }) => familyOf(spec) === instFamily)
    )
      return false;
    const m = instId === undefined ? undefined : this.market.symbols.get(instId);
    if (channel === 'mark-price' || channel === 'funding-rate') return m?.spec.instType === 'SWAP';
    return instId === undefined || m !== undefined;
  }

  #count(account: string, channel: string): number | null {
    let count = 0;
    for (const socket of this.#sockets)
      if (
        socket.account === account &&
        [...socket.subscriptions.values()].some(({ arg }) => arg.channel === channel)
      )
        count++;
    return count > CONNECTIONS_A_CHANNEL ? null : count;
  }

  /**
   * Prints a trade of somebody else, by the exchange's name, or by market (`spot`, `swap`) and symbol without
   * separators.
   */
  print(kind: string, symbol: string, price: string, qty = '1', buyerIsMaker = true): void {
    const type = kind === 'spot' ? 'SPOT' : 'SWAP';
    const m =
      this.market.symbols.get(symbol) ??
      this.market.ofType(type).find(({ spec }) => spec.base + spec.quote === symbol);
    this.trade(m?.spec.symbol ?? symbol, price, qty, buyerIsMaker);
  }

  /**
   * Prints a trade of another person, which moves the market; a swap's mark price follows at once, or is
   * given.
   */
  trade(instId: string, price: string, qty = '1', buyerIsMaker = true, mark = price): void {
    this.market.print(instId, dec(price), dec(qty), buyerIsMaker);
    if (this.market.of(instId).spec.instType === 'SWAP') this.market.setMark(instId, dec(mark), dec(mark));
  }

  /** Changes steps or state, and reports that on the channel. */
  change(instId: string, change: Partial<InstrumentSpec>): void {
    this.market.change(instId, change);
    this.marketFeed.instrument(this.market.of(instId));
  }

  markets(): { kind: string; market: WalkedMarket }[] {
    return (['SPOT', 'SWAP'] as const).map((type) => ({
      kind: type.toLowerCase(),
      market: {
        symbols: new Map(this.market.ofType(type).map((m) => [m.spec.base + m.spec.quote, m])),
        priceText: (_, price) => str(price),
      },
    }));
  }

  /** Balances, positions and open orders, for comparisons. */
  state(): Record<string, unknown> {
    const accounts = [...this.exchange.accounts.values()];
    const swap = accounts.map((account) => swapState(account, this.market));
    return { spot: accounts.map(spotState), swap, oddities: this.oddities };
  }

  addKey(key: EmulatorKey): void {
    this.keys.add(key);
    const account = key.account ?? 'main';
    if (!this.exchange.accounts.has(account))
      this.exchange.open(account, String(44_705_892_343_619_584n + BigInt(this.exchange.accounts.size)));
  }

  /** Deletes a key: requests with it are refused and its sockets closed. */
  revoke(apiKey: string): void {
    this.keys.remove(apiKey);
    for (const socket of [...this.#sockets])
      if (socket.apiKey === apiKey)
        socket.close(4007, 'API key has been updated or deleted. Please reconnect.');
  }

  /**
   * Starts a service upgrade: a notice on public and private sockets, and a minute later every socket closes.
   */
  shutdown(): void {
    const before = [...this.#sockets];
    for (const socket of before)
      if (socket.o.address !== 'business')
        socket.notice('64008', 'The connection will soon be closed for a service upgrade. Please reconnect.');
    this.#clock.after(NOTICE_MS, () => {
      for (const socket of before) socket.close(4006, 'Abnormal disconnection');
    });
  }

  /** Closes trading, or opens it again: `system/status`, the channel, and 50001 meanwhile. */
  maintain(state: Maintenance['state'], serviceType = '5'): void {
    const begin = this.now();
    this.#maintenance.length = 0;
    const one = { begin, end: begin + 600_000, state, serviceType };
    this.#maintenance.push(one);
    this.marketFeed.status(one);
  }

  #odd(what: string): void {
    if (this.oddities.length < ODDITIES_KEPT && !this.oddities.includes(what)) this.oddities.push(what);
  }

  #due(): void {
    for (const m of this.market.symbols.values()) if (m.spec.instType === 'SWAP') this.acts.funding(m);
  }

  /** Runs at every beat while a socket is open. */
  #tick(): void {
    if (this.#timer) return;
    this.#timer = this.#clock.after(this.beatMs - (this.now() % this.beatMs), () => {
      this.#timer = null;
      this.#due();
      this.marketFeed.second();
      for (const account of this.exchange.accounts.values()) this.privateFeed.regular(account);
      if (this.#sockets.size > 0) this.#tick();
    });
  }
}

/** The spot view of the account: spot and swaps show the same wallet. */
function spotState(account: Account): Record<string, unknown> {
  return {
    account: account.name,
    balances: Object.fromEntries(
      [...account.wallet].map(([ccy, cash]) => {
        const locked = frozenOf(account, ccy);
        return [ccy, { free: str(cash - locked), locked: str(locked) }];
      }),
    ),
    open: openOf(account, 'SPOT'),
  };
}

function swapState(account: Account, market: OkxMarket): Record<string, unknown> {
  return {
    account: account.name,
    wallets: Object.fromEntries([...account.wallet].map(([ccy, cash]) => [ccy, str(cash)])),
    positions: [...account.positions.values()]
      .filter(({ amount }) => amount !== ZERO)
      .map(({ instId, posSide, mgnMode, amount }) => {
        const { spec } = market.of(instId);
        const symbol = spec.base + spec.quote;
        // In base units, as on spot.
        return { instId, symbol, posSide, mgnMode, amount: str(mul(amount, unitOf(spec))) };
      }),
    open: openOf(account, 'SWAP'),
    conditional: account.algos
      .live()
      .map(({ instId, algoId, algoClOrdId }) => ({ instId, algoId, clientAlgoId: algoClOrdId })),
  };
}

function openOf(account: Account, instType: string): Record<string, unknown>[] {
  return account.orders
    .open()
    .filter((order) => order.instType === instType)
    .map(({ instId, ordId, clOrdId }) => ({ instId, orderId: ordId, clientOrderId: clOrdId }));
}
