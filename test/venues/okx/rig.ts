/**
 * An account of OKX over its emulator, without sockets and on a virtual clock, with a record of all its
 * reports.
 */
import type { Environment } from '../../../src/domain/connection.ts';
import type {
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
} from '../../../src/domain/exchange.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { ExchangePosition } from '../../../src/domain/position.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import type {
  SocketEvents,
  SocketRequest,
  WireAnswer,
  WireRequest,
  WireSocket,
} from '../../../src/venues/kit/net.ts';
import type { OkxMarketKind } from '../../../src/venues/okx/account-given.ts';
import { OkxAccount } from '../../../src/venues/okx/okx-account.ts';
import type { Dispatch, Venue, VenueSink } from '../../../src/venues/venue.ts';
import type { Secrets } from '../../../src/venues/venue-kind.ts';
import { EmulatorNet, type NetFaults } from '../../emulators/kit/emulator-net.ts';
import { TEST_KEY } from '../../emulators/okx/keys.ts';
import type { EmulatorSettings } from '../../emulators/okx/settings.ts';
import { randomOf, testEmulator } from '../../emulators/okx/support.ts';
import { Dice } from '../../simulation/dice.ts';

export const REST = 'https://rest.test';
export const ADDRESSES = {
  rest: REST,
  'public-stream': 'wss://ws.test/ws/v5/public',
  'private-stream': 'wss://ws.test/ws/v5/private',
  'business-stream': 'wss://ws.test/ws/v5/business',
};

export function secretsOf(fields: Partial<Record<'apiKey' | 'secret' | 'passphrase', string>> = {}): Secrets {
  const { apiKey, secret, passphrase } = { ...TEST_KEY, ...fields };
  const all = { apiKey, secret, passphrase };
  return { get: (field) => Buffer.from(all[field]) };
}

/** Answers some requests itself, or loses them. */
export class MeddlingNet extends EmulatorNet {
  /** The next request to one of these paths, or its answer, is lost; null: none. */
  loses: { readonly what: 'request' | 'answer'; readonly paths: readonly string[] } | null = null;
  /** Answers to requests of a path, by path. */
  readonly answers = new Map<string, (request: WireRequest) => WireAnswer | null>();
  /** Codes with which the exchange has refused requests. */
  readonly struckCodes: string[] = [];
  /** Texts that were sent on sockets, by the path of the address. */
  readonly frames: { readonly path: string; readonly text: string }[] = [];
  /** Paths of the addresses of all sockets that were asked for. */
  readonly dialled: string[] = [];
  readonly #hearing: { readonly url: string; readonly events: SocketEvents }[] = [];

  override socket(request: SocketRequest, events: SocketEvents): WireSocket {
    this.#hearing.push({ url: request.url, events });
    const path = request.url.replace(/^.*\/v5/, '');
    this.dialled.push(path);
    const socket = super.socket(request, events);
    return {
      send: (text) => {
        this.frames.push({ path, text });
        return socket.send(text);
      },
      close: () => socket.close(),
    };
  }

  /** Delivers a frame on the newest socket of an address. */
  say(address: string, text: string): void {
    this.#hearing.findLast(({ url }) => url.endsWith(address))?.events.message(text);
  }

  override async request(request: WireRequest): Promise<WireAnswer> {
    const path = request.path.split('?')[0] ?? '';
    const own = this.answers.get(path)?.(request);
    if (own) return own;
    const { loses } = this;
    if (!loses?.paths.includes(path)) return super.request(request);
    this.loses = null;
    if (loses.what === 'answer') await super.request(request);
    return { kind: 'lost', cause: `the ${loses.what} was lost` };
  }
}

export interface RigOptions {
  readonly kind?: OkxMarketKind;
  readonly markets?: readonly OkxMarketKind[];
  readonly settings?: EmulatorSettings;
  readonly faults?: NetFaults;
  readonly secrets?: Secrets;
  readonly environment?: Environment;
  /** Budgets that other accounts share. */
  readonly addresses?: Addresses;
}

export type Exchange = ReturnType<typeof testEmulator>;

