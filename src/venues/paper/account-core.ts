/**
 * The common part of the cores of a spot and a futures account: orders, trades and prices, whatever they are
 * paid with. Pure and synchronous; times are passed in.
 */
import type {
  AmendOutcome,
  CancelAllOutcome,
  CancelOutcome,
  ExchangeFill,
  ExchangeOrderState,
  OrderChange,
  QueryOutcome,
} from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { LedgerPage, LedgerQuery, OrderRef } from '../venue.ts';
import type { Book } from './book.ts';
import type { Changes, PaperStep } from './changes.ts';
import type { ExchangeCore } from './exchange-core.ts';
import type { CompiledPaperOptions } from './options.ts';
import type { OrderMemory } from './order-memory.ts';
import { type PaperOrder, stateOf, wholeStateOf } from './paper-order.ts';

/** The state of such an account, as far as it is the same for both. */
export type AccountState = OrderMemory & {
  /** Sets the instruments that are traded from now on. */
  list(instruments: readonly Instrument[]): void;
  /** The whole state as stored documents. */
  documents(): ReadonlyMap<string, ReadonlyMap<string, unknown>>;
};

export abstract class AccountCore<S extends AccountState> {
  protected readonly state: S;

  constructor(state: S) {
    this.state = state;
  }

  /** Cancels an open order and releases the funds that it locks. */
  protected abstract cancelOpen(order: PaperOrder, text: string, changes: Changes): void;
  /** Changes an open order; returns the refusal, null: it is changed. */
  protected abstract amendOpen(order: PaperOrder, change: OrderChange, changes: Changes): AmendOutcome | null;
  protected abstract changes(): Changes;
  /** Ends an operation: the rows of everything it touched, and the events to send. */
  protected abstract close<T>(changes: Changes, outcome: T): PaperStep<T>;

  /** The newest market time seen; 0 before the first. */
  get time(): number {
    return this.state.time;
  }

  recall(): void {
    this.state.loadHistory();
  }

  /** Rates, slippage, participation and mode apply from the next operation on. */
  configure(options: CompiledPaperOptions): void {
    this.state.options = options;
  }

  cancel(ref: OrderRef, now: number): PaperStep<CancelOutcome> {
    const changes = this.changes();
    const order = this.#openOf(ref);
    if (!order) return this.close<CancelOutcome>(changes, { kind: 'gone', state: this.#ended(ref) });
    this.state.advance(now);
    this.cancelOpen(order, 'cancelled by request', changes);
    return this.close<CancelOutcome>(changes, { kind: 'done', state: stateOf(order) });
  }

  cancelAll(symbol: string, now: number): PaperStep<CancelAllOutcome> {
    const changes = this.changes();
    this.state.advance(now);
    const ended = [...this.state.open.values()].filter((order) => order.symbol === symbol);
    for (const order of ended) this.cancelOpen(order, 'cancelled by request', changes);
    return this.close<CancelAllOutcome>(changes, { kind: 'done', states: ended.map(stateOf) });
  }

  amend(ref: OrderRef, change: OrderChange, now: number): PaperStep<AmendOutcome> {
    const changes = this.changes();
    const order = this.#openOf(ref);
    if (!order) return this.close<AmendOutcome>(changes, { kind: 'gone', state: this.#ended(ref) });
    this.state.advance(now);
    const refused = this.amendOpen(order, change, changes);
    return this.close<AmendOutcome>(changes, refused ?? { kind: 'done', state: stateOf(order) });
  }

  query(ref: OrderRef): QueryOutcome {
    const order = this.state.open.get(ref.clientId) ?? this.state.finished.get(ref.clientId);
    if (!order || order.symbol !== ref.symbol) return { kind: 'absent' };
    return { kind: 'found', state: wholeStateOf(order), fills: [...this.state.fillsOf(order)] };
  }

  /** Returns the open orders, in order of creation. */
  openOrders(): ExchangeOrderState[] {
    return [...this.state.open.values()].map(stateOf);
  }

  /** Returns the fills from market time `from` on, ascending. */
  fills(q: { symbol: string; from: number }): ExchangeFill[] {
    return this.state
      .tradesSince(q.from)
      .filter(({ symbol }) => symbol === q.symbol)
      .map(({ orderId: _, ...fill }) => fill);
  }

  ledger(q: LedgerQuery): LedgerPage {
    return this.state.entries.page(q);
  }

  lastPrice(symbol: string): string | null {
    return this.state.books.get(symbol)?.lastText ?? null;
  }

  trade(instruments: readonly Instrument[]): void {
    this.state.list(instruments);
  }

  get books(): ReadonlyMap<string, Book> {
    return this.state.books;
  }

  goOnFrom(lost: ExchangeCore): void {
    this.state.advance(lost.time);
    for (const [symbol, book] of lost.books) this.state.books.get(symbol)?.goOnFrom(book);
  }

  /** The rows of prices that are newer than the stored ones. */
  priceRows(): PaperStep<null> {
    const changes = this.changes();
    for (const book of this.state.books.values()) changes.price(book);
    return this.close(changes, null);
  }

  /** The whole state as stored documents. */
  documents(): ReadonlyMap<string, ReadonlyMap<string, unknown>> {
    return this.state.documents();
  }

  /** Cancels every open order. */
  protected cancelEverything(text: string, changes: Changes): void {
    for (const order of [...this.state.open.values()]) this.cancelOpen(order, text, changes);
  }

  /**
   * The id of a new order is in use: by an open order, or by an ended one unless such ids may be used again.
   */
  protected isTaken(clientId: string, acceptUsedId: boolean): boolean {
    return this.state.open.has(clientId) || (!acceptUsedId && this.state.finished.has(clientId));
  }

  #openOf({ clientId, symbol }: OrderRef): PaperOrder | null {
    const order = this.state.open.get(clientId);
    return order?.symbol === symbol ? order : null;
  }

  /** How an order that is not open has ended; null: not known. */
  #ended(ref: OrderRef): ExchangeOrderState | null {
    const done = this.state.finished.get(ref.clientId);
    return done?.symbol === ref.symbol ? stateOf(done) : null;
  }
}
