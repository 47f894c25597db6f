/**
 * The desk's link to one exchange account: opens it and tries again until it is open, turns its reports into
 * inputs of the engine, and has it compared after a start or a gap. Requests of the engine go through
 * `requests`.
 */
import type { Clock } from '../../domain/clock.ts';
import type { DeskIdentity } from '../../domain/desk-id.ts';
import { type FeeRates, namesOf, type OrderNames } from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { type Permissions, permissionNotices } from '../../domain/permissions.ts';
import { isShutByKey } from '../../engine/permissions.ts';
import type { EngineEvent } from '../../engine/step.ts';
import { StoreError } from '../../store/store.ts';
import type { Venue } from '../../venues/venue.ts';
import type { Reconciled } from '../console/account-views.ts';
import { AccountGate, type Shut } from './account-gate.ts';
import type { TradesReader } from './account-trades.ts';
import { shortWords, started } from './adapter-call.ts';
import { CALL_TIMEOUT_MS } from './calls.ts';
import { DailyQuestion } from './daily-question.ts';
import { FeeReader, feesRow, rateWords } from './fee-reader.ts';
import { InstrumentList } from './instrument-list.ts';
import { ReadableVenue } from './readable-venue.ts';
import { Reconciliation, recalled } from './reconciliation.ts';
import { Relisting } from './relisting.ts';
import type { Turn } from './turn.ts';
import { VenueRequests } from './venue-requests.ts';

/** Waits before an account that could not be opened is tried again. */
const OPEN_AGAIN_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000] as const;
const CONNECTING = 'it is being connected';

export interface VenueLinkOptions {
  readonly turn: Turn;
  readonly clock: Clock;
  /** The desk whose orders are sent. */
  readonly desk: DeskIdentity;
  /**
   * Puts an order back into memory if it had left, since a report about it has come; `makes`: the report
   * makes an order where there is none. False: it could not be read.
   */
  readonly recall: (names: OrderNames, makes: boolean) => boolean;
  /** Whether a row of the account's ledger is stored; throws where that cannot be read. */
  readonly inLedger: (id: string) => boolean;
  /**
   * Called when the wallet's ledger names executions, perhaps of this account (`NamedTrades`); left out:
   * nobody is told.
   */
  readonly named?: (exchange: string, symbols: readonly string[]) => void;
  /** Meta rows of the store at the start. */
  readonly meta: ReadonlyMap<string, unknown>;
  /** State or latency shown to the user has changed. */
  readonly changed: () => void;
  readonly report: (level: 'error' | 'warn' | 'info', text: string) => void;
  /** Removes the credentials that may be in a text of the adapter; left out: it has none. */
  readonly hide?: (text: string) => string;
}

export class VenueLink {
  readonly venue: ReadableVenue;
  state: 'up' | 'down' = 'down';
  /** When `state` last changed, wall time. */
  since: number;
  private readonly options: VenueLinkOptions;
  /** Why the account could not be opened so far; null: it is open. */
  away: string | null = CONNECTING;
  private opened = false;
  /** The exchange is connected, whether the account is open or not. */
  private connected = false;
  /** The exchange has reported a broken connection while the account is not open. */
  private heardDown = false;
  /** A report came while the account was not open and was ignored. */
  private unheard = false;
  /** Null: nobody else can trade the account. */
  readonly gate: AccountGate | null;
  private tries = 0;
  private closed = false;
  readonly reconciliation: Reconciliation;
  /** The engine's requests to the account. */
  readonly requests: VenueRequests;
  /** Null: nobody else can trade the account. */
  readonly trades: TradesReader | null;
  private readonly instruments: InstrumentList;
  private readonly relisting: Relisting;
  private readonly fees: FeeReader;
  private readonly permissions: DailyQuestion<Permissions>;
  /** The problems of the account's key that were reported last. */
  private noticed: readonly string[] = [];

  constructor(venue: Venue, options: VenueLinkOptions) {
    const known = () => this.reconciliation.memory.instruments.values();
    this.venue = new ReadableVenue(venue, { ...options, known });
    this.options = options;
    this.since = options.clock.wall();
    this.reconciliation = new Reconciliation({
      ...options,
      venue: this.venue,
      step: (event) => this.step(event),
      isUp: () => this.state === 'up',
      isOpen: () => this.opened,
    });
    this.instruments = new InstrumentList({
      venue: this.venue,
      memory: () => this.reconciliation.memory,
      meta: options.meta,
      keep: (row) => options.turn.keep(row),
    });
    this.relisting = new Relisting({
      clock: options.clock,
      memory: () => this.reconciliation.memory,
      read: () => this.opened && this.venue.relist(),
    });
    this.gate = venue.caps.ownOrdersOnly
      ? null
      : new AccountGate({
          ...options,
          venue: this.venue,
          fills: this.reconciliation.fills,
          ask: (run) => this.reconciliation.ask(run),
        });
    this.trades = venue.caps.ownOrdersOnly ? null : this.reconciliation.tradesReader();
    this.fees = new FeeReader({
      clock: options.clock,
      ask: () => this.reconciliation.ask(() => this.venue.feeRates()),
      known: () => this.reconciliation.memory.fees,
      instrument: (symbol) => this.reconciliation.memory.instruments.get(symbol),
      tell: (rates) => this.onFees(rates),
    });
    this.permissions = new DailyQuestion({
      clock: options.clock,
      ask: () => this.reconciliation.ask(() => this.venue.permissions()),
      answered: (told) => this.onPermissions(told),
      isShut: () => isShutByKey(this.reconciliation.memory),
    });
    this.requests = new VenueRequests({
      ...options,
      venue: this.venue,
      reconciliation: this.reconciliation,
      away: () => this.away,
      step: (event) => this.step(event),
      keyIsTaken: () => this.permissions.again(),
    });
  }

