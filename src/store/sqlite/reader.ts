/** All queries of the store, through prepared statements. Reads only; results are fresh objects. */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { AccessKey } from '../../domain/access-key.ts';
import type { AlertRecord, BotNotice, BotRecord, RunRecord } from '../../domain/bot.ts';
import type { OrderNames } from '../../domain/exchange.ts';
import type { LedgerRecord } from '../../domain/ledger.ts';
import type { OperatorRecord } from '../../domain/operator.ts';
import type { OperatorMemory } from '../../domain/operator-memory.ts';
import type {
  FillRecord,
  OrderEvent,
  OrderRecord,
  SplitPlan,
  StoredOrder,
  WireId,
} from '../../domain/order.ts';
import type { Candle, IdempotencyRecord, LogLine } from '../../domain/rows.ts';
import type { StoredVault } from '../../domain/vault.ts';
import type {
  LedgerPage,
  LoadedState,
  OrderPage,
  PaperAccountDocuments,
  Store,
  TradePage,
} from '../store.ts';

/** Number of alerts that a start loads, apart from those with a pending delivery. */
const LOADED_ALERTS = 200;
/** Number of log lines that a start loads. */
const LOADED_LOG_LINES = 200;
/** Most rows one page of orders or trades holds, whatever was asked for. */
const MAX_PAGE = 5_000;
/**
 * Most characters of a document of the vault, and most rows: a longer one was not written by this program,
 * and counts as damaged.
 */
const VAULT_DOC_MAX = 65_536;
const VAULT_ROWS_MAX = 10_000;
const VAULT_DOC = `CASE WHEN length(doc) <= ${VAULT_DOC_MAX} AND json_valid(doc) THEN doc ELSE 'null' END AS doc`;
/** Later than any time: where the first page of closed orders begins. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER;

// Without the hint the planner scans all orders, to save a sort of the few that are loaded.
const OPEN = 'FROM orders o INDEXED BY orders_open';
const ENDED = 'FROM orders o INDEXED BY orders_ended';
const FILLS = 'CROSS JOIN fills f INDEXED BY fills_order ON f.order_id = o.id';
const WIRE_ID = 'w.exchange, w.symbol, w.wire_id AS wireId, w.order_id AS orderId';
const NAMES = 'JOIN wire_ids w ON w.order_id = o.id';
const IS_OPEN = 'WHERE o.terminal = 0';
const IS_RECENT = 'WHERE o.terminal = 1 AND o.ended_at >= ?1';
const CLOSED = `SELECT id, ended_at, doc FROM orders WHERE terminal = 1 AND user = ?1
  AND (ended_at, id) < (?2, ?3) AND (?4 IS NULL OR exchange = ?4)`;
const TRADES = `SELECT doc FROM fills WHERE user = ?1 AND exchange = ?2 AND symbol = ?3 AND time BETWEEN ?4 AND ?5`;
/** Finds markets with trades, one after the other by the index: no scan of all trades. */
const NEXT_MARKET = (column: string, after: string) =>
  `(SELECT f.${column} FROM fills f INDEXED BY fills_time WHERE f.user = ?1 ${after} ORDER BY f.exchange, f.symbol LIMIT 1)`;
const LATER = 'AND (f.exchange, f.symbol) > (m.exchange, m.symbol)';
const MARKETS = `WITH RECURSIVE markets(exchange, symbol) AS (
  SELECT ${NEXT_MARKET('exchange', '')}, ${NEXT_MARKET('symbol', '')}
  UNION ALL SELECT ${NEXT_MARKET('exchange', LATER)}, ${NEXT_MARKET('symbol', LATER)} FROM markets m WHERE m.exchange IS NOT NULL
) SELECT exchange, symbol FROM markets WHERE exchange IS NOT NULL`;
const PAPER = 'SELECT tbl, id, doc FROM paper WHERE';
/**
 * For an order of the paper exchange: whether it has ended; `end` is its rank among the ended ones, 0 while
 * it is open.
 */
