/** Opening a database: settings verified, foreign and damaged files refused unchanged, formats migrated. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { APPLICATION_ID } from '../../src/store/sqlite/inspect.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { applyPragmas, PRAGMAS, readPragma } from '../../src/store/sqlite/pragmas.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { StoreError } from '../../src/store/store.ts';
import { asOrdinaryUser } from '../support/ordinary-user.ts';
import { fill, order } from './rows.ts';
import { snapshot, temporaryFolder } from './support.ts';

const LATEST = MIGRATIONS.at(-1)?.version ?? 0;

function filled(file: string, ids: readonly string[] = ['a']): void {
  const store = openSqliteStore(file);
  store.commit(ids.map((id) => ({ kind: 'order', order: order(id) })));
  store.close();
}

/** A database whose desk was killed: the last commits are only in the WAL. */
function killed(file: string, ids: readonly string[] = ['a']): void {
  const source = `${file}.source`;
  const store = openSqliteStore(source);
  store.commit(ids.map((id) => ({ kind: 'order', order: order(id) })));
  copyFileSync(source, file);
  copyFileSync(`${source}-wal`, `${file}-wal`);
  store.close();
}

/** Opens, expects a one-sentence refusal that names the file and changes nothing; returns its code. */
function refusal(dir: string, file: string): string {
  const before = snapshot(dir);
  try {
    openSqliteStore(file).close();
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    expect((error as StoreError).message).toContain(file);
    expect((error as StoreError).message).not.toContain('\n');
    expect(snapshot(dir)).toEqual(before);
    return (error as StoreError).code;
  }
  return 'opened';
}