  /** The last comparison with the exchange; null: none has ended. */
  get reconciled(): Reconciled | null {
    return this.reconciliation.reconciled;
  }

  /** Events may be missing, and the account has not been compared as a whole since. */
  get hasGap(): boolean {
    return this.reconciliation.hasGap;
  }

  reconcile(): Promise<void> {
    return this.reconciliation.reconcile();
  }

  gap(): Promise<void> {
    return this.reconciliation.gap();
  }

  withoutGap(ms: number): Promise<void> {
    return this.reconciliation.withoutGap(ms);
  }

  /**
   * Opens the account. Resolves when it is open, its first try has failed, or there was no answer for a
   * while: an account that cannot be opened delays nobody. It is tried again until it is open. Rejects when
   * the desk's own store has failed.
   */
  open(): Promise<void> {
    const { clock } = this.options;
    return new Promise((resolve, reject) => {
      const timer = clock.after(CALL_TIMEOUT_MS, () => {
        this.setAway(`no answer within ${CALL_TIMEOUT_MS / 1_000} s`);
        resolve();
      });
      started(() => this.connect()).then(
        (shut) => {
          timer.cancel();
          if (shut) this.setShut(shut);
          else this.onOpened();
          resolve();
        },
        (error: unknown) => {
          timer.cancel();
          if (error instanceof StoreError) {
            reject(error);
            return;
          }
          this.setAway(this.options.hide?.(shortWords(error)) ?? shortWords(error));
          this.openLater();
          resolve();
        },
      );
    });
  }

  /** Notes why the account is not to be opened yet. Another link replaces this one when that is over. */
  wait(why: string): void {
    this.options.report('warn', `${this.venue.account.id} is not connected: ${why}`);
    this.tellAway(why);
  }

  /** Checks the account again: what kept it closed is settled. */
  openAgain(): void {
    if (this.opened || this.closed || !this.gate?.shut) return;
    this.gate.shut = null;
    this.tryOpen();
  }

  /**
   * Tries to open the account while nobody waits for it: an error of the desk's own store is reported, and it
   * is tried again as after others.
   */
  private tryOpen(): void {
    void this.open().catch((error: unknown) => {
      this.setAway(shortWords(error));
      this.openLater();
    });
  }

  private openLater(): void {
    if (this.closed) return;
    const delay = OPEN_AGAIN_MS[Math.min(this.tries++, OPEN_AGAIN_MS.length - 1)] ?? 0;
    this.options.clock.after(delay, () => this.closed || this.tryOpen());
  }

  private setAway(reason: string): void {
    if (this.closed || this.opened) return;
    if (this.away !== reason)
      this.options.report('error', `${this.venue.account.id} cannot be opened: ${reason}; tried again`);
    this.tellAway(reason);
  }

  /** Keeps the account closed: until somebody has decided, nothing is sent and nothing is tried again. */
  private setShut({ kind, why }: Shut): void {
    if (this.closed || this.opened) return;
    const { id } = this.venue.account;
    const isNew = this.away !== why;
    this.tellAway(why);
    const states = { another: '', held: `${id} is held: `, others: `${id} is closed: ` } as const;
    if (isNew) this.options.report('error', `${states[kind]}${why}`);
  }

  private tellAway(reason: string): void {
    const exchange = this.venue.account.id;
    this.away = reason;
    this.options.turn.step({ type: 'account', exchange, away: reason });
    this.reconciliation.tell();
    this.options.changed();
  }

