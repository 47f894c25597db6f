/**
 * The paper futures exchange itself: pure and synchronous. Each operation changes the memory and gives back its outcome,
 * what to tell and the rows that must be stored before anything is told. No clock, no random, no I/O: times are handed in.
 */
import { type Dec, dec, ZERO } from '../../../domain/decimal.ts';
import type {
  AmendOutcome,
  CancelAllOutcome,
  CancelOutcome,
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
  OrderChange,
  QueryOutcome,
  SubmitOutcome,
} from '../../../domain/exchange.ts';
import type { Instrument } from '../../../domain/instrument.ts';
import type { ExchangePosition, LeverageInfo, MarginMode, SettingOutcome } from '../../../domain/position.ts';
import type { Row } from '../../../domain/rows.ts';
import type { MarginType } from '../../../schemas/order.ts';
import type { LedgerPage, LedgerQuery, OrderRef } from '../../venue.ts';
import type { Book } from '../book.ts';
import type { Changes, PaperStep } from '../changes.ts';
import type { ExchangeCore } from '../exchange-core.ts';
import { refusal } from '../filters.ts';
import type { CompiledPaperOptions } from '../options.ts';
import type { PaperDocuments } from '../order-memory.ts';
import { isConditional, type PaperOrder, stateOf, wholeStateOf } from '../paper-order.ts';
import { payPast } from './funding.ts';
import { auditFutures } from './futures-audit.ts';
import { type CheckedFuturesOrder, checkFuturesOrder, FUTURES_WORDS } from './futures-filters.ts';
import { activate, amendOpen, cancelOpen } from './futures-matching.ts';
import { type AccountAmounts, FuturesState, MARGIN_ASSET } from './futures-state.ts';
import { FuturesTick } from './futures-tick.ts';
import { toldBalance } from './margin.ts';
import { positionView } from './position-view.ts';
import { leverageOf, setHedgeMode, setLeverage, setMarginMode, setMarginType } from './settings.ts';

export interface FuturesCoreConfig {
  readonly instruments: readonly Instrument[];
  readonly options: CompiledPaperOptions;
  /** Marks and funding are told (`beginMark`). Default: the mark follows the last price, and funding the clock. */
  readonly marksAreTold?: boolean;
}

export class FuturesCore implements ExchangeCore {
  readonly kind = 'futures';
  readonly #state: FuturesState;
  #run: FuturesTick | null = null;

  /** From stored documents; an empty store is a new account, whose first rows `begin` gives. */
  constructor(config: FuturesCoreConfig, documents: PaperDocuments) {
    this.#state = new FuturesState(config.instruments, config.options, documents, config.marksAreTold);
  }

  get time(): number {
    return this.#state.time;
  }

