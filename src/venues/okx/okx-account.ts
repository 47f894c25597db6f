/**
 * An OKX account behind the exchange port, spot or swap: both use the same requests, and differ by their
 * instruments and by positions. Orders go by REST, events come on two sockets. Native: see `forms.ts`;
 * nothing is asked or signed before `open`.
 */
import type { AccountIdentity } from '../../domain/account-identity.ts';
import { dec, maxDec, minDec, str, ZERO } from '../../domain/decimal.ts';
import type { ExchangeBalance, ExchangeCaps, FeeRates } from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Lane } from '../../domain/lane.ts';
import type { Permissions } from '../../domain/permissions.ts';
import { INSTRUMENT_LIST } from '../kit/bounds.ts';
import { Caller, type CallResult } from '../kit/caller.ts';
import { ClockOffset } from '../kit/clock-offset.ts';
import { Complaints } from '../kit/complaints.ts';
import { ConnectedAccount, LISTS_EVERY_MS, STREAM_WITHIN_MS } from '../kit/connected-account.ts';
import { HeldAssets } from '../kit/held-assets.ts';
import { canSendPaced } from '../kit/paced.ts';
import type {
  DeadManVenue,
  DustVenue,
  FuturesVenue,
  LedgerPage,
  LedgerQuery,
  Venue,
  VenueSink,
} from '../venue.ts';
import { type AccountGiven, INST_TYPE } from './account-given.ts';
import { AccountMode } from './account-mode.ts';
import { countdown } from './countdown.ts';
import { okxDialect } from './dialect.ts';
import { OkxDust } from './dust.ts';
import { feeRates } from './fees.ts';
import { Fills } from './fills.ts';
import { OKX_SPOT_CAPS, OKX_SWAP_CAPS, TAGS } from './forms.ts';
import { Listed, readInstruments } from './instruments.ts';
import { ledgerPage } from './ledger.ts';
import {
  type AlgoRow,
  type AssetRow,
  type OrderRow,
  readBalances,
  readConfig,
  readTime,
} from './messages.ts';
import { OrderCalls } from './order-calls.ts';
import { OrderNamesKept } from './order-names.ts';
import { OrderQuestions } from './order-questions.ts';
import { figure } from './order-states.ts';
import { Questions } from './questions.ts';
import { OKX, OKX_REQUESTS } from './requests.ts';
import { SwapFacts } from './swap-facts.ts';
import { SwapSettings } from './swap-settings.ts';
import { troubleOf } from './trouble.ts';
import { UserEvents } from './user-events.ts';
import { UserStream } from './user-stream.ts';

/** Shortest time between two reads of the list when events name unlisted instruments, ms. */
const UNLISTED_EVERY_MS = 60_000;

export class OkxAccount extends ConnectedAccount implements Venue {
  readonly account: Venue['account'];
  readonly caps: ExchangeCaps;
  readonly futures?: FuturesVenue;
  readonly conversion?: DustVenue;
  readonly deadMan: DeadManVenue;
  protected readonly given: AccountGiven;
  readonly #report: (text: string) => void;
  protected readonly offset: ClockOffset;
  protected readonly caller: Caller;
  readonly #questions: Questions;
  readonly #complaints: Complaints;
  readonly #mode = new AccountMode();
  readonly #listed = new Listed();
  readonly #names = new OrderNamesKept();
  protected readonly orders: OrderQuestions;
  protected readonly calls: OrderCalls;
  protected readonly executions: Fills;
  readonly #events: UserEvents;
  readonly #stream: UserStream;
  /** Every asset that was ever reported. */
  readonly #held = new HeldAssets();
  #listedAt = Number.NEGATIVE_INFINITY;

