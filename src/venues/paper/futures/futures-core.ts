/**
 * The paper futures exchange itself: pure and synchronous. Each operation changes the memory and returns its
 * outcome, the events to send and the rows that must be stored before them. No clock, no randomness, no I/O:
 * times are passed in.
 */
import { type Dec, dec, ZERO } from '../../../domain/decimal.ts';
import type {
  AmendOutcome,
  ExchangeBalance,
  ExchangeOrder,
  OrderChange,
  SubmitOutcome,
} from '../../../domain/exchange.ts';
import type { Instrument } from '../../../domain/instrument.ts';
import type { ExchangePosition, LeverageInfo, MarginMode, SettingOutcome } from '../../../domain/position.ts';
import type { Row } from '../../../domain/rows.ts';
import type { MarginType } from '../../../schemas/order.ts';
import { AccountCore } from '../account-core.ts';
import type { Changes, PaperStep } from '../changes.ts';
import type { ExchangeCore } from '../exchange-core.ts';
import { refusal } from '../filters.ts';
import type { CompiledPaperOptions } from '../options.ts';
import type { PaperDocuments } from '../order-memory.ts';
import { isConditional, type PaperOrder, stateOf } from '../paper-order.ts';
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
  /**
   * Mark prices and funding come from outside (`beginMark`). Default: the mark follows the last price, and
   * funding the clock.
   */
  readonly marksAreTold?: boolean;
}

export class FuturesCore extends AccountCore<FuturesState> implements ExchangeCore {
  readonly kind = 'futures';
  #run: FuturesTick | null = null;

  /**
   * Makes a core from stored documents; an empty store is a new account, whose first rows `begin` returns.
   */
  constructor(config: FuturesCoreConfig, documents: PaperDocuments) {
    super(new FuturesState(config.instruments, config.options, documents, config.marksAreTold));
  }

  begin(): PaperStep<null> {
    if (this.state.fresh) this.#endow();
    return this.close(this.state.changes(), null);
  }

  submit(order: ExchangeOrder, now: number, acceptUsedId = false): PaperStep<SubmitOutcome> {
    const state = this.state;
    const changes = state.changes();
    const refused = (code: string, message: string) =>
      this.close<SubmitOutcome>(changes, refusal(code, message));
    const book = state.books.get(order.symbol);
    if (!book) return refused('-1121', 'Invalid symbol.');
    if (this.isTaken(order.clientId, acceptUsedId)) return refused('-4116', FUTURES_WORDS.duplicate);
    const checked = checkFuturesOrder(state, order, book);
    if (!checked.ok) return this.close<SubmitOutcome>(changes, checked.refusal);
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
    return this.close<SubmitOutcome>(changes, { kind: 'accepted', state: stateOf(made) });
  }

  balances(): ExchangeBalance[] {
    return [toldBalance(this.state)];
  }

  /** Every position that is not flat, with current figures. */
  positions(): ExchangePosition[] {
    return this.state.sorted().map(({ symbol, side }) => positionView(this.state, symbol, side));
  }

  leverage(symbols: readonly string[]): LeverageInfo[] {
    return leverageOf(this.state, symbols);
  }

  hedgeMode(): boolean {
    return this.state.hedge;
  }

