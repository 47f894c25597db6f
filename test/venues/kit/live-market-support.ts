/**
 * A live market of an exchange made up for tests: trades and marks on one address, candles on another; its
 * answers and messages are JSON and come when a test says so.
 */
import type { MarketSink } from '../../../src/market/market-data.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import type { DepthNews } from '../../../src/venues/kit/depth-book.ts';
import { LiveMarket } from '../../../src/venues/kit/live-market.ts';
import type { MarketEvent, MarketForm, MarketQuestion } from '../../../src/venues/kit/market-form.ts';
import type { StreamDialect, StreamItem } from '../../../src/venues/kit/market-streams.ts';
import type { WireAnswer, WireRequest } from '../../../src/venues/kit/net.ts';
import type { RequestForm } from '../../../src/venues/kit/requests.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { answered, HandNet, type HandSocket } from './hand-net.ts';
import { LIMITS } from './market-streams-support.ts';
import { weight } from './some-rows.ts';

export const MINUTE = 60_000;

const form = (path: string, parameters: readonly string[] = []): RequestForm => ({
  name: `the ${path}`,
  endpoint: 'rest',
  method: 'GET',
  path: `/${path}`,
  parameters,
  security: 'none',
  weight: '',
  costs: () => [weight(1)],
  source: 'a test',
});

const TIME = form('time');
const PRICES = form('prices', ['symbol']);
const CANDLES = form('candles', ['symbol', 'interval', 'from', 'to', 'frame']);
const LIST = form('list');
const FUNDING = form('funding', ['symbol', 'from', 'to']);
const INSTRUMENTS = form('instruments', ['exchange']);

function question<T>(of: RequestForm, parameters: Readonly<Record<string, string>> = {}): MarketQuestion<T> {
  return {
    form: of,
    parameters,
    read: (text) =>
      text === 'odd' ? { ok: false, problem: 'it is odd' } : { ok: true, value: JSON.parse(text) as T },
  };
}

const dialect = <E>(): StreamDialect<E> => ({
  subscription: (id, on, streams) => JSON.stringify({ id, on, streams }),
  read: (text) =>
    text === 'odd'
      ? { ok: false, problem: 'it is odd' }
      : { ok: true, value: JSON.parse(text) as StreamItem<E> },
});

const FORM: MarketForm = {
  requests: [TIME, PRICES, CANDLES, LIST, FUNDING, INSTRUMENTS],
  dialect: {
    write: ({ path }, parameters) => ({ path: `${path}?${new URLSearchParams(parameters)}`, headers: {} }),
    heard: () => {},
  },
  roots: [
    {
      endpoint: 'stream',
      path: '/public',
      limits: LIMITS,
      streams: dialect<MarketEvent>(),
      streamsOf: (symbol) => [`${symbol}@trade`, `${symbol}@mark`],
    },
    {
      endpoint: 'business',
      limits: LIMITS,
      streams: dialect<MarketEvent>(),
      streamsOf: (symbol, intervals) => intervals.map((interval) => `${symbol}@${interval}`),
    },
  ],
  markWithinMs: 10_000,
  frames: new Map([
    [MINUTE, '1m'],
    [5 * MINUTE, '5m'],
  ]),
  depth: {
    endpoint: 'depth',
    limits: LIMITS,
    streams: dialect<DepthNews>(),
    streamOf: (symbol) => (symbol === 'ODD' ? null : `${symbol}@depth`),
  },
  time: question<number>(TIME),
  candles: (ask, symbol, interval, { from, to, frameMs }) =>
    ask(question(CANDLES, { symbol, interval, from: `${from}`, to: `${to}`, frame: `${frameMs}` })),
  prices: (symbol) => question(PRICES, symbol === undefined ? {} : { symbol }),
  instruments: (ask, exchange) => ask(question(INSTRUMENTS, { exchange })),
  funding: (ask, symbol, from, to) => ask(question(FUNDING, { symbol, from: `${from}`, to: `${to}` })),
  problemOf: (called) => (called.kind === 'answer' && called.status !== 200 ? `HTTP ${called.status}` : null),
};

/** Asks for its lists again every half hour. */
export const LISTED: Pick<MarketForm, 'lists'> = {
  lists: {
    everyMs: 1_800_000,
    read: async (ask, market) => ((await ask(question(LIST))) === null ? `no list of ${market}` : null),
  },
};

/** Answers at once where an answer is set for the path; otherwise a request waits for its test. */
class AnsweringNet extends HandNet {
  readonly answers = new Map<string, () => unknown>();
  readonly paths: string[] = [];

