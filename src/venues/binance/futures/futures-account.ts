/**
 * One USD-M futures account of Binance: all parts of `Venue` put together. MARKET, LIMIT and post-only
 * orders, end dates more than 600 s ahead and everything that waits for a trigger are native (`forms.ts`).
 * Nothing is asked or signed before `open`.
 */
import type { AccountIdentity } from '../../../domain/account-identity.ts';
import type { ExchangeBalance, FeeRates } from '../../../domain/exchange.ts';
import type { Instrument } from '../../../domain/instrument.ts';
import type { Lane } from '../../../domain/lane.ts';
import type { Permissions } from '../../../domain/permissions.ts';
import { algoName } from '../../kit/algo-names.ts';
import { INSTRUMENT_LIST } from '../../kit/bounds.ts';
import { Caller, type CallResult } from '../../kit/caller.ts';
import { ClockOffset } from '../../kit/clock-offset.ts';
import { Complaints } from '../../kit/complaints.ts';
import { ConnectedAccount, LISTS_EVERY_MS } from '../../kit/connected-account.ts';
import { withUnread } from '../../kit/instrument-reading.ts';
import { canSendPaced } from '../../kit/paced.ts';
import type { DeadManVenue, FuturesVenue, LedgerPage, LedgerQuery, Venue, VenueSink } from '../../venue.ts';
import type { AccountGiven } from '../account-given.ts';
import { readBrackets } from '../brackets.ts';
import { binanceDialect, gateOf } from '../dialect.ts';
import { readFuturesInstruments } from '../instruments.ts';
import { troubleOf } from '../trouble.ts';
import { AccountFacts } from './account-facts.ts';
import { FUTURES_ORDERS_1M, FUTURES_ORDERS_10S, FUTURES_WEIGHT, rowOf } from './budgets.ts';
import { countdowns } from './countdowns.ts';
import { BINANCE_FUTURES_CAPS } from './forms.ts';
import { FuturesFills } from './futures-fills.ts';
import { ledgerPage } from './futures-ledger.ts';
import { FuturesSettings } from './futures-settings.ts';
import { type KeyRights, keyRights } from './key-rights.ts';
import { readAccountConfig, readBalances, readCommission, readSymbolConfigs, readTime } from './messages.ts';
import { OrderCalls } from './order-calls.ts';
import { OrderNamesKept } from './order-names.ts';
import { OrderQuestions } from './order-questions.ts';
import { figure } from './order-states.ts';
import { Questions } from './questions.ts';
import { FUTURES, FUTURES_REQUESTS } from './requests.ts';
import { UserEvents } from './user-events.ts';
import { UserStream } from './user-stream.ts';

const IN_PORTFOLIO =
  'the account is in portfolio margin, which is not served here: leave it at Binance, or connect spot alone';
const IN_MULTI_ASSETS =
  'the account is in multi-assets mode, whose collateral is not computed here: nothing new is opened until margin mode 1 is set; what closes goes on';

export class FuturesAccount extends ConnectedAccount implements Venue {
  readonly account: Venue['account'];
  readonly caps = BINANCE_FUTURES_CAPS;
  readonly futures: FuturesVenue;
  readonly deadMan: DeadManVenue;
  readonly permissions?: () => Promise<Permissions | null>;
  protected readonly given: AccountGiven;
  readonly #report: (text: string) => void;
  readonly #rights: (() => Promise<KeyRights | null>) | null;
  protected readonly offset: ClockOffset;
  protected readonly caller: Caller;
  readonly #questions: Questions;
  readonly #names = new OrderNamesKept();
  readonly #facts = new AccountFacts();
  protected readonly orders: OrderQuestions;
  protected readonly calls: OrderCalls;
  protected readonly executions: FuturesFills;
  readonly #events: UserEvents;
  readonly #stream: UserStream;
  #instruments: readonly Instrument[] = [];
  #unread: readonly string[] = [];