  marginMode(): MarginMode {
    return this.state.marginMode;
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

  markPrice(symbol: string): Dec | null {
    return this.state.books.get(symbol)?.mark() ?? null;
  }

  beginTick(symbol: string, price: string, volume: string, time: number): boolean {
    const state = this.state;
    const book = state.books.get(symbol);
    if (!book?.comes(time)) return false;
    state.advance(time);
    this.#run = FuturesTick.begin(state, book, { price, volume, time: state.time });
    return this.#run !== null;
  }

  /** Takes a mark price and the next funding. True: there are steps to make, as after `beginTick`. */
  beginMark(
    symbol: string,
    mark: string,
    time: number,
    funding: { readonly rate: string; readonly at: number } | null,
  ): boolean {
    const state = this.state;
    const book = state.books.get(symbol);
    if (!book) return false;
    state.advance(time);
    const next = funding && { rate: dec(funding.rate), at: funding.at };
    this.#run = FuturesTick.begin(state, book, { mark: dec(mark), funding: next, time: state.time });
    return this.#run !== null;
  }

  /**
   * The market time up to which funding of a symbol is settled, the earliest over its positions; null: no
   * position is open.
   */
  fundedAt(symbol: string): number | null {
    const times = this.state.positionsOf(symbol).map(({ fundedAt }) => fundedAt);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Books a funding payment of the past (`funding.ts`). */
  payPast(
    symbol: string,
    { at, rate, mark }: { readonly at: number; readonly rate: string; readonly mark: string | null },
  ): PaperStep<null> {
    payPast(this.state, symbol, { at, rate: dec(rate), mark: mark === null ? null : dec(mark) });
    return this.close(this.state.changes(), null);
  }

  /**
   * Makes the next step of the running tick: a funding payment, a match, a liquidation step; null when the
   * tick is done.
   */
  nextMatch(): PaperStep<null> | null {
    const changes = this.state.changes();
    if (this.#run?.step(changes)) return this.close(changes, null);
    this.#run = null;
    return null;
  }

  seedPrice(symbol: string, price: string, time: number, nth = 1, volume = '0'): void {
    dec(price);
    this.state.advance(time);
    this.state.books.get(symbol)?.seed(price, time, nth, volume, this.state.options.markLagMs);
  }

  /**
   * A mark price with a lag depends on all ticks so far: prices newer than their stored rows go with every
   * commit.
   */
  deferredRows(): Row[] {
    const rows: Row[] = [];
    if (this.state.options.markLagMs === 0) return rows;
    for (const [id, book] of this.state.books) {
      if (book.stale) rows.push({ kind: 'paper', table: this.state.tables.price, id, doc: book.priceDoc() });
    }
    return rows;
  }

  /**
   * Cancels all orders, drops the positions, restores the start balances and settings. Trades stay, numbering
   * continues.
   */
  reset(now: number): PaperStep<null> {
    const state = this.state;
    const changes = state.changes();
    state.advance(now);
    this.cancelEverything('the paper account was reset', changes);
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
    return this.close(changes, null);
  }

  /**
   * Pays in or out so that the free balance becomes `amount`. Throws RangeError on a negative amount or
   * another asset.
   */
  setBalance(asset: string, amount: string, now = this.time): PaperStep<null> {
    const free = dec(amount);
    if (free < ZERO) throw new RangeError(`a balance cannot be negative: ${amount}`);
    if (asset !== MARGIN_ASSET) throw new RangeError(`paper futures has no balance of ${asset}`);
    const { amounts } = this.state;
    const paid = free - dec(toldBalance(this.state).free);
    amounts.wallet += paid;
    amounts.start += paid;
    this.#paid(paid, now);
    this.state.touchAccount();
    return this.close(this.state.changes(), null);
  }

  /** The wallet and the sums it consists of. */
  amounts(): AccountAmounts {
    return { ...this.state.amounts };
  }

  /** Checks wallet, margins, orders and positions. Throws InvariantError. */
  audit(): void {
    auditFutures(this.state);
  }

  #set(run: (state: FuturesState, changes: Changes) => SettingOutcome): PaperStep<SettingOutcome> {
    const changes = this.state.changes();
    return this.close(changes, run(this.state, changes));
  }

  protected close<T>(changes: Changes, outcome: T): PaperStep<T> {
    const state = this.state;
    return state.close(changes, outcome, {
      position: (symbol, side) => positionView(state, symbol, side),
      balance: () => toldBalance(state),
    });
  }

  protected changes(): Changes {
    return this.state.changes();
  }

  protected cancelOpen(order: PaperOrder, text: string, changes: Changes): void {
    cancelOpen(this.state, order, this.state.bookOf(order), text, changes);
  }

  protected amendOpen(order: PaperOrder, change: OrderChange, changes: Changes): AmendOutcome | null {
    return amendOpen(this.state, order, change, changes);
  }

  #endow(): void {
    const { amounts, options } = this.state;
    const start = dec(options.startBalances[MARGIN_ASSET] ?? '0');
    for (const name of Object.keys(amounts) as (keyof AccountAmounts)[]) amounts[name] = ZERO;
    amounts.wallet = start;
    amounts.start = start;
    this.state.touchAccount();
  }

  #paid(amount: Dec, now = this.time): void {
    const time = Math.max(now, this.time);
    this.state.entries.note({ kind: 'transfer', asset: MARGIN_ASSET, amount, time });
  }

  #make(order: ExchangeOrder, checked: CheckedFuturesOrder): PaperOrder {
    const age = this.state.nextStamp();
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
      time: this.state.time,
      text: undefined,
      terms: checked.terms,
      fills: [],
    };
  }
}
