/**
 * The store port: one transaction per turn, synchronous, and a load of everything a start needs.
 * Implementations: `sqlite/` (real and `:memory:`). A failed commit throws StoreError and leaves the store as
 * it was.
 */

import type { AccessKey } from '../domain/access-key.ts';
import type { AlertRecord, BotNotice, BotRecord, RunRecord } from '../domain/bot.ts';
import type { OrderNames } from '../domain/exchange.ts';
import type { LedgerRecord } from '../domain/ledger.ts';
import type { OperatorRecord } from '../domain/operator.ts';
import type { OperatorMemory } from '../domain/operator-memory.ts';
import type { FillRecord, OrderEvent, OrderRecord, SplitPlan, StoredOrder, WireId } from '../domain/order.ts';
import type { Candle, IdempotencyRecord, LogLine, Row } from '../domain/rows.ts';
import type { StoredVault } from '../domain/vault.ts';

/** The state that a start needs in memory; first start and start after a crash use the same code. */
export interface LoadedState {
  /** Every order that is not terminal, and terminal ones whose `endedAt` is at or after `recentSince`. */
  readonly orders: readonly OrderRecord[];
  /** All fills of those orders. */
  readonly fills: readonly FillRecord[];
  /** Ids of those orders at exchanges, where they differ from the orders' ids. */
  readonly wireIds: readonly WireId[];
  /** Split plans that are not done. */
  readonly splits: readonly SplitPlan[];
  /** Idempotency records that arrived at or after `recentSince`, and all unanswered ones. */
  readonly idempotency: readonly IdempotencyRecord[];
  readonly keys: readonly AccessKey[];
  readonly bots: readonly BotRecord[];
  /** Runs that have not ended, or whose orders may still change, oldest first. */
  readonly runs: readonly RunRecord[];
  /** Newest 200 alerts and all with a pending delivery, oldest first. */
  readonly alerts: readonly AlertRecord[];
  readonly meta: ReadonlyMap<string, unknown>;
  /** Newest 200 lines, oldest first. */
  readonly log: readonly LogLine[];
}

/** Documents of one account of the paper exchange: its ended orders and its trades are not parsed yet. */
export interface PaperAccountDocuments {
  /** Returns id -> document; for `spot.order` (`futures.order`) only open orders, for `spot.trade` none. */
  get(table: string): ReadonlyMap<string, unknown> | undefined;
  readonly past: {
    /** Market time of the last change of any order, open ones included; 0 when there is none. */
    readonly time: number;
    /** Parses the ended orders and the trades, as they were when the rest was read; in any order. */
    read(): { orders: unknown[]; trades: unknown[] };
  };
}

export interface OrderPage {
  readonly orders: readonly OrderRecord[];
  /** Pass as `before` for the next page; null at the end. */
  readonly next: string | null;
}

export interface TradePage {
  readonly trades: readonly FillRecord[];
  /** Pass as `before` for the next page; null at the end. */
  readonly next: string | null;
}

/** Frame of a candle where none is given. */
export const MINUTE_MS = 60_000;

export interface LedgerPage {
  readonly rows: readonly LedgerRecord[];
  /** Pass as `before` for the next page; null at the end. */
  readonly next: string | null;
}

/** A fill with its position in the order of storage, and the creator of its order. */
export interface StoredFill {
  readonly fill: FillRecord;
  readonly seq: number;
  /** Null: its order is not stored. */
  readonly creator: OrderRecord['creator'] | null;
  readonly creatorId: string | null;
}

export interface StoredLedgerRow {
  readonly record: LedgerRecord;
  /** `seq` of the last fill that was stored before it; 0 where that is not known. */
  readonly fills: number;
}

/**
 * The history of accounts in the order of its times, from any position on. Pages hold at most `limit` rows,
 * and at most 5,000.
 */
