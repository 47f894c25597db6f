/**
 * A spot account of Binance as the exchange port has it: orders by REST, events by the WebSocket API. It opens by measuring the
 * clock, subscribing and only then asking what there is; nothing is missed in between. Native: see `forms.ts`.
 */
import type { AccountIdentity } from '../../../domain/account-identity.ts';
import type { Cancelable } from '../../../domain/clock.ts';
import type {
  AmendOutcome,
  CancelAllOutcome,
  CancelOutcome,
  ExchangeAccount,
  ExchangeBalance,
  ExchangeOrder,
  ExchangeOrderState,
  FeeRates,
  OrderChange,
  QueryOutcome,
  SubmitOutcome,
} from '../../../domain/exchange.ts';
import type { Instrument } from '../../../domain/instrument.ts';
import type { Lane } from '../../../domain/lane.ts';
import type { Permissions } from '../../../domain/permissions.ts';
import { INSTRUMENT_LIST } from '../../kit/bounds.ts';
import { type Called, Caller } from '../../kit/caller.ts';
import { ClockOffset } from '../../kit/clock-offset.ts';
import { Complaints } from '../../kit/complaints.ts';
import { EventQueue } from '../../kit/event-queue.ts';
import { canSendPaced } from '../../kit/paced.ts';
import type {
  DustVenue,
  FillsPage,
  FillsQuery,
  LedgerPage,
  LedgerQuery,
  OrderRef,
  Passage,
  Venue,
  VenueHealth,
  VenueSink,
} from '../../venue.ts';
import type { AccountGiven } from '../account-given.ts';
import { binanceDialect } from '../dialect.ts';
import { readSpotInstruments, withUnread } from '../instruments.ts';
import { troubleOf } from '../trouble.ts';
import { tellEvent } from './account-events.ts';
import { atOnce, SpotOrders } from './account-orders.ts';
import { SpotQuestions } from './account-questions.ts';
import { rowOf, SPOT_ORDERS_1D, SPOT_ORDERS_10S, SPOT_WEIGHT } from './budgets.ts';
import { SpotDust } from './dust.ts';
import { BINANCE_SPOT_CAPS } from './forms.ts';
import { HeardLedger } from './heard-ledger.ts';
import { readTime } from './messages.ts';
import { SPOT, SPOT_REQUESTS } from './requests.ts';
import { UserStream } from './user-stream.ts';

/** The socket of its events has to be there by then, ms: whoever opens it waits 10 s for all of it. */
const STREAM_WITHIN_MS = 6_000;
/** It is looked whether the clock is to be measured again, ms. */
const LOOK_EVERY_MS = 10_000;
/** What is traded is read again, ms. */
const INSTRUMENTS_EVERY_MS = 60 * 60_000;

export class SpotAccount implements Venue {
  readonly account: ExchangeAccount;
  readonly caps = BINANCE_SPOT_CAPS;
  readonly conversion?: DustVenue;
  readonly permissions?: () => Promise<Permissions | null>;
  readonly #o: AccountGiven;
  readonly #offset: ClockOffset;
  readonly #caller: Caller;
  readonly #complaints: Complaints;
  readonly #questions: SpotQuestions;
  readonly #orders: SpotOrders;
  readonly #ledger: HeardLedger;
  /** Whose budgets are used. */
  #uid = '';
  #instruments: readonly Instrument[] = [];
  #unread: readonly string[] = [];
  /** Of all that were ever told: an execution of one that is gone has its fee in something, too. */
  readonly #quotes = new Map<string, string>();
  /** Assets that were ever told. */
  readonly #held = new Set<string>();
  #instrumentsAt = Number.NEGATIVE_INFINITY;
  #sink: VenueSink | null = null;
  #stream: UserStream | null = null;
  /** Events that came before it was open. */
  #early: EventQueue<string> | null = null;
  #timer: Cancelable | null = null;
  #isMeasuring = false;
  #closed = false;

