/**
 * An account of Bybit against the emulator, without sockets and on a virtual clock: the whole adapter except
 * the wire.
 */
import type { Connection, Environment, MarketKind } from '../../../src/domain/connection.ts';
import type {
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
} from '../../../src/domain/exchange.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { ExchangePosition } from '../../../src/domain/position.ts';
import { bybitKind } from '../../../src/venues/bybit/kind.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import type {
  SocketEvents,
  SocketRequest,
  WireAnswer,
  WireRequest,
  WireSocket,
} from '../../../src/venues/kit/net.ts';
import type { Dispatch, Venue, VenueSink } from '../../../src/venues/venue.ts';
import { accountsOf, addressesOf } from '../../../src/venues/venue-kind.ts';
import { TEST_KEY } from '../../emulators/bybit/keys.ts';
import type { EmulatorSettings } from '../../emulators/bybit/settings.ts';
import { randomOf, testEmulator } from '../../emulators/bybit/support.ts';
import { EmulatorNet, type NetFaults } from '../../emulators/kit/emulator-net.ts';
import { Dice } from '../../simulation/dice.ts';

/** Loses one request to some paths, or its answer; or has it refused. */
class LosingNet extends EmulatorNet {
  loses: { readonly what: 'request' | 'answer'; readonly paths: RegExp } | null = null;
  /** Bodies that replace the next answers, by path. */
  readonly says: { readonly path: string; readonly status: number; readonly body: string }[] = [];

  /** The listeners of all sockets that were opened. */
  readonly hearing: SocketEvents[] = [];
  /** All requests that were sent, those too that no exchange has got. */
  readonly asked: WireRequest[] = [];

  /** All messages that were sent on sockets. */
  readonly said: { readonly op: string; readonly args?: readonly unknown[] }[] = [];

  override socket(request: SocketRequest, events: SocketEvents): WireSocket {
    this.hearing.push(events);
    const wire = super.socket(request, events);
    return {
      send: (text) => {
        this.said.push(JSON.parse(text));
        return wire.send(text);
      },
      close: () => wire.close(),
    };
  }

  override async request(request: WireRequest): Promise<WireAnswer> {
    this.asked.push(request);
    const at = this.says.findIndex(({ path }) => request.path.startsWith(path));
    const said = at < 0 ? undefined : this.says.splice(at, 1)[0];
    if (said) return { kind: 'answer', status: said.status, headers: {}, body: said.body };
    const { loses } = this;
    if (!loses?.paths.test(request.path)) return super.request(request);
    this.loses = null;
    if (loses.what === 'answer') await super.request(request);
    return { kind: 'lost', cause: `the ${loses.what} was lost` };
  }
}

export interface RigOptions {
  readonly kind?: 'spot' | 'futures';
  readonly markets?: readonly MarketKind[];
  readonly settings?: EmulatorSettings;
  readonly faults?: NetFaults;
  readonly environment?: Environment;
  readonly key?: { readonly apiKey: string; readonly secret: string };
}

export interface Rig extends ReturnType<typeof attach> {}

export function bybitRig(options: RigOptions = {}): Rig {
  return attach(testEmulator(options.settings), options);
}

