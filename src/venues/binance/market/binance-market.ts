/**
 * Live prices of Binance, of the spot market or of the perpetual contracts (`MarketData`): trades as `aggTrade`, candles by the
 * exchange's own close, marks and funding of contracts once a second, the past by questions. Nothing of it is signed.
 */
import type { Cancelable, Clock, Random } from '../../../domain/clock.ts';
import type { Instrument } from '../../../domain/instrument.ts';
import type { Candle } from '../../../domain/rows.ts';
import { withoutTail } from '../../../domain/text-ends.ts';
import type { CandleQuestion, FundingPayment, MarketData, MarketSink } from '../../../market/market-data.ts';
import type { Way } from '../../kit/addresses.ts';
import { INSTRUMENT_LIST } from '../../kit/bounds.ts';
import type { BudgetRow } from '../../kit/budget.ts';
import { type Called, Caller, type CallTerms, type Parameters } from '../../kit/caller.ts';
import { ClockOffset } from '../../kit/clock-offset.ts';
import { Complaints } from '../../kit/complaints.ts';
import { DepthBooks } from '../../kit/depth-books.ts';
import type { Message } from '../../kit/messages.ts';
import type { Net } from '../../kit/net.ts';
import type { RequestForm } from '../../kit/requests.ts';
import { SeenTrades } from '../../kit/seen-trades.ts';
import type { Secrets } from '../../venue-kind.ts';
import { binanceDialect, gateOf } from '../dialect.ts';
import { FUTURES_WEIGHT } from '../futures/budgets.ts';
import { type BinanceInstruments, readFuturesInstruments, readSpotInstruments } from '../instruments.ts';
import { SPOT_WEIGHT } from '../spot/budgets.ts';
import { depthStream, depthWire, inStreams } from './depth.ts';
import { readFunding, readKlines, readPrices, readTime, type StreamEvent } from './messages.ts';
import { FUTURES_FORMS, type MarketForms, SPOT_FORMS } from './requests.ts';
import { MarketStreams, ROTATE_MS, type StreamLimits } from './streams.ts';

/** What sets one of the two markets off from the other. */
interface Form {
  readonly forms: MarketForms;
  /** Of the address, shared with the accounts there. */
  readonly weight: BudgetRow;
  /** Endpoint of its streams, and of those of its depth. */
  readonly streams: string;
  readonly depth: string;
  readonly hasMarks: boolean;
  readonly limits: StreamLimits;
  readonly read: (text: string, exchange: string) => Message<BinanceInstruments>;
}

const FORMS: Readonly<Record<'spot' | 'futures', Form>> = {
  spot: {
    forms: SPOT_FORMS,
    weight: SPOT_WEIGHT,
    streams: 'spot-stream',
    depth: 'spot-stream',
    hasMarks: false,
    // 1,024 streams; 5 messages a second with pongs among them; a ping every 20 s (web-socket-streams.md).
    limits: { perSocket: 1_024, messageEveryMs: 300, silenceMs: 30_000, rotateMs: ROTATE_MS },
    read: readSpotInstruments,
  },
  futures: {
    forms: FUTURES_FORMS,
    weight: FUTURES_WEIGHT,
    streams: 'futures-market',
    depth: 'futures-public',
    hasMarks: true,
    // 1,024 streams by the documents, 200 as recommended; 10 messages a second; a mark of each symbol every second.
    limits: { perSocket: 200, messageEveryMs: 150, silenceMs: 15_000, rotateMs: ROTATE_MS },
    read: readFuturesInstruments,
  },
};

/** Public prices need none. */
const NO_SECRETS: Secrets = {
  get(field) {
    throw new RangeError(`public prices are asked for without ${field}`);
  },
};

