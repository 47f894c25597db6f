/**
 * A spot account of Binance behind the exchange port: orders by REST, events by the WebSocket API. Opening
 * measures the clock, subscribes, and only then asks for the state, so that nothing is missed in between.
 * Native: see `forms.ts`.
 */
import type { AccountIdentity } from '../../../domain/account-identity.ts';
import type { ExchangeAccount, ExchangeBalance, FeeRates } from '../../../domain/exchange.ts';
import type { Instrument } from '../../../domain/instrument.ts';
import type { Lane } from '../../../domain/lane.ts';
import type { Permissions } from '../../../domain/permissions.ts';
import { INSTRUMENT_LIST } from '../../kit/bounds.ts';
import { Caller, type CallResult } from '../../kit/caller.ts';
import { ClockOffset } from '../../kit/clock-offset.ts';
import { Complaints } from '../../kit/complaints.ts';
import { ConnectedAccount, LISTS_EVERY_MS, NO_TURN, STREAM_WITHIN_MS } from '../../kit/connected-account.ts';
import { EventQueue } from '../../kit/event-queue.ts';
import { HeldAssets } from '../../kit/held-assets.ts';
import { withUnread } from '../../kit/instrument-reading.ts';
import { canSendPaced } from '../../kit/paced.ts';
import type { DustVenue, LedgerPage, LedgerQuery, Venue, VenueSink } from '../../venue.ts';
import type { AccountGiven } from '../account-given.ts';
import { binanceDialect } from '../dialect.ts';
import { readSpotInstruments } from '../instruments.ts';
import { troubleOf } from '../trouble.ts';
import { tellEvent } from './account-events.ts';
import { SpotOrders } from './account-orders.ts';
import { SpotQuestions } from './account-questions.ts';
import { rowOf, SPOT_ORDERS_1D, SPOT_ORDERS_10S, SPOT_WEIGHT } from './budgets.ts';
import { SpotDust } from './dust.ts';
import { EventLedger } from './event-ledger.ts';
import { BINANCE_SPOT_CAPS } from './forms.ts';
import { readTime } from './messages.ts';
import { SPOT, SPOT_REQUESTS } from './requests.ts';
import { UserStream } from './user-stream.ts';

export class SpotAccount extends ConnectedAccount implements Venue {
  readonly account: ExchangeAccount;
  readonly caps = BINANCE_SPOT_CAPS;
  readonly conversion?: DustVenue;
  readonly permissions?: () => Promise<Permissions | null>;
  protected readonly given: AccountGiven;
  protected readonly offset: ClockOffset;
  protected readonly caller: Caller;
  readonly #complaints: Complaints;
  protected readonly orders: SpotQuestions;
  protected readonly executions: SpotQuestions;
  protected readonly calls: SpotOrders;
  readonly #ledger: EventLedger;
  /** The account's number, under which its budgets are counted. */
  #uid = '';
  #instruments: readonly Instrument[] = [];
  #unread: readonly string[] = [];
  /**
   * Quote assets of all symbols ever listed: an execution of a delisted symbol has its fee in some asset,
   * too.
   */
  readonly #quotes = new Map<string, string>();
  /** Every asset that was ever reported. */
  readonly #held = new HeldAssets();
  #stream: UserStream | null = null;
  /** Events that came before the account was open; null: they are passed on at once. */
  #early: EventQueue<string> | null = null;

