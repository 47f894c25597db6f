/** Everything the paper exchange remembers, and its way out of and back into stored documents. No rules of trading here. */
import { str, ZERO } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { Balances } from './balances.ts';
import { Book, type PriceDoc } from './book.ts';
import { BoundedList } from './bounded-list.ts';
import { type Changes, type PaperStep, type PaperTables, paperTables, type TradeDoc } from './changes.ts';
import { InvariantError, invariant } from './invariant.ts';
import { type Ledger, SpotLedger } from './ledger.ts';
import type { CompiledPaperOptions } from './options.ts';
import {
  isOpen,
  orderDoc,
  orderFromDoc,
  type PaperOrder,
  type PaperOrderDoc,
  remaining,
} from './paper-order.ts';

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

export class PaperState {
  readonly tables: PaperTables;
  readonly balances = new Balances();
  readonly ledger: Ledger;
  readonly books = new Map<string, Book>();
  /** By clientId, in order of creation. */
  readonly open = new Map<string, PaperOrder>();
  /** The latest finished order of a clientId. */
  readonly finished = new Map<string, PaperOrder>();
  readonly trades: BoundedList<KeptTrade>;
  readonly #ends: BoundedList<PaperOrder>;
  /** True when nothing had been stored yet. */
  readonly fresh: boolean;
  options: CompiledPaperOptions;
  stamp = 0;
  trade = 0;
  /** Market time, Unix ms; never goes back. */
  time = 0;
  /** Wall time of the last dust conversion. */
  dustAt: number | null = null;

  constructor(
    kind: 'spot' | 'futures',
    instruments: readonly Instrument[],
    options: CompiledPaperOptions,
    documents: PaperDocuments,
  ) {
    if (kind !== 'spot') throw new RangeError('paper-futures has no ledger yet');
    this.tables = paperTables(kind);
    this.options = options;
    this.ledger = new SpotLedger(this.balances, () => this.options);
    this.trades = new BoundedList(options.tradesKept);
    this.#ends = new BoundedList(options.finishedKept);
    for (const instrument of instruments) {
      if (instrument.kind === kind) this.books.set(instrument.symbol, new Book(instrument));
    }
    const balances = documents.get(this.tables.balance);
    this.fresh = balances === undefined || balances.size === 0;
    if (!this.fresh) this.#load(documents);
  }

  nextStamp(): number {
    return ++this.stamp;
  }

  /** Market time of an operation: what was handed in, but never before what was seen. */
  advance(now: number): number {
    if (now > this.time) this.time = now;
    return this.time;
  }

  bookOf(order: PaperOrder): Book {
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

  /** Closes an operation: rows of all it touched, and what to tell. */
  close<T>(changes: Changes, outcome: T): PaperStep<T> {
    const balances = this.balances.takeTouched();
    if (balances.length > 0) changes.events.push({ kind: 'balances', changed: balances });
    if (!changes.empty || balances.length > 0) {
      changes.put(this.tables.meta, 'counters', { stamp: this.stamp, trade: this.trade } satisfies Counters);
    }
    return { outcome, events: changes.events, rows: changes.rows(balances) };
  }

  /** The whole state as it stands in the store once every row is written. */
  documents(): Map<string, Map<string, unknown>> {
    const orders = [...this.open.values(), ...this.#ends];
    const books = [...this.books.values()].filter((book) => book.lastText !== null);
    const meta = new Map<string, unknown>([['counters', { stamp: this.stamp, trade: this.trade }]]);
    if (this.dustAt !== null) meta.set('dust', { at: this.dustAt });
    return new Map<string, Map<string, unknown>>([
      [this.tables.order, new Map(orders.map((order) => [String(order.id), orderDoc(order)]))],
      [this.tables.trade, new Map([...this.trades].map(({ trade }) => [trade.tradeId, trade]))],
      [this.tables.balance, new Map(this.balances.assets().map((asset) => [asset, this.balances.of(asset)]))],
      [this.tables.price, new Map(books.map((book) => [book.instrument.symbol, book.priceDoc()]))],
      [this.tables.meta, meta],
    ]);
  }

  /** Checks the whole state. Throws InvariantError. */
  audit(): void {
    const locks = new Map<string, bigint>();
    for (const order of this.open.values()) {
      invariant(isOpen(order) && order.cum >= ZERO && order.cum < order.qty, `${order.clientId} is not open`);
      const { instrument } = this.bookOf(order);
      const asset = order.side === 'BUY' ? instrument.quote : instrument.base;
      locks.set(asset, (locks.get(asset) ?? ZERO) + order.lock);
      invariant(
        order.visible > ZERO && order.visible <= remaining(order),
        `${order.clientId} shows too much`,
      );
    }
    for (const asset of this.balances.assets()) {
      const locked = this.balances.locked(asset);
      if (locked !== (locks.get(asset) ?? ZERO)) {
        throw new InvariantError(
          `${asset}: ${str(locked)} locked, orders hold ${str(locks.get(asset) ?? ZERO)}`,
        );
      }
    }
    for (const order of this.finished.values()) {
      invariant(order.lock === ZERO && !isOpen(order), `${order.clientId} ended with a lock`);
    }
  }

  #remember(order: PaperOrder, changes: Changes | null): void {
    this.finished.set(order.clientId, order);
    const out = this.#ends.push(order);
    if (!out) return;
    if (this.finished.get(out.clientId) === out) this.finished.delete(out.clientId);
    changes?.dropOrder(out);
  }

  #load(documents: PaperDocuments): void {
    const table = <T>(name: string): T[] => [...(documents.get(name)?.values() ?? [])] as T[];
    for (const balance of table<Parameters<Balances['restore']>[0]>(this.tables.balance)) {
      this.balances.restore(balance);
    }
    const meta = documents.get(this.tables.meta);
    const counters = meta?.get('counters') as Counters | undefined;
    this.stamp = counters?.stamp ?? 0;
    this.trade = counters?.trade ?? 0;
    this.dustAt = (meta?.get('dust') as { at: number } | undefined)?.at ?? null;
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
}