export interface HistoryStore {
  /** Returns fills by time, then in the order of storage. */
  fillsFrom(q: {
    user: string;
    exchange: string;
    after: { time: number; seq: number } | null;
    limit: number;
  }): readonly StoredFill[];
  /** Returns ledger rows by time, then by id. `exchange`: the wallet's name. */
  ledgerFrom(q: {
    user: string;
    exchange: string;
    after: { time: number; id: string } | null;
    limit: number;
  }): readonly StoredLedgerRow[];
  /**
   * Returns the opening rows of a wallet: one for each asset and position that it had when it was first
   * looked at.
   */
  openings(q: { user: string; exchange: string }): readonly StoredLedgerRow[];
  /**
   * Returns orders with a stop price that were placed in that time, both ends included, oldest first; at most
   * `limit`.
   */
  stopsPlaced(q: {
    user: string;
    exchange: string;
    symbol: string;
    from: number;
    to: number;
    limit: number;
  }): readonly OrderRecord[];
}

export interface Store extends HistoryStore {
  load(recentSince: number): LoadedState;
  /** Returns every document of the paper exchange: table -> id -> document. */
  loadPaper(): ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  /** Loads what a start of one account of the paper exchange needs. */
  loadPaperAccount(kind: 'spot' | 'futures'): PaperAccountDocuments;
  /** Stores all rows or none, durable on return. Throws StoreError. */
  commit(rows: readonly Row[]): void;
  order(id: string): StoredOrder | null;
  /**
   * Returns the order with these ids at an exchange, by the exchange's own ids first; if there is none, the
   * order with that id here, which then belongs to another exchange or has another id at its own.
   */
  orderAt(exchange: string, names: OrderNames): StoredOrder | null;
  orderEvents(orderId: string): OrderEvent[];
  orderFills(orderId: string): FillRecord[];
  /** Returns terminal orders, newest first, at most `limit`; `before` as returned by the previous page. */
  closedOrders(q: {
    user: string;
    exchange?: string;
    symbol?: string;
    before?: string;
    limit: number;
  }): OrderPage;
  /** Returns the operators by name. */
  operators(): OperatorRecord[];
  /** Returns what a console has stored for an operator; null: nothing. */
  memory(name: string): OperatorMemory | null;
  /**
   * Returns trades ascending by time. With startTime the first `limit` from there, else the last `limit`
   * (S37).
   */
  trades(q: {
    user: string;
    exchange: string;
    symbol: string;
    startTime?: number;
    endTime?: number;
    limit: number;
  }): FillRecord[];
  /**
   * Returns trades of all symbols, newest first, at most `limit`; `before` as returned by the previous page.
   */
  tradePage(q: {
    user: string;
    exchange?: string;
    symbol?: string;
    before?: string;
    limit: number;
  }): TradePage;
  isInLedger(exchange: string, id: string): boolean;
  /**
   * Returns the ledger of an account, newest first, at most `limit`; `before` as returned by the previous
   * page.
   */
  ledger(q: { user: string; exchange: string; before?: string; limit: number }): LedgerPage;
  /** Returns the runs of a bot, newest first, at most `limit`. */
  runs(botId: string, limit: number): RunRecord[];
  /** Returns the notices of a bot, newest first, at most `limit`. */
  notices(botId: string, limit: number): BotNotice[];
  /**
   * Returns closed candles of a market with `from` <= open time < `to`, oldest first. `frameMs` left out: a
   * minute.
   */
  candles(market: string, symbol: string, from: number, to: number, frameMs?: number): Candle[];
  /** Returns the vault's rows, still sealed. */
  vault(): StoredVault;
  /** Runs retention (S50) and a WAL checkpoint; never throws. */
  maintain(now: number): void;
  close(): void;
}

/**
 * The error of a failed commit or open. `code` is stable: `BUSY`, `FULL`, `CORRUPT`, `FOREIGN`, `NEWER`,
 * `IO`.
 */
export class StoreError extends Error {
  readonly code: 'BUSY' | 'FULL' | 'CORRUPT' | 'FOREIGN' | 'NEWER' | 'IO';

  constructor(code: StoreError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}