  constructor(given: AccountGiven) {
    super();
    this.given = given;
    this.account = given.account;
    const { clock, random, net, way, secrets, addresses, environment } = given;
    this.offset = new ClockOffset(clock);
    const report = (text: string) => given.report(`${given.account.id}: ${text}`);
    this.#complaints = new Complaints({ clock, report });
    this.caller = new Caller({
      net,
      clock,
      way,
      secrets,
      addresses,
      offset: this.offset,
      forms: SPOT_REQUESTS,
      dialect: binanceDialect(
        {
          weight: SPOT_WEIGHT,
          orders: { '10s': SPOT_ORDERS_10S, '1d': SPOT_ORDERS_1D },
        },
        () => this.lookAtClock(),
      ),
      uid: () => this.#uid,
    });
    const parts = { caller: this.caller, complaints: this.#complaints, offset: this.offset };
    this.orders = new SpotQuestions({ ...parts, now: () => this.offset.now() });
    this.executions = this.orders;
    this.calls = new SpotOrders({ ...parts, orderOf: (...asked) => this.orders.order(...asked) });
    this.#ledger = new EventLedger(random.id(8));
    // Testnet and demo do not have the wallet's own endpoints.
    if (environment === 'live') {
      this.permissions = () => this.orders.permissions();
      this.conversion = new SpotDust({ ...parts, clock });
    }
  }

  /** Opens the account; may be called again after a failure. Rejects with a sentence that says what to do. */
  async open(sink: VenueSink): Promise<void> {
    this.shut();
    this.sink = sink;
    const early = new EventQueue<string>();
    this.#early = early;
    try {
      await this.measure();
      const problem = await this.#listen();
      if (problem !== null) throw new Error(problem);
      await this.#readInstruments();
      const account = await this.orders.account();
      if (!account.ok) throw new Error(account.problem);
      if (this.#early !== early) throw new Error('it was closed');
      this.#uid = account.value.uid ?? '';
    } catch (error) {
      this.shut();
      throw error;
    }
    const events = early.take();
    this.#early = null;
    if (events === null) sink.stream('gap');
    else for (const text of events) this.#tell(text);
    this.watchClock();
    this.every(LISTS_EVERY_MS, () => this.#readAgain());
  }

  unreadSymbols(): readonly string[] {
    return this.#unread;
  }

  instruments(): readonly Instrument[] {
    return this.#instruments;
  }

  relist(): void {
    if (this.isRunning) this.#readAgain();
  }

  canSend(lane: Lane, symbol: string): { readonly retryAfterMs: number } | null {
    return canSendPaced(this.given.way, lane, this.caller.costs(SPOT.place, { symbol }));
  }

  async balances(): Promise<readonly ExchangeBalance[] | null> {
    const account = await this.orders.account();
    return account.ok ? this.#held.whole(account.value.balances, account.value.balances[0]?.time) : null;
  }

  /** Returns only what was heard: Binance has no list of everything that moves a spot wallet. */
  async ledger(q: LedgerQuery): Promise<LedgerPage | null> {
    return this.#ledger.page(q);
  }

  async identity(): Promise<AccountIdentity | null> {
    const account = await this.orders.account();
    return account.ok && account.value.uid !== null ? { id: account.value.uid } : null;
  }

  feeRates(): Promise<FeeRates | null> {
    const symbol = this.#quotes.has('BTCUSDT') ? 'BTCUSDT' : this.#instruments[0]?.symbol;
    return symbol === undefined ? Promise.resolve(null) : this.orders.fees(symbol);
  }

  protected measure(): Promise<void> {
    return this.measureBy(SPOT.time, timeOf, troubleOf);
  }

  protected override shut(): void {
    super.shut();
    this.#early = null;
    this.#stream?.close();
    this.#stream = null;
  }

  /** Opens a new user stream. Null: it is subscribed; else why not. */
  #listen(): Promise<string | null> {
    const { net, clock, random, addresses } = this.given;
    this.#stream?.close();
    const stream = new UserStream({
      net,
      clock,
      random,
      caller: this.caller,
      address: addresses['spot-api'] ?? '',
      event: (text) => {
        if (this.#early) this.#early.add(text);
        else this.#tell(text);
      },
      unread: (problem) => {
        this.#complaints.say('a frame of the WebSocket API', problem);
        this.sink?.stream('gap');
      },
      up: () => this.sink?.stream('up'),
      gap: () => this.sink?.stream('gap'),
      down: (cause) => {
        this.#complaints.say('the line is down', cause);
        this.sink?.stream('down');
      },
    });
    this.#stream = stream;
    return stream.open(STREAM_WITHIN_MS);
  }

  #tell(text: string): void {
    const sink = this.sink;
    if (!sink) return;
    tellEvent(text, {
      sink,
      complaints: this.#complaints,
      quoteOf: (symbol) => this.#quotes.get(symbol) ?? 'USDT',
      held: (asset) => this.#held.add(asset),
      moved: (entry) => this.#ledger.add(entry),
      doubted: () => {
        this.balances().then(
          (told) => (told ? this.sink?.balances(told) : this.sink?.stream('gap')),
          () => this.sink?.stream('gap'),
        );
      },
    });
  }

  /** Reads the instruments; throws the reason if they cannot be read. */
  async #readInstruments(): Promise<void> {
    const told = await this.caller.ask(
      SPOT.exchangeInfo,
      // Permission sets are most of the answer, and nothing of them is read.
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
      if (row) this.given.way.budget.limitIs(row, limit.limit);
    }
    this.#instruments = withUnread(told, this.#instruments);
    this.#unread = told.unread;
    for (const { symbol, quote } of told.instruments) this.#quotes.set(symbol, quote);
  }
  #readAgain(): void {
    this.#readInstruments().then(
      () => this.sink?.instruments?.(this.#instruments),
      (error: unknown) =>
        this.#complaints.say(
          'what is traded',
          error instanceof Error ? error.message : 'it could not be read',
        ),
    );
  }
}

function bodyOf(called: CallResult): string | null {
  return called.kind === 'answer' && called.status === 200 ? called.text : null;
}

function timeOf(called: CallResult): number | null {
  const text = bodyOf(called);
  const read = text === null ? null : readTime(text);
  return read?.ok ? read.value.serverTime : null;
}