const HAS_ENDED = "(doc ->> 'end' > 0)";
const SQL = {
  loadOrders: `SELECT o.seq, o.doc ${OPEN} ${IS_OPEN} UNION ALL SELECT o.seq, o.doc ${ENDED} ${IS_RECENT} ORDER BY 1`,
  loadFills: `SELECT f.seq, f.doc ${OPEN} ${FILLS} ${IS_OPEN}
    UNION ALL SELECT f.seq, f.doc ${ENDED} ${FILLS} ${IS_RECENT} ORDER BY 1`,
  loadWireIds: `SELECT ${WIRE_ID} ${OPEN} ${NAMES} ${IS_OPEN} UNION ALL SELECT ${WIRE_ID} ${ENDED} ${NAMES} ${IS_RECENT}`,
  loadSplits: 'SELECT doc FROM splits WHERE done = 0 ORDER BY id',
  loadIdempotency:
    'SELECT * FROM idempotency WHERE arrived_at >= ? OR status IS NULL ORDER BY arrived_at, user, key',
  loadKeys: 'SELECT doc FROM access_keys ORDER BY rowid',
  loadBots: 'SELECT doc FROM bots ORDER BY rowid',
  loadRuns: 'SELECT doc FROM runs INDEXED BY runs_live WHERE live = 1 ORDER BY seq',
  loadAlerts: `SELECT seq, doc FROM alerts WHERE waiting = 1
    UNION SELECT seq, doc FROM (SELECT seq, doc FROM alerts ORDER BY seq DESC LIMIT ${LOADED_ALERTS}) ORDER BY 1`,
  loadMeta: 'SELECT name, doc FROM meta ORDER BY name',
  loadLog: `SELECT doc FROM (SELECT seq, doc FROM log ORDER BY seq DESC LIMIT ${LOADED_LOG_LINES}) ORDER BY seq`,
  loadPaper: 'SELECT tbl, id, doc FROM paper ORDER BY tbl, id',
  loadPaperTables: `${PAPER} tbl >= ?1 || '.' AND tbl < ?1 || '.order'
    UNION ALL ${PAPER} tbl > ?1 || '.order' AND tbl < ?1 || '.trade'
    UNION ALL ${PAPER} tbl > ?1 || '.trade' AND tbl < ?1 || '/'`,
  loadPaperOrders: `SELECT group_concat(json_quote(id) || ':' || doc) FILTER (WHERE ${HAS_ENDED} IS NOT TRUE) AS open,
    group_concat(doc) FILTER (WHERE ${HAS_ENDED}) AS ended, max(doc ->> 'time') AS time
    FROM paper WHERE tbl = ?1 || '.order'`,
  loadPaperTrades: `SELECT group_concat(doc) AS docs, min(json_valid(doc)) AS valid
    FROM paper WHERE tbl = ?1 || '.trade'`,
  order: 'SELECT doc FROM orders WHERE id = ?',
  wireIdsOf: `SELECT ${WIRE_ID} FROM wire_ids w WHERE w.order_id = ? ORDER BY w.seq`,
  wireId: `SELECT ${WIRE_ID} FROM wire_ids w WHERE w.exchange = ? AND w.symbol = ? AND w.wire_id = ?`,
  runs: 'SELECT doc FROM runs WHERE bot_id = ? ORDER BY seq DESC LIMIT ?',
  notices: 'SELECT doc FROM notices WHERE bot_id = ? ORDER BY seq DESC LIMIT ?',
  events: 'SELECT doc FROM events WHERE order_id = ? ORDER BY seq',
  fills: 'SELECT doc FROM fills WHERE order_id = ? ORDER BY time, seq',
  closed: `${CLOSED} ORDER BY ended_at DESC, id DESC LIMIT ?5`,
  closedOfSymbol: `${CLOSED} AND symbol = ?6 ORDER BY ended_at DESC, id DESC LIMIT ?5`,
  markets: MARKETS,
  tradesBefore: `SELECT time, seq FROM fills INDEXED BY fills_time WHERE user = ?1 AND exchange = ?2 AND symbol = ?3
    AND (time, seq) < (?4, ?5) ORDER BY time DESC, seq DESC LIMIT ?6`,
  trade: 'SELECT doc FROM fills WHERE seq = ?',
  firstTrades: `${TRADES} ORDER BY time, seq LIMIT ?6`,
  lastTrades: `${TRADES} ORDER BY time DESC, seq DESC LIMIT ?6`,
  isInLedger: 'SELECT 1 AS found FROM ledger WHERE exchange = ? AND id = ?',
  ledger: `SELECT time, id, doc FROM ledger INDEXED BY ledger_time WHERE user = ?1 AND exchange = ?2
    AND (time, id) < (?3, ?4) ORDER BY time DESC, id DESC LIMIT ?5`,
  operators: 'SELECT doc FROM operators ORDER BY name',
  memory: 'SELECT doc FROM memory WHERE name = ?',
  vaultKey: `SELECT ${VAULT_DOC} FROM vault_key`,
  vaultSecrets: `SELECT connection, field, ${VAULT_DOC} FROM vault_secrets ORDER BY connection, field LIMIT ${VAULT_ROWS_MAX}`,
  candles:
    'SELECT time, open, high, low, close, volume FROM candles WHERE market = ? AND symbol = ? AND frame = ? AND time >= ? AND time < ? ORDER BY time',
} as const;