  begin(): PaperStep<null> {
    if (this.#state.fresh) this.#endow();
    return this.#close(this.#state.changes(), null);
  }

  recall(): void {
    this.#state.recall();
  }

  configure(options: CompiledPaperOptions): void {
    this.#state.options = options;
  }

  submit(order: ExchangeOrder, now: number, acceptUsedId = false): PaperStep<SubmitOutcome> {
    const state = this.#state;
    const changes = state.changes();
    const refused = (code: string, message: string) =>
      this.#close<SubmitOutcome>(changes, refusal(code, message));
    const book = state.books.get(order.symbol);
    if (!book) return refused('-1121', 'Invalid symbol.');
    if (state.open.has(order.clientId) || (!acceptUsedId && state.finished.has(order.clientId))) {
      return refused('-4116', FUTURES_WORDS.duplicate);
    }
    const checked = checkFuturesOrder(state, order, book);
    if (!checked.ok) return this.#close<SubmitOutcome>(changes, checked.refusal);
    state.advance(now);
    const made = this.#make(order, checked.order);
    state.open.set(made.clientId, made);
    changes.price(book);
    if (made.status === 'PENDING') {
      book.add(made);
      book.follow(state.time, (order, armed) => {
        if (armed && order !== made) changes.order(order, state.time);
        else changes.keep(order);
      });
      changes.order(made, state.time);
    } else {
      activate(state, made, book, changes);
    }
    return this.#close<SubmitOutcome>(changes, { kind: 'accepted', state: stateOf(made) });
  }

  cancel(ref: OrderRef, now: number): PaperStep<CancelOutcome> {
    const state = this.#state;
    const changes = state.changes();
    const order = state.open.get(ref.clientId);
    if (!order || order.symbol !== ref.symbol)
      return this.#close<CancelOutcome>(changes, { kind: 'gone', state: this.#ended(ref) });
    state.advance(now);
    cancelOpen(state, order, state.bookOf(order), 'cancelled by request', changes);
    return this.#close<CancelOutcome>(changes, { kind: 'done', state: stateOf(order) });
  }

  cancelAll(symbol: string, now: number): PaperStep<CancelAllOutcome> {
    const state = this.#state;
    const changes = state.changes();
    state.advance(now);
    const ended = [...state.open.values()].filter((order) => order.symbol === symbol);
    for (const order of ended) cancelOpen(state, order, state.bookOf(order), 'cancelled by request', changes);
    return this.#close<CancelAllOutcome>(changes, { kind: 'done', states: ended.map(stateOf) });
  }

  amend(ref: OrderRef, change: OrderChange, now: number): PaperStep<AmendOutcome> {
    const state = this.#state;
    const changes = state.changes();
    const order = state.open.get(ref.clientId);
    if (!order || order.symbol !== ref.symbol)
      return this.#close<AmendOutcome>(changes, { kind: 'gone', state: this.#ended(ref) });
    state.advance(now);
    const refused = amendOpen(state, order, change, changes);
    return this.#close<AmendOutcome>(changes, refused ?? { kind: 'done', state: stateOf(order) });
  }

  query(ref: OrderRef): QueryOutcome {
    const order = this.#state.open.get(ref.clientId) ?? this.#state.finished.get(ref.clientId);
    if (!order || order.symbol !== ref.symbol) return { kind: 'absent' };
    return { kind: 'found', state: wholeStateOf(order), fills: [...this.#state.fillsOf(order)] };
  }

  /** In order of creation. */
  openOrders(): ExchangeOrderState[] {
    return [...this.#state.open.values()].map(stateOf);
  }

  /** Ascending; market time `from` and later. */
  fills(q: { symbol: string; from: number }): ExchangeFill[] {
    return this.#state
      .tradesSince(q.from)
      .filter(({ symbol }) => symbol === q.symbol)
      .map(({ orderId: _, ...fill }) => fill);
  }

  ledger(q: LedgerQuery): LedgerPage {
    return this.#state.entries.page(q);
  }

  balances(): ExchangeBalance[] {
    return [toldBalance(this.#state)];
  }

  /** Every position that is not flat, as of now. */
  positions(): ExchangePosition[] {
    return this.#state.sorted().map(({ symbol, side }) => positionView(this.#state, symbol, side));
  }

  leverage(symbols: readonly string[]): LeverageInfo[] {
    return leverageOf(this.#state, symbols);
  }

  hedgeMode(): boolean {
    return this.#state.hedge;
  }

  marginMode(): MarginMode {
    return this.#state.marginMode;
  }

  setLeverage(symbol: string, leverage: number): PaperStep<SettingOutcome> {
    return this.#set((state, changes) => setLeverage(state, symbol, leverage, changes));
  }

  setMarginType(symbol: string, marginType: MarginType): PaperStep<SettingOutcome> {
    return this.#set((state, changes) => setMarginType(state, symbol, marginType, changes));
  }

  setMarginMode(mode: MarginMode): PaperStep<SettingOutcome> {
    return this.#set((state) => setMarginMode(state, mode));
  }

  setHedgeMode(on: boolean): PaperStep<SettingOutcome> {
    return this.#set((state) => setHedgeMode(state, on));
  }

  lastPrice(symbol: string): string | null {
    return this.#state.books.get(symbol)?.lastText ?? null;
  }

  markPrice(symbol: string): Dec | null {
    return this.#state.books.get(symbol)?.mark() ?? null;
  }

  beginTick(symbol: string, price: string, volume: string, time: number): boolean {
    const state = this.#state;
    const book = state.books.get(symbol);
    if (!book?.comes(time)) return false;
    state.advance(time);
    this.#run = FuturesTick.begin(state, book, { price, volume, time: state.time });
    return this.#run !== null;
  }

  trade(instruments: readonly Instrument[]): void {
    this.#state.list(instruments);
  }

  /** A mark that is told, and the funding as it stands. True: there is more to do, as of `beginTick`. */
  beginMark(
    symbol: string,
    mark: string,
    time: number,
    funding: { readonly rate: string; readonly at: number } | null,
  ): boolean {
    const state = this.#state;
    const book = state.books.get(symbol);
    if (!book) return false;
    state.advance(time);
    const next = funding && { rate: dec(funding.rate), at: funding.at };
    this.#run = FuturesTick.begin(state, book, { mark: dec(mark), funding: next, time: state.time });
    return this.#run !== null;
  }

  /** Market time up to which funding of a symbol is settled, of the position that is behind the most; null: none is open. */
  fundedAt(symbol: string): number | null {
    const times = this.#state.positionsOf(symbol).map(({ fundedAt }) => fundedAt);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** A payment of the past (`funding.ts`). */
  payPast(
    symbol: string,
    { at, rate, mark }: { readonly at: number; readonly rate: string; readonly mark: string | null },
  ): PaperStep<null> {
    payPast(this.#state, symbol, { at, rate: dec(rate), mark: mark === null ? null : dec(mark) });
    return this.#close(this.#state.changes(), null);
  }

  /** The next step of the running tick: a funding payment, a match, a liquidation step; null when the tick is done. */
  nextMatch(): PaperStep<null> | null {
    const changes = this.#state.changes();
    if (this.#run?.step(changes)) return this.#close(changes, null);
    this.#run = null;
    return null;
  }

  seedPrice(symbol: string, price: string, time: number, nth = 1, volume = '0'): void {
    dec(price);
    this.#state.advance(time);
    this.#state.books.get(symbol)?.seed(price, time, nth, volume, this.#state.options.markLagMs);
  }

  get books(): ReadonlyMap<string, Book> {
    return this.#state.books;
  }

  goOnFrom(lost: ExchangeCore): void {
    this.#state.advance(lost.time);
    for (const [symbol, book] of lost.books) this.#state.books.get(symbol)?.goOnFrom(book);
  }

  /** A mark that lags is made of all ticks so far: prices that are newer than their stored rows go with every commit. */
  riders(): Row[] {
    const rows: Row[] = [];
    if (this.#state.options.markLagMs === 0) return rows;
    for (const [id, book] of this.#state.books) {
      if (book.stale) rows.push({ kind: 'paper', table: this.#state.tables.price, id, doc: book.priceDoc() });
    }
    return rows;
  }

  priceRows(): PaperStep<null> {
    const changes = this.#state.changes();
    for (const book of this.#state.books.values()) changes.price(book);
    return this.#close(changes, null);
  }

  /** Cancels everything, drops the positions, gives the wallet and settings of a new account. Trades stay, ids go on. */
  reset(now: number): PaperStep<null> {
    const state = this.#state;
    const changes = state.changes();
    state.advance(now);
    for (const order of [...state.open.values()]) {
      cancelOpen(state, order, state.bookOf(order), 'the paper account was reset', changes);
    }
    for (const position of state.sorted()) {
      Object.assign(position, { amount: ZERO, cost: ZERO, isolated: ZERO });
      state.touch(position);
    }
    state.hedge = false;
    state.marginMode = 1;
    state.clearSettings(changes);
    const before = state.wallet;
    this.#endow();
    this.#paid(state.wallet - before);
    return this.#close(changes, null);
  }

  /** Pays in or out so that `amount` is free. Throws RangeError on a negative amount or another asset. */
  setBalance(asset: string, amount: string, now = this.time): PaperStep<null> {
    const free = dec(amount);
    if (free < ZERO) throw new RangeError(`a balance cannot be negative: ${amount}`);
    if (asset !== MARGIN_ASSET) throw new RangeError(`paper futures has no balance of ${asset}`);
    const { amounts } = this.#state;
    const paid = free - dec(toldBalance(this.#state).free);
    amounts.wallet += paid;
    amounts.start += paid;
    this.#paid(paid, now);
    this.#state.touchAccount();
    return this.#close(this.#state.changes(), null);
  }

  /** Wallet and the sums it is made of. */
  amounts(): AccountAmounts {
    return { ...this.#state.amounts };
  }

  documents(): ReadonlyMap<string, ReadonlyMap<string, unknown>> {
    return this.#state.documents();
  }

  /** Checks wallet, margins, orders and positions. Throws InvariantError. */
  audit(): void {
    auditFutures(this.#state);
  }

  #set(run: (state: FuturesState, changes: Changes) => SettingOutcome): PaperStep<SettingOutcome> {
    const changes = this.#state.changes();
    return this.#close(changes, run(this.#state, changes));
  }

  /** How an order that is not open has ended; null: it is not known. */
  #ended(ref: OrderRef): ExchangeOrderState | null {
    const done = this.#state.finished.get(ref.clientId);
    return done?.symbol === ref.symbol ? stateOf(done) : null;
  }

  #close<T>(changes: Changes, outcome: T): PaperStep<T> {
    const state = this.#state;
    return state.close(changes, outcome, {
      position: (symbol, side) => positionView(state, symbol, side),
      balance: () => toldBalance(state),
    });
  }

  #endow(): void {
    const { amounts, options } = this.#state;
    const start = dec(options.startBalances[MARGIN_ASSET] ?? '0');
    for (const name of Object.keys(amounts) as (keyof AccountAmounts)[]) amounts[name] = ZERO;
    amounts.wallet = start;
    amounts.start = start;
    this.#state.touchAccount();
  }

  #paid(amount: Dec, now = this.time): void {
    const time = Math.max(now, this.time);
    this.#state.entries.note({ kind: 'transfer', asset: MARGIN_ASSET, amount, time });
  }

  #make(order: ExchangeOrder, checked: CheckedFuturesOrder): PaperOrder {
    const age = this.#state.nextStamp();
    return {
      id: age,
      clientId: order.clientId,
      symbol: order.symbol,
      side: order.side,
      type: order.type,
      timeInForce: order.timeInForce,
      price: checked.price,
      stopPrice: checked.stopPrice,
      qty: checked.qty,
      iceberg: null,
      status: isConditional(order.type) ? 'PENDING' : 'WORKING',
      cum: ZERO,
      visible: checked.qty,
      lock: ZERO,
      age,
      end: 0,
      seq: 0,
      time: this.#state.time,
      text: undefined,
      terms: checked.terms,
      fills: [],
    };
  }
}