  private onOpened(): void {
    if (this.closed) return;
    const { turn, clock } = this.options;
    const late = this.tries > 0 || this.away !== CONNECTING;
    this.opened = true;
    this.away = null;
    this.state = this.heardDown ? 'down' : 'up';
    this.since = clock.wall();
    const exchange = this.venue.account.id;
    const instruments = this.venue.instruments();
    const brackets = this.instruments.brackets(instruments);
    // Executions carry the exchange's time: by our own clock, if it is wrong, some would be taken for the
    // account's past.
    const connectedAt = this.reconciliation.fills.connected(this.venue.timeAt(turn.now()));
    // Where nobody else trades, the account has no past of others, and the time of a replay may go back.
    const since = this.venue.caps.ownOrdersOnly ? 0 : connectedAt;
    const isOther = this.instruments.isChange(instruments);
    turn.step({ type: 'account', exchange, away: null, instruments, brackets, since });
    if (isOther || !this.instruments.isKept) this.instruments.keep();
    this.relisting.listed();
    if (this.unheard) this.reconciliation.missed();
    else this.reconciliation.tell();
    if (this.venue.tellsFees) this.fees.start();
    if (this.venue.tellsPermissions) this.permissions.start();
    this.options.changed();
    if (!late) return;
    this.options.report('info', `${exchange} is open`);
    void this.reconcile();
  }

  /**
   * Takes the list of instruments, sent by the exchange or read again. The same list as before is no input.
   */
  private onInstruments(list: readonly Instrument[]): void {
    if (!this.opened || this.closed || this.instruments.isTold(list) || !this.instruments.isChange(list))
      return;
    const exchange = this.venue.account.id;
    this.options.turn.step({
      type: 'instruments',
      exchange,
      instruments: list,
      brackets: this.instruments.brackets(list),
    });
    this.instruments.keep();
    this.relisting.listed();
    // The margin settings of a contract that is new, or is back, are not known.
    if (this.venue.futures) this.reconciliation.again();
  }

  /** Connects the account. Returns why nothing may be sent to it; null: it may. */
  private async connect(): Promise<Shut | null> {
    if (!this.connected) await this.listen();
    this.connected = true;
    return this.gate ? this.gate.pass() : null;
  }

  /**
   * Whether reports are used. False while nothing may be sent: they are of another's account, or are read
   * again later.
   */
  private isHeard(): boolean {
    // A closed account's events are ignored.
    if (this.closed) return false;
    if (!this.gate || this.opened) return true;
    this.unheard = true;
    return false;
  }

  private async listen(): Promise<void> {
    const exchange = this.venue.account.id;
    await this.venue.open({
      order: (state) => {
        if (!this.isHeard()) return;
        this.step({ type: 'venue.order', exchange, state: recalled(state, this.options.recall) });
      },
      fill: (fill) => {
        if (!this.isHeard()) return;
        // If its order could not be read, the fill must not be taken for one of a foreign order.
        if (this.options.recall(namesOf(fill), true)) this.step({ type: 'venue.fill', exchange, fill });
        if (this.venue.tellsFees) this.fees.filled(fill);
      },
      balances: (changed) => this.isHeard() && this.step({ type: 'venue.balances', exchange, changed }),
      positions: (changed) => this.isHeard() && this.step({ type: 'venue.positions', exchange, changed }),
      instruments: (list) => this.onInstruments(list),
      ledger: () => this.opened && !this.closed && this.reconciliation.ledgerMoved(),
      stream: (state) => this.onStream(state),
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.requests.close();
    this.fees.close();
    this.relisting.close();
    this.permissions.close();
    this.reconciliation.close();
    await this.venue.close();
  }

  /**
   * Makes one input. Where nobody can say whether the balances include it already, the account is asked
   * again.
   */
  private step(event: EngineEvent): void {
    this.options.turn.step(event);
    if (this.opened) this.reconciliation.heard();
  }

  private onFees(rates: FeeRates): void {
    const exchange = this.venue.account.id;
    this.options.turn.step({ type: 'fees', exchange, rates });
    this.options.turn.keep(feesRow(exchange, rates));
    const words = `maker ${rateWords(rates.maker)}, taker ${rateWords(rates.taker)}`;
    this.options.report('info', `${exchange} pays ${words} for executions`);
    this.options.changed();
  }

  private onPermissions(told: Permissions): void {
    const exchange = this.venue.account.id;
    this.options.turn.step({ type: 'permissions', exchange, told });
    const notices = permissionNotices(exchange, told, this.options.clock.wall());
    for (const text of notices) if (!this.noticed.includes(text)) this.options.report('warn', text);
    this.noticed = notices;
    this.options.changed();
  }

  private onStream(state: 'up' | 'down' | 'gap'): void {
    if (this.closed) return;
    // The start compares by itself once everything is loaded.
    if (!this.opened) {
      if (this.gate && state !== 'gap') this.heardDown = state === 'down';
      return;
    }
    if (state !== 'gap' && state !== this.state) {
      this.state = state;
      this.since = this.options.clock.wall();
      this.options.changed();
      this.options.report(state === 'up' ? 'info' : 'warn', `${this.venue.account.id} is ${state}`);
    }
    if (state !== 'down') {
      this.onInstruments(this.venue.instruments());
      void this.gap();
      return;
    }
    this.reconciliation.missed();
    this.reconciliation.goOn();
  }
}
