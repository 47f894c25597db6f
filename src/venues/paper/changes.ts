/**
 * Collects what one operation of the exchange changed: events in order, and one row for each thing changed.
 */
import type { ExchangeBalance, ExchangeFill, ExchangeOrderState } from '../../domain/exchange.ts';
import type { ExchangePosition } from '../../domain/position.ts';
import type { Row } from '../../domain/rows.ts';
import type { Book } from './book.ts';
import { orderDoc, type PaperOrder, stateOf } from './paper-order.ts';

export type PaperEvent =
  | { readonly kind: 'order'; readonly state: ExchangeOrderState }
  | { readonly kind: 'fill'; readonly fill: ExchangeFill }
  | { readonly kind: 'balances'; readonly changed: readonly ExchangeBalance[] }
  | { readonly kind: 'positions'; readonly changed: readonly ExchangePosition[] }
  | { readonly kind: 'ledger' };

/** The answer of one operation, the events to send, and the rows to store before them. */
export interface PaperStep<T> {
  readonly outcome: T;
  readonly events: readonly PaperEvent[];
  readonly rows: readonly Row[];
}

/** Names of the stored tables of one account kind. */
export function paperTables(kind: 'spot' | 'futures') {
  return {
    order: `${kind}.order`,
    trade: `${kind}.trade`,
    balance: `${kind}.balance`,
    price: `${kind}.price`,
    meta: `${kind}.meta`,
    ledger: `${kind}.ledger`,
    /**
     * Futures only: the positions that are not flat, and the settings of a symbol where they differ from the
     * default.
     */
    position: `${kind}.position`,
    setting: `${kind}.setting`,
  } as const;
}

export type PaperTables = ReturnType<typeof paperTables>;

/** The stored form of a trade: the fill and the number of the exchange's order that it belongs to. */
export interface TradeDoc extends ExchangeFill {
  readonly orderId: number;
}

export class Changes {
  readonly events: PaperEvent[] = [];
  readonly #tables: PaperTables;
  readonly #rows: Row[] = [];
  readonly #orders = new Set<PaperOrder>();
  readonly #books = new Set<Book>();

  constructor(tables: PaperTables) {
    this.#tables = tables;
  }

  /**
   * Records a change of an order: raises its sequence number; the event shows the order as it is now, the row
   * as it is at the end.
   */
  order(order: PaperOrder, time: number): void {
    order.seq++;
    order.time = time;
    this.#orders.add(order);
    this.events.push({ kind: 'order', state: stateOf(order) });
  }

  /** Stores the order as it is at the end, without an event. */
  keep(order: PaperOrder): void {
    this.#orders.add(order);
  }

  trade(trade: TradeDoc): void {
    const { orderId: _, ...fill } = trade;
    this.events.push({ kind: 'fill', fill });
    this.put(this.#tables.trade, trade.tradeId, trade);
  }

  /** Stores the symbol's last price with the next commit that concerns the symbol. */
  price(book: Book): void {
    if (book.stale) this.#books.add(book);
  }

  /** Forgets an old order, even one that changed in this very operation. */
  dropOrder(order: PaperOrder): void {
    this.#orders.delete(order);
    this.put(this.#tables.order, String(order.id), null);
  }

  put(table: string, id: string, doc: unknown): void {
    this.#rows.push({ kind: 'paper', table, id, doc });
  }

  get empty(): boolean {
    return this.#rows.length === 0 && this.#orders.size === 0 && this.#books.size === 0;
  }

  rows(): Row[] {
    for (const order of this.#orders) this.put(this.#tables.order, String(order.id), orderDoc(order));
    for (const book of this.#books) {
      this.put(this.#tables.price, book.instrument.symbol, book.priceDoc());
      book.stale = false;
    }
    return this.#rows;
  }
}