const MINUTE_MS = 60_000;
/** Of those that begin with the Unix epoch; weeks begin on Mondays, and months have no length. */
const FRAMES = new Map<number, string>([
  [MINUTE_MS, '1m'],
  [3 * MINUTE_MS, '3m'],
  [5 * MINUTE_MS, '5m'],
  [15 * MINUTE_MS, '15m'],
  [30 * MINUTE_MS, '30m'],
  [60 * MINUTE_MS, '1h'],
  [120 * MINUTE_MS, '2h'],
  [240 * MINUTE_MS, '4h'],
  [360 * MINUTE_MS, '6h'],
  [480 * MINUTE_MS, '8h'],
  [720 * MINUTE_MS, '12h'],
  [1_440 * MINUTE_MS, '1d'],
]);
const FRAME_MS = new Map([...FRAMES].map(([ms, name]) => [name, ms]));
/** Candles of an answer. */
const PAGE = 1_000;
/** A candle that ended less than this ago may still change in an answer, ms. */
const FINAL_AFTER_MS = 2_000;
/** Marks come once a second; without one for so long they have stopped, ms. */
const MARK_WITHIN_MS = 10_000;
const LOOK_MS = 1_000;
/** The last price of what has begun to be watched is asked for again after this, ms. */
const PRICE_AGAIN_MS = 2_000;

export interface BinanceMarketOptions {
  /** `binance-spot`: as accounts name it. */
  readonly market: string;
  readonly kind: 'spot' | 'futures';
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  /** Through the lanes of its REST address. */
  readonly way: Way;
  /** By the endpoint's name. */
  readonly addresses: Readonly<Record<string, string>>;
  /** What the exchange does against the rules, in one line. */
  readonly report: (text: string) => void;
  /** Where a limit of its streams is set otherwise, as in tests. */
  readonly limits?: Partial<StreamLimits>;
}

/** A symbol that is watched. */
interface Watched {
  readonly seen: SeenTrades;
  hasTick: boolean;
  /** Monotonic times of the last mark, and at which its streams were granted. */
  markAt: number;
  markTime: number;
  /** Why its stream does not tell; null: it does. */
  why: string | null;
  /** Its marks have stopped. */
  lacksMark: boolean;
}

export class BinanceMarket implements MarketData {
  readonly market: string;
  readonly frames: readonly number[] = [...FRAMES.keys()];
  readonly #o: BinanceMarketOptions;
  readonly #form: Form;
  readonly #offset: ClockOffset;
  readonly #caller: Caller;
  readonly #complaints: Complaints;
  readonly #watched = new Map<string, Watched>();
  #wanted: ReadonlyMap<string, readonly number[]> = new Map();
  #streams: MarketStreams | null = null;
  readonly #depths: DepthBooks;
  #depthsWanted: ReadonlySet<string> = new Set();
  #sink: MarketSink | null = null;
  #timer: Cancelable | null = null;
  /** Symbols of which the last price is to be asked for. */
  readonly #unpriced = new Set<string>();
  #pricing: Cancelable | null = null;
  #isMeasuring = false;
  #isClosed = false;

  constructor(options: BinanceMarketOptions) {
    const { market, kind, net, clock, way, addresses, report } = options;
    this.market = market;
    this.#o = options;
    this.#form = FORMS[kind];
    this.#offset = new ClockOffset(clock);
    this.#complaints = new Complaints({ clock, report: (text) => report(`${market}: ${text}`) });
    const complain = (of: string, text: string) => this.#complaints.say(of, text);
    const depthAddress = addresses[this.#form.depth];
    this.#depths = new DepthBooks({
      clock,
      streamOf: (symbol) => (depthAddress === undefined ? null : depthStream(symbol)),
      wire: (events) =>
        depthWire({
          ...{ net, clock, random: options.random, gate: gateOf(way), events, complain },
          limits: { ...this.#form.limits, ...options.limits },
          address: withoutTail(depthAddress ?? '', '/'),
        }),
      tell: (symbol, depth) => this.#sink?.depth?.(symbol, depth),
    });
    const { time, instruments, candles, prices, funding } = this.#form.forms;
    this.#caller = new Caller({
      ...{ net, clock, way, addresses },
      offset: this.#offset,
      secrets: NO_SECRETS,
      dialect: binanceDialect({ weight: this.#form.weight, orders: {} }),
      forms: [time, instruments, candles, prices, ...(funding ? [funding] : [])],
      uid: () => '',
    });
  }

