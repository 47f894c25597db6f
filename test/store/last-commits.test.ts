/**
 * After which failures a store writes nothing any more, and that what a vault has replaced is on no disk after
 * its commit.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { Row } from '../../src/domain/rows.ts';
import type { SealedSecret } from '../../src/domain/vault.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { type Store, StoreError } from '../../src/store/store.ts';
import { order } from './rows.ts';
import { temporaryFolder } from './support.ts';

const sqlite = (errcode: number) => Object.assign(new Error(`code ${errcode}`), { errcode });

function outcome(store: Store, id: string): string {
  try {
    store.commit([{ kind: 'order', order: order(id) }]);
    return 'stored';
  } catch (error) {
    return error instanceof StoreError ? error.code : String(error);
  }
}

it.each([
  // Codes of https://sqlite.org/rescode.html, plain and extended.
  ['IOERR', sqlite(10), 'IO', 'IO'],
  ['IOERR_WRITE', sqlite(778), 'IO', 'IO'],
  ['CORRUPT', sqlite(11), 'CORRUPT', 'CORRUPT'],
  ['CORRUPT_INDEX', sqlite(779), 'CORRUPT', 'CORRUPT'],
  ['NOTADB', sqlite(26), 'CORRUPT', 'CORRUPT'],
  ['a fault of the file, without a cause', new StoreError('IO', 'not written whole'), 'IO', 'IO'],
  ['FULL', sqlite(13), 'FULL', 'stored'],
  ['IOERR_SHMSIZE, by a full disk', sqlite(4_874), 'FULL', 'stored'],
  ['BUSY', sqlite(5), 'BUSY', 'stored'],
  ['BUSY_SNAPSHOT', sqlite(517), 'BUSY', 'stored'],
  ['LOCKED', sqlite(6), 'BUSY', 'stored'],
  ['CONSTRAINT', sqlite(19), 'IO', 'stored'],
  ['an error of the program', new TypeError('no such thing'), 'IO', 'stored'],
])('a commit fails with %s, and the next one is another matter or none', (_name, error, first, next) => {
  let failure: Error | null = error;
  const beforeCommit = () => {
    if (failure) throw failure;
  };
  const store = openSqliteStore(':memory:', { beforeCommit });
  expect(outcome(store, 'a')).toBe(first);
  failure = null;
  expect([outcome(store, 'b'), outcome(store, 'c')]).toEqual([next, next]);
  expect(store.load(0).orders.map(({ id }) => id)).toEqual(next === 'stored' ? ['b', 'c'] : []);
  store.close();
});

it('a secret that is replaced or forgotten is in no file after that; where another program reads, its commit holds all the same', () => {
  const file = join(temporaryFolder(), 'outcry.db');
  const heard: string[] = [];
  const db = openDatabase(file);
  // Nobody waits for the other program.
  db.exec('PRAGMA busy_timeout = 0');
  const store = new SqliteStore(db, file, { onMaintainError: ({ code }) => heard.push(code) });
  const secret = (sealed: string, field = 'secret'): Row => ({
    kind: 'vault-secret',
    secret: { use: { connection: 'one', field }, sealed } as unknown as SealedSecret,
  });
  const onDisk = (text: string) =>
    ['', '-wal'].some((suffix) => readFileSync(file + suffix, 'latin1').includes(text));
  store.commit([secret('first-seal'), secret('other-seal', 'key')]);
  expect([onDisk('first-seal'), onDisk('other-seal')]).toEqual([true, true]);
  store.commit([{ kind: 'order', order: order('a') }, secret('second-seal')]);
  expect([onDisk('first-seal'), onDisk('second-seal'), onDisk('other-seal')]).toEqual([false, true, true]);
  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec('BEGIN; SELECT count(*) FROM orders');
  store.commit([secret('third-seal')]);
  expect(
    store
      .vault()
      .secrets.map(({ doc }) => (doc as SealedSecret).sealed)
      .sort(),
  ).toEqual(['other-seal', 'third-seal']);
  reader.close();
  store.commit([{ kind: 'vault-forget', connection: 'one' }]);
  const seals = ['second-seal', 'third-seal', 'other-seal'];
  expect(seals.filter(onDisk)).toEqual([]);
  expect(heard.every((code) => code === 'BUSY')).toBe(true);
  store.close();
});
