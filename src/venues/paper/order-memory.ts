/**
 * The orders, trades and counters that an exchange account keeps, and how they are stored as documents and
 * read back. The common part of spot and futures; knows nothing of money. The past, that is ended orders and
 * trades, is large and not needed at once: `recall` loads it, at the latest before the first answer or change
 * that needs it.
 */
import { ZERO } from '../../domain/decimal.ts';
import type { ExchangeFill } from '../../domain/exchange.ts';
import type { Book, PriceDoc } from './book.ts';
import { BoundedList } from './bounded-list.ts';
import type { Changes, PaperTables, TradeDoc } from './changes.ts';
import { invariant } from './invariant.ts';
import type { CompiledPaperOptions } from './options.ts';
import { orderDoc, orderFromDoc, type PaperOrder, type PaperOrderDoc } from './paper-order.ts';
import { WalletLedger } from './wallet-ledger.ts';

/**
 * The stored documents of an account, as `Store.loadPaperAccount` returns them. A map of all its tables is
 * also accepted.
 */
export interface PaperDocuments {
  /** Id -> document. */
  get(table: string): ReadonlyMap<string, unknown> | undefined;
  /** The ended orders and the trades; absent: they are in their tables. */
  readonly past?: PaperPast;
}

export interface PaperPast {
  /** The market time of the last change of any order; no trade is later. 0 when there is none. */
  readonly time: number;
  /** Fresh arrays, in any order. */
  read(): { readonly orders: unknown[]; readonly trades: unknown[] };
}

/**
 * `stamp` numbers orders, queue places and ends; `trade` the trades, `entry` the ledger. None ever decreases,
 * not even by a reset.
 */
interface Counters {
  readonly stamp: number;
  readonly trade: number;
  readonly entry?: number;
}

interface KeptTrade {
  readonly trade: TradeDoc;
  /** Null when the order itself has been dropped. */
  readonly order: PaperOrder | null;
}

export class OrderMemory<B extends Book = Book> {
  readonly tables: PaperTables;
  readonly books = new Map<string, B>();
  /** By clientId, in order of creation. */
  readonly open = new Map<string, PaperOrder>();
  /** Wallet changes that are not trades. */
  readonly entries = new WalletLedger();
  readonly #finished = new Map<string, PaperOrder>();
  readonly #trades: BoundedList<KeptTrade>;
  readonly #ends: BoundedList<PaperOrder>;
  /** The past that is stored but not loaded yet; null once it is loaded. */
  #past: PaperPast | null = null;
  options: CompiledPaperOptions;
  stamp = 0;
  trade = 0;
  /** Market time, Unix ms; never goes back. */
  time = 0;

  constructor(tables: PaperTables, options: CompiledPaperOptions) {
    this.tables = tables;
    this.options = options;
    this.#trades = new BoundedList(options.tradesKept);
    this.#ends = new BoundedList(options.finishedKept);
  }

  nextStamp(): number {
    return ++this.stamp;
  }

  /** Sets the market time to `now`, but never back, and returns it. */
  advance(now: number): number {
    if (now > this.time) this.time = now;
    return this.time;
  }

  /** The latest finished order of a clientId. */
  get finished(): ReadonlyMap<string, PaperOrder> {
    this.loadHistory();
    return this.#finished;
  }

  /** Executions of an order, oldest first, as far as they are still kept. */
  fillsOf(order: PaperOrder): readonly ExchangeFill[] {
    if (order.cum > ZERO) this.loadHistory();
    return order.fills;
  }