  constructor(given: AccountGiven) {
    super();
    this.given = given;
    const { account, kind, clock, way, net, random, secrets, addresses, environment } = given;
    this.account = account;
    this.caps = kind === 'spot' ? OKX_SPOT_CAPS : OKX_SWAP_CAPS;
    const report = (text: string) => given.report(`${account.id}: ${text}`);
    this.#report = report;
    const offset = new ClockOffset(clock);
    this.offset = offset;
    const complaints = new Complaints({ clock, report });
    this.#complaints = complaints;
    const caller = new Caller({
      net,
      clock,
      way,
      offset,
      secrets,
      addresses,
      forms: OKX_REQUESTS,
      dialect: okxDialect(environment, () => this.lookAtClock()),
      uid: () => given.connection,
    });
    this.caller = caller;
    const questions = new Questions({ caller, complaints });
    this.#questions = questions;
    const [listed, names, mode] = [this.#listed, this.#names, this.#mode];
    const now = () => offset.now();
    const facts = kind === 'swap' ? new SwapFacts(listed) : null;
    if (facts) this.futures = new SwapSettings({ questions, facts, listed, mode, clock, offset });
    else if (environment === 'live') this.conversion = new OkxDust(questions);
    this.deadMan = countdown(caller, TAGS[kind]);
    const orders = new OrderQuestions({ kind, questions, names, listed, complaints, now });
    this.orders = orders;
    this.calls = new OrderCalls({
      kind,
      caller,
      clock,
      offset,
      names,
      listed,
      mode,
      orders,
      hasToReduce: (order) => facts?.hasToReduce(order) ?? false,
    });
    this.executions = new Fills({ questions, orders, names, listed, now });
    this.#events = new UserEvents({
      kind,
      clock,
      names,
      listed,
      facts,
      complaints,
      balanceOf: (row, time) => this.#balanceOf(row, time),
      askFills: (row) => void this.#askFills(row),
      firesLate: (row) => void this.#firesLate(row),
      unlisted: () => this.#unlisted(),
    });
    this.#stream = new UserStream({
      net,
      clock,
      random,
      caller,
      kind,
      addresses: {
        private: addresses['private-stream'] ?? '',
        business: addresses['business-stream'] ?? '',
      },
      event: (channel, text) => this.#events.event(channel, text),
      unread: (problem) => {
        complaints.say('a frame of the user stream', problem);
        this.sink?.stream('gap');
      },
      up: () => this.sink?.stream('up'),
      gap: () => this.sink?.stream('gap'),
      down: (cause) => {
        complaints.say('the line is down', cause);
        this.sink?.stream('down');
      },
    });
  }

  /** Opens the account; may be called again after a failure. Rejects with a sentence that says what to do. */
  async open(sink: VenueSink): Promise<void> {
    this.shut();
    this.sink = sink;
    try {
      await this.measure();
      await this.#readConfig();
      await this.#readLists();
      this.#events.listen(sink);
      const problem = await this.#stream.open(STREAM_WITHIN_MS);
      if (problem !== null) throw new Error(problem);
    } catch (error) {
      this.shut();
      throw error;
    }
    this.every(LISTS_EVERY_MS, () => this.#readAgain());
    this.watchClock();
  }

  unreadSymbols(): readonly string[] {
    return this.#listed.unread;
  }

  instruments(): readonly Instrument[] {
    return this.#listed.instruments;
  }

  relist(): void {
    if (this.isRunning) void this.#readAgain();
  }

  canSend(lane: Lane, symbol: string): { readonly retryAfterMs: number } | null {
    const instId = this.#listed.of(symbol)?.instId ?? '';
    return canSendPaced(this.given.way, lane, this.caller.costs(OKX.place, { instId }));
  }

  /**
   * Returns the balances. The answer leaves out assets without any, so an asset reported before may be gone.
   */
  async balances(): Promise<readonly ExchangeBalance[] | null> {
    const asked = await this.#questions.one(OKX.balance, {}, readBalances);
    if (asked.kind !== 'found') return null;
    const { details, uTime } = asked.value;
    this.#events.known(details);
    const told = details.map((row) => this.#balanceOf(row, uTime));
    return this.#held.whole(told, uTime ? Number(uTime) : undefined);
  }

  ledger(q: LedgerQuery): Promise<LedgerPage | null> {
    return ledgerPage(this.#questions, q, this.offset.now(), this.given.markets);
  }

  feeRates(): Promise<FeeRates | null> {
    return feeRates(this.#questions, this.given.kind, this.#listed.all);
  }

  async permissions(): Promise<Permissions | null> {
    return (await this.#askConfig()) === null ? this.#mode.permissions : null;
  }

  async identity(): Promise<AccountIdentity | null> {
    return (await this.#askConfig()) === null ? this.#mode.identity : null;
  }

  /**
   * `free + locked` is the cash of the wallet: spot orders lock part of it, positions use it as margin. The
   * time is that of reading the account: a currency's own time may stay the same while orders lock and
   * release it, and a balance with that time would be taken for an old one.
   */
  #balanceOf(
    { ccy, cashBal, frozenBal, ordFrozen, uTime }: AssetRow,
    readAt: string | undefined,
  ): ExchangeBalance {
    const wallet = dec(figure(cashBal));
    const frozen = dec(figure(this.#mode.isSpotMode ? frozenBal : ordFrozen));
    const hasSpot = this.given.markets.includes('spot');
    const locked = hasSpot ? maxDec(ZERO, minDec(frozen, wallet)) : ZERO;
    this.#held.add(ccy);
    return { asset: ccy, free: str(wallet - locked), locked: str(locked), time: Number(readAt || uTime) };
  }

  protected measure(): Promise<void> {
    return this.measureBy(OKX.time, timeOf, troubleOf);
  }

  /** Reads the account's configuration. Null: done; else why it could not be read. */
  async #askConfig(): Promise<string | null> {
    const asked = await this.#questions.one(OKX.config, {}, readConfig);
    if (asked.kind !== 'found') return asked.cause;
    this.#mode.set(asked.value);
    return null;
  }

  /** Reads the configuration; throws the reason if this account cannot be traded. */
  async #readConfig(): Promise<void> {
    const { kind } = this.given;
    const problem = (await this.#askConfig()) ?? this.#mode.problem(kind);
    if (problem !== null) throw new Error(problem);
    for (const notice of this.#mode.notices(kind)) this.#complaints.say('the account', notice);
  }

  /** Reads the lists; throws the reason if they cannot be read. */
  async #readLists(): Promise<void> {
    const { kind } = this.given;
    this.#listedAt = this.given.clock.monotonic();
    const asked = await this.#questions.ask(
      OKX.instruments,
      { instType: INST_TYPE[kind] },
      (text) => readInstruments(text, this.account.id, kind),
      { bytesMax: INSTRUMENT_LIST.length },
    );
    if (asked.kind !== 'found') throw new Error(asked.cause);
    for (const problem of asked.value.problems) this.#complaints.say('what is traded', problem);
    if (asked.value.listings.length === 0) throw new Error('the exchange names nothing that is traded');
    this.#listed.replace(asked.value);
  }

  async #readAgain(): Promise<void> {
    try {
      await this.#readLists();
      this.sink?.instruments?.(this.#listed.instruments);
      const problem = (await this.#askConfig()) ?? this.#mode.problem(this.given.kind);
      if (problem !== null) this.#complaints.say('the account', problem);
    } catch (error) {
      this.#complaints.say('what is traded', error instanceof Error ? error.message : 'it could not be read');
    }
  }

  #unlisted(): void {
    if (this.given.clock.monotonic() - this.#listedAt < UNLISTED_EVERY_MS) return;
    this.#readAgain().then(
      () => this.sink?.stream('gap'),
      () => {},
    );
  }

  /** Tells an order that the exchange itself has made: its executions first, which show what it is. */
  async #askFills(row: OrderRow): Promise<void> {
    const fills = await this.orders.fillsOf(row);
    const state = this.orders.stateOf(row);
    if (!fills || !state) {
      this.sink?.stream('gap');
      return;
    }
    for (const fill of fills) this.sink?.fill(fill);
    this.sink?.order(state);
  }

  /** Handles a trigger that was met without an order: it may protect nothing. */
  async #firesLate({ algoId, instId, side }: AlgoRow): Promise<void> {
    const symbol = this.#listed.named(instId)?.instrument.symbol ?? instId;
    const outcome = await this.orders.query({ clientId: '', symbol, venueIds: [`a${algoId}`] });
    if (outcome.kind !== 'found') {
      this.sink?.stream('gap');
      return;
    }
    const isStuck = outcome.state.status === 'PENDING';
    this.sink?.order(isStuck ? { ...outcome.state, stuck: true } : outcome.state);
    for (const fill of outcome.fills) this.sink?.fill(fill);
    if (isStuck)
      this.#report(
        `the trigger of ${outcome.state.clientId} (${side} ${symbol}) was met and nothing has come of it: it may protect nothing`,
      );
  }

  protected override shut(): void {
    super.shut();
    this.#events.listen(null);
    this.#stream.close();
  }
}

function timeOf(called: CallResult): number | null {
  const read = called.kind === 'answer' ? readTime(called.text) : null;
  const row = read?.ok ? read.value.data[0] : undefined;
  return row ? Number(row.ts) : null;
}
