/**
 * Live prices of one market of an exchange (`MarketData`), the part that is the same for all exchanges:
 * trades as ticks, candles as the exchange closes them, mark prices, past candles on request, and whether
 * each symbol's prices arrive. The questions and answers of an exchange are its `MarketForm`
 * (`market-form.ts`). Nothing here is signed.
 */
import type { Cancelable, Clock, Random } from '../../domain/clock.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Candle } from '../../domain/rows.ts';
import { withoutTail } from '../../domain/text-ends.ts';
import type { CandleQuestion, FundingPayment, MarketData, MarketSink } from '../../market/market-data.ts';
import type { Secrets } from '../venue-kind.ts';
import type { LaneClient } from './addresses.ts';
import { Caller, type CallResult, type CallTerms } from './caller.ts';
import { ClockOffset } from './clock-offset.ts';
import { Complaints } from './complaints.ts';
import type { DepthNews } from './depth-book.ts';
import { DepthBooks, type DepthEvents, type DepthWire } from './depth-books.ts';
import type {
  MarketAsk,
  MarketEvent,
  MarketForm,
  MarketQuestion,
  Prices,
  StreamPlace,
  StreamRoot,
} from './market-form.ts';
import { MarketStreams } from './market-streams.ts';
import type { Message } from './messages.ts';
import type { Net } from './net.ts';
import { SeenTrades } from './seen-trades.ts';

export interface LiveMarketOptions {
  /** The market's name, as accounts use it: `bybit-spot`. */
  readonly market: string;
  readonly form: MarketForm;
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  /** The market's access to the lanes of its REST address. */
  readonly way: LaneClient;
  /** By the endpoint's name. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Reports what the exchange does wrong, in one line. */
  readonly report: (text: string) => void;
}

/** A candle that ended less than this ago may still change in an answer, ms. */
const FINAL_AFTER_MS = 2_000;
const LOOK_MS = 1_000;
/** The last price of a newly watched symbol is asked for again after this, ms. */
const PRICE_AGAIN_MS = 2_000;

interface Watched {
  readonly seen: SeenTrades;
  hasTick: boolean;
  /** Monotonic time of the last mark. */
  markAt: number;
  markTime: number;
  price: string | null;
  rate: string | null;
  fundingAt: number | null;
  /** For each root, why it sends no prices; null: it sends them. */
  readonly whys: (string | null)[];
  /** Mark prices have stopped. */
  lacksMark: boolean;
}

export class LiveMarket implements MarketData {
  readonly market: string;
  readonly frames: readonly number[];
  readonly #o: LiveMarketOptions;
  readonly #offset: ClockOffset;
  readonly #caller: Caller;
  readonly #complaints: Complaints;
  readonly #intervals: ReadonlyMap<string, number>;
  readonly #watched = new Map<string, Watched>();
  #wanted: ReadonlyMap<string, readonly number[]> = new Map();
  #roots: readonly MarketStreams<MarketEvent>[] | null = null;
  readonly #depths: DepthBooks;
  #depthsWanted: ReadonlySet<string> = new Set();
  #sink: MarketSink | null = null;
  #timer: Cancelable | null = null;
  /** Symbols whose last price has to be asked for. */
  readonly #unpriced = new Set<string>();
  #pricing: Cancelable | null = null;
  #isMeasuring = false;
  #listedAt = 0;
  #isClosed = false;

