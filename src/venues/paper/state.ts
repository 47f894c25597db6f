/**
 * The whole state of the paper spot account, and how it is stored as documents and read back. No trading
 * rules here.
 */
import { str, ZERO } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { Balances } from './balances.ts';
import { Book } from './book.ts';
import { type Changes, type PaperStep, paperTables } from './changes.ts';
import { InvariantError, invariant } from './invariant.ts';
import { type Ledger, SpotLedger } from './ledger.ts';
import type { CompiledPaperOptions } from './options.ts';
import { OrderMemory, type PaperDocuments } from './order-memory.ts';
import { isOpen, remaining } from './paper-order.ts';

export type { PaperDocuments } from './order-memory.ts';

export class PaperState extends OrderMemory {
  readonly balances = new Balances();
  readonly ledger: Ledger;
  /** True when nothing had been stored yet. */
  readonly fresh: boolean;
  /** Wall time of the last dust conversion. */
  dustAt: number | null = null;

  constructor(instruments: readonly Instrument[], options: CompiledPaperOptions, documents: PaperDocuments) {
    super(paperTables('spot'), options);
    this.ledger = new SpotLedger(this.balances, () => this.options);
    this.list(instruments);
    const balances = documents.get(this.tables.balance);
    this.fresh = balances === undefined || balances.size === 0;
    if (!this.fresh) this.#load(documents);
  }

  /** Sets the instruments that are traded from now on; the books of others stay. */
  list(instruments: readonly Instrument[]): void {
    for (const instrument of instruments) {
      if (instrument.kind !== 'spot') continue;
      const book = this.books.get(instrument.symbol);
      if (book) book.trade(instrument);
      else this.books.set(instrument.symbol, new Book(instrument));
    }
  }

  /** Closes an operation: the rows of everything it touched, and the events to send. */
  close<T>(changes: Changes, outcome: T): PaperStep<T> {
    this.entries.close(changes, this.tables.ledger, this.time);
    const balances = this.balances.takeTouched();
    if (balances.length > 0) {
      const { time } = this;
      changes.events.push({ kind: 'balances', changed: balances.map((balance) => ({ ...balance, time })) });
    }
    if (!changes.empty || balances.length > 0) {
      changes.put(this.tables.meta, 'counters', this.countersDoc());
    }
    for (const balance of balances) changes.put(this.tables.balance, balance.asset, balance);
    return { outcome, events: changes.events, rows: changes.rows() };
  }

  /** The whole state as it is in the store once every row is written. */
  documents(): Map<string, Map<string, unknown>> {
    const meta = new Map<string, unknown>([['counters', this.countersDoc()]]);
    if (this.dustAt !== null) meta.set('dust', { at: this.dustAt });
    return new Map<string, Map<string, unknown>>([
      ...this.memoryDocuments(),
      [this.tables.balance, new Map(this.balances.assets().map((asset) => [asset, this.balances.of(asset)]))],
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

  #load(documents: PaperDocuments): void {
    for (const balance of documents.get(this.tables.balance)?.values() ?? []) {
      this.balances.restore(balance as Parameters<Balances['restore']>[0]);
    }
    this.dustAt = (documents.get(this.tables.meta)?.get('dust') as { at: number } | undefined)?.at ?? null;
    this.loadMemory(documents);
  }
}
