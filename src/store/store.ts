/**
 * The store port: one transaction a turn, synchronous, and a load of everything a start needs. Implementations:
 * `sqlite/` (real and `:memory:`). A failed commit throws StoreError and leaves the store as it was.
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

/** What a start needs in memory; first start and start after a crash are the same path. */
export interface LoadedState {
  /** Every order that is not terminal, and terminal ones whose `endedAt` is at or after `recentSince`. */
  readonly orders: readonly OrderRecord[];
  /** All fills of those orders. */
  readonly fills: readonly FillRecord[];
  /** What exchanges call those orders, where that is not their id. */
  readonly wireIds: readonly WireId[];
  /** Split plans that are not done. */
  readonly splits: readonly SplitPlan[];
  /** Idempotency records that arrived at or after `recentSince`, and all unanswered ones. */
  readonly idempotency: readonly IdempotencyRecord[];
  readonly keys: readonly AccessKey[];
  readonly bots: readonly BotRecord[];
  /** Runs that have not ended, or whose orders may still change, oldest first. */
  readonly runs: readonly RunRecord[];
  /** Newest 200 alerts and all with a delivery to come, oldest first. */
  readonly alerts: readonly AlertRecord[];
  readonly meta: ReadonlyMap<string, unknown>;
  /** Newest 200 lines, oldest first. */
  readonly log: readonly LogLine[];
}

/** Documents of one account of the paper exchange: its orders that have ended and its trades are not taken apart yet. */
export interface PaperAccountDocuments {
  /** Id -> document; of `spot.order` (`futures.order`) those of open orders, of `spot.trade` none. */
  get(table: string): ReadonlyMap<string, unknown> | undefined;
  readonly past: {
    /** Market time of the last change of any order, open ones included; 0 when there is none. */
    readonly time: number;
    /** As it was when the rest was read; in any order. */
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

/** Frame of a candle where none is named. */
export const MINUTE_MS = 60_000;

export interface LedgerPage {
  readonly rows: readonly LedgerRecord[];
  /** Pass as `before` for the next page; null at the end. */
  readonly next: string | null;
}

/** A fill with its place in the order of what was stored, and whose order it was. */
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

/** What happened on accounts in the order of its times, from any place on. Pages hold `limit` rows at most, and 5,000. */
export interface HistoryStore {
  /** By time, then as they were stored. */
  fillsFrom(q: {
    user: string;
    exchange: string;
    after: { time: number; seq: number } | null;
    limit: number;
  }): readonly StoredFill[];
  /** By time, then by id. `exchange`: the wallet's name. */
  ledgerFrom(q: {
    user: string;
    exchange: string;
    after: { time: number; id: string } | null;
    limit: number;
  }): readonly StoredLedgerRow[];
  /** What a wallet had when it was first looked at: a row an asset and a position. */
  openings(q: { user: string; exchange: string }): readonly StoredLedgerRow[];
  /** Orders with a stop price that were placed in that time, both ends included, oldest first; `limit` at most. */
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
  /** Every document of the paper exchange: table -> id -> document. */
  loadPaper(): ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  /** What a start of one account of the paper exchange needs. */
  loadPaperAccount(kind: 'spot' | 'futures'): PaperAccountDocuments;
  /** All rows or none, durable on return. Throws StoreError. */
  commit(rows: readonly Row[]): void;
  order(id: string): StoredOrder | null;
  /**
   * The order that an exchange calls so, by its own ids first; when there is none, the order whose id that is here, which is then
   * one of another exchange or has another name at its own.
   */
  orderAt(exchange: string, names: OrderNames): StoredOrder | null;
  orderEvents(orderId: string): OrderEvent[];
  orderFills(orderId: string): FillRecord[];
  /** Terminal orders, newest first, `limit` at most; `before` as given by the page before. */
  closedOrders(q: {
    user: string;
    exchange?: string;
    symbol?: string;
    before?: string;
    limit: number;
  }): OrderPage;
  /** By name. */
  operators(): OperatorRecord[];
  /** What a console keeps for an operator; null: nothing. */
  memory(name: string): OperatorMemory | null;
  /** Ascending by time. With startTime the first `limit` from there, else the last `limit` (S37). */
  trades(q: {
    user: string;
    exchange: string;
    symbol: string;
    startTime?: number;
    endTime?: number;
    limit: number;
  }): FillRecord[];
  /** Trades of all symbols, newest first, `limit` at most; `before` as given by the page before. */
  tradePage(q: {
    user: string;
    exchange?: string;
    symbol?: string;
    before?: string;
    limit: number;
  }): TradePage;
  isInLedger(exchange: string, id: string): boolean;
  /** Ledger of an account, newest first, `limit` at most; `before` as given by the page before. */
  ledger(q: { user: string; exchange: string; before?: string; limit: number }): LedgerPage;
  /** Runs of a bot, newest first, `limit` at most. */
  runs(botId: string, limit: number): RunRecord[];
  /** Notices of a bot, newest first, `limit` at most. */
  notices(botId: string, limit: number): BotNotice[];
  /** Closed candles of a market with `from` <= open time < `to`, oldest first. `frameMs`: left out, a minute. */
  candles(market: string, symbol: string, from: number, to: number, frameMs?: number): Candle[];
  /** The vault's rows, sealed as they are. */
  vault(): StoredVault;
  /** Runs retention (S50) and a WAL checkpoint; never throws. */
  maintain(now: number): void;
  close(): void;
}

/** A commit or an open that failed. `code` is stable: `BUSY`, `FULL`, `CORRUPT`, `FOREIGN`, `NEWER`, `IO`. */
export class StoreError extends Error {
  readonly code: 'BUSY' | 'FULL' | 'CORRUPT' | 'FOREIGN' | 'NEWER' | 'IO';

  constructor(code: StoreError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}