  constructor(given: AccountGiven) {
    this.#o = given;
    this.account = given.account;
    const { clock, random, net, way, secrets, addresses, environment } = given;
    this.#offset = new ClockOffset(clock);
    const report = (text: string) => given.report(`${given.account.id}: ${text}`);
    this.#complaints = new Complaints({ clock, report });
    this.#caller = new Caller({
      ...{ net, clock, way, secrets, addresses, offset: this.#offset, forms: SPOT_REQUESTS },
      dialect: binanceDialect(
        {
          weight: SPOT_WEIGHT,
          orders: { '10s': SPOT_ORDERS_10S, '1d': SPOT_ORDERS_1D },
        },
        () => this.#sink && this.#timer && this.#look(),
      ),
      uid: () => this.#uid,
    });
    const parts = { caller: this.#caller, complaints: this.#complaints, offset: this.#offset };
    this.#questions = new SpotQuestions({ ...parts, now: () => this.#offset.now() });
    this.#orders = new SpotOrders({ ...parts, orderOf: (...asked) => this.#questions.order(...asked) });
    this.#ledger = new HeardLedger(random.id(8));
    // Of testnet and demo the wallet's own endpoints do not exist.
    if (environment === 'live') {
      this.permissions = () => this.#questions.permissions();
      this.conversion = new SpotDust({ ...parts, clock });
    }
  }

  /** May be called again where it has failed. Rejects with a sentence that says what to do. */
  async open(sink: VenueSink): Promise<void> {
    this.#sink = sink;
    this.#early = new EventQueue();
    try {
      await this.#measure();
      const problem = await this.#listen();
      if (problem !== null) throw new Error(problem);
      await this.#readInstruments();
      const account = await this.#questions.account();
      if (!account.ok) throw new Error(account.problem);
      this.#uid = account.value.uid ?? '';
    } catch (error) {
      this.#stream?.close();
      this.#stream = null;
      this.#early = null;
      throw error;
    }
    const early = this.#early.take();
    this.#early = null;
    if (early === null) sink.stream('gap');
    else for (const text of early) this.#tell(text);
    this.#look();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#sink = null;
    this.#timer?.cancel();
    this.#stream?.close();
    this.#o.way.close();
  }

  unreadSymbols(): readonly string[] {
    return this.#unread;
  }

  instruments(): readonly Instrument[] {
    return this.#instruments;
  }

