/**
 * Live prices of OKX, of the spot market or of the perpetual contracts (`MarketData`): trades, marks and funding on the public socket,
 * candles by the exchange's own close on the business one, the past by questions. Nothing of it is signed.
 */
import type { Cancelable, Clock, Random } from '../../../domain/clock.ts';
import type { Environment } from '../../../domain/connection.ts';
import type { Instrument } from '../../../domain/instrument.ts';
import type { Candle } from '../../../domain/rows.ts';
import type { CandleQuestion, FundingPayment, MarketData, MarketSink } from '../../../market/market-data.ts';
import type { Way } from '../../kit/addresses.ts';
import { INSTRUMENT_LIST } from '../../kit/bounds.ts';
import { type Called, Caller, type CallTerms, type Parameters } from '../../kit/caller.ts';
import { ClockOffset } from '../../kit/clock-offset.ts';
import { Complaints } from '../../kit/complaints.ts';
import { DepthBooks } from '../../kit/depth-books.ts';
import type { Message } from '../../kit/messages.ts';
import type { Net } from '../../kit/net.ts';
import { SeenTrades } from '../../kit/seen-trades.ts';
import type { Secrets } from '../../venue-kind.ts';
import { INST_TYPE, type OkxMarketKind } from '../account-given.ts';
import { okxDialect } from '../dialect.ts';
import { Listed, quantityOf, readInstruments } from '../instruments.ts';
import { readTime } from '../messages.ts';
import { OKX_PRICE_REQUESTS, OKX_PRICES, type OkxForm } from '../requests.ts';
import { troubleOf } from '../trouble.ts';
import { depthChannel, depthWire } from './depth.ts';
import {
  channelKey,
  type PriceEvent,
  type RawCandle,
  readCandles,
  readFunding,
  readPrices,
  readTickers,
} from './messages.ts';
import { CHANNEL_LIMITS, type ChannelLimits, PriceChannels } from './streams.ts';

const MINUTE_MS = 60_000;
/** Bars that begin with the Unix epoch: of six hours on those of UTC, since the plain ones begin in UTC+8 (OD Candlesticks). */
const BARS = new Map<number, string>([
  [MINUTE_MS, '1m'],
  [3 * MINUTE_MS, '3m'],
  [5 * MINUTE_MS, '5m'],
  [15 * MINUTE_MS, '15m'],
  [30 * MINUTE_MS, '30m'],
  [60 * MINUTE_MS, '1H'],
  [120 * MINUTE_MS, '2H'],
  [240 * MINUTE_MS, '4H'],
  [360 * MINUTE_MS, '6Hutc'],
  [720 * MINUTE_MS, '12Hutc'],
  [1_440 * MINUTE_MS, '1Dutc'],
]);
const BAR_MS = new Map([...BARS].map(([ms, name]) => [name, ms]));
/** Candles of an answer, and how far back the quick list goes. */
const PAGE = 300;
const RECENT = 1_400;
/** A candle that ended less than this ago may still change in an answer, ms. */
const FINAL_AFTER_MS = 2_000;
/** A mark comes every 10 s where it does not move; without one for so long they have stopped, ms. */
const MARK_WITHIN_MS = 25_000;
const LOOK_MS = 1_000;
const LISTS_EVERY_MS = 3_600_000;
/** The last price of what has begun to be watched is asked for again after this, ms. */
const PRICE_AGAIN_MS = 2_000;

export interface OkxMarketOptions {
  /** `okx-spot`: as accounts name it. */
  readonly market: string;
  readonly kind: OkxMarketKind;
  readonly environment: Environment;
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  /** Through the lanes of its REST address. */
  readonly way: Way;
  /** By the endpoint's name. */
  readonly addresses: Readonly<Record<string, string>>;
  /** What the exchange does against the rules, in one line. */
  readonly report: (text: string) => void;
  /** Where a limit of its sockets is set otherwise, as in tests. */
  readonly limits?: Partial<ChannelLimits>;
}

