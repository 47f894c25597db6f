/**
 * The tables, as numbered steps. A released step never changes: a new shape is a new step. An existing
 * database is copied to a file beside it before any step runs, and all missing steps are one transaction: a
 * file has the old or the new format, never one in between.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { readPragma } from './pragmas.ts';

export interface Migration {
  /** `user_version` after this step; steps count 1, 2, 3... */
  readonly version: number;
  readonly sql: string;
}

/*
 * Records are stored whole in `doc` (JSON); only values that a query selects or sorts by have a column. `seq`
 * keeps the order of first storage through a VACUUM. The closed-order indexes are partial, so that changes of
 * an open order do not touch them.
 */
const FIRST_TABLES = `
CREATE TABLE orders (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, user TEXT NOT NULL, exchange TEXT NOT NULL, symbol TEXT NOT NULL,
  status TEXT NOT NULL, terminal INTEGER NOT NULL CHECK (terminal IN (0, 1)), order_time INTEGER NOT NULL,
  ended_at INTEGER, doc TEXT NOT NULL, CHECK (terminal = 0 OR ended_at IS NOT NULL)
) STRICT;
CREATE INDEX orders_open ON orders (seq) WHERE terminal = 0;
CREATE INDEX orders_ended ON orders (ended_at, id) WHERE terminal = 1;
CREATE INDEX orders_ended_user ON orders (user, ended_at, id) WHERE terminal = 1;
CREATE INDEX orders_ended_symbol ON orders (user, symbol, ended_at, id) WHERE terminal = 1;

CREATE TABLE fills (
  seq INTEGER PRIMARY KEY, exchange TEXT NOT NULL, trade_id TEXT NOT NULL, order_id TEXT NOT NULL, user TEXT NOT NULL,
  symbol TEXT NOT NULL, time INTEGER NOT NULL, doc TEXT NOT NULL, UNIQUE (exchange, trade_id)
) STRICT;
CREATE INDEX fills_order ON fills (order_id);
CREATE INDEX fills_time ON fills (user, exchange, symbol, time, seq);

CREATE TABLE events (
  seq INTEGER PRIMARY KEY, order_id TEXT NOT NULL, at INTEGER NOT NULL, doc TEXT NOT NULL
) STRICT;
CREATE INDEX events_order ON events (order_id);

CREATE TABLE splits (
  id TEXT PRIMARY KEY NOT NULL, done INTEGER NOT NULL CHECK (done IN (0, 1)), doc TEXT NOT NULL
) STRICT;
CREATE INDEX splits_running ON splits (id) WHERE done = 0;

CREATE TABLE idempotency (
  user TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, arrived_at INTEGER NOT NULL,
  request_id TEXT NOT NULL, effect_kind TEXT, effect_order TEXT, status INTEGER, body TEXT,
  PRIMARY KEY (user, key), CHECK ((effect_kind IS NULL) = (effect_order IS NULL)), CHECK ((status IS NULL) = (body IS NULL))
) STRICT;
CREATE INDEX idempotency_arrived ON idempotency (arrived_at);

CREATE TABLE access_keys (id TEXT PRIMARY KEY NOT NULL, doc TEXT NOT NULL) STRICT;
CREATE TABLE log (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, doc TEXT NOT NULL) STRICT;
CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, doc TEXT NOT NULL) STRICT;
CREATE TABLE paper (
  tbl TEXT NOT NULL, id TEXT NOT NULL, doc TEXT NOT NULL, PRIMARY KEY (tbl, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE candles (
  symbol TEXT NOT NULL, time INTEGER NOT NULL, open TEXT NOT NULL, high TEXT NOT NULL, low TEXT NOT NULL,
  close TEXT NOT NULL, volume TEXT NOT NULL, PRIMARY KEY (symbol, time)
) STRICT, WITHOUT ROWID;
`;