  canSend(lane: Lane, symbol: string): { readonly retryAfterMs: number } | null {
    return canSendPaced(this.#o.way, lane, this.#caller.costs(SPOT.place, { symbol }));
  }

  submit(order: ExchangeOrder, passage: Passage = atOnce()): Promise<SubmitOutcome> {
    return this.#orders.submit(order, passage);
  }

  cancel(ref: OrderRef, passage: Passage = atOnce()): Promise<CancelOutcome> {
    return this.#orders.cancel(ref, passage);
  }

  cancelAll(symbol: string, passage: Passage = atOnce()): Promise<CancelAllOutcome> {
    return this.#orders.cancelAll(symbol, passage);
  }

  amend(ref: OrderRef, change: OrderChange, passage: Passage = atOnce()): Promise<AmendOutcome> {
    return this.#orders.amend(ref, change, passage);
  }

  query(ref: OrderRef): Promise<QueryOutcome> {
    return this.#questions.query(ref);
  }

  openOrders(): Promise<readonly ExchangeOrderState[] | null> {
    return this.#questions.openOrders();
  }

  fills(q: FillsQuery): Promise<FillsPage | null> {
    return this.#questions.fills(q);
  }

  async balances(): Promise<readonly ExchangeBalance[] | null> {
    const account = await this.#questions.account();
    return account.ok ? this.#whole(account.value.balances) : null;
  }

  /** Only what was heard: Binance has no list of all that moves a spot wallet. */
  async ledger(q: LedgerQuery): Promise<LedgerPage | null> {
    return this.#ledger.page(q);
  }

  async identity(): Promise<AccountIdentity | null> {
    const account = await this.#questions.account();
    return account.ok && account.value.uid !== null ? { id: account.value.uid } : null;
  }

  feeRates(): Promise<FeeRates | null> {
    const symbol = this.#quotes.has('BTCUSDT') ? 'BTCUSDT' : this.#instruments[0]?.symbol;
    return symbol === undefined ? Promise.resolve(null) : this.#questions.fees(symbol);
  }

  health(): VenueHealth {
    const { way } = this.#o;
    return { clockOffsetMs: this.#offset.offsetMs, budgets: way.budget.view(way.now) };
  }

  /** Throws why it cannot be. */
  async #measure(): Promise<void> {
    const { way } = this.#o;
    const trouble = await this.#caller.ask(SPOT.time, {}, (called, { leftAt, now }) => {
      const read = bodyOf(called);
      const time = read === null ? null : readTime(read);
      if (!time?.ok) return troubleOf(called);
      this.#offset.measured({ sentAt: leftAt, heardAt: now, time: time.value.serverTime });
      way.clockIs(time.value.serverTime, now - leftAt);
      return '';
    });
    if (trouble !== '') throw new Error(trouble ?? NO_TURN);
  }

  /** Null: it is subscribed; a line that is there already stays. */
  #listen(): Promise<string | null> {
    const { net, clock, random, addresses } = this.#o;
    this.#stream?.close();
    const stream = new UserStream({
      ...{ net, clock, random, caller: this.#caller, address: addresses['spot-api'] ?? '' },
      event: (text) => {
        if (this.#early) this.#early.add(text);
        else this.#tell(text);
      },
      unread: (problem) => {
        this.#complaints.say('a frame of the WebSocket API', problem);
        this.#sink?.stream('gap');
      },
      up: () => this.#sink?.stream('up'),
      gap: () => this.#sink?.stream('gap'),
      down: (cause) => {
        this.#complaints.say('the line is down', cause);
        this.#sink?.stream('down');
      },
    });
    this.#stream = stream;
    return stream.open(STREAM_WITHIN_MS);
  }

  /** The answer leaves out what there is none of, and what was there before may have gone. */
  #whole(told: readonly ExchangeBalance[]): readonly ExchangeBalance[] {
    const named = new Set(told.map(({ asset }) => asset));
    const time = told[0]?.time;
    const gone = [...this.#held].filter((asset) => !named.has(asset));
    for (const asset of named) this.#held.add(asset);
    const none = { free: '0', locked: '0', ...(time === undefined ? {} : { time }) };
    return [...told, ...gone.map((asset): ExchangeBalance => ({ asset, ...none }))];
  }

  #tell(text: string): void {
    const sink = this.#sink;
    if (!sink) return;
    tellEvent(text, {
      ...{ sink, complaints: this.#complaints },
      quoteOf: (symbol) => this.#quotes.get(symbol) ?? 'USDT',
      held: (asset) => this.#held.add(asset),
      moved: (entry) => this.#ledger.add(entry),
      doubted: () => {
        this.balances().then(
          (told) => told && this.#sink?.balances(told),
          () => this.#sink?.stream('gap'),
        );
      },
    });
  }

  /** Throws why they cannot be read. */
  async #readInstruments(): Promise<void> {
    const told = await this.#caller.ask(
      SPOT.exchangeInfo,
      // Most of the answer, and nothing that is read of it.
      { showPermissionSets: 'false' },
      (called) => {
        const text = bodyOf(called);
        if (text === null) return { problem: troubleOf(called) };
        const read = readSpotInstruments(text, this.account.id);
        return read.ok ? read.value : { problem: `what is traded cannot be read: ${read.problem}` };
      },
      { bytesMax: INSTRUMENT_LIST.length },
    );
    if (!told || 'problem' in told) throw new Error(told?.problem ?? NO_TURN);
    for (const problem of told.problems) this.#complaints.say('what is traded', problem);
    if (told.instruments.length === 0) throw new Error('the exchange names nothing that is traded');
    for (const limit of told.rateLimits) {
      const row = rowOf(limit);
      if (row) this.#o.way.budget.limitIs(row, limit.limit);
    }
    this.#instruments = withUnread(told, this.#instruments);
    this.#unread = told.unread;
    this.#instrumentsAt = this.#o.clock.monotonic();
    for (const { symbol, quote } of told.instruments) this.#quotes.set(symbol, quote);
  }

  /** Now and then: is the clock to be measured, and is another list due? */
  #look(): void {
    const { clock } = this.#o;
    this.#timer?.cancel();
    if (this.#closed) return;
    this.#timer = clock.after(LOOK_EVERY_MS, () => this.#look());
    const failed = (what: string) => (error: unknown) =>
      this.#complaints.say(what, error instanceof Error ? error.message : 'failed');
    if (this.#offset.isDue && !this.#isMeasuring) {
      this.#isMeasuring = true;
      const ended = () => {
        this.#isMeasuring = false;
      };
      this.#measure().catch(failed('the clock')).then(ended, ended);
    }
    if (clock.monotonic() - this.#instrumentsAt < INSTRUMENTS_EVERY_MS) return;
    // One that fails is asked again after as long.
    this.#instrumentsAt = clock.monotonic();
    this.#readInstruments().then(
      () => this.#sink?.instruments?.(this.#instruments),
      failed('what is traded'),
    );
  }
}

const NO_TURN = 'it had no turn within what the exchange lets be sent: wait a little, then try again';

function bodyOf(called: Called): string | null {
  return called.kind === 'answer' && called.status === 200 ? called.text : null;
}