describe('settings', () => {
  it('hold on a new file, on a reopened one and in memory', () => {
    const file = join(temporaryFolder(), 'outcry.db');
    for (const path of [file, file, ':memory:']) {
      const db = openDatabase(path);
      for (const { name, value, inMemory } of PRAGMAS)
        expect([name, readPragma(db, name)]).toEqual([
          name,
          path === ':memory:' ? (inMemory ?? value) : value,
        ]);
      expect(readPragma(db, 'user_version')).toBe(LATEST);
      expect(readPragma(db, 'writable_schema')).toBe(0);
      const tables = db.prepare(
        "SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND schema = 'main'",
      );
      const own = tables.all().filter(({ name }) => !String(name).startsWith('sqlite_'));
      expect(own.length).toBe(20);
      expect(own.every(({ strict }) => strict === 1)).toBe(true);
      db.close();
    }
    expect(readFileSync(file).readUInt32BE(68)).toBe(APPLICATION_ID);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('make every commit durable and the file safe against its own schema', () => {
    const db = openDatabase(join(temporaryFolder(), 'outcry.db'));
    const wanted = {
      journal_mode: 'wal',
      synchronous: 2,
      foreign_keys: 1,
      busy_timeout: 5_000,
      trusted_schema: 0,
    };
    for (const [name, value] of Object.entries(wanted))
      expect([name, readPragma(db, name)]).toEqual([name, value]);
    db.close();
  });

  it('that SQLite does not keep refuse the start', () => {
    const inMemory = new DatabaseSync(':memory:', { defensive: true });
    expect(() => applyPragmas(inMemory, '/desk/outcry.db')).toThrowError(
      /keeps journal_mode at memory instead of wal/,
    );
    const undefended = new DatabaseSync(':memory:', { defensive: false });
    expect(() => applyPragmas(undefended, ':memory:')).toThrowError(/keeps defensive mode/);
  });

  it('leave one file behind after a clean stop', () => {
    const dir = temporaryFolder();
    filled(join(dir, 'outcry.db'));
    expect([...snapshot(dir).keys()]).toEqual(['outcry.db']);
  });
});

describe('a file', () => {
  it('that is missing or empty becomes a new database', () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, 'empty.db'), '');
    for (const name of ['empty.db', 'missing.db']) {
      filled(join(dir, name));
      const store = openSqliteStore(join(dir, name));
      expect(store.load(0).orders.map((o) => o.id)).toEqual(['a']);
      store.close();
    }
  });

  it('half made when the machine died does not hinder the next start', () => {
    const dir = temporaryFolder();
    for (const name of ['outcry.db.new', 'outcry.db.new-wal', 'outcry.db.new-journal'])
      writeFileSync(join(dir, name), 'torn');
    filled(join(dir, 'outcry.db'));
    expect([...snapshot(dir).keys()]).toEqual(['outcry.db']);
  });

  it('that is no database, or another program’s, is FOREIGN', () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, 'short.db'), 'x');
    writeFileSync(join(dir, 'text.db'), 'my shopping list\n'.repeat(100));
    const other = new DatabaseSync(join(dir, 'other.db'));
    other.exec('CREATE TABLE t (a); PRAGMA user_version = 1');
    other.close();
    mkdirSync(join(dir, 'folder.db'));
    for (const name of ['short.db', 'text.db', 'other.db', 'folder.db'])
      expect([name, refusal(dir, join(dir, name))]).toEqual([name, 'FOREIGN']);
  });

  it('of a newer format is NEWER, also when only the WAL tells', () => {
    const dir = temporaryFolder();
    const file = join(dir, 'outcry.db');
    filled(file);
    const db = new DatabaseSync(file);
    db.exec(`PRAGMA user_version = ${LATEST + 1}`);
    copyFileSync(file, join(dir, 'wal.db'));
    copyFileSync(`${file}-wal`, join(dir, 'wal.db-wal'));
    db.close();
    expect(readFileSync(join(dir, 'wal.db')).readUInt32BE(60)).toBe(LATEST);
    expect(refusal(dir, file)).toBe('NEWER');
    expect(refusal(dir, join(dir, 'wal.db'))).toBe('NEWER');
  });

  it('damaged in its tables is CORRUPT after an unclean stop', () => {
    const dir = temporaryFolder();
    const file = join(dir, 'outcry.db');
    killed(file);
    const bytes = readFileSync(file);
    // A page that the WAL does not replace: the WAL holds the orders' pages, the damage hits all others.
    for (let at = 4096; at < bytes.length; at += 4096) bytes.fill(0xab, at, at + 200);
    writeFileSync(file, bytes);
    expect(refusal(dir, file)).toBe('CORRUPT');
  });

  it('damaged in its schema or cut short is CORRUPT after a clean stop', () => {
    const dir = temporaryFolder();
    filled(join(dir, 'outcry.db'));
    const bytes = readFileSync(join(dir, 'outcry.db'));
    writeFileSync(join(dir, 'cut.db'), bytes.subarray(0, bytes.length - 8192));
    writeFileSync(join(dir, 'schema.db'), Buffer.from(bytes).fill(0xab, 100, 4096));
    for (const name of ['cut.db', 'schema.db']) {
      expect([name, refusal(dir, join(dir, name))]).toEqual([name, 'CORRUPT']);
    }
  });

  it('that vanished or was emptied beside its WAL is CORRUPT: the WAL holds the last orders', () => {
    const dir = temporaryFolder();
    const file = join(dir, 'outcry.db');
    killed(file);
    writeFileSync(join(dir, 'lost.db-wal'), readFileSync(`${file}-wal`));
    expect(refusal(dir, join(dir, 'lost.db'))).toBe('CORRUPT');
    writeFileSync(file, '');
    expect(refusal(dir, file)).toBe('CORRUPT');
  });

  it.skipIf(process.platform === 'win32')('without rights to it is IO', () => {
    const dir = temporaryFolder();
    const file = join(dir, 'outcry.db');
    filled(file);
    chmodSync(file, 0o400);
    const script = `try { source.openSqliteStore(${JSON.stringify(file)}); } catch (e) { process.stdout.write(e.code); }`;
    expect(asOrdinaryUser([dir, file], 'src/store/sqlite/index.ts', script)).toBe('IO');
  });

  it('in a folder that does not exist is IO', () => {
    const dir = temporaryFolder();
    expect(refusal(dir, join(dir, 'nowhere', 'outcry.db'))).toBe('IO');
  });

  it('locked by another program makes a commit BUSY, and nothing is lost', () => {
    const file = join(temporaryFolder(), 'outcry.db');
    filled(file);
    const other = new DatabaseSync(file);
    const db = openDatabase(file);
    db.exec('PRAGMA busy_timeout = 0');
    const store = new SqliteStore(db, file);
    other.exec('BEGIN IMMEDIATE');
    expect(() => store.commit([{ kind: 'order', order: order('b') }])).toThrowError(
      expect.objectContaining({ code: 'BUSY' }),
    );
    other.exec('ROLLBACK');
    other.close();
    store.commit([{ kind: 'order', order: order('c') }]);
    expect(store.load(0).orders.map((o) => o.id)).toEqual(['a', 'c']);
    store.close();
  });

  it('with a record that is not JSON is CORRUPT when it is read', () => {
    const file = join(temporaryFolder(), 'outcry.db');
    filled(file);
    const db = new DatabaseSync(file);
    db.exec("UPDATE orders SET doc = 'not json'");
    db.close();
    const store = openSqliteStore(file);
    expect(() => store.load(0)).toThrowError(expect.objectContaining({ code: 'CORRUPT' }));
    store.close();
  });

  it.each(['balance', 'order', 'trade'])(
    'with a %s of the paper exchange that is not JSON is CORRUPT when its account is read',
    (table) => {
      const db = openDatabase(':memory:');
      const store = new SqliteStore(db, ':memory:');
      const row = (id: string) => ({ kind: 'paper', table: `spot.${table}`, id, doc: { end: 1 } }) as const;
      store.commit([row('a'), row('b')]);
      store.loadPaperAccount('spot');
      db.exec("UPDATE paper SET doc = '{\"end\":1' WHERE id = 'b'");
      const refused = { code: 'CORRUPT', message: expect.stringContaining('a stored record is not JSON') };
      expect(() => store.loadPaperAccount('spot')).toThrowError(expect.objectContaining(refused));
      store.close();
    },
  );
});

