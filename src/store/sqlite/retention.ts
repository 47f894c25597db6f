/**
 * Bounds the growth of the database (S50): orders, fills and keys stay, everything else has a maximum age.
 * Each run removes a limited number of rows, so that it never delays the desk; the next run continues.
 */
import type { DatabaseSync } from 'node:sqlite';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MIB = 1024 * 1024;

export interface RetentionOptions {
  /** Age of order events, log lines, bot notices, and notices that are alerts. Default 90 days. */
  readonly historyMs?: number;
  /** Size of these together, estimated. Default 1 GB. */
  readonly historyBytes?: number;
  /**
   * Age of answered idempotency records, from arrival (D17). Default 1 h. Unanswered ones stay: a restart
   * resolves them.
   */
  readonly idempotencyMs?: number;
  /** Age of stored candles against the newest of their market, symbol and frame. Default 400 days. */
  readonly candleMs?: number;
  /** Most stored candles of a market, symbol and frame; the newest are kept. Default 20,000. */
  readonly candleRows?: number;
  /** Size above which the write-ahead log is checkpointed and cut. Default 16 MiB. */
  readonly walBytes?: number;
  /** Most rows removed per table and run. Default 10,000. */
  readonly rowsPerRun?: number;
}

export type CompiledRetentionOptions = Required<RetentionOptions>;

export function compileRetentionOptions(options: RetentionOptions = {}): CompiledRetentionOptions {
  return {
    historyMs: 90 * DAY_MS,
    historyBytes: 1_000_000_000,
    idempotencyMs: HOUR_MS,
    candleMs: 400 * DAY_MS,
    candleRows: 20_000,
    walBytes: 16 * MIB,
    rowsPerRun: 10_000,
    ...options,
  };
}

/** Number of rows that one statement checks. */
const CHUNK = 500;
/** Number of newest rows whose mean length is the estimate for all. */
const SAMPLE = 200;
/** Columns, index entry and page overhead of a row beside its `doc`. */
const ROW_OVERHEAD_BYTES = 100;

type HistoryTable = 'events' | 'log' | 'notices';

/** Removes expired rows. Runs in the caller's transaction and throws what SQLite throws. `now`: wall time. */
export function removeExpired(db: DatabaseSync, now: number, options: CompiledRetentionOptions): void {
  for (const table of ['events', 'log', 'notices'] as const)
    removeOld(db, table, now - options.historyMs, options.rowsPerRun);
  removeExcess(db, options);
  // A bot's alerts are deleted with it. This removes alerts without a bot: notices, and those of a price
  // alert whose managed bot is gone.
  db.prepare(
    `DELETE FROM alerts WHERE rowid IN
     (SELECT rowid FROM alerts WHERE waiting = 0 AND at < ?
      AND NOT EXISTS (SELECT 1 FROM bots WHERE bots.id = alerts.bot_id) LIMIT ?)`,
  ).run(now - options.historyMs, options.rowsPerRun);
  db.prepare(
    `DELETE FROM idempotency WHERE rowid IN
     (SELECT rowid FROM idempotency WHERE arrived_at < ? AND status IS NOT NULL ORDER BY arrived_at LIMIT ?)`,
  ).run(now - options.idempotencyMs, options.rowsPerRun);
  removeOldCandles(db, options);
}

/**
 * Removes rows from the oldest on, chunk by chunk, while a chunk has an expired row. Rows are stored nearly
 * in the order of their times, so this needs no index on the time; rows with a time too far ahead, from a
 * wrong clock, only delay the ones after them.
 */
function removeOld(db: DatabaseSync, table: HistoryTable, before: number, most: number): void {
  const chunk = db.prepare(
    `DELETE FROM ${table} WHERE seq IN (SELECT seq FROM ${table} ORDER BY seq LIMIT ${CHUNK}) AND at < ?`,
  );
  for (let removed = 0; removed < most; ) {
    const { changes } = chunk.run(before);
    if (changes === 0) return;
    removed += Number(changes);
  }
}

/** Removes the same share of events, log lines and notices, oldest first, until all together fit. */
function removeExcess(db: DatabaseSync, options: CompiledRetentionOptions): void {
  const tables = [measure(db, 'events'), measure(db, 'log'), measure(db, 'notices')];
  if (weigh(tables) <= options.historyBytes) return;
  // Notices are also deleted with their bot, from anywhere in the table: they are counted exactly before any
  // row is removed because of them.
  const notices = db.prepare('SELECT count(*) AS rows FROM notices').get();
  const counted = tables.map((each) =>
    each.table === 'notices' ? { ...each, rows: Number(notices?.rows) } : each,
  );
  const bytes = weigh(counted);
  if (bytes <= options.historyBytes) return;
  const share = 1 - options.historyBytes / bytes;
  for (const { table, rows } of counted) {
    const count = Math.min(Math.ceil(rows * share), options.rowsPerRun);
    db.prepare(`DELETE FROM ${table} WHERE seq IN (SELECT seq FROM ${table} ORDER BY seq LIMIT ?)`).run(
      count,
    );
  }
}

interface Measured {
  readonly table: HistoryTable;
  readonly rows: number;
  readonly rowBytes: number;
}

/**
 * Estimates the number of rows from the range of `seq`, which is never too low, and their size from a sample:
 * no scan of the table.
 */
function measure(db: DatabaseSync, table: HistoryTable): Measured {
  const span = db
    .prepare(`SELECT (SELECT min(seq) FROM ${table}) AS first, (SELECT max(seq) FROM ${table}) AS last`)
    .get();
  const sample = db
    .prepare(
      `SELECT avg(octet_length(doc)) AS mean FROM (SELECT doc FROM ${table} ORDER BY seq DESC LIMIT ${SAMPLE})`,
    )
    .get();
  const rows = Number(span?.last ?? 0) - Number(span?.first ?? 1) + 1;
  return { table, rows, rowBytes: Number(sample?.mean ?? 0) + ROW_OVERHEAD_BYTES };
}

function weigh(tables: readonly Measured[]): number {
  return tables.reduce((bytes, { rows, rowBytes }) => bytes + rows * rowBytes, 0);
}

/**
 * Removes candles by their age against the newest one of each symbol and frame of a market, not against the
 * clock: market time stands still while the desk is down. Only a limited number fits between the newest and
 * the oldest kept, so nothing has to be counted.
 */
function removeOldCandles(
  db: DatabaseSync,
  { candleMs, candleRows, rowsPerRun }: CompiledRetentionOptions,
): void {
  const next = db.prepare(
    `SELECT market, symbol, frame FROM candles WHERE (market, symbol, frame) > (?, ?, ?)
     ORDER BY market, symbol, frame LIMIT 1`,
  );
  const OF = 'market = ?1 AND symbol = ?2 AND frame = ?3';
  const remove = db.prepare(
    `DELETE FROM candles WHERE ${OF} AND time IN (
     SELECT time FROM candles WHERE ${OF}
     AND time < (SELECT max(time) FROM candles WHERE ${OF}) - ?4 ORDER BY time LIMIT ?5)`,
  );
  for (let at = next.get('', '', 0); at; ) {
    const key = [at.market as string, at.symbol as string, at.frame as number] as const;
    remove.run(...key, Math.min(candleMs, (candleRows - 1) * key[2]), rowsPerRun);
    at = next.get(...key);
  }
}