export class Rig {
  readonly exchange: Exchange;
  readonly emulator: Exchange['emulator'];
  readonly clock: Exchange['clock'];
  readonly net: MeddlingNet;
  readonly venue: Venue;
  readonly orders: ExchangeOrderState[] = [];
  readonly fills: ExchangeFill[] = [];
  readonly balances: ExchangeBalance[] = [];
  readonly positions: ExchangePosition[] = [];
  readonly lists: (readonly Instrument[])[] = [];
  readonly stream: string[] = [];
  readonly reports: string[] = [];
  readonly requests: WireRequest[] = [];
  readonly sink: VenueSink;
  /** How often the adapter reported news of the ledger. */
  moved = 0;
  readonly #options: RigOptions;
  #ids = 0;

  constructor(options: RigOptions = {}, exchange?: Exchange) {
    const {
      kind = 'spot',
      settings = {},
      faults = {},
      secrets = secretsOf(),
      environment = 'live',
    } = options;
    const { markets = [kind] } = options;
    this.#options = options;
    this.exchange = exchange ?? testEmulator(settings);
    const { emulator, clock } = this.exchange;
    this.emulator = emulator;
    this.clock = clock;
    this.net = new MeddlingNet({
      emulator,
      clock,
      faults,
      dice: new Dice(1, 'net'),
      seen: (request, { body }) => {
        this.requests.push(request);
        for (const [, code = ''] of body.matchAll(/"s?[cC]ode":"(\d+)"/g)) this.net.struckCodes.push(code);
      },
    });
    const id = `mine-${kind}`;
    this.venue = new OkxAccount({
      account: { id, name: id, kind: kind === 'spot' ? 'spot' : 'futures', market: `okx-${kind}` },
      kind,
      markets,
      connection: 'mine',
      environment,
      addresses: ADDRESSES,
      secrets,
      clock,
      net: this.net,
      random: randomOf(7),
      way: (options.addresses ?? new Addresses(clock)).way(REST),
      report: (text) => this.reports.push(text),
    });
    this.sink = {
      order: (state) => this.orders.push(state),
      fill: (fill) => this.fills.push(fill),
      balances: (changed) => this.balances.push(...changed),
      positions: (changed) => this.positions.push(...changed),
      instruments: (list) => this.lists.push(list),
      ledger: () => {
        this.moved += 1;
      },
      stream: (state) => this.stream.push(state),
    };
  }

  /** Opens the account; rejects with the reason if it fails. */
  async open(): Promise<this> {
    await this.result(this.venue.open(this.sink));
    return this;
  }

  /** Another process on the same account of the exchange. */
  again(): Rig {
    return new Rig(this.#options, this.exchange);
  }

  /** Lets time pass until the promise is settled. */
  async result<T>(promise: Promise<T>, ms = 60_000): Promise<T> {
    let isOver = false;
    const done = promise.finally(() => {
      isOver = true;
    });
    done.catch(() => {});
    for (let at = 0; at < ms && !isOver; at += 5) await this.clock.advance(5);
    return done;
  }

  order(more: Partial<ExchangeOrder> = {}): ExchangeOrder {
    this.#ids += 1;
    return {
      clientId: `t${this.#ids}`,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      timeInForce: 'GTC',
      ...more,
    };
  }

  submit(more: Partial<ExchangeOrder> = {}, dispatch?: Dispatch) {
    return this.result(this.venue.submit(this.order(more), dispatch));
  }

  pass(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  /** Trades as another client, and lets the events arrive. */
  async trade(instId: string, price: string, qty = '1', mark = price): Promise<void> {
    this.emulator.trade(instId, price, qty, true, mark);
    await this.clock.advance(200);
  }

  /** Bodies of the requests to a path. */
  bodies(path: string): unknown[] {
    return this.requests
      .filter((request) => request.path === path)
      .map(({ body = '' }) => JSON.parse(body) as unknown);
  }

  last(clientId: string): ExchangeOrderState | undefined {
    return this.orders.findLast((state) => state.clientId === clientId);
  }
}
