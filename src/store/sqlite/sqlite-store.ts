/**
 * The store on one SQLite connection: one transaction per commit, durable on return. Never retries a failed
 * write: after a device fault it is unknown what reached the disk, so every later commit fails too until the
 * process is restarted.
 */
import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { OrderNames } from '../../domain/exchange.ts';
import type { Row } from '../../domain/rows.ts';
import { MINUTE_MS, type Store, type StoreError } from '../store.ts';
import { isDeviceFault, toStoreError } from './errors.ts';
import { HistoryReader } from './history-reader.ts';
import { Reader } from './reader.ts';
import {
  type CompiledRetentionOptions,
  compileRetentionOptions,
  type RetentionOptions,
  removeExpired,
} from './retention.ts';
import { prepareWriter } from './writer.ts';

export interface SqliteStoreOptions {
  /**
   * Called inside each transaction, right before COMMIT. An error thrown by it fails the commit: for fault
   * tests.
   */
  readonly beforeCommit?: () => void;
  readonly retention?: RetentionOptions;
  /** Receives the errors of `maintain`, which never throws. */
  readonly onMaintainError?: (error: StoreError) => void;
}

/** Rows whose older versions must not remain on disk: an old passphrase would open them. */
const REPLACED_FOR_GOOD: ReadonlySet<Row['kind']> = new Set(['vault-key', 'vault-secret', 'vault-forget']);

export class SqliteStore implements Store {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #options: SqliteStoreOptions;
  readonly #retention: CompiledRetentionOptions;
  readonly #reader: Reader;
  readonly #history: HistoryReader;
  readonly #write: (row: Row) => void;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  /** The device fault after which nothing is written any more. */
  #fault: StoreError | null = null;

  /** Takes over `db`, as opened by `openDatabase`. */
  constructor(db: DatabaseSync, file: string, options: SqliteStoreOptions = {}) {
    this.#db = db;
    this.#file = file;
    this.#options = options;
    this.#retention = compileRetentionOptions(options.retention);
    this.#reader = new Reader(db);
    this.#history = new HistoryReader(db);
    this.#write = prepareWriter(db);
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
  }

  /**
   * Commits the rows. A failure whose code is not IO or CORRUPT leaves the store unchanged. After a device
   * fault the rows of this commit may reappear at the next start: the caller must treat them as unknown, like
   * after a crash at this point.
   */
  commit(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    this.#transaction(() => {
      for (const row of rows) this.#write(row);
      this.#options.beforeCommit?.();
    });
    if (rows.some(({ kind }) => REPLACED_FOR_GOOD.has(kind))) this.#emptyLog();
  }

  maintain(now: number): void {
    try {
      this.#transaction(() => removeExpired(this.#db, now, this.#retention));
      if (this.#walBytes() > this.#retention.walBytes) this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      this.#options.onMaintainError?.(this.#failed(error, 'maintained'));
    }
  }

  load(recentSince: number) {
    return this.#read(() => this.#reader.load(recentSince));
  }

  loadPaper() {
    return this.#read(() => this.#reader.loadPaper());
  }

  loadPaperAccount(kind: 'spot' | 'futures') {
    return this.#read(() => this.#reader.loadPaperAccount(kind));
  }

  order(id: string) {
    return this.#read(() => this.#reader.order(id));
  }

  orderAt(exchange: string, names: OrderNames) {
    return this.#read(() => this.#reader.orderAt(exchange, names));
  }

  orderEvents(orderId: string) {
    return this.#read(() => this.#reader.events(orderId));
  }

  orderFills(orderId: string) {
    return this.#read(() => this.#reader.fills(orderId));
  }

  closedOrders(q: Parameters<Store['closedOrders']>[0]) {
    return this.#read(() => this.#reader.closedOrders(q));
  }

  tradePage(q: Parameters<Store['tradePage']>[0]) {
    return this.#read(() => this.#reader.tradePage(q));
  }

  trades(q: Parameters<Store['trades']>[0]) {
    return this.#read(() => this.#reader.trades(q));
  }

  isInLedger(exchange: string, id: string) {
    return this.#read(() => this.#reader.isInLedger(exchange, id));
  }

  ledger(q: Parameters<Store['ledger']>[0]) {
    return this.#read(() => this.#reader.ledger(q));
  }

  fillsFrom(q: Parameters<Store['fillsFrom']>[0]) {
    return this.#read(() => this.#history.fillsFrom(q));
  }

  ledgerFrom(q: Parameters<Store['ledgerFrom']>[0]) {
    return this.#read(() => this.#history.ledgerFrom(q));
  }

  openings(q: Parameters<Store['openings']>[0]) {
    return this.#read(() => this.#history.openings(q));
  }

  stopsPlaced(q: Parameters<Store['stopsPlaced']>[0]) {
    return this.#read(() => this.#history.stopsPlaced(q));
  }

  runs(botId: string, limit: number) {
    return this.#read(() => this.#reader.runs(botId, limit));
  }

  notices(botId: string, limit: number) {
    return this.#read(() => this.#reader.notices(botId, limit));
  }

  candles(market: string, symbol: string, from: number, to: number, frameMs = MINUTE_MS) {
    return this.#read(() => this.#reader.candles(market, symbol, from, to, frameMs));
  }

  operators() {
    return this.#read(() => this.#reader.operators());
  }

  memory(name: string) {
    return this.#read(() => this.#reader.memory(name));
  }

  vault() {
    return this.#read(() => this.#reader.vault());
  }

  /**
   * Closes the store. Harmless when repeated. Writes the WAL back; if that fails the WAL stays and the next
   * start reads it.
   */
  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #transaction(work: () => void): void {
    if (this.#fault) throw this.#fault;
    try {
      this.#begin.run();
      work();
      this.#commit.run();
    } catch (error) {
      const failed = this.#failed(error, 'written');
      this.#rollBack();
      throw failed;
    }
  }

  /** Rolls back, unless SQLite has done so itself, as after some errors. */
  #rollBack(): void {
    if (!this.#db.isOpen || !this.#db.isTransaction) return;
    try {
      this.#db.exec('ROLLBACK');
    } catch (error) {
      this.#fault ??= toStoreError(error, this.#file, 'rolled back');
    }
  }

  #read<T>(query: () => T): T {
    try {
      return query();
    } catch (error) {
      throw this.#failed(error, 'read');
    }
  }

  #failed(error: unknown, doing: string): StoreError {
    const failed = toStoreError(error, this.#file, doing);
    if (isDeviceFault(failed)) this.#fault ??= failed;
    return failed;
  }

  /**
   * Empties the write-ahead log, so that replaced content does not remain in it. Another reader may prevent
   * that: then a later call does it.
   */
  #emptyLog(): void {
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      this.#options.onMaintainError?.(this.#failed(error, 'checkpointed'));
    }
  }

  #walBytes(): number {
    if (this.#file === ':memory:') return 0;
    return statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }
}