  constructor(given: AccountGiven) {
    super();
    this.given = given;
    const { account, clock, way, net, random, secrets, addresses } = given;
    const report = (text: string) => given.report(`${account.id}: ${text}`);
    this.#report = report;
    this.account = account;
    this.offset = new ClockOffset(clock);
    const rows = { '10s': FUTURES_ORDERS_10S, '1m': FUTURES_ORDERS_1M };
    const dialect = binanceDialect({ weight: FUTURES_WEIGHT, orders: rows }, () => this.lookAtClock());
    const offset = this.offset;
    this.caller = new Caller({
      net,
      clock,
      way,
      offset,
      secrets,
      dialect,
      addresses,
      forms: FUTURES_REQUESTS,
      uid: () => account.id,
    });
    const complaints = new Complaints({ clock, report });
    const [caller, names, facts] = [this.caller, this.#names, this.#facts];
    const questions = new Questions({ caller, complaints });
    this.#questions = questions;
    this.orders = new OrderQuestions({ questions, names, complaints });
    const settings = new FuturesSettings({ questions, facts, clock, offset });
    this.futures = settings;
    this.#stream = new UserStream({
      net,
      clock,
      random,
      questions,
      gate: gateOf(way),
      address: addresses['futures-private'] ?? '',
      message: (text) => this.#events.message(text),
      up: () => this.sink?.stream('up'),
      gap: () => this.sink?.stream('gap'),
      down: (cause) => {
        report(`the user stream is down: ${cause}`);
        this.sink?.stream('down');
      },
    });
    this.#events = new UserEvents({
      clock,
      names,
      facts,
      complaints,
      report,
      keyEnded: () => this.#stream.renew('the key of the user stream has expired'),
      firesLate: (algoId) => void this.#firesLate(algoId),
      learn: (symbol) => this.orders.learn(symbol),
      endUnknown: (algoId, symbol) => void this.#asksForEnd(algoId, symbol),
      isForeignSetting: (symbol, to) => settings.isForeign(symbol, to),
    });
    this.calls = new OrderCalls({
      caller,
      names,
      facts,
      orders: this.orders,
      taken: (since) => this.#stream.owes(since),
    });
    this.deadMan = countdowns(caller);
    this.#rights = keyRights(given);
    if (this.#rights) this.permissions = async () => (await this.#rights?.()) ?? null;
    this.executions = new FuturesFills({
      questions,
      names,
      now: () => offset.now(),
      learn: (symbol) => this.orders.learn(symbol),
    });
  }

  async open(sink: VenueSink): Promise<void> {
    this.shut();
    this.sink = sink;
    try {
      await this.measure();
      await this.#readLists();
      await this.#readConfig();
      this.#events.listen(sink);
      const problem = await this.#stream.open();
      if (problem !== null) throw new Error(problem);
    } catch (error) {
      this.shut();
      throw (await this.#isPortfolio(error)) ? new Error(IN_PORTFOLIO) : error;
    }
    this.every(LISTS_EVERY_MS, () => this.relist());
    this.watchClock();
  }

  unreadSymbols(): readonly string[] {
    return this.#unread;
  }

  instruments(): readonly Instrument[] {
    return this.#instruments;
  }

  relist(): void {
    if (!this.isRunning) return;
    this.#readLists().catch(() => this.#report('what is traded could not be read again'));
  }

  canSend(lane: Lane, _symbol: string): { readonly retryAfterMs: number } | null {
    const { way } = this.given;
    return canSendPaced(way, lane, this.caller.costs(FUTURES.place, {}));
  }

  /** Returns the wallet balances. Margin in use is computed from positions and orders. */
  async balances(): Promise<readonly ExchangeBalance[] | null> {
    const rows = await this.#questions.value(FUTURES.balance, {}, readBalances);
    return (
      rows?.map(({ asset, balance, updateTime }) => ({
        asset,
        free: figure(balance),
        locked: '0',
        // Zero: the balance has never changed.
        ...(updateTime === undefined || updateTime === 0 ? {} : { time: updateTime }),
      })) ?? null
    );
  }

  ledger(q: LedgerQuery): Promise<LedgerPage | null> {
    return ledgerPage(this.#questions, q, this.offset.now());
  }

  /** Returns the rates of the first symbol in USDT: they differ only by margin asset and for some symbols. */
  async feeRates(): Promise<FeeRates | null> {
    const of = this.#instruments.find(({ quote, halt }) => quote === 'USDT' && halt === undefined);
    if (!of) return null;
    const rates = await this.#questions.value(FUTURES.commission, { symbol: of.symbol }, readCommission);
    return rates && { maker: figure(rates.makerCommissionRate), taker: figure(rates.takerCommissionRate) };
  }

  /** Returns the unique code that futures give an account: its key may not be allowed to ask on spot. */
  async identity(): Promise<AccountIdentity | null> {
    const rows = await this.#questions.value(FUTURES.balance, {}, readBalances);
    const alias = rows?.find(({ accountAlias }) => accountAlias)?.accountAlias;
    return alias ? { id: alias } : null;
  }

  /**
   * Whether the account is in portfolio margin. The exchange refuses such an account as if its key had no
   * rights (Binance.Net#1485); the wallet knows better.
   */
  async #isPortfolio(error: unknown): Promise<boolean> {
    if (!(error instanceof Error && error.message.includes('-2015'))) return false;
    return (await this.#rights?.())?.portfolio === true;
  }

  protected measure(): Promise<void> {
    return this.measureBy(FUTURES.time, timeOf, troubleOf);
  }

  async #readLists(): Promise<void> {
    const { id } = this.account;
    const asked = await this.#questions.ask(
      FUTURES.exchangeInfo,
      {},
      (text) => readFuturesInstruments(text, id),
      { bytesMax: INSTRUMENT_LIST.length },
    );
    if (asked.kind !== 'found') throw new Error(asked.cause);
    for (const problem of asked.value.problems) this.#report(problem);
    this.#instruments = withUnread(asked.value, this.#instruments);
    this.#unread = asked.value.unread;
    for (const told of asked.value.rateLimits) {
      const row = rowOf(told);
      if (row) this.given.way.budget.limitIs(row, told.limit);
    }
    const brackets = await this.#questions.ask(FUTURES.brackets, {}, readBrackets);
    if (brackets.kind !== 'found') throw new Error(brackets.cause);
    this.#facts.setBrackets(brackets.value);
    this.sink?.instruments?.(this.#instruments);
  }

  async #readConfig(): Promise<void> {
    const config = await this.#questions.ask(FUTURES.accountConfig, {}, readAccountConfig);
    if (config.kind !== 'found') throw new Error(config.cause);
    this.#facts.hedge = config.value.dualSidePosition;
    this.#facts.multiAssets = config.value.multiAssetsMargin;
    if (config.value.multiAssetsMargin) this.#report(IN_MULTI_ASSETS);
    if (config.value.canTrade === false) this.#report('the account may not trade futures');
    const symbols = await this.#questions.ask(FUTURES.symbolConfig, {}, readSymbolConfigs);
    if (symbols.kind !== 'found') throw new Error(symbols.cause);
    this.#facts.setConfigs(symbols.value);
  }

  /**
   * Asks about a trigger that was met without an order. If it is stuck the order protects nothing, as far as
   * anybody knows.
   */
  async #firesLate(algoId: string): Promise<void> {
    const asked = await this.orders.algo({ algoId });
    if (asked.kind === 'failed') this.#events.firesStill(algoId);
    if (asked.kind !== 'found') return;
    const state = this.orders.stateOfAlgo(asked.value);
    if (!state) return;
    const isStuck = asked.value.algoStatus === 'TRIGGERING';
    this.sink?.order(isStuck ? { ...state, stuck: true } : state);
    if (!isStuck) return;
    const { symbol, side } = asked.value;
    this.#report(
      `the trigger of ${state.clientId} (${side} ${symbol}) was met and nothing has come of it: it may protect nothing`,
    );
  }

  /** Asks how an order has ended. If there is no answer, the next comparison finds out. */
  async #asksForEnd(algoId: string, symbol: string): Promise<void> {
    const outcome = await this.orders.query({ clientId: '', symbol, venueIds: [algoName(algoId)] });
    if (outcome.kind !== 'found') {
      this.sink?.stream('gap');
      return;
    }
    for (const fill of outcome.fills) this.sink?.fill(fill);
    this.sink?.order(outcome.state);
  }

  protected override shut(): void {
    super.shut();
    this.#events.listen(null);
    this.#stream.close();
  }
}

function timeOf(called: CallResult): number | null {
  const read = called.kind === 'answer' ? readTime(called.text) : null;
  return read?.ok ? read.value.serverTime : null;
}