  /** Returns the trades from market time `from` on, ascending. */
  tradesSince(from: number): TradeDoc[] {
    if (this.#past && from > this.#past.time) return [];
    this.loadHistory();
    return this.#trades.tail(({ trade }) => trade.time >= from).map(({ trade }) => trade);
  }

  bookOf(order: PaperOrder): B {
    const book = this.books.get(order.symbol);
    invariant(book !== undefined, `order ${order.clientId} on unknown symbol ${order.symbol}`);
    return book;
  }

  /** Moves an order from the open ones to the finished ones, where the oldest may be dropped. */
  finish(order: PaperOrder, changes: Changes): void {
    this.loadHistory();
    order.end = this.nextStamp();
    this.open.delete(order.clientId);
    this.#remember(order, changes);
  }

  addTrade(trade: TradeDoc, order: PaperOrder, changes: Changes): void {
    this.loadHistory();
    const { orderId: _, ...fill } = trade;
    order.fills.push(fill);
    changes.trade(trade);
    const out = this.#trades.push({ trade, order });
    if (!out) return;
    out.order?.fills.shift();
    changes.put(this.tables.trade, out.trade.tradeId, null);
  }

  /** The stored form of `stamp`, `trade` and the number of the last entry. */
  countersDoc(): unknown {
    const { last: entry } = this.entries;
    return { stamp: this.stamp, trade: this.trade, ...(entry > 0 ? { entry } : {}) } satisfies Counters;
  }

  /** The documents of orders, trades, ledger and prices. */
  protected memoryDocuments(): [string, Map<string, unknown>][] {
    this.loadHistory();
    const orders = [...this.open.values(), ...this.#ends];
    const books = [...this.books.values()].filter((book) => book.lastText !== null);
    return [
      [this.tables.order, new Map(orders.map((order) => [String(order.id), orderDoc(order)]))],
      [this.tables.trade, new Map([...this.#trades].map(({ trade }) => [trade.tradeId, trade]))],
      ...(this.entries.last > 0
        ? [[this.tables.ledger, this.entries.documents()] as [string, Map<string, unknown>]]
        : []),
      [this.tables.price, new Map(books.map((book) => [book.instrument.symbol, book.priceDoc()]))],
    ];
  }

  /** Reads counters, prices and open orders; the books must be there. */
  protected loadMemory(documents: PaperDocuments): void {
    const counters = documents.get(this.tables.meta)?.get('counters') as Counters | undefined;
    this.stamp = counters?.stamp ?? 0;
    this.trade = counters?.trade ?? 0;
    this.entries.load(documents.get(this.tables.ledger), counters?.entry ?? 0);
    for (const [symbol, doc] of documents.get(this.tables.price) ?? []) {
      const price = doc as PriceDoc;
      this.books.get(symbol)?.restore(price);
      this.advance(price.time);
    }
    const live = valuesOf<PaperOrderDoc>(documents, this.tables.order).filter(({ end }) => end === 0);
    for (const order of live.map(orderFromDoc).sort((a, b) => a.id - b.id)) {
      this.open.set(order.clientId, order);
      this.bookOf(order).add(order);
    }
    this.#past = documents.past ?? pastIn(documents, this.tables);
    this.advance(this.#past.time);
  }

  /**
   * Loads the past into memory. Before that no order has ended and nothing was traded since the documents
   * were read.
   */
  loadHistory(): void {
    if (!this.#past) return;
    const { orders, trades } = this.#past.read();
    const ended = (orders as PaperOrderDoc[]).map(orderFromDoc).sort((a, b) => a.end - b.end);
    this.#past = null;
    for (const order of ended) this.#remember(order, null);
    const byId = new Map([...this.open.values(), ...ended].map((order) => [order.id, order]));
    for (const trade of inOrder(trades as TradeDoc[])) {
      const { orderId, ...fill } = trade;
      const order = byId.get(orderId) ?? null;
      order?.fills.push(fill);
      this.#trades.push({ trade, order });
    }
  }

  #remember(order: PaperOrder, changes: Changes | null): void {
    this.#finished.set(order.clientId, order);
    const out = this.#ends.push(order);
    if (!out) return;
    if (this.#finished.get(out.clientId) === out) this.#finished.delete(out.clientId);
    changes?.dropOrder(out);
  }
}

/** The past, taken from documents that hold everything. */
function pastIn(documents: PaperDocuments, tables: PaperTables): PaperPast {
  const orders = valuesOf<PaperOrderDoc>(documents, tables.order);
  const ended = orders.filter(({ end }) => end > 0);
  const trades = valuesOf<TradeDoc>(documents, tables.trade);
  const time = orders.reduce((latest, order) => Math.max(latest, order.time), 0);
  return { time, read: () => ({ orders: ended, trades }) };
}

function valuesOf<T>(documents: PaperDocuments, table: string): T[] {
  return [...(documents.get(table)?.values() ?? [])] as T[];
}

/** Trades sorted by number. */
function inOrder(trades: TradeDoc[]): TradeDoc[] {
  return trades.sort((a, b) => Number(a.tradeId) - Number(b.tradeId));
}
