/**
 * Writes one row into its table, through prepared statements. Runs inside the caller's transaction; never
 * begins or ends one.
 */
import type { DatabaseSync } from 'node:sqlite';
import { assertNever } from '../../domain/errors.ts';
import { mayBeOpen, type OrderRecord } from '../../domain/order.ts';
import type { IdempotencyRecord, Row } from '../../domain/rows.ts';
import type { SealedSecret } from '../../domain/vault.ts';
import { MINUTE_MS } from '../store.ts';

/**
 * Events and log lines are appended, a known fill or ledger row stays as it was first stored, everything else
 * is an upsert by its key. `ON CONFLICT ... DO NOTHING` instead of `OR IGNORE`, which would also ignore a
 * missing field.
 */
const SQL = {
  order: `INSERT INTO orders (id, user, exchange, symbol, status, terminal, order_time, ended_at, doc)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    status = excluded.status, terminal = excluded.terminal, ended_at = excluded.ended_at, doc = excluded.doc`,
  fill: `INSERT INTO fills (exchange, trade_id, order_id, user, symbol, time, doc) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (order_id, trade_id, symbol, exchange) DO NOTHING`,
  fillMoved: `UPDATE OR REPLACE fills SET order_id = ?, user = ?, doc = ?
    WHERE order_id = ? AND trade_id = ? AND symbol = ? AND exchange = ?`,
  ledger: `INSERT INTO ledger (exchange, id, user, time, doc, fills)
    VALUES (?, ?, ?, ?, ?, (SELECT coalesce(max(seq), 0) FROM fills)) ON CONFLICT (exchange, id) DO NOTHING`,
  wireId: `INSERT INTO wire_ids (exchange, symbol, wire_id, order_id) VALUES (?, ?, ?, ?)
    ON CONFLICT (exchange, symbol, wire_id) DO UPDATE SET order_id = excluded.order_id`,
  event: 'INSERT INTO events (order_id, at, doc) VALUES (?, ?, ?)',
  split: `INSERT INTO splits (id, done, doc) VALUES (?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET done = excluded.done, doc = excluded.doc`,
  idempotency: `INSERT INTO idempotency
    (user, key, fingerprint, arrived_at, request_id, effect_kind, effect_order, status, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user, key) DO UPDATE SET fingerprint = excluded.fingerprint,
    arrived_at = excluded.arrived_at, request_id = excluded.request_id, effect_kind = excluded.effect_kind,
    effect_order = excluded.effect_order, status = excluded.status, body = excluded.body`,
  idempotencyDrop: 'DELETE FROM idempotency WHERE user = ? AND key = ?',
  key: 'INSERT INTO access_keys (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc',
  bot: 'INSERT INTO bots (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc',
  botDrop: 'DELETE FROM bots WHERE id = ?',
  runsDrop: 'DELETE FROM runs WHERE bot_id = ?',
  noticesDrop: 'DELETE FROM notices WHERE bot_id = ?',
  alertsDrop: 'DELETE FROM alerts WHERE bot_id = ?',
  run: `INSERT INTO runs (id, bot_id, live, doc) VALUES (?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET bot_id = excluded.bot_id, live = excluded.live, doc = excluded.doc`,
  notice: 'INSERT INTO notices (bot_id, at, doc) VALUES (?, ?, ?)',
  alert: `INSERT INTO alerts (id, bot_id, waiting, at, doc) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET bot_id = excluded.bot_id, waiting = excluded.waiting, at = excluded.at, doc = excluded.doc`,
  log: 'INSERT INTO log (at, doc) VALUES (?, ?)',
  operator:
    'INSERT INTO operators (name, doc) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET doc = excluded.doc',
  operatorDrop: 'DELETE FROM operators WHERE name = ?',
  memory: 'INSERT INTO memory (name, doc) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET doc = excluded.doc',
  memoryDrop: 'DELETE FROM memory WHERE name = ?',
  vaultKey: 'INSERT INTO vault_key (id, doc) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc',
  vaultSecret: `INSERT INTO vault_secrets (connection, field, doc) VALUES (?, ?, ?)
    ON CONFLICT (connection, field) DO UPDATE SET doc = excluded.doc`,
  vaultForget: 'DELETE FROM vault_secrets WHERE connection = ?',
  metaGone: 'DELETE FROM meta WHERE name = ?',
  meta: 'INSERT INTO meta (name, doc) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET doc = excluded.doc',
  paper:
    'INSERT INTO paper (tbl, id, doc) VALUES (?, ?, ?) ON CONFLICT (tbl, id) DO UPDATE SET doc = excluded.doc',
  paperDrop: 'DELETE FROM paper WHERE tbl = ? AND id = ?',
  candle: `INSERT INTO candles (market, symbol, frame, time, open, high, low, close, volume) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (market, symbol, frame, time) DO UPDATE SET open = excluded.open, high = excluded.high, low = excluded.low,
    close = excluded.close, volume = excluded.volume`,
} as const;

