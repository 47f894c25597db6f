/**
 * A futures account of Binance against the emulator, without sockets and on a virtual clock: the whole
 * adapter except the wire.
 */
import type {
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
} from '../../../src/domain/exchange.ts';
import type { ExchangePosition } from '../../../src/domain/position.ts';
import { FuturesAccount } from '../../../src/venues/binance/futures/futures-account.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import type {
  SocketEvents,
  SocketRequest,
  WireAnswer,
  WireRequest,
  WireSocket,
} from '../../../src/venues/kit/net.ts';
import type { VenueSink } from '../../../src/venues/venue.ts';
import { EmulatorNet, type NetFaults } from '../../emulators/binance/emulator-net.ts';
import { TEST_KEY } from '../../emulators/binance/keys.ts';
import type { EmulatorSettings } from '../../emulators/binance/settings.ts';
import { randomOf, testEmulator } from '../../emulators/binance/support.ts';
import { Dice } from '../../simulation/dice.ts';

const ORIGIN = 'https://fapi.test';

export interface Told {
  readonly orders: ExchangeOrderState[];
  readonly fills: ExchangeFill[];
  readonly balances: ExchangeBalance[];
  readonly positions: ExchangePosition[];
  readonly stream: string[];
  ledger: number;
}

export interface Rig extends ReturnType<typeof attach> {}

/** Loses one request of some methods, or its answer. */
class LosingNet extends EmulatorNet {
  loses: { readonly what: 'request' | 'answer'; readonly methods: readonly string[] } | null = null;

  /** The next request of a method to a path is refused with a code; null: none. */
  refuses: { readonly method: string; readonly path: string; readonly body: string } | null = null;
  /** Replaced answers of requests to these paths. */
  answers: readonly {
    readonly path: string;
    readonly change: (body: Record<string, unknown>) => Record<string, unknown>;
  }[] = [];
  readonly hearing: SocketEvents[] = [];

  override async request(request: WireRequest): Promise<WireAnswer> {
    const { loses, refuses } = this;
    if (refuses && request.method === refuses.method && request.path.startsWith(refuses.path)) {
      this.refuses = null;
      return { kind: 'answer', status: 400, headers: {}, body: refuses.body };
    }
    if (!loses?.methods.includes(request.method)) return this.#changed(request, await super.request(request));
    this.loses = null;
    if (loses.what === 'answer') await super.request(request);
    return { kind: 'lost', cause: `the ${loses.what} was lost` };
  }

  #changed({ method, path }: WireRequest, answer: WireAnswer): WireAnswer {
    const one = method === 'GET' && this.answers.find((change) => path.startsWith(change.path));
    if (!one || answer.kind !== 'answer') return answer;
    const body = one.change(JSON.parse(answer.body) as Record<string, unknown>);
    return { ...answer, body: JSON.stringify(body) };
  }

  override socket(request: SocketRequest, events: SocketEvents): WireSocket {
    this.hearing.push(events);
    return super.socket(request, events);
  }
}

export function futuresRig(settings: EmulatorSettings = {}, faults: NetFaults = {}) {
  return attach(testEmulator(settings), faults);
}

/** Attaches a process to an emulator's account, the only one or another one. */
function attach(exchange: ReturnType<typeof testEmulator>, faults: NetFaults = {}) {
  const { emulator, clock, signed, ask, log } = exchange;
  const sent: string[] = [];
  const net = new LosingNet({
    emulator,
    clock,
    dice: new Dice(1, 'net'),
    faults,
    seen: ({ method, path }) => sent.push(`${method} ${path}`),
  });
  const reports: string[] = [];
  const told: Told = { orders: [], fills: [], balances: [], positions: [], stream: [], ledger: 0 };
  const sink: VenueSink = {
    order: (state) => told.orders.push(state),
    fill: (fill) => told.fills.push(fill),
    balances: (changed) => told.balances.push(...changed),
    positions: (changed) => told.positions.push(...changed),
    ledger: () => {
      told.ledger += 1;
    },
    stream: (state) => told.stream.push(state),
  };
  const venue = new FuturesAccount({
    account: { id: 'mine-futures', name: 'mine-futures', kind: 'futures', market: 'binance-futures' },
    environment: 'live',
    addresses: {
      'spot-rest': 'https://api.test',
      'futures-rest': ORIGIN,
      'futures-private': 'wss://fstream.test/private',
    },
    walletWay: () => new Addresses(clock).way('https://api.test'),
    secrets: { get: (field) => Buffer.from(field === 'apiKey' ? TEST_KEY.apiKey : TEST_KEY.secret) },
    clock,
    net,
    random: randomOf(7),
    way: new Addresses(clock).way(ORIGIN),
    report: (text) => reports.push(text),
  });
  /** Returns the answer while virtual time passes. */
  const during = async <T>(asked: Promise<T>, ms = 2_000): Promise<T> => {
    let answer: { readonly value: T } | null = null;
    let error: { readonly value: unknown } | null = null;
    asked.then(
      (value) => {
        answer = { value };
      },
      (value: unknown) => {
        error = { value };
      },
    );
    for (let waited = 0; waited < ms && !answer && !error; waited += 5) await clock.advance(5);
    if (error) throw (error as { value: unknown }).value;
    if (!answer) throw new Error(`no answer within ${ms} ms`);
    return (answer as { readonly value: T }).value;
  };
  return {
    emulator,
    clock,
    net,
    venue,
    told,
    reports,
    sent,
    signed,
    ask,
    log,
    sink,
    during,
    again: (): Rig => attach(exchange),
    open: () => during(venue.open(sink), 30_000),
    submit: (order: Partial<ExchangeOrder>) => during(venue.submit(orderOf(order))),
    refuse: (path: string, code: number, msg: string, method = 'POST') => {
      net.refuses = { method, path, body: JSON.stringify({ code, msg }) };
    },
    /** The listeners of all sockets that were opened. */
    sockets: () => net.hearing,
    forget: () => {
      for (const list of [told.orders, told.fills, told.balances, told.positions, told.stream, sent])
        list.length = 0;
    },
  };
}

export function orderOf(order: Partial<ExchangeOrder>): ExchangeOrder {
  return {
    clientId: 'bf-abcde00000001',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'MARKET',
    quantity: '0.01',
    timeInForce: 'GTC',
    ...order,
  };
}
