/**
 * The orders, trades and counters an exchange account remembers, and their way out of and back into stored documents.
 * What spot and futures have in common; knows nothing of money.
 */
import type { Book, PriceDoc } from './book.ts';
import { BoundedList } from './bounded-list.ts';
import type { Changes, PaperTables, TradeDoc } from './changes.ts';
import { invariant } from './invariant.ts';
import type { CompiledPaperOptions } from './options.ts';
import { orderDoc, orderFromDoc, type PaperOrder, type PaperOrderDoc } from './paper-order.ts';

/** Stored documents: table -> id -> document, as `Store.loadPaper` gives them. */
export type PaperDocuments = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

/** `stamp` numbers orders, queue places and ends; `trade` the trades. Neither ever goes back, resets included. */
interface Counters {
  readonly stamp: number;
  readonly trade: number;
}

interface KeptTrade {
  readonly trade: TradeDoc;
  /** Null when the order itself is forgotten. */
  readonly order: PaperOrder | null;
}

export class OrderMemory<B extends Book = Book> {
  readonly tables: PaperTables;
  readonly books = new Map<string, B>();
  /** By clientId, in order of creation. */
  readonly open = new Map<string, PaperOrder>();
  /** The latest finished order of a clientId. */
  readonly finished = new Map<string, PaperOrder>();
  readonly trades: BoundedList<KeptTrade>;
  readonly #ends: BoundedList<PaperOrder>;
  options: CompiledPaperOptions;
  stamp = 0;
  trade = 0;
  /** Market time, Unix ms; never goes back. */
  time = 0;

  constructor(tables: PaperTables, options: CompiledPaperOptions) {
    this.tables = tables;
    this.options = options;
    this.trades = new BoundedList(options.tradesKept);
    this.#ends = new BoundedList(options.finishedKept);
  }

  nextStamp(): number {
    return ++this.stamp;
  }

  /** Market time of an operation: what was handed in, but never before what was seen. */
  advance(now: number): number {
    if (now > this.time) this.time = now;
    return this.time;
  }

  bookOf(order: PaperOrder): B {
    const book = this.books.get(order.symbol);
    invariant(book !== undefined, `order ${order.clientId} on unknown symbol ${order.symbol}`);
    return book;
  }

  /** Moves an order from the open ones to the finished ones; the oldest of these may be forgotten. */
  finish(order: PaperOrder, changes: Changes): void {
    order.end = this.nextStamp();
    this.open.delete(order.clientId);
    this.#remember(order, changes);
  }

  addTrade(trade: TradeDoc, order: PaperOrder, changes: Changes): void {
    const { orderId: _, ...fill } = trade;
    order.fills.push(fill);
    changes.trade(trade);
    const out = this.trades.push({ trade, order });
    if (!out) return;
    out.order?.fills.shift();
    changes.put(this.tables.trade, out.trade.tradeId, null);
  }

  /** The stored form of `stamp` and `trade`. */
  countersDoc(): unknown {
    return { stamp: this.stamp, trade: this.trade } satisfies Counters;
  }

  /** Documents of orders, trades and prices. */
  protected memoryDocuments(): [string, Map<string, unknown>][] {
    const orders = [...this.open.values(), ...this.#ends];
    const books = [...this.books.values()].filter((book) => book.lastText !== null);
    return [
      [this.tables.order, new Map(orders.map((order) => [String(order.id), orderDoc(order)]))],
      [this.tables.trade, new Map([...this.trades].map(({ trade }) => [trade.tradeId, trade]))],
      [this.tables.price, new Map(books.map((book) => [book.instrument.symbol, book.priceDoc()]))],
    ];
  }

  /** Reads counters, prices, orders and trades; the books must be there. */
  protected loadMemory(documents: PaperDocuments): void {
    const table = <T>(name: string): T[] => [...(documents.get(name)?.values() ?? [])] as T[];
    const counters = documents.get(this.tables.meta)?.get('counters') as Counters | undefined;
    this.stamp = counters?.stamp ?? 0;
    this.trade = counters?.trade ?? 0;
    for (const [symbol, doc] of documents.get(this.tables.price) ?? []) {
      const price = doc as PriceDoc;
      this.books.get(symbol)?.restore(price);
      this.advance(price.time);
    }
    const orders = table<PaperOrderDoc>(this.tables.order).map(orderFromDoc);
    const byId = new Map(orders.map((order) => [order.id, order]));
    const live = orders.filter((order) => order.end === 0).sort((a, b) => a.id - b.id);
    const done = orders.filter((order) => order.end > 0).sort((a, b) => a.end - b.end);
    for (const order of live) {
      this.open.set(order.clientId, order);
      this.bookOf(order).add(order);
      this.advance(order.time);
    }
    for (const order of done) {
      this.#remember(order, null);
      this.advance(order.time);
    }
    for (const trade of table<TradeDoc>(this.tables.trade).sort(
      (a, b) => Number(a.tradeId) - Number(b.tradeId),
    )) {
      const { orderId, ...fill } = trade;
      const order = byId.get(orderId) ?? null;
      order?.fills.push(fill);
      this.trades.push({ trade, order });
    }
  }

  #remember(order: PaperOrder, changes: Changes | null): void {
    this.finished.set(order.clientId, order);
    const out = this.#ends.push(order);
    if (!out) return;
    if (this.finished.get(out.clientId) === out) this.finished.delete(out.clientId);
    changes?.dropOrder(out);
  }
}