  constructor(options: LiveMarketOptions) {
    const { market, form, net, clock, way, addresses, report } = options;
    this.market = market;
    this.frames = [...form.frames.keys()];
    this.#intervals = new Map([...form.frames].map(([ms, name]) => [name, ms]));
    this.#o = options;
    this.#offset = new ClockOffset(clock);
    this.#complaints = new Complaints({ clock, report: (text) => report(`${market}: ${text}`) });
    this.#caller = new Caller({
      net,
      clock,
      way,
      addresses,
      offset: this.#offset,
      secrets: NO_SECRETS,
      dialect: form.dialect,
      forms: form.requests,
      uid: () => '',
    });
    this.#depths = new DepthBooks({
      clock,
      streamOf: (symbol) =>
        form.depth && form.depth.endpoint in addresses ? form.depth.streamOf(symbol) : null,
      wire: (events) => this.#depthWire(events),
      tell: (symbol, depth) => this.#sink?.depth?.(symbol, depth),
    });
  }

  async open(sink: MarketSink): Promise<void> {
    const cause = (await this.#measure()) ?? (await this.#readLists());
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
    for (const root of this.#roots ?? []) root.close();
    this.#depths.close();
    this.#o.way.close();
  }

  now(): number {
    return this.#offset.now();
  }

  async candles({ symbol, frameMs, from, to, isPatient }: CandleQuestion): Promise<readonly Candle[] | null> {
    const { form } = this.#o;
    const interval = form.frames.get(frameMs);
    if (interval === undefined || to <= from) return [];
    const ask: MarketAsk = (question, terms) =>
      this.#ask(question, isPatient ? { ...terms, isPatient } : terms);
    const rows = await form.candles(ask, symbol, interval, { from, to, frameMs });
    const over = this.now() - FINAL_AFTER_MS;
    return rows?.filter(({ time }) => time >= from && time < to && time + frameMs <= over) ?? null;
  }

  prices(): Promise<Prices | null> {
    return this.#ask(this.#o.form.prices());
  }

  async instruments(exchange: string): Promise<readonly Instrument[] | null> {
    const answer = await this.#o.form.instruments(this.#ask, exchange);
    for (const problem of answer?.problems ?? []) this.#complaints.say(`instruments ${problem}`, problem);
    return answer?.instruments ?? null;
  }

  async funding(symbol: string, from: number, to: number): Promise<readonly FundingPayment[] | null> {
    const { form } = this.#o;
    if (!form.funding || to <= from) return [];
    return form.funding(this.#ask, symbol, from, to);
  }

  watch(wanted: ReadonlyMap<string, readonly number[]>): void {
    this.#wanted = wanted;
    this.#apply();
  }

  watchDepth(symbols: ReadonlySet<string>): void {
    this.#depthsWanted = symbols;
    if (this.#sink && !this.#isClosed) this.#depths.watch(symbols);
  }

  #depthWire(events: DepthEvents): DepthWire {
    const { form } = this.#o;
    if (!form.depth) throw new RangeError(`${this.market} tells no depth`);
    return new MarketStreams<DepthNews>({
      ...this.#wiring(form.depth),
      dialect: form.depth.streams,
      event: (news) => events.news(news),
      state: (symbol, why) => events.state(symbol, why),
      gap: () => {},
      complain: (kind, text) => this.#complaints.say(`depth, ${kind}`, text),
    });
  }

  /** The numbers of sockets for its streams, for tests and for people. */
  get sockets(): { readonly up: number; readonly all: number } {
    const each = this.#roots?.map(({ sockets }) => sockets) ?? [];
    const sum = (of: 'up' | 'all') => each.reduce((all, sockets) => all + sockets[of], 0);
    return { up: sum('up'), all: sum('all') };
  }

  #wiring({ endpoint, path = '', limits }: StreamPlace) {
    const { net, clock, random, addresses, form } = this.#o;
    const root = addresses[endpoint];
    if (root === undefined) throw new RangeError(`${this.market} has no address for ${endpoint}`);
    const address = `${withoutTail(root, '/')}${path}`;
    const url = () => form.turn?.(address) ?? address;
    return { net, clock, random, limits, url, ...(form.gate ? { gate: form.gate } : {}) };
  }

  #apply(): void {
    if (!this.#sink || this.#isClosed) return;
    const { form } = this.#o;
    for (const symbol of this.#watched.keys())
      if (!this.#wanted.has(symbol)) {
        this.#watched.delete(symbol);
        this.#unpriced.delete(symbol);
      }
    this.#roots ??= form.roots.map((root, at) => this.#open(root, at));
    const names = form.roots.map(() => new Map<string, ReadonlySet<string>>());
    for (const [symbol, frames] of this.#wanted) {
      const missing = form.missing?.(symbol) ?? null;
      if (missing !== null) {
        this.#sink.stale(symbol, missing);
        continue;
      }
      const intervals = frames.flatMap((ms) => form.frames.get(ms) ?? []);
      const known = this.#watched.get(symbol);
      const watched = known ?? this.#begin(symbol);
      const before = watched.whys.findIndex((why) => why !== null);
      for (const [at, root] of form.roots.entries()) {
        const streams = root.streamsOf(symbol, intervals);
        names[at]?.set(symbol, new Set(streams));
        if (streams.length === 0) watched.whys[at] = null;
      }
      // What it lacked was of an address from which nothing is wanted any more.
      if (known && watched.whys.findIndex((why) => why !== null) !== before) this.#tell(symbol, watched);
    }
    for (const [at, root] of this.#roots.entries()) root.watch(names[at] ?? new Map());
  }

  #begin(symbol: string): Watched {
    const watched: Watched = {
      seen: new SeenTrades(),
      hasTick: false,
      markAt: Number.NEGATIVE_INFINITY,
      markTime: -1,
      price: null,
      rate: null,
      fundingAt: null,
      lacksMark: false,
      whys: this.#o.form.roots.map(() => ''),
    };
    this.#watched.set(symbol, watched);
    return watched;
  }

  #open(root: StreamRoot, at: number): MarketStreams<MarketEvent> {
    const { form } = this.#o;
    const all = () => {
      for (const each of this.#roots ?? []) each.rotate();
    };
    return new MarketStreams({
      ...this.#wiring(root),
      dialect: root.streams,
      ...(form.endTogether ? { shutdown: all } : {}),
      event: (event) => this.#event(event),
      state: (symbol, why) => this.#state(symbol, at, why),
      gap: (symbols) => {
        for (const symbol of symbols) this.#sink?.gap(symbol);
      },
      complain: (kind, text) => this.#complaints.say(kind, text),
    });
  }

  #event(event: MarketEvent): void {
    const { symbol } = event;
    const watched = this.#watched.get(symbol);
    if (!watched || !this.#sink) return;
    if (event.kind === 'trades') {
      const fresh = event.trades.filter(({ id }) => watched.seen.isNew(id));
      if (fresh.length === 0) return;
      watched.hasTick = true;
      this.#sink.ticks(fresh.map(({ id: _, ...trade }) => ({ symbol, ...trade })));
    } else if (event.kind === 'closed') {
      const frameMs = this.#intervals.get(event.interval);
      if (frameMs !== undefined) this.#sink.closed(symbol, frameMs, event.candle);
    } else this.#mark(watched, event);
  }

  #mark(watched: Watched, { symbol, time, price, funding }: MarketEvent & { kind: 'mark' }): void {
    if (time !== null) {
      // There may be two events of the same time, each with different fields.
      if (time < watched.markTime) return;
      watched.markTime = time;
      watched.markAt = this.#o.clock.monotonic();
    }
    const before = [watched.price, watched.rate, watched.fundingAt];
    watched.price = price ?? watched.price;
    watched.rate = funding === null ? null : (funding?.rate ?? watched.rate);
    watched.fundingAt = funding === null ? null : (funding?.at ?? watched.fundingAt);
    const { rate, fundingAt: at } = watched;
    const isNews = before.some((one, n) => one !== [watched.price, rate, at][n]);
    if (isNews && watched.price !== null)
      this.#sink?.mark(symbol, watched.price, rate === null || at === null ? undefined : { rate, at });
    if (time !== null && watched.lacksMark) {
      watched.lacksMark = false;
      this.#tell(symbol, watched);
    }
  }

  #state(symbol: string, root: number, why: string | null): void {
    const watched = this.#watched.get(symbol);
    if (!watched) return;
    watched.whys[root] = why;
    if (root === 0 && why === null) {
      watched.markAt = Math.max(watched.markAt, this.#o.clock.monotonic());
      // Nobody has sent what happened before the subscription was confirmed, so the current price is asked
      // for.
      watched.hasTick = false;
      this.#unpriced.add(symbol);
      this.#price();
    }
    this.#tell(symbol, watched);
  }

  #tell(symbol: string, { whys, lacksMark }: Watched): void {
    const ms = this.#o.form.markWithinMs ?? 0;
    const why = whys.find((one) => one !== null) ?? null;
    this.#sink?.stale(symbol, why ?? (lacksMark ? `no mark price for ${ms / 1_000} s` : null));
  }

  /** Asks for the last price of symbols whose stream has just begun, unless a trade tells it first. */
  #price(): void {
    this.#pricing ??= this.#o.clock.after(0, async () => {
      const symbols = [...this.#unpriced];
      const prices = await this.#ask(this.#o.form.prices(symbols.length === 1 ? symbols[0] : undefined));
      this.#pricing = null;
      if (this.#isClosed) return;
      for (const [symbol, price] of prices ?? []) {
        const watched = this.#watched.get(symbol);
        if (!symbols.includes(symbol) || !watched || watched.whys[0] !== null) continue;
        this.#unpriced.delete(symbol);
        if (watched.hasTick) continue;
        watched.hasTick = true;
        this.#sink?.ticks([{ symbol, price, volume: '0' }]);
      }
      for (const symbol of [...this.#unpriced])
        if (this.#watched.get(symbol)?.hasTick !== false) this.#unpriced.delete(symbol);
      if (this.#unpriced.size === 0) return;
      const isNews = [...this.#unpriced].some((symbol) => !symbols.includes(symbol));
      this.#pricing = this.#o.clock.after(isNews ? 0 : PRICE_AGAIN_MS, () => {
        this.#pricing = null;
        this.#price();
      });
    });
  }

  /** Checks once a second for mark prices that have stopped and a clock measurement that is due. */
  #look(): void {
    this.#timer = this.#o.clock.after(LOOK_MS, () => this.#look());
    if (this.#offset.isDue) void this.#measure();
    const mono = this.#o.clock.monotonic();
    const { markWithinMs, lists } = this.#o.form;
    if (lists && mono - this.#listedAt > lists.everyMs) void this.#readLists().then(() => this.#apply());
    if (markWithinMs === null) return;
    for (const [symbol, watched] of this.#watched) {
      if (watched.whys[0] !== null || watched.lacksMark || mono - watched.markAt <= markWithinMs) continue;
      watched.lacksMark = true;
      this.#tell(symbol, watched);
    }
  }

  /** Reads the lists that are needed first. Returns the reason of a failure; null: they were read. */
  async #readLists(): Promise<string | null> {
    this.#listedAt = this.#o.clock.monotonic();
    return (await this.#o.form.lists?.read(this.#ask, this.market)) ?? null;
  }

  /** Measures the exchange's clock. Returns the reason of a failure; null: it was measured. */
  async #measure(): Promise<string | null> {
    if (this.#isMeasuring) return 'its time is being asked for already';
    this.#isMeasuring = true;
    let cause = 'it did not answer in time';
    const { form, parameters, read } = this.#o.form.time;
    const done = await this.#caller.ask(form, parameters, (called, { leftAt, now }) => {
      const time = this.#answer(called, read);
      if (!time.ok) {
        cause = time.problem;
        return null;
      }
      return this.#offset.measured({ sentAt: leftAt, heardAt: now, time: time.value }) ? true : null;
    });
    this.#isMeasuring = false;
    return done === null ? cause : null;
  }

  readonly #ask = <T>(
    { form, parameters, read }: MarketQuestion<T>,
    terms: CallTerms = {},
  ): Promise<T | null> => {
    if (this.#isClosed) return Promise.resolve(null);
    return this.#caller.ask(
      form,
      parameters,
      (called) => {
        const answer = this.#answer(called, read);
        if (!answer.ok) this.#complaints.say(form.name, answer.problem);
        return answer.ok ? answer.value : null;
      },
      terms,
    );
  };

  #answer<T>(called: CallResult, read: (text: string) => Message<T>): Message<T> {
    const problem = this.#o.form.problemOf(called);
    if (problem !== null) return { ok: false, problem };
    return called.kind === 'answer' ? read(called.text) : { ok: false, problem: called.cause };
  }
}

/** Public prices need no secrets. */
const NO_SECRETS: Secrets = {
  get(field) {
    throw new RangeError(`public prices are asked for without ${field}`);
  },
};