/** `live`: the run is loaded at a start; `waiting`: a delivery of the alert is still pending. */
const BOT_TABLES = `
CREATE TABLE bots (id TEXT PRIMARY KEY NOT NULL, doc TEXT NOT NULL) STRICT;
CREATE TABLE runs (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bot_id TEXT NOT NULL, live INTEGER NOT NULL CHECK (live IN (0, 1)),
  doc TEXT NOT NULL
) STRICT;
CREATE INDEX runs_bot ON runs (bot_id, seq);
CREATE INDEX runs_live ON runs (seq) WHERE live = 1;
CREATE TABLE notices (
  seq INTEGER PRIMARY KEY, bot_id TEXT NOT NULL, at INTEGER NOT NULL, doc TEXT NOT NULL
) STRICT;
CREATE INDEX notices_bot ON notices (bot_id, seq);
CREATE TABLE alerts (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bot_id TEXT NOT NULL,
  waiting INTEGER NOT NULL CHECK (waiting IN (0, 1)), at INTEGER NOT NULL, doc TEXT NOT NULL
) STRICT;
CREATE INDEX alerts_bot ON alerts (bot_id);
CREATE INDEX alerts_waiting ON alerts (seq) WHERE waiting = 1;
`;

/**
 * A fill belongs to its order and symbol: trade ids are not unique beyond them. `wire_ids`: the id of an
 * order at an exchange when it is not the order's id.
 */
const EXCHANGE_IDS = `
ALTER TABLE fills RENAME TO old_fills;
DROP INDEX fills_order;
DROP INDEX fills_time;
CREATE TABLE fills (
  seq INTEGER PRIMARY KEY, exchange TEXT NOT NULL, trade_id TEXT NOT NULL, order_id TEXT NOT NULL, user TEXT NOT NULL,
  symbol TEXT NOT NULL, time INTEGER NOT NULL, doc TEXT NOT NULL, UNIQUE (order_id, trade_id, symbol, exchange)
) STRICT;
INSERT INTO fills SELECT seq, exchange, trade_id, order_id, user, symbol, time, doc FROM old_fills;
DROP TABLE old_fills;
CREATE INDEX fills_order ON fills (order_id);
CREATE INDEX fills_time ON fills (user, exchange, symbol, time, seq);

CREATE TABLE wire_ids (
  exchange TEXT NOT NULL, wire_id TEXT NOT NULL, order_id TEXT NOT NULL, PRIMARY KEY (exchange, wire_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX wire_ids_order ON wire_ids (order_id);
`;

/**
 * An id that an exchange has given is unique per symbol only, and an order may have several; `symbol` is
 * empty for the client id.
 */
const VENUE_IDS = `
ALTER TABLE wire_ids RENAME TO old_wire_ids;
DROP INDEX wire_ids_order;
CREATE TABLE wire_ids (
  seq INTEGER PRIMARY KEY, exchange TEXT NOT NULL, symbol TEXT NOT NULL, wire_id TEXT NOT NULL, order_id TEXT NOT NULL,
  UNIQUE (exchange, wire_id, symbol)
) STRICT;
INSERT INTO wire_ids (exchange, symbol, wire_id, order_id) SELECT exchange, '', wire_id, order_id FROM old_wire_ids;
DROP TABLE old_wire_ids;
CREATE INDEX wire_ids_order ON wire_ids (order_id);
`;

/**
 * A symbol belongs to its market: two of them may have different prices for it. All earlier candles are the
 * paper market's.
 */
const MARKET_CANDLES = `
ALTER TABLE candles RENAME TO old_candles;
CREATE TABLE candles (
  market TEXT NOT NULL, symbol TEXT NOT NULL, time INTEGER NOT NULL, open TEXT NOT NULL, high TEXT NOT NULL,
  low TEXT NOT NULL, close TEXT NOT NULL, volume TEXT NOT NULL, PRIMARY KEY (market, symbol, time)
) STRICT, WITHOUT ROWID;
INSERT INTO candles SELECT 'paper', symbol, time, open, high, low, close, volume FROM old_candles ORDER BY symbol, time;
DROP TABLE old_candles;
`;

/**
 * Where an order is fired is decided when it is made. So far only the paper spot account has fired orders
 * here.
 */
const FIRED_HERE = `
UPDATE orders SET doc = json_set(doc, '$.firedHere', json('true'))
WHERE terminal = 0 AND json_extract(doc, '$.emulated') = 1 AND json_extract(doc, '$.isContract') = 0
  AND (json_extract(doc, '$.trailing') IS NOT NULL OR json_extract(doc, '$.type') IN ('STOP_MARKET', 'TAKE_PROFIT_MARKET'));
`;

