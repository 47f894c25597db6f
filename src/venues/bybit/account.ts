/**
 * An account of Bybit for the exchange port, spot or linear contracts of one unified wallet: orders are sent
 * by REST, their events come over the private socket. Opening measures the clock, checks the account's mode,
 * subscribes, and only then reads the state. Native order types: see `forms.ts`.
 */
import type { AccountIdentity } from '../../domain/account-identity.ts';
import type { DeadManOffer } from '../../domain/dead-man.ts';
import { dec } from '../../domain/decimal.ts';
import { type ExchangeBalance, type ExchangeCaps, type FeeRates, walletOf } from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Lane } from '../../domain/lane.ts';
import type { Permissions } from '../../domain/permissions.ts';
import type { AccountGiven } from '../kit/account-given.ts';
import { INSTRUMENT_LIST } from '../kit/bounds.ts';
import { Caller, type CallResult } from '../kit/caller.ts';
import { ClockOffset } from '../kit/clock-offset.ts';
import { Complaints } from '../kit/complaints.ts';
import { ConnectedAccount, LISTS_EVERY_MS, STREAM_WITHIN_MS } from '../kit/connected-account.ts';
import { EventQueue } from '../kit/event-queue.ts';
import { HeldAssets } from '../kit/held-assets.ts';
import { withUnread } from '../kit/instrument-reading.ts';
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
import { AccountFacts } from './account-facts.ts';
import { balancesOf } from './balances.ts';
import { bracketsOf } from './brackets.ts';
import { type Category, categoryOf } from './category.ts';
import { bybitDialect } from './dialect.ts';
import { BybitDust } from './dust.ts';
import { figure } from './figures.ts';
import { BybitFills } from './fills.ts';
import { BYBIT_LINEAR_CAPS, BYBIT_SPOT_CAPS } from './forms.ts';
import { instrumentsOf } from './instruments.ts';
import { identityOf, permissionsOf } from './key-rights.ts';
import { ledgerPage } from './ledger.ts';
import {
  readAccount,
  readDeadMan,
  readFees,
  readInstrumentPage,
  readKey,
  readRiskLimits,
  readTime,
  readWallet,
} from './messages.ts';
import { OrderCalls } from './order-calls.ts';
import { OrderNamesKept } from './order-names.ts';
import { OrderQuestions } from './order-questions.ts';
import { OrderWatch } from './order-watch.ts';
import { Questions } from './questions.ts';
import { BYBIT, type BybitRequests, LINEAR_REQUESTS, SPOT_REQUESTS } from './requests.ts';
import { BybitSettings, marginOf } from './settings.ts';
import { troubleOf } from './trouble.ts';
import { UserEvents } from './user-events.ts';
import { UserStream } from './user-stream.ts';

/** `unifiedMarginStatus` (DOC enum). */
const CLASSIC = 1;

export class BybitAccount extends ConnectedAccount implements Venue {
  readonly account: Venue['account'];
  readonly caps: ExchangeCaps;
  readonly futures?: FuturesVenue;
  readonly conversion?: DustVenue;
  readonly permissions?: () => Promise<Permissions | null>;
  readonly identity?: () => Promise<AccountIdentity | null>;
  readonly feeRates?: () => Promise<FeeRates | null>;
  readonly deadMan: DeadManVenue;
  protected readonly given: AccountGiven;
  readonly #category: Category;
  readonly #requests: BybitRequests;
  readonly #report: (text: string) => void;
  protected readonly offset: ClockOffset;
  protected readonly caller: Caller;
  readonly #questions: Questions;
  readonly #complaints: Complaints;
  readonly #facts = new AccountFacts();
  readonly #settings: BybitSettings | null;
  protected readonly orders: OrderQuestions;
  protected readonly calls: OrderCalls;
  protected readonly executions: BybitFills;
  readonly #events: UserEvents;
  readonly #stream: UserStream;
  #instruments: readonly Instrument[] = [];
  #unread: readonly string[] = [];
  #bySymbol: ReadonlyMap<string, Instrument> = new Map();
  /** Assets that were ever reported. */
  readonly #held = new HeldAssets();
  /** Events that came before the account was open. */
  #early: EventQueue<{ readonly topic: string; readonly text: string }> | null = null;
  /** The number of the opening: work still running for an earlier one is dropped. */
  #opening = 0;
  #isLearning = false;