interface IdempotencyColumns {
  readonly user: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly arrived_at: number;
  readonly request_id: string;
  readonly effect_kind: NonNullable<IdempotencyRecord['effect']>['kind'] | null;
  readonly effect_order: string | null;
  readonly status: number | null;
  readonly body: string | null;
}

/** `symbol` empty: the client id that was sent with the order. */
interface WireIdColumns {
  readonly exchange: string;
  readonly symbol: string;
  readonly wireId: string;
  readonly orderId: string;
}

export class Reader {
  readonly #db: DatabaseSync;
  /** Statements prepared on first use: a start needs few of them. */
  readonly #prepared = new Map<keyof typeof SQL, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  load(recentSince: number): LoadedState {
    const meta = this.#rows<{ name: string; doc: string }>('loadMeta');
    return {
      orders: this.#docs<OrderRecord>('loadOrders', recentSince),
      fills: this.#docs<FillRecord>('loadFills', recentSince),
      wireIds: this.#rows<WireIdColumns>('loadWireIds', recentSince).map(toWireId),
      splits: this.#docs<SplitPlan>('loadSplits'),
      idempotency: this.#rows<IdempotencyColumns>('loadIdempotency', recentSince).map(toIdempotency),
      keys: this.#docs<AccessKey>('loadKeys'),
      bots: this.#docs<BotRecord>('loadBots'),
      runs: this.#docs<RunRecord>('loadRuns'),
      alerts: this.#docs<AlertRecord>('loadAlerts'),
      meta: new Map(meta.map(({ name, doc }) => [name, JSON.parse(doc)])),
      log: this.#docs<LogLine>('loadLog'),
    };
  }

  loadPaper(): Map<string, Map<string, unknown>> {
    return tablesOf(this.#rows('loadPaper'));
  }

  /**
   * Loads one account of the paper exchange. Reading a long history takes a fraction of the time of parsing
   * it: it is read as two texts, which SQLite has checked to be JSON.
   */
  loadPaperAccount(kind: 'spot' | 'futures'): PaperAccountDocuments {
    const tables = tablesOf(this.#rows('loadPaperTables', kind));
    const orders = this.#rows<PaperOrdersColumns>('loadPaperOrders', kind)[0];
    const trades = this.#rows<PaperTradesColumns>('loadPaperTrades', kind)[0];
    tables.set(`${kind}.order`, new Map(Object.entries(JSON.parse(`{${orders?.open ?? ''}}`))));
    const read = () => ({ orders: parseList(orders?.ended), trades: parseList(trades?.docs) });
    // Throws, because one of them is not JSON.
    if (trades?.valid === 0) read();
    return { get: (table) => tables.get(table), past: { time: orders?.time ?? 0, read } };
  }

  order(id: string): StoredOrder | null {
    const order = this.#docs<OrderRecord>('order', id)[0];
    if (!order) return null;
    return {
      order,
      fills: this.fills(id),
      wireIds: this.#rows<WireIdColumns>('wireIdsOf', id).map(toWireId),
    };
  }

  orderAt(exchange: string, { clientId, symbol, venueIds = [] }: OrderNames): StoredOrder | null {
    for (const venueId of venueIds) {
      const named = this.#rows<WireIdColumns>('wireId', exchange, symbol, venueId)[0];
      if (named) return this.order(named.orderId);
    }
    if (clientId === '') return null;
    const named = this.#rows<WireIdColumns>('wireId', exchange, '', clientId)[0];
    return this.order(named?.orderId ?? clientId);
  }

  events(orderId: string): OrderEvent[] {
    return this.#docs('events', orderId);
  }

  fills(orderId: string): FillRecord[] {
    return this.#docs('fills', orderId);
  }

  /**
   * Returns closed orders, newest end first; those with equal ends by id. A `before` that no page has
   * returned gives an empty page.
   */
  closedOrders(q: Parameters<Store['closedOrders']>[0]): OrderPage {
    const from = q.before === undefined ? { endedAt: END_OF_TIME, id: '' } : parseCursor(q.before);
    if (!from) return { orders: [], next: null };
    const limit = pageSize(q.limit);
    const args = [q.user, from.endedAt, from.id, q.exchange ?? null, limit + 1];
    const found =
      q.symbol === undefined
        ? this.#rows<ClosedColumns>('closed', ...args)
        : this.#rows<ClosedColumns>('closedOfSymbol', ...args, q.symbol);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      orders: page.map(({ doc }) => JSON.parse(doc) as OrderRecord),
      next: last && found.length > limit ? `${last.ended_at}-${last.id}` : null,
    };
  }

  /**
   * Returns trades merged from the newest of each market. A `before` that no page has returned gives an empty
   * page.
   */
  tradePage(q: Parameters<Store['tradePage']>[0]): TradePage {
    const from = q.before === undefined ? { endedAt: END_OF_TIME, id: '0' } : parseCursor(q.before);
    const seq = Number(from?.id);
    if (!from || !Number.isSafeInteger(seq)) return { trades: [], next: null };
    const limit = pageSize(q.limit);
    const found: TradeColumns[] = [];
    for (const { exchange, symbol } of this.#rows<{ exchange: string; symbol: string }>('markets', q.user)) {
      if (q.exchange !== undefined && exchange !== q.exchange) continue;
      if (q.symbol !== undefined && symbol !== q.symbol) continue;
      const args = [q.user, exchange, symbol, from.endedAt, seq, limit + 1];
      found.push(...this.#rows<TradeColumns>('tradesBefore', ...args));
    }
    found.sort((a, b) => b.time - a.time || b.seq - a.seq);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      trades: page.flatMap((row) => this.#docs<FillRecord>('trade', row.seq)),
      next: last && found.length > limit ? `${last.time}-${last.seq}` : null,
    };
  }

  /** Returns trades; both ends of the time range are included. */
  trades(q: Parameters<Store['trades']>[0]): FillRecord[] {
    const to = q.endTime ?? END_OF_TIME;
    const args = [q.user, q.exchange, q.symbol, q.startTime ?? 0, to, pageSize(q.limit)];
    if (q.startTime !== undefined) return this.#docs('firstTrades', ...args);
    return this.#docs<FillRecord>('lastTrades', ...args).reverse();
  }

  operators(): OperatorRecord[] {
    return this.#docs<OperatorRecord>('operators');
  }

  memory(name: string): OperatorMemory | null {
    return this.#docs<OperatorMemory>('memory', name)[0] ?? null;
  }

  isInLedger(exchange: string, id: string): boolean {
    return this.#rows('isInLedger', exchange, id).length > 0;
  }

  /**
   * Returns ledger rows, newest first; those of one time by id. A `before` that no page has returned gives an
   * empty page.
   */
  ledger(q: Parameters<Store['ledger']>[0]): LedgerPage {
    const from = q.before === undefined ? { endedAt: END_OF_TIME, id: '' } : parseCursor(q.before);
    if (!from) return { rows: [], next: null };
    const limit = pageSize(q.limit);
    const found = this.#rows<LedgerColumns>('ledger', q.user, q.exchange, from.endedAt, from.id, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      rows: page.map(({ doc }) => JSON.parse(doc) as LedgerRecord),
      next: last && found.length > limit ? `${last.time}-${last.id}` : null,
    };
  }

  runs(botId: string, limit: number): RunRecord[] {
    return this.#docs('runs', botId, pageSize(limit));
  }

  notices(botId: string, limit: number): BotNotice[] {
    return this.#docs('notices', botId, pageSize(limit));
  }

  /** Returns candles with `from` <= open time < `to`, as the feed's own `candles`. */
  candles(market: string, symbol: string, from: number, to: number, frameMs: number): Candle[] {
    return this.#rows<Candle>('candles', market, symbol, frameMs, from, to).map((row) => ({ ...row }));
  }

  /** Returns the vault's rows; documents that are no JSON come as null, and the vault decides about them. */
  vault(): StoredVault {
    const [doc] = this.#docs<unknown>('vaultKey');
    const secrets = this.#rows<{ connection: string; field: string; doc: string }>('vaultSecrets');
    return {
      key: doc === undefined ? null : { doc },
      secrets: secrets.map((row) => ({ ...row, doc: JSON.parse(row.doc) as unknown })),
    };
  }

  #rows<T>(name: keyof typeof SQL, ...args: SQLInputValue[]): T[] {
    let statement = this.#prepared.get(name);
    if (!statement) {
      statement = this.#db.prepare(SQL[name]);
      this.#prepared.set(name, statement);
    }
    return statement.all(...args) as T[];
  }

  #docs<T>(name: keyof typeof SQL, ...args: SQLInputValue[]): T[] {
    return this.#rows<{ doc: string }>(name, ...args).map(({ doc }) => JSON.parse(doc) as T);
  }
}

