/**
 * A strict emulator of Binance, spot and USD-M futures: requests in, answers out; sockets as streams of messages. Clock and chance
 * are handed in, so it stands in the simulation as well as behind real sockets (`emulator-net.ts`, `serve.ts`).
 */
import type { Clock, Random } from '../../../src/domain/clock.ts';
import { dec, str } from '../../../src/domain/decimal.ts';
import { type EmulatorKey, Keys } from './keys.ts';
import { Limits } from './limits.ts';
import { Market } from './market.ts';
import { publicEndpoints } from './public.ts';
import { Rest } from './rest.ts';
import { type CompiledSettings, compileSettings, type EmulatorSettings } from './settings.ts';
import { spotEndpoints } from './spot/endpoints.ts';
import { SpotExchange } from './spot/exchange.ts';
import { SpotSocketSession } from './spot/socket-api.ts';
import { MarketStreams } from './streams.ts';
import type { EmulatorAnswer, EmulatorRequest, Endpoint, Kind, SocketPeer, SocketSession } from './wire.ts';

export interface EmulatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly settings?: EmulatorSettings;
  /** Rows of the raw log: starts, transfers, orders, fills, fees, funding, balances. */
  readonly log?: (row: Record<string, unknown>) => void;
}

/** A row of the settings that changes while it runs. */
export class BinanceEmulator {
  readonly settings: CompiledSettings;
  readonly keys: Keys;
  readonly spotMarket: Market;
  readonly spot: SpotExchange;
  readonly spotStreams: MarketStreams;
  readonly spotLimits: Limits;
  readonly futuresLimits: Limits;
  readonly endpoints: readonly Endpoint[];
  readonly #rest: Rest;
  readonly #clock: Clock;
  readonly #base: number;
  readonly #spotSessions = new Set<SpotSocketSession>();
  readonly #log: (row: Record<string, unknown>) => void;
  hiddenMs: number;
  #clockAheadMs: number;
  #ticks = false;

  constructor(o: EmulatorOptions) {
    const settings = compileSettings(o.settings);
    this.settings = settings;
    this.#clock = o.clock;
    this.#base = o.clock.wall() - o.clock.monotonic();
    this.#clockAheadMs = settings.clockAheadMs;
    this.#log = o.log ?? (() => {});
    this.hiddenMs = settings.hiddenMs;
    this.keys = new Keys(settings.keys);
    const now = () => this.now();
    this.spotLimits = new Limits(settings.spotLimits);
    this.futuresLimits = new Limits(settings.futuresLimits);
    const levelNotional = dec(settings.levelNotional);
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
    let uid = 354_937_868;
    for (const account of new Set(settings.keys.map((key) => key.account ?? 'main')))
      this.spot.open(account, uid++, settings.spotBalances);
    this.endpoints = [
      ...spotEndpoints({
        exchange: this.spot,
        market: this.spotMarket,
        limits: this.spotLimits,
        now,
        hiddenMs: () => this.hiddenMs,
      }),
      ...publicEndpoints(this.spotMarket, now),
    ];
    this.#rest = new Rest({
      endpoints: this.endpoints,
      keys: this.keys,
      limits: { spot: this.spotLimits, futures: this.futuresLimits },
      now,
      admit: () => {},
    });
  }

  /** The exchange's time, Unix ms: it goes on evenly, whatever is done to the wall clock. */
  now(): number {
    return Math.floor(this.#base + this.#clock.monotonic() + this.#clockAheadMs);
  }

  set clockAheadMs(ms: number) {
    this.#clockAheadMs = ms;
  }

  request(request: EmulatorRequest): EmulatorAnswer {
    return this.#rest.answer(request);
  }

  /** A socket at path and query; null: there is nothing (the handshake fails with 404). */
  connect(path: string, peer: SocketPeer, ip?: string): SocketSession | null {
    const [where = '', query = ''] = path.split('?', 2);
    this.#tick();
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

  /** Another person's trade moves the market. */
  printSpot(symbol: string, price: string, qty = '1', buyerIsMaker = true): void {
    this.spotMarket.print(symbol, dec(price), dec(qty), buyerIsMaker);
  }

  /** As `printSpot`, of either market. */
  print(kind: Kind, symbol: string, price: string, qty = '1', buyerIsMaker = true): void {
    if (kind === 'spot') this.printSpot(symbol, price, qty, buyerIsMaker);
  }

  markets(): { kind: Kind; market: Market }[] {
    return [{ kind: 'spot', market: this.spotMarket }];
  }

  /** What accounts hold and what is open, for whoever compares. */
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
    };
  }

  addKey(key: EmulatorKey): void {
    this.keys.add(key);
  }

  /** Takes a key away: requests with it are refused and its subscriptions end. */
  revoke(apiKey: string): void {
    this.keys.revoke(apiKey);
    for (const session of this.#spotSessions) session.revoked(apiKey);
  }

  /** The exchange goes down for a moment: every socket hears of it. */
  shutdown(): void {
    for (const session of this.#spotSessions) session.shutdown();
    this.spotStreams.shutdown();
  }

  /** Once a second, while somebody listens: closed candles, mini tickers, marks. */
  #tick(): void {
    if (this.#ticks) return;
    this.#ticks = true;
    const next = () => {
      this.#clock.after(1000 - (this.now() % 1000), () => {
        this.spotStreams.second();
        if (this.spotStreams.sockets.size === 0 && this.#spotSessions.size === 0) this.#ticks = false;
        else next();
      });
    };
    next();
  }
}

function namesOf(query: string): string[] {
  const streams = new URLSearchParams(query).get('streams') ?? '';
  return streams.split('/').filter(isName);
}

function isName(name: string): boolean {
  return name !== '' && !/^\d+$/.test(name);
}