  constructor(given: AccountGiven) {
    super();
    this.given = given;
    const { account, clock, way, net, random, secrets, addresses, environment } = given;
    const category = categoryOf(account);
    const requests = BYBIT[category];
    this.#category = category;
    this.#requests = requests;
    this.account = account;
    this.caps = category === 'spot' ? BYBIT_SPOT_CAPS : BYBIT_LINEAR_CAPS;
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
      dialect: bybitDialect(() => this.lookAtClock()),
      forms: category === 'spot' ? SPOT_REQUESTS : LINEAR_REQUESTS,
      // Both accounts of a wallet belong to one user, whose budgets are shared.
      uid: () => walletOf(account),
    });
    this.caller = caller;
    const questions = new Questions({ caller, complaints });
    this.#questions = questions;
    const names = new OrderNamesKept();
    const facts = this.#facts;
    const parts = {
      category,
      requests,
      questions,
      names,
      complaints,
      stepOf: (symbol: string) => dec(this.#bySymbol.get(symbol)?.stepSize ?? '0'),
      instrumentOf: (symbol: string) => this.#bySymbol.get(symbol),
      isHedged: (symbol: string) => facts.isHedged(symbol) ?? facts.hedge,
    };
    this.executions = new BybitFills({ ...parts, now: () => offset.now() });
    this.orders = new OrderQuestions({ ...parts, fills: this.executions });
    const watch = new OrderWatch(clock);
    this.calls = new OrderCalls({
      caller,
      category,
      requests,
      names,
      facts,
      complaints,
      watch,
      orders: this.orders,
      taken: (since) => this.#stream.owes(since),
    });
    this.#events = new UserEvents({
      ...parts,
      clock,
      facts,
      heard: (state) => watch.heard(state),
      held: (asset) => this.#held.add(asset),
    });
    this.#stream = this.#makeStream({ net, clock, random, address: addresses['private-stream'] ?? '' });
    this.#settings =
      category === 'linear'
        ? new BybitSettings({
            questions,
            requests,
            facts,
            offset,
            oneContract: () => this.#instruments.find(({ quote }) => quote === 'USDT')?.symbol ?? null,
            modesChanged: () => void this.#learnContracts(),
          })
        : null;
    if (this.#settings) this.futures = this.#settings;
    this.deadMan = { offered: () => this.#deadMan() };
    // DOC demo: the demo environment does not offer these.
    if (environment !== 'demo') {
      this.permissions = async () => {
        const key = await questions.value(requests.key, {}, readKey);
        return key && permissionsOf(key.result, category);
      };
      this.identity = async () => {
        const key = await questions.value(requests.key, {}, readKey);
        return key && identityOf(key.result);
      };
      this.feeRates = () => this.#fees();
    }
    if (environment === 'live' && category === 'spot')
      this.conversion = new BybitDust({ questions, requests, clock });
  }

  /** Opens the account; may be called again after a failure. Rejects with a sentence that says what to do. */
  async open(sink: VenueSink): Promise<void> {
    this.shut();
    this.sink = sink;
    this.#early = new EventQueue();
    this.#opening += 1;
    try {
      await this.measure();
      await this.#lookAtAccount();
      this.#events.listen(sink);
      const problem = await this.#stream.open(STREAM_WITHIN_MS);
      if (problem !== null) throw new Error(problem);
      await this.#readInstruments();
    } catch (error) {
      this.shut();
      throw error;
    }
    const early = this.#early ? this.#early.take() : [];
    this.#early = null;
    if (early === null) sink.stream('gap');
    else for (const { topic, text } of early) this.#events.message(topic, text);
    this.watchClock();
    this.every(LISTS_EVERY_MS, () => this.#readAgain());
    if (this.#settings) void this.#readBrackets().then(() => this.#learnContracts());
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
    return canSendPaced(this.given.way, lane, this.caller.costs(this.#requests.place, { symbol }));
  }

  /**
   * Returns the balances of the whole wallet, which all accounts of the connection share. The answer is as
   * old as the question.
   */
  async balances(): Promise<readonly ExchangeBalance[] | null> {
    const wallets = await this.#questions.rows(this.#requests.wallet, { accountType: 'UNIFIED' }, readWallet);
    if (!wallets) return null;
    return this.#held.whole(wallets.flatMap(({ coin }) => balancesOf(coin)));
  }

  ledger(q: LedgerQuery): Promise<LedgerPage | null> {
    return ledgerPage(this.#questions, this.#requests, q, this.offset.now());
  }

  #makeStream(
    given: Pick<AccountGiven, 'net' | 'clock' | 'random'> & { readonly address: string },
  ): UserStream {
    const category = this.#category;
    return new UserStream({
      ...given,
      caller: this.caller,
      requests: this.#requests,
      // Executions of both markets change the wallet.
      topics: () => [
        `order.${category}`,
        'execution.spot',
        'execution.linear',
        'wallet',
        ...(category === 'linear' ? ['position.linear'] : []),
      ],
      event: (topic, text) => {
        if (this.#early) this.#early.add({ topic, text });
        else this.#events.message(topic, text);
      },
      unread: (problem) => {
        this.#complaints.say('a message of the private socket', problem);
        this.sink?.stream('gap');
      },
      up: () => this.#missed('up'),
      gap: () => this.#missed('gap'),
      down: (cause) => {
        this.#complaints.say('the line of its events is down', cause);
        this.sink?.stream('down');
      },
    });
  }

  /**
   * Returns the fee rates of BTCUSDT or else the first symbol in USDT: only some symbols have other rates.
   */
  async #fees(): Promise<FeeRates | null> {
    const of = this.#bySymbol.get('BTCUSDT') ?? this.#instruments.find(({ quote }) => quote === 'USDT');
    if (!of) return null;
    const parameters = { category: this.#category, symbol: of.symbol };
    const rows = await this.#questions.rows(this.#requests.fees, parameters, readFees);
    const row = rows?.find(({ symbol }) => symbol === of.symbol);
    return row ? { maker: figure(row.makerFeeRate), taker: figure(row.takerFeeRate) } : null;
  }

  /** Reads the dead-man switch; the list is empty where the account has none. */
  async #deadMan(): Promise<DeadManOffer | null> {
    const told = await this.#questions.value(this.#requests.deadMan, {}, readDeadMan);
    if (!told) return null;
    const product = this.#category === 'spot' ? 'SPOT' : 'DERIVATIVES';
    const own = told.result.dcpInfos?.find((one) => one.product === product);
    const seconds = Number(own?.timeWindow ?? '');
    return { on: own?.dcpStatus === 'ON', seconds: own && seconds > 0 ? seconds : null };
  }

  /** Checks the account's mode. Throws the reason if it cannot be used, with what to do. */
  async #lookAtAccount(): Promise<void> {
    const asked = await this.#questions.ask(this.#requests.account, {}, readAccount);
    if (asked.kind === 'failed') throw new Error(asked.cause);
    const { unifiedMarginStatus, marginMode } = asked.value.result;
    if (unifiedMarginStatus === CLASSIC)
      throw new Error('the account is a classic one: upgrade it to a unified trading account at Bybit');
    this.#facts.margin = marginOf(marginMode);
    if (this.#category === 'spot') return;
    if (marginMode === 'PORTFOLIO_MARGIN')
      this.#report(
        'the account is in portfolio margin: leverage is not used, and margins are those of Bybit',
      );
    if (this.#facts.margin === null)
      this.#report(`the margin mode ${marginMode.slice(0, 40)} is not known here: set another one at Bybit`);
  }

  protected measure(): Promise<void> {
    return this.measureBy(this.#requests.time, timeOf, troubleOf);
  }

  /** Reads the instruments; throws the reason of a failure. */
  async #readInstruments(): Promise<void> {
    const category = this.#category;
    // Spot has no pages, and accepts no limit.
    const parameters = { category, ...(category === 'spot' ? {} : { limit: '1000' }) };
    const terms = { bytesMax: INSTRUMENT_LIST.length };
    const asked = await this.#questions.list(
      this.#requests.instruments,
      parameters,
      readInstrumentPage,
      terms,
    );
    if (asked.kind === 'failed') throw new Error(asked.cause);
    const told = instrumentsOf(asked.value.rows, category, this.account.id);
    for (const problem of told.problems) this.#complaints.say('what is traded', problem);
    if (told.instruments.length === 0) throw new Error('the exchange names nothing that is traded');
    this.#instruments = withUnread(told, this.#instruments);
    this.#unread = told.unread;
    this.#bySymbol = new Map(this.#instruments.map((one) => [one.symbol, one]));
    this.sink?.instruments?.(this.#instruments);
  }

  #readAgain(): void {
    this.#readInstruments().catch((error: unknown) =>
      this.#complaints.say('what is traded', error instanceof Error ? error.message : 'it could not be read'),
    );
    if (this.#settings) void this.#readBrackets();
  }

  /** Passes on that events may have been missed, which include settings changed elsewhere. */
  #missed(state: 'up' | 'gap'): void {
    this.#facts.doubtModes();
    this.sink?.stream(state);
    if (this.#settings && this.isRunning) void this.#learnContracts();
  }

  /** Reads leverage and mode of each contract in the background; Bybit returns them one symbol at a time. */
  async #learnContracts(): Promise<void> {
    // The run in progress also asks for symbols that become doubtful meanwhile.
    if (this.#isLearning) return;
    this.#isLearning = true;
    const opening = this.#opening;
    const failed = new Set<string>();
    const next = () =>
      this.#instruments.find(({ symbol }) => !this.#facts.knows(symbol) && !failed.has(symbol))?.symbol;
    const isGone = () => opening !== this.#opening || !this.isRunning;
    let isNews = false;
    for (let symbol = next(); symbol !== undefined && !isGone(); symbol = next()) {
      const before = JSON.stringify(this.#facts.leverage([symbol]));
      await this.#settings?.learn(symbol);
      // The question failed, or the answer has no position of the symbol.
      if (!this.#facts.knows(symbol)) failed.add(symbol);
      if (JSON.stringify(this.#facts.leverage([symbol])) !== before) isNews = true;
    }
    this.#isLearning = false;
    if (opening !== this.#opening) {
      if (this.isRunning) void this.#learnContracts();
      return;
    }
    // The port has no event for this: a reconciliation asks how the account trades.
    if (isNews) this.sink?.stream('gap');
  }

  async #readBrackets(): Promise<void> {
    const rows = await this.#questions.rows(
      this.#requests.riskLimits,
      { category: 'linear' },
      readRiskLimits,
    );
    if (rows) this.#facts.setBrackets(bracketsOf(rows));
  }

  protected override shut(): void {
    super.shut();
    this.#early = null;
    this.#opening += 1;
    this.#events.listen(null);
    this.#stream.close();
  }
}

function timeOf(called: CallResult): number | null {
  const read = called.kind === 'answer' ? readTime(called.text) : null;
  return read?.ok ? Number(BigInt(read.value.result.timeNano) / 1_000_000n) : null;
}