  async open(sink: MarketSink): Promise<void> {
    const cause = await this.#measure();
    if (this.#isClosed) return;
    if (cause !== null) throw new Error(cause);
    this.#sink = sink;
    this.#apply();
    this.#applyDepths();
    this.#timer ??= this.#o.clock.after(LOOK_MS, () => this.#look());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sink = null;
    this.#timer?.cancel();
    this.#pricing?.cancel();
    this.#streams?.close();
    this.#depths.close();
    this.#o.way.close();
  }

  now(): number {
    return this.#offset.now();
  }

  async candles({ symbol, frameMs, from, to, isPatient }: CandleQuestion): Promise<readonly Candle[] | null> {
    const interval = FRAMES.get(frameMs);
    if (interval === undefined || to <= from) return [];
    const limit = Math.min(PAGE, Math.max(1, Math.ceil((to - from) / frameMs)));
    const parameters = {
      ...{ symbol, interval, startTime: String(from), endTime: String(to - 1), limit: String(limit) },
    };
    const rows = await this.#ask(this.#form.forms.candles, parameters, readKlines, {
      ...(isPatient ? { isPatient } : {}),
    });
    const over = this.now() - FINAL_AFTER_MS;
    return rows?.filter(({ time }) => time >= from && time < to && time + frameMs <= over) ?? null;
  }

  prices(): Promise<readonly (readonly [symbol: string, price: string])[] | null> {
    return this.#ask(this.#form.forms.prices, {}, readPrices);
  }

  async instruments(exchange: string): Promise<readonly Instrument[] | null> {
    const { forms, read } = this.#form;
    const terms = { bytesMax: INSTRUMENT_LIST.length, timeoutMs: 30_000 };
    const answer = await this.#ask(forms.instruments, {}, (text) => read(text, exchange), terms);
    for (const problem of answer?.problems ?? []) this.#complaints.say(`instruments ${problem}`, problem);
    return answer?.instruments ?? null;
  }

  async funding(symbol: string, from: number, to: number): Promise<readonly FundingPayment[] | null> {
    const { funding } = this.#form.forms;
    if (funding === null || to <= from) return [];
    const parameters = { symbol, startTime: String(from), endTime: String(to - 1), limit: '1000' };
    return this.#ask(funding, parameters, readFunding);
  }

  watch(wanted: ReadonlyMap<string, readonly number[]>): void {
    this.#wanted = wanted;
    this.#apply();
  }

  watchDepth(symbols: ReadonlySet<string>): void {
    this.#depthsWanted = symbols;
    this.#applyDepths();
  }

  #applyDepths(): void {
    if (this.#sink && !this.#isClosed) this.#depths.watch(this.#depthsWanted);
  }

  /** Sockets of its streams, for tests and for people. */
  get sockets(): { readonly up: number; readonly all: number } {
    return this.#streams?.sockets ?? { up: 0, all: 0 };
  }

  #apply(): void {
    if (!this.#sink || this.#isClosed) return;
    for (const symbol of this.#watched.keys())
      if (!this.#wanted.has(symbol)) {
        this.#watched.delete(symbol);
        this.#unpriced.delete(symbol);
      }
    for (const symbol of this.#wanted.keys())
      if (!this.#watched.has(symbol))
        this.#watched.set(symbol, {
          ...{ seen: new SeenTrades(), hasTick: false, markAt: Number.NEGATIVE_INFINITY, markTime: -1 },
          ...{ why: '', lacksMark: false },
        });
    this.#streams ??= this.#makeStreams();
    const names = [...this.#wanted].map(
      ([symbol, frames]) => [symbol, this.#namesOf(symbol, frames)] as const,
    );
    this.#streams.watch(new Map(names));
  }

  #makeStreams(): MarketStreams {
    const { net, clock, random, addresses } = this.#o;
    const { streams } = this.#form;
    const limits = { ...this.#form.limits, ...this.#o.limits };
    const address = addresses[streams];
    if (address === undefined) throw new RangeError(`${this.market} has no address for ${streams}`);
    return new MarketStreams({
      ...{ net, clock, random, limits, address: withoutTail(address, '/'), gate: gateOf(this.#o.way) },
      event: (event) => this.#event(event),
      state: (symbol, why) => this.#state(symbol, why),
      gap: (symbols) => {
        for (const symbol of symbols) this.#sink?.gap(symbol);
      },
      complain: (kind, text) => this.#complaints.say(kind, text),
    });
  }

  #namesOf(symbol: string, frames: readonly number[]): ReadonlySet<string> {
    const small = inStreams(symbol);
    const names = new Set([`${small}@aggTrade`]);
    if (this.#form.hasMarks) names.add(`${small}@markPrice@1s`);
    for (const frameMs of frames) {
      const interval = FRAMES.get(frameMs);
      if (interval !== undefined) names.add(`${small}@kline_${interval}`);
    }
    return names;
  }

  #event(event: StreamEvent): void {
    if (event.kind !== 'trade' && event.kind !== 'mark' && event.kind !== 'closed') return;
    const { symbol } = event;
    const watched = this.#watched.get(symbol);
    if (!watched || !this.#sink) return;
    if (event.kind === 'trade') {
      if (!watched.seen.isNew(event.id)) return;
      watched.hasTick = true;
      const { kind: _, id: __, ...trade } = event;
      this.#sink.ticks([trade]);
    } else if (event.kind === 'mark') {
      if (event.time <= watched.markTime) return;
      watched.markTime = event.time;
      watched.markAt = this.#o.clock.monotonic();
      this.#sink.mark(symbol, event.price, event.funding ?? undefined);
      if (watched.lacksMark) {
        watched.lacksMark = false;
        this.#tell(symbol, watched);
      }
    } else {
      const frameMs = FRAME_MS.get(event.interval);
      if (frameMs !== undefined) this.#sink.closed(symbol, frameMs, event.candle);
    }
  }

  #state(symbol: string, why: string | null): void {
    const watched = this.#watched.get(symbol);
    if (!watched) return;
    watched.why = why;
    if (why === null) {
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
    this.#sink?.stale(symbol, why ?? noMark);
  }

  /** Asks for the last price of what has begun to be told, unless a trade tells it. */
  #price(): void {
    this.#pricing ??= this.#o.clock.after(0, async () => {
      const symbols = [...this.#unpriced];
      const [only = ''] = symbols;
      const parameters: Parameters = symbols.length === 1 ? { symbol: only } : {};
      const prices = await this.#ask(this.#form.forms.prices, parameters, readPrices);
      this.#pricing = null;
      if (this.#isClosed) return;
      for (const [symbol, price] of prices ?? []) {
        const watched = this.#watched.get(symbol);
        if (!symbols.includes(symbol) || !watched || watched.why !== null) continue;
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

  /** Once a second: marks that have stopped, a clock that is to be measured. */
  #look(): void {
    this.#timer = this.#o.clock.after(LOOK_MS, () => this.#look());
    if (this.#offset.isDue) void this.#measure();
    if (!this.#form.hasMarks) return;
    const mono = this.#o.clock.monotonic();
    for (const [symbol, watched] of this.#watched) {
      if (watched.why !== null || watched.lacksMark || mono - watched.markAt <= MARK_WITHIN_MS) continue;
      watched.lacksMark = true;
      this.#tell(symbol, watched);
    }
  }

  /** Why the exchange could not be asked; null: it was. */
  async #measure(): Promise<string | null> {
    if (this.#isMeasuring) return 'its time is being asked for already';
    this.#isMeasuring = true;
    let cause = 'it did not answer in time';
    const done = await this.#caller.ask(this.#form.forms.time, {}, (called, { leftAt, now }) => {
      const time = answerOf(called, readTime);
      if (!time.ok) {
        cause = time.problem;
        return null;
      }
      return this.#offset.measured({ sentAt: leftAt, heardAt: now, time: time.value }) ? true : null;
    });
    this.#isMeasuring = false;
    return done === null ? cause : null;
  }

  /** Null: it failed, which is told once a minute. */
  #ask<T>(
    form: RequestForm,
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

function answerOf<T>(called: Called, read: (text: string) => Message<T>): Message<T> {
  if (called.kind !== 'answer') return { ok: false, problem: called.cause };
  if (called.status !== 200)
    return { ok: false, problem: `it was answered ${called.status}: ${called.text.slice(0, 120)}` };
  return read(called.text);
}