/** Attaches a process to an emulator's account, the only one or another one. */
function attach(exchange: ReturnType<typeof testEmulator>, options: RigOptions) {
  const { kind = 'spot', faults = {}, environment = 'live', key = TEST_KEY, markets = [kind] } = options;
  const { emulator, clock, log, get, post } = exchange;
  const requests: WireRequest[] = [];
  const net = new LosingNet({
    emulator,
    clock,
    dice: new Dice(1, 'net'),
    faults,
    seen: (request) => requests.push(request),
  });
  const told = {
    orders: [] as ExchangeOrderState[],
    fills: [] as ExchangeFill[],
    balances: [] as ExchangeBalance[],
    positions: [] as ExchangePosition[],
    lists: [] as (readonly Instrument[])[],
    stream: [] as string[],
    reports: [] as string[],
    ledger: 0,
  };
  const sink: VenueSink = {
    order: (state) => told.orders.push(state),
    fill: (fill) => told.fills.push(fill),
    balances: (changed) => told.balances.push(...changed),
    positions: (changed) => told.positions.push(...changed),
    instruments: (list) => told.lists.push(list),
    ledger: () => {
      told.ledger += 1;
    },
    stream: (state) => told.stream.push(state),
  };
  const venueKind = bybitKind(net);
  const connection: Connection = { name: 'mine', venue: 'bybit', markets, environment, endpoints: {} };
  const found = addressesOf(venueKind, connection);
  if ('problem' in found) throw new Error(found.problem);
  const secrets = {
    get: (field: string) => Buffer.from(field === 'apiKey' ? key.apiKey : key.secret),
  };
  const accounts = accountsOf(venueKind, connection);
  const venues = venueKind.open({
    connection,
    addresses: found.addresses,
    accounts,
    secrets,
    clock,
    random: randomOf(7),
    ways: new Addresses(clock),
    report: (text) => told.reports.push(text),
  });
  const venue = venues.find(({ account }) => account.kind === kind);
  if (!venue) throw new Error('there is no account');
  /** Returns the answer while virtual time passes. */
  const during = async <T>(asked: Promise<T>, ms = 60_000): Promise<T> => {
    let isOver = false;
    const done = asked.finally(() => {
      isOver = true;
    });
    done.catch(() => {});
    for (let waited = 0; waited < ms && !isOver; waited += 5) await clock.advance(5);
    if (!isOver) throw new Error(`no answer within ${ms} ms`);
    return done;
  };
  return {
    emulator,
    clock,
    log,
    get,
    post,
    net,
    venue: venue as Venue,
    venues,
    told,
    requests,
    sink,
    during,
    again: (): Rig => attach(exchange, options),
    open: () => during(venue.open(sink)),
    submit: (order: Partial<ExchangeOrder>, dispatch?: Dispatch) =>
      during(venue.submit(orderOf(order, kind), dispatch)),
    /** Sets the next answer of a path. */
    say: (path: string, body: unknown, status = 200) => {
      net.says.push({ path, status, body: typeof body === 'string' ? body : JSON.stringify(body) });
    },
    refuse: (path: string, retCode: number, retMsg = 'refused') => {
      const body = JSON.stringify({ retCode, retMsg, result: {}, retExtInfo: {}, time: emulator.now() });
      net.says.push({ path, status: 200, body });
    },
    /** Sets the next answer of a path to a list, a page of it. */
    list: (path: string, list: readonly unknown[], nextPageCursor = '') => {
      const result = { list, nextPageCursor };
      net.says.push({ path, status: 200, body: JSON.stringify({ retCode: 0, retMsg: 'OK', result }) });
    },
    /** Tells an event on the newest socket of the account. */
    hear: (topic: string, data: readonly unknown[], creationTime = emulator.now()) => {
      net.hearing.at(-1)?.message(JSON.stringify({ topic, creationTime, data }));
    },
    forget: () => {
      for (const list of [told.orders, told.fills, told.balances, told.positions, told.stream, requests])
        list.length = 0;
      net.asked.length = 0;
    },
    /** The parameters of all requests to a path, those too that no exchange has got. */
    asked: (path: string) =>
      net.asked
        .filter((request) => request.path.split('?')[0] === path)
        .map(({ path: whole, body }) =>
          body === undefined
            ? Object.fromEntries(new URLSearchParams(whole.split('?')[1] ?? ''))
            : (JSON.parse(body) as Record<string, unknown>),
        ),
    /** Bodies of all requests to a path. */
    sent: (path: string) =>
      requests
        .filter((request) => request.path.startsWith(path))
        .map(({ body = '{}' }) => JSON.parse(body) as Record<string, unknown>),
    print: async (price: string, qty = '100', symbol = 'BTCUSDT') => {
      if (kind === 'spot') emulator.printSpot(symbol, price, qty);
      else emulator.printLinear(symbol, price, qty);
      await clock.advance(300);
    },
  };
}

let ids = 0;

export function orderOf(order: Partial<ExchangeOrder>, kind: 'spot' | 'futures' = 'spot'): ExchangeOrder {
  ids += 1;
  return {
    clientId: `${kind === 'spot' ? 'ys' : 'yf'}-abcde${String(ids).padStart(8, '0')}`,
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    timeInForce: 'GTC',
    ...order,
  };
}