interface TradeColumns {
  readonly time: number;
  readonly seq: number;
}

interface LedgerColumns {
  readonly time: number;
  readonly id: string;
  readonly doc: string;
}

interface PaperColumns {
  readonly tbl: string;
  readonly id: string;
  readonly doc: string;
}

interface PaperOrdersColumns {
  readonly open: string | null;
  readonly ended: string | null;
  readonly time: number | null;
}

interface PaperTradesColumns {
  readonly docs: string | null;
  readonly valid: 0 | 1 | null;
}

interface ClosedColumns {
  readonly id: string;
  readonly ended_at: number;
  readonly doc: string;
}

function tablesOf(rows: readonly PaperColumns[]): Map<string, Map<string, unknown>> {
  const tables = new Map<string, Map<string, unknown>>();
  for (const { tbl, id, doc } of rows) {
    const table = tables.get(tbl) ?? new Map<string, unknown>();
    tables.set(tbl, table.set(id, JSON.parse(doc)));
  }
  return tables;
}

/** @param docs documents in JSON with commas between them */
function parseList(docs: string | null | undefined): unknown[] {
  return JSON.parse(`[${docs ?? ''}]`);
}

function toIdempotency(row: IdempotencyColumns): IdempotencyRecord {
  const { user, key, fingerprint, effect_kind: kind, effect_order: orderId, status, body } = row;
  return {
    user,
    key,
    fingerprint,
    arrivedAt: row.arrived_at,
    requestId: row.request_id,
    effect: kind !== null && orderId !== null ? { kind, orderId } : null,
    answer: status !== null && body !== null ? { status, body } : null,
  };
}

function parseCursor(text: string): { endedAt: number; id: string } | null {
  const match = /^(\d{1,16})-(.*)$/s.exec(text);
  const endedAt = Number(match?.[1]);
  return match?.[2] !== undefined && Number.isSafeInteger(endedAt) ? { endedAt, id: match[2] } : null;
}

/** Limits a page; SQLite reads a negative LIMIT as no limit at all. */
function pageSize(limit: number): number {
  return Math.min(Math.max(1, Math.trunc(limit)), MAX_PAGE);
}

function toWireId({ exchange, symbol, wireId, orderId }: WireIdColumns): WireId {
  return { exchange, ...(symbol === '' ? {} : { symbol }), wireId, orderId };
}