/**
 * Changes of wallets other than fills. Nothing before this format has a row: an account's first row is its
 * opening.
 */
const LEDGER = `
CREATE TABLE ledger (
  seq INTEGER PRIMARY KEY, exchange TEXT NOT NULL, id TEXT NOT NULL, user TEXT NOT NULL, time INTEGER NOT NULL,
  doc TEXT NOT NULL, UNIQUE (exchange, id)
) STRICT;
CREATE INDEX ledger_time ON ledger (user, exchange, time, id);
`;

/** Only a secret's connection and field are columns: its document is useless in another row. */
const VAULT = `
CREATE TABLE vault_key (id INTEGER PRIMARY KEY CHECK (id = 1), doc TEXT NOT NULL) STRICT;
CREATE TABLE vault_secrets (
  connection TEXT NOT NULL, field TEXT NOT NULL, doc TEXT NOT NULL, PRIMARY KEY (connection, field)
) STRICT, WITHOUT ROWID;
`;

/** Candles of several frames. All earlier candles have a frame of one minute. */
const CANDLE_FRAMES = `
ALTER TABLE candles RENAME TO old_candles;
CREATE TABLE candles (
  market TEXT NOT NULL, symbol TEXT NOT NULL, frame INTEGER NOT NULL CHECK (frame > 0), time INTEGER NOT NULL,
  open TEXT NOT NULL, high TEXT NOT NULL, low TEXT NOT NULL, close TEXT NOT NULL, volume TEXT NOT NULL,
  PRIMARY KEY (market, symbol, frame, time)
) STRICT, WITHOUT ROWID;
INSERT INTO candles SELECT market, symbol, 60000, time, open, high, low, close, volume FROM old_candles ORDER BY market, symbol, time;
DROP TABLE old_candles;
`;

/** People who reach the desk by name. */
const OPERATORS = `
CREATE TABLE operators (name TEXT NOT NULL PRIMARY KEY, doc TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/**
 * What the PnL book reads, in the order of times: the fills of an account, stops by the time of their
 * placement, and for each ledger row the number of fills stored before it (not known for older rows).
 */
const PNL = `
CREATE INDEX fills_account ON fills (user, exchange, time, seq);
CREATE INDEX orders_stops ON orders (user, exchange, symbol, order_time) WHERE instr(doc, '"stopPrice"') > 0;
ALTER TABLE ledger ADD COLUMN fills INTEGER;
`;

/** What consoles store for their operators. */
const MEMORY = `
CREATE TABLE memory (name TEXT NOT NULL PRIMARY KEY, doc TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: FIRST_TABLES },
  { version: 2, sql: BOT_TABLES },
  { version: 3, sql: EXCHANGE_IDS },
  { version: 4, sql: VENUE_IDS },
  { version: 5, sql: MARKET_CANDLES },
  { version: 6, sql: FIRED_HERE },
  { version: 7, sql: LEDGER },
  { version: 8, sql: VAULT },
  { version: 9, sql: CANDLE_FRAMES },
  { version: 10, sql: OPERATORS },
  { version: 11, sql: PNL },
  { version: 12, sql: MEMORY },
];

/**
 * Brings `db` to the last step. `file` is the database's path; it is copied only if it has a format already.
 */
export function migrate(db: DatabaseSync, file: string, steps: readonly Migration[]): void {
  const from = Number(readPragma(db, 'user_version'));
  const missing = steps.filter((step) => step.version > from);
  if (missing.length === 0) return;
  if (from > 0 && file !== ':memory:') backUp(db, file, from);
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const step of missing) db.exec(`${step.sql}; PRAGMA user_version = ${step.version};`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Copies the database to `<file>.v<version>.bak`; the name appears only once the copy is complete and on
 * disk.
 */
function backUp(db: DatabaseSync, file: string, version: number): void {
  const copy = `${file}.v${version}.bak`;
  const partial = `${copy}.part`;
  rmSync(partial, { force: true });
  closeSync(openSync(partial, 'wx', 0o600));
  db.prepare('VACUUM INTO ?').run(partial);
  const fd = openSync(partial, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(partial, copy);
}