type Statements = { readonly [K in keyof typeof SQL]: ReturnType<DatabaseSync['prepare']> };

/**
 * Returns the function that writes a row. It throws what SQLite or the encoding throws: the caller rolls
 * back.
 */
export function prepareWriter(db: DatabaseSync): (row: Row) => void {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, db.prepare(sql)]);
  const statements = Object.fromEntries(entries) as Statements;
  return (row) => write(statements, row);
}

function write(to: Statements, row: Row): void {
  switch (row.kind) {
    case 'order':
      writeOrder(to, row.order);
      return;
    case 'wire-id':
      to.wireId.run(row.name.exchange, row.name.symbol ?? '', row.name.wireId, row.name.orderId);
      return;
    case 'fill': {
      const f = row.fill;
      to.fill.run(f.exchange, f.tradeId, f.orderId, f.user, f.symbol, f.time, encode(f));
      return;
    }
    case 'fill-moved': {
      const f = row.fill;
      to.fillMoved.run(f.orderId, f.user, encode(f), row.from, f.tradeId, f.symbol, f.exchange);
      return;
    }
    case 'ledger': {
      const { exchange, id, user, time } = row.record;
      to.ledger.run(exchange, id, user, time, encode(row.record));
      return;
    }
    case 'event':
      to.event.run(row.event.orderId, row.event.at, encode(row.event));
      return;
    case 'split':
      to.split.run(row.plan.id, row.plan.stage === 'done' ? 1 : 0, encode(row.plan));
      return;
    case 'idempotency':
      writeIdempotency(to, row.record);
      return;
    case 'idempotency-drop':
      to.idempotencyDrop.run(row.user, row.key);
      return;
    case 'key':
      to.key.run(row.key.id, encode(row.key));
      return;
    case 'bot':
      to.bot.run(row.bot.id, encode(row.bot));
      return;
    case 'bot-drop':
      for (const drop of [to.botDrop, to.runsDrop, to.noticesDrop]) drop.run(row.id);
      if (row.keepsAlerts !== true) to.alertsDrop.run(row.id);
      return;
    case 'run':
      to.run.run(row.run.runId, row.run.botId, row.run.state === '' ? 0 : 1, encode(row.run));
      return;
    case 'notice':
      to.notice.run(row.notice.botId, row.notice.at, encode(row.notice));
      return;
    case 'alert': {
      const waiting = row.alert.deliveries.some(({ state }) => state === 'waiting');
      to.alert.run(row.alert.id, row.alert.botId, waiting ? 1 : 0, row.alert.at, encode(row.alert));
      return;
    }
    case 'log':
      to.log.run(row.line.at, encode(row.line));
      return;
    case 'operator':
      to.operator.run(row.operator.name, encode(row.operator));
      return;
    case 'operator-drop':
      for (const drop of [to.operatorDrop, to.memoryDrop]) drop.run(row.name);
      return;
    case 'memory':
      to.memory.run(row.name, encode(row.memory));
      return;
    case 'vault-key':
      to.vaultKey.run(encode(row.key));
      return;
    case 'vault-secret':
      writeSecret(to, row.secret);
      return;
    case 'vault-forget':
      to.vaultForget.run(row.connection);
      return;
    case 'meta':
      if (row.value === null) to.metaGone.run(row.name);
      else to.meta.run(row.name, encode(row.value));
      return;
    case 'paper':
      if (row.doc === null) to.paperDrop.run(row.table, row.id);
      else to.paper.run(row.table, row.id, encode(row.doc));
      return;
    case 'candle': {
      const c = row.candle;
      const frame = row.frameMs ?? MINUTE_MS;
      to.candle.run(row.market, row.symbol, frame, c.time, c.open, c.high, c.low, c.close, c.volume);
      return;
    }
    default:
      assertNever(row);
  }
}

function writeOrder(to: Statements, order: OrderRecord): void {
  // An order open at an exchange is loaded at every start, whatever its status is here.
  const terminal = !mayBeOpen(order);
  const endedAt = terminal ? (order.endedAt ?? order.updatedAt) : null;
  to.order.run(
    order.id,
    order.user,
    order.exchange,
    order.symbol,
    order.status,
    terminal ? 1 : 0,
    order.orderTime,
    endedAt,
    encode(order),
  );
}

function writeIdempotency(to: Statements, record: IdempotencyRecord): void {
  to.idempotency.run(
    record.user,
    record.key,
    record.fingerprint,
    record.arrivedAt,
    record.requestId,
    record.effect?.kind ?? null,
    record.effect?.orderId ?? null,
    record.answer?.status ?? null,
    record.answer?.body ?? null,
  );
}

function writeSecret(to: Statements, { use, ...rest }: SealedSecret): void {
  const { connection, field, ...inClear } = use;
  to.vaultSecret.run(connection, field, encode({ ...rest, use: inClear }));
}

function encode(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError('a row without a value cannot be stored');
  return text;
}