/** A symbol that is watched. */
interface Watched {
  readonly seen: SeenTrades;
  hasTick: boolean;
  /** Monotonic times of the last mark, and its own. */
  markAt: number;
  markTime: number;
  funding: { readonly rate: string; readonly at: number } | null;
  /** Why each address does not tell; null: it does. */
  readonly why: { public: string | null; business: string | null };
  lacksMark: boolean;
}

/** Public prices need none. */
const NO_SECRETS: Secrets = {
  get(field) {
    throw new RangeError(`public prices are asked for without ${field}`);
  },
};

export class OkxMarket implements MarketData {
  readonly market: string;
  readonly frames: readonly number[] = [...BARS.keys()];
  readonly #o: OkxMarketOptions;
  readonly #offset: ClockOffset;
  readonly #caller: Caller;
  readonly #complaints: Complaints;
  readonly #listed = new Listed();
  readonly #watched = new Map<string, Watched>();
  #wanted: ReadonlyMap<string, readonly number[]> = new Map();
  #channels: { readonly public: PriceChannels; readonly business: PriceChannels } | null = null;
  readonly #depths: DepthBooks;
  #depthsWanted: ReadonlySet<string> = new Set();
  #sink: MarketSink | null = null;
  #timer: Cancelable | null = null;
  /** Symbols of which the last price is to be asked for. */
  readonly #unpriced = new Set<string>();
  #pricing: Cancelable | null = null;
  #isMeasuring = false;
  #listedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: OkxMarketOptions) {
    const { market, net, clock, way, addresses, report, environment } = options;
    this.market = market;
    this.#o = options;
    this.#offset = new ClockOffset(clock);
    this.#complaints = new Complaints({ clock, report: (text) => report(`${market}: ${text}`) });
    this.#caller = new Caller({
      ...{ net, clock, way, addresses, offset: this.#offset, secrets: NO_SECRETS },
      ...{ dialect: okxDialect(environment), forms: OKX_PRICE_REQUESTS, uid: () => '' },
    });
    this.#depths = new DepthBooks({
      clock,
      streamOf: (symbol) => {
        const instId = this.#listed.of(symbol)?.instId;
        return instId === undefined ? null : depthChannel(instId);
      },
      wire: (events) =>
        depthWire({
          ...{ net, clock, random: options.random, way, limits: options.limits, events },
          address: addresses['public-stream'] ?? '',
          listing: (instId) => this.#listed.named(instId),
          complain: (what, text) => this.#complaints.say(`depth, ${what}`, text),
        }),
      tell: (symbol, depth) => this.#sink?.depth?.(symbol, depth),
    });
  }

  async open(sink: MarketSink): Promise<void> {
    const cause = (await this.#measure()) ?? (await this.#readLists(this.market));
    if (this.#isClosed) return;
    if (cause !== null) throw new Error(cause);
    this.#sink = sink;
    this.#apply();
    this.watchDepth(this.#depthsWanted);
    this.#timer ??= this.#o.clock.after(LOOK_MS, () => this.#look());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sink = null;
    this.#timer?.cancel();
    this.#pricing?.cancel();
    this.#channels?.public.close();
    this.#channels?.business.close();
    this.#depths.close();
    this.#o.way.close();
  }

  now(): number {
    return this.#offset.now();
  }

  async candles({ symbol, frameMs, from, to, isPatient }: CandleQuestion): Promise<readonly Candle[] | null> {
    const bar = BARS.get(frameMs);
    const instId = this.#listed.of(symbol)?.instId;
    if (bar === undefined || instId === undefined || to <= from) return [];
    // The first ones: answers go backwards from `after`.
    const until = Math.min(to, from + PAGE * frameMs);
    const limit = Math.min(PAGE, Math.max(1, Math.ceil((until - from) / frameMs)));
    const isRecent = from > this.now() - RECENT * frameMs;
    const rows = await this.#ask(
      isRecent ? OKX_PRICES.candles : OKX_PRICES.olderCandles,
      { instId, bar, after: String(until), limit: String(limit) },
      (text) => readCandles(text, this.#o.kind === 'spot'),
      isPatient ? { isPatient } : {},
    );
    const over = this.now() - FINAL_AFTER_MS;
    return (
      rows
        ?.filter(({ time }) => time >= from && time < until && time + frameMs <= over)
        .map((row) => plainCandle(row)) ?? null
    );
  }

  async prices(): Promise<readonly (readonly [symbol: string, price: string])[] | null> {
    const rows = await this.#ask(OKX_PRICES.prices, { instType: INST_TYPE[this.#o.kind] }, readTickers);
    return (
      rows?.flatMap(([instId, price]) => {
        const symbol = this.#listed.named(instId)?.instrument.symbol;
        return symbol === undefined ? [] : [[symbol, price] as const];
      }) ?? null
    );
  }

  async instruments(exchange: string): Promise<readonly Instrument[] | null> {
    if ((await this.#readLists(exchange)) !== null) return null;
    return this.#listed.instruments;
  }

  async funding(symbol: string, from: number, to: number): Promise<readonly FundingPayment[] | null> {
    const instId = this.#listed.of(symbol)?.instId;
    if (this.#o.kind === 'spot' || instId === undefined || to <= from) return [];
    const parameters = { instId, after: String(to), limit: '400' };
    const rows = await this.#ask(OKX_PRICES.funding, parameters, readFunding);
    return rows?.filter(({ at }) => at >= from && at < to) ?? null;
  }

  watch(wanted: ReadonlyMap<string, readonly number[]>): void {
    this.#wanted = wanted;
    this.#apply();
  }

  watchDepth(symbols: ReadonlySet<string>): void {
    this.#depthsWanted = symbols;
    if (this.#sink && !this.#isClosed) this.#depths.watch(symbols);
  }

  /** Sockets of its channels, for tests and for people. */
  get sockets(): { readonly up: number; readonly all: number } {
    const both = this.#channels ? [this.#channels.public.sockets, this.#channels.business.sockets] : [];
    return {
      up: both.reduce((sum, { up }) => sum + up, 0),
      all: both.reduce((sum, { all }) => sum + all, 0),
    };
  }

  #apply(): void {
    if (!this.#sink || this.#isClosed) return;
    for (const symbol of this.#watched.keys())
      if (!this.#wanted.has(symbol)) {
        this.#watched.delete(symbol);
        this.#unpriced.delete(symbol);
      }
    const open = new Map<string, ReadonlySet<string>>();
    const bars = new Map<string, ReadonlySet<string>>();
    for (const [symbol, frames] of this.#wanted) {
      const instId = this.#listed.of(symbol)?.instId;
      if (instId === undefined) {
        this.#sink.stale(symbol, 'OKX does not list it here');
        continue;
      }
      const names = frames.flatMap((frameMs) => BARS.get(frameMs) ?? []);
      open.set(instId, new Set(this.#publicOf(instId)));
      bars.set(instId, new Set(names.map((bar) => channelKey(`candle${bar}`, instId))));
      const known = this.#watched.get(symbol);
      if (known && names.length === 0) known.why.business = null;
      if (known) continue;
      this.#watched.set(symbol, {
        ...{ seen: new SeenTrades(), hasTick: false, markAt: Number.NEGATIVE_INFINITY, markTime: -1 },
        ...{ funding: null, lacksMark: false },
        why: { public: '', business: names.length === 0 ? null : '' },
      });
    }
    this.#channels ??= { public: this.#open('public'), business: this.#open('business') };
    this.#channels.public.watch(open);
    this.#channels.business.watch(bars);
  }

  #publicOf(instId: string): string[] {
    const names = this.#o.kind === 'spot' ? ['trades'] : ['trades', 'mark-price', 'funding-rate'];
    return names.map((name) => channelKey(name, instId));
  }

  #open(which: 'public' | 'business'): PriceChannels {
    const { net, clock, random, addresses, kind, way, limits = {} } = this.#o;
    const address = addresses[`${which}-stream`];
    if (address === undefined) throw new RangeError(`${this.market} has no address for ${which}-stream`);
    return new PriceChannels({
      ...{ net, clock, random, way, address, limits: { ...CHANNEL_LIMITS, ...limits } },
      read: (text) => readPrices(text, kind === 'spot'),
      event: (event) => this.#event(event),
      state: (instId, why) => this.#state(instId, which, why),
      gap: (instIds) => {
        for (const instId of instIds) {
          const symbol = this.#symbolOf(instId);
          if (symbol !== undefined) this.#sink?.gap(symbol);
        }
      },
      upgrade: () => {
        this.#channels?.public.rotate();
        this.#channels?.business.rotate();
      },
      complain: (what, text) => this.#complaints.say(what, text),
    });
  }

  #symbolOf(instId: string): string | undefined {
    return this.#listed.named(instId)?.instrument.symbol;
  }

  #event(event: PriceEvent): void {
    if (!('instId' in event)) return;
    const listing = this.#listed.named(event.instId);
    const symbol = listing?.instrument.symbol ?? '';
    const watched = this.#watched.get(symbol);
    if (!listing || !watched || !this.#sink) return;
    if (event.kind === 'trade') {
      if (!watched.seen.isNew(event.id)) return;
      watched.hasTick = true;
      const { kind: _, instId: __, id: ___, size, ...trade } = event;
      this.#sink.ticks([{ symbol, volume: quantityOf(listing, size), ...trade }]);
    } else if (event.kind === 'mark') {
      if (event.time < watched.markTime) return;
      watched.markTime = event.time;
      watched.markAt = this.#o.clock.monotonic();
      this.#sink.mark(symbol, event.price, watched.funding ?? undefined);
      if (watched.lacksMark) {
        watched.lacksMark = false;
        this.#tell(symbol, watched);
      }
    } else if (event.kind === 'funding') {
      // The time of the payment that is being made is over: the next one.
      const at = event.at > this.now() ? event.at : (event.next ?? event.at);
      watched.funding = { rate: event.rate, at };
    } else {
      const frameMs = BAR_MS.get(event.bar);
      if (frameMs !== undefined) this.#sink.closed(symbol, frameMs, plainCandle(event.candle));
    }
  }

  #state(instId: string, which: 'public' | 'business', why: string | null): void {
    const symbol = this.#symbolOf(instId) ?? '';
    const watched = this.#watched.get(symbol);
    if (!watched) return;
    watched.why[which] = why;
    if (which === 'public' && why === null) {
      watched.markAt = Math.max(watched.markAt, this.#o.clock.monotonic());
      // What happened before it was granted nobody has told: the price as it is now.
      watched.hasTick = false;
      this.#unpriced.add(symbol);
      this.#price();
    }
    this.#tell(symbol, watched);
  }

  #tell(symbol: string, { why, lacksMark }: Watched): void {
    const noMark = lacksMark ? `no mark price for ${MARK_WITHIN_MS / 1_000} s` : null;
    this.#sink?.stale(symbol, why.public ?? why.business ?? noMark);
  }

  /** Asks for the last price of what has begun to be told, unless a trade tells it. */
  #price(): void {
    this.#pricing ??= this.#o.clock.after(0, async () => {
      const symbols = [...this.#unpriced];
      const prices = await this.prices();
      this.#pricing = null;
      if (this.#isClosed) return;
      for (const [symbol, price] of prices ?? []) {
        const watched = this.#watched.get(symbol);
        if (!symbols.includes(symbol) || !watched || watched.why.public !== null) continue;
        this.#unpriced.delete(symbol);
        if (watched.hasTick) continue;
        watched.hasTick = true;
        this.#sink?.ticks([{ symbol, price, volume: '0' }]);
      }
      for (const symbol of [...this.#unpriced])
        if (this.#watched.get(symbol)?.hasTick !== false) this.#unpriced.delete(symbol);
      if (this.#unpriced.size === 0) return;
      const isNew = [...this.#unpriced].some((symbol) => !symbols.includes(symbol));
      this.#pricing = this.#o.clock.after(isNew ? 0 : PRICE_AGAIN_MS, () => {
        this.#pricing = null;
        this.#price();
      });
    });
  }

  /** Once a second: marks that have stopped, a clock that is to be measured, a list that is due. */
  #look(): void {
    const { clock, kind } = this.#o;
    this.#timer = clock.after(LOOK_MS, () => this.#look());
    const mono = clock.monotonic();
    if (this.#offset.isDue) void this.#measure();
    if (mono - this.#listedAt > LISTS_EVERY_MS) void this.#readLists(this.market).then(() => this.#apply());
    if (kind === 'spot') return;
    for (const [symbol, watched] of this.#watched) {
      if (watched.why.public !== null || watched.lacksMark || mono - watched.markAt <= MARK_WITHIN_MS)
        continue;
      watched.lacksMark = true;
      this.#tell(symbol, watched);
    }
  }

  /** Why the exchange could not be asked; null: it was. */
  async #measure(): Promise<string | null> {
    if (this.#isMeasuring) return 'its time is being asked for already';
    this.#isMeasuring = true;
    let cause = 'it did not answer in time';
    const done = await this.#caller.ask(OKX_PRICES.time, {}, (called, { leftAt, now }) => {
      const time = answerOf(called, readTime);
      const row = time.ok ? time.value.data[0] : undefined;
      if (!row) {
        cause = time.ok ? 'its time is not told' : time.problem;
        return null;
      }
      return this.#offset.measured({ sentAt: leftAt, heardAt: now, time: Number(row.ts) }) ? true : null;
    });
    this.#isMeasuring = false;
    return done === null ? cause : null;
  }

  /** Why what is traded could not be read; null: it was. */
  async #readLists(exchange: string): Promise<string | null> {
    const { kind, clock } = this.#o;
    this.#listedAt = clock.monotonic();
    const terms = { bytesMax: INSTRUMENT_LIST.length, timeoutMs: 30_000 };
    const read = await this.#ask(
      OKX_PRICES.instruments,
      { instType: INST_TYPE[kind] },
      (text) => readInstruments(text, exchange, kind),
      terms,
    );
    if (!read) return 'what is traded could not be read';
    for (const problem of read.problems) this.#complaints.say(`instruments ${problem}`, problem);
    this.#listed.replace(read);
    return null;
  }

  /** Null: it failed, which is told once a minute. */
  #ask<T>(
    form: OkxForm,
    parameters: Parameters,
    read: (text: string) => Message<T>,
    terms: CallTerms = {},
  ): Promise<T | null> {
    if (this.#isClosed) return Promise.resolve(null);
    return this.#caller.ask(
      form,
      parameters,
      (called) => {
        const answer = answerOf(called, read);
        if (!answer.ok) this.#complaints.say(form.name, answer.problem);
        return answer.ok ? answer.value : null;
      },
      terms,
    );
  }
}

function plainCandle({ time, open, high, low, close, volume }: RawCandle): Candle {
  return { time, open, high, low, close, volume };
}

function answerOf<T>(called: Called, read: (text: string) => Message<T>): Message<T> {
  if (called.kind !== 'answer') return { ok: false, problem: called.cause };
  const message = called.status === 200 ? read(called.text) : null;
  if (message?.ok) return message;
  // A refusal has its code; what says yes and has another form is told as that.
  return message && called.text.includes('"code":"0"') ? message : { ok: false, problem: troubleOf(called) };
}