describe('a migration', () => {
  const next = [...MIGRATIONS, { version: LATEST + 1, sql: 'ALTER TABLE orders ADD COLUMN extra TEXT' }];

  it('copies the database first and keeps its rows', () => {
    const file = join(temporaryFolder(), 'outcry.db');
    const copy = `${file}.v${LATEST}.bak`;
    killed(file, ['a', 'b']);
    writeFileSync(copy, 'left by an attempt before');
    openDatabase(file, next).close();
    const old = new DatabaseSync(copy, { readOnly: true });
    expect(readPragma(old, 'user_version')).toBe(LATEST);
    expect(readPragma(old, 'application_id')).toBe(APPLICATION_ID);
    expect(old.prepare('SELECT id FROM orders').all().length).toBe(2);
    old.close();
    expect(statSync(copy).mode & 0o077).toBe(0);
    const db = openDatabase(file, next);
    expect(readPragma(db, 'user_version')).toBe(LATEST + 1);
    expect(db.prepare('SELECT id, extra FROM orders').all().length).toBe(2);
    db.close();
  });

  it('goes through after one that died while it made its copy', () => {
    const file = join(temporaryFolder(), 'outcry.db');
    const copy = `${file}.v${LATEST}.bak`;
    filled(file, ['a', 'b']);
    writeFileSync(`${copy}.part`, 'cut short');
    openDatabase(file, next).close();
    const old = new DatabaseSync(copy, { readOnly: true });
    expect(old.prepare('SELECT id FROM orders').all().length).toBe(2);
    old.close();
    expect(existsSync(`${copy}.part`)).toBe(false);
  });

  it.each(MIGRATIONS.slice(0, -1).map(({ version }) => version))(
    'from format %d, too, copies the database first and keeps its rows',
    (version) => {
      const file = join(temporaryFolder(), 'outcry.db');
      const before = openDatabase(file, MIGRATIONS.slice(0, version));
      const insert = before.prepare(
        `INSERT INTO orders (id, user, exchange, symbol, status, terminal, order_time, doc)
       VALUES (?, 'owner', 'paper-spot', 'BTCUSDT', 'OPENED', 0, 1, ?)`,
      );
      for (const id of ['b', 'a']) insert.run(id, JSON.stringify(order(id)));
      before.close();
      const store = openSqliteStore(file);
      expect(store.load(0).orders).toEqual([order('b'), order('a')]);
      store.close();
      const copy = new DatabaseSync(`${file}.v${version}.bak`, { readOnly: true });
      expect(readPragma(copy, 'user_version')).toBe(version);
      expect(copy.prepare('SELECT id FROM orders ORDER BY seq').all()).toMatchObject([
        { id: 'b' },
        { id: 'a' },
      ]);
      copy.close();
    },
  );

  // proves: S56
  it('to fills that are kept apart by order and symbol keeps every one of them, in their order', () => {
    const file = join(temporaryFolder(), 'outcry.db');
    const before = openDatabase(file, MIGRATIONS.slice(0, 2));
    const insert = before.prepare(
      "INSERT INTO fills (exchange, trade_id, order_id, user, symbol, time, doc) VALUES ('paper-spot', ?, ?, 'owner', 'BTCUSDT', ?, ?)",
    );
    for (const n of [3, 1, 2]) insert.run(`t${n}`, 'a', 5, JSON.stringify(fill(`t${n}`, 'a')));
    before.close();
    const store = openSqliteStore(file);
    expect(store.orderFills('a').map(({ tradeId }) => tradeId)).toEqual(['t3', 't1', 't2']);
    store.commit([
      { kind: 'fill', fill: fill('t1', 'a') },
      { kind: 'fill', fill: fill('t1', 'b') },
    ]);
    expect([store.orderFills('a').length, store.orderFills('b').length]).toEqual([3, 1]);
    store.close();
    expect(existsSync(`${file}.v2.bak`)).toBe(true);
  });

  it('to candles of many markets keeps every one as the paper market’s, and those of others apart', () => {
    const file = join(temporaryFolder(), 'outcry.db');
    const before = openDatabase(file, MIGRATIONS.slice(0, 4));
    const insert = before.prepare(
      "INSERT INTO candles (symbol, time, open, high, low, close, volume) VALUES (?, ?, '1', '4', '0.5', ?, '7.0')",
    );
    const all = ['BTCUSDT', 'ETHUSDT'].flatMap((symbol) =>
      [120_000, 60_000].map((time) => [symbol, time] as const),
    );
    for (const [symbol, time] of all) insert.run(symbol, time, `${time}.10`);
    before.close();
    const store = openSqliteStore(file);
    const candle = (time: number, close = `${time}.10`) => {
      return { time, open: '1', high: '4', low: '0.5', close, volume: '7.0' };
    };
    for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
      expect(store.candles('paper', symbol, 0, 200_000)).toEqual([candle(60_000), candle(120_000)]);
      expect(store.candles('other-spot', symbol, 0, 200_000)).toEqual([]);
    }
    store.commit([
      { kind: 'candle', market: 'other-spot', symbol: 'BTCUSDT', candle: candle(60_000, '3') },
      { kind: 'candle', market: 'paper', symbol: 'ETHUSDT', candle: candle(60_000, '2') },
    ]);
    expect(store.candles('paper', 'BTCUSDT', 0, 100_000)).toEqual([candle(60_000)]);
    expect(store.candles('other-spot', 'BTCUSDT', 0, 200_000)).toEqual([candle(60_000, '3')]);
    expect(store.candles('paper', 'ETHUSDT', 0, 100_000)).toEqual([candle(60_000, '2')]);
    store.close();
    const copy = new DatabaseSync(`${file}.v4.bak`, { readOnly: true });
    expect(copy.prepare('SELECT count(*) AS n FROM candles').get()).toMatchObject({ n: all.length });
    copy.close();
  });

  it('to orders that say where they are fired marks those that the paper spot account held, and no other', () => {
    const file = join(temporaryFolder(), 'outcry.db');
    const before = openDatabase(file, MIGRATIONS.slice(0, 5));
    const insert = before.prepare(
      `INSERT INTO orders (id, user, exchange, symbol, status, terminal, order_time, ended_at, doc)
       VALUES (?, 'owner', 'paper-spot', 'BTCUSDT', 'NEW', ?, 1, ?, ?)`,
    );
    const stop = { type: 'STOP_MARKET', emulated: true, isContract: false } as const;
    const kinds: [id: string, change: Partial<ReturnType<typeof order>>, isFiredHere: boolean][] = [
      ['a stop', stop, true],
      ['a take-profit', { ...stop, type: 'TAKE_PROFIT_MARKET' }, true],
      ['one that trails', { ...stop, trailing: { delta: 100 } }, true],
      ['one with an end date', { ...stop, type: 'STOP_LIMIT', timeInForce: 'GTD' }, false],
      ['a limit order', { type: 'LIMIT', emulated: false, isContract: false }, false],
      ['a stop of a contract with an end date', { ...stop, isContract: true, timeInForce: 'GTD' }, false],
    ];
    for (const [id, change] of kinds)
      insert.run(id, 0, null, JSON.stringify({ ...order(id), trailing: undefined, ...change }));
    before.close();
    const store = openSqliteStore(file);
    expect(store.load(0).orders.map(({ id, firedHere }) => [id, firedHere === true])).toEqual(
      kinds.map(([id, , isFiredHere]) => [id, isFiredHere]),
    );
    store.close();
  });

  it('that fails in a later step leaves the old format, and the copy opens as a database', () => {
    const file = join(temporaryFolder(), 'outcry.db');
    filled(file);
    const broken = [...next, { version: LATEST + 2, sql: 'ALTER TABLE nothing ADD COLUMN x' }];
    expect(() => openDatabase(file, broken)).toThrowError(expect.objectContaining({ code: 'IO' }));
    for (const path of [file, `${file}.v${LATEST}.bak`]) {
      const store = openSqliteStore(path);
      expect(store.load(0).orders.map((o) => o.id)).toEqual(['a']);
      store.close();
    }
  });

  it('makes no copy of a database that is new or up to date', () => {
    const file = join(temporaryFolder(), 'outcry.db');
    filled(file);
    openSqliteStore(file).close();
    expect(existsSync(`${file}.v${LATEST}.bak`) || existsSync(`${file}.v0.bak`)).toBe(false);
  });
});