  override request(request: WireRequest): Promise<WireAnswer> {
    this.paths.push(request.path);
    const answer = this.answers.get(request.path.split('?')[0] ?? '');
    if (!answer) return super.request(request);
    const body = answer();
    return Promise.resolve(
      body === null
        ? { kind: 'lost', cause: 'it was cut' }
        : typeof body === 'number' && body < 1_000
          ? answered(body, '')
          : answered(200, body),
    );
  }
}

export class LiveCase {
  readonly clock = new VirtualClock();
  readonly net = new AnsweringNet();
  /** What the sink was told, in order. */
  readonly told: unknown[][] = [];
  readonly reports: string[] = [];
  readonly market: LiveMarket;
  readonly sink: MarketSink = {
    ticks: (ticks) => {
      for (const { symbol, price, volume, ...more } of ticks)
        this.told.push(['tick', symbol, price, volume, ...Object.values(more)]);
    },
    mark: (symbol, price, funding) => this.told.push(['mark', symbol, price, funding]),
    closed: (symbol, frameMs, { time }) => this.told.push(['closed', symbol, frameMs, time]),
    stale: (symbol, why) => this.told.push(['stale', symbol, why]),
    gap: (symbol) => this.told.push(['gap', symbol]),
    depth: (symbol, depth) => this.told.push(['depth', symbol, depth]),
  };
  #numbers = new Map<HandSocket, number>();

  constructor(more: Partial<MarketForm> = {}, addresses: Readonly<Record<string, string>> = {}) {
    this.net.answers.set('/time', () => this.clock.wall());
    this.net.answers.set('/prices', () => []);
    this.net.answers.set('/list', () => '"listed"');
    this.market = new LiveMarket({
      market: 'made-up',
      form: { ...FORM, ...more },
      net: this.net,
      clock: this.clock,
      random: { next: () => 0 },
      way: new Addresses(this.clock).way('https://rest'),
      addresses: {
        rest: 'https://rest',
        stream: 'wss://stream/',
        business: 'wss://business',
        depth: 'wss://depth',
        ...addresses,
      },
      report: (text) => this.reports.push(text),
    });
  }

  /** The newest socket of an address. */
  socket(url: string): HandSocket {
    const found = this.net.sockets.findLast(({ request }) => request.url.startsWith(`wss://${url}`));
    if (!found) throw new Error(`no socket of ${url}`);
    return found;
  }

  /** Opens the newest socket of an address and confirms all that is asked on it. */
  async up(url: string): Promise<HandSocket> {
    await this.clock.advance(0);
    const socket = this.socket(url);
    if (!this.#numbers.has(socket)) socket.events.opened();
    await this.confirm(socket);
    return socket;
  }

  async confirm(socket: HandSocket): Promise<void> {
    for (let from = this.#numbers.get(socket) ?? 0; from < socket.sent.length; ) {
      for (const text of socket.sent.slice(from))
        socket.events.message(JSON.stringify({ kind: 'reply', id: JSON.parse(text).id, problem: null }));
      from = socket.sent.length;
      this.#numbers.set(socket, from);
      await this.clock.advance(LIMITS.messageEveryMs);
    }
  }

  /** Lets the exchange say an event on the newest socket of an address. */
  say(url: string, event: MarketEvent | DepthNews): void {
    this.socket(url).events.message(JSON.stringify({ kind: 'event', event }));
  }

  trades(symbol: string, ...trades: readonly (readonly [id: number | string, price: string])[]): void {
    this.say('stream', {
      kind: 'trades',
      symbol,
      trades: trades.map(([id, price]) => ({ id, price, volume: '2' })),
    });
  }

  mark(symbol: string, time: number | null, more: { price?: string; funding?: object | null }): void {
    this.say('stream', { kind: 'mark', symbol, time, ...more } as MarketEvent);
  }

  watch(wanted: Readonly<Record<string, readonly number[]>>): void {
    this.market.watch(new Map(Object.entries(wanted)));
  }

  /** What was told since the last call. */
  news(): unknown[][] {
    return this.told.splice(0);
  }
}

/** An open market with these symbols fresh. */
export async function fresh(
  wanted: Readonly<Record<string, readonly number[]>>,
  ...options: ConstructorParameters<typeof LiveCase>
): Promise<LiveCase> {
  const c = new LiveCase(...options);
  await c.market.open(c.sink);
  c.watch(wanted);
  if (Object.keys(wanted).length > 0) await c.up('stream');
  if (Object.values(wanted).some((frames) => frames.length > 0)) await c.up('business');
  await c.clock.advance(0);
  c.news();
  return c;
}
