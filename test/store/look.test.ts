/** What another program learns of a store beside its desk: its facts, and why it is not read. */
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { OperatorRecord } from '../../src/domain/operator.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { SealedSecret, VaultKey } from '../../src/domain/vault.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { LATEST, lookAtStore, type StoreFacts } from '../../src/store/sqlite/look.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { order } from './rows.ts';
import { temporaryFolder } from './support.ts';

const secret = (connection: string, field: string): Row => ({
  kind: 'vault-secret',
  secret: { use: { connection, field } } as unknown as SealedSecret,
});

const ROWS: readonly Row[] = [
  { kind: 'order', order: order('held', { phase: 'held' }) },
  { kind: 'order', order: order('held, too', { phase: 'held', user: 'other', exchange: 'paper-futures' }) },
  { kind: 'order', order: order('rests', { phase: 'live' }) },
  { kind: 'order', order: order('was held', { phase: 'held', status: 'CANCELLED', endedAt: 1 }) },
  ...['ann', 'bob'].map((name): Row => ({ kind: 'operator', operator: { name } as OperatorRecord })),
  { kind: 'vault-key', key: { version: 1 } as unknown as VaultKey },
  secret('two', 'secret'),
  secret('one', 'secret'),
  secret('two', 'key'),
  { kind: 'meta', name: 'ban https://a.example', value: 5 },
  { kind: 'meta', name: 'ban https://b.example', value: 7 },
  { kind: 'meta', name: 'ban https://c.example', value: 'soon' },
  { kind: 'meta', name: 'ban', value: 1 },
  { kind: 'meta', name: 'banner', value: 2 },
];
const FACTS: StoreFacts = {
  operators: 2,
  vault: true,
  sealed: ['one', 'two'],
  bans: new Map([
    ['https://a.example', 5],
    ['https://b.example', 7],
  ]),
  held: 2,
};

it('its facts, while a desk runs on it and after that; one that was killed is left to its next start', () => {
  const dir = temporaryFolder();
  const file = join(dir, 'outcry.db');
  expect(lookAtStore(file)).toEqual({ state: 'none' });
  const store = openSqliteStore(file);
  // A row of the vault empties the log: what comes after it stays there.
  store.commit(ROWS.slice(1));
  store.commit(ROWS.slice(0, 1));
  const sound = { state: 'there', version: LATEST, bytes: expect.any(Number), why: null, facts: FACTS };
  expect(lookAtStore(file)).toEqual(sound);
  const killed = join(temporaryFolder(), 'outcry.db');
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, killed + suffix);
  const why = 'it was not stopped in order, and its next start looks at it';
  expect(lookAtStore(killed)).toMatchObject({ state: 'there', version: LATEST, why, facts: null });
  expect(readdirSync(join(killed, '..')).sort()).toEqual(['outcry.db', 'outcry.db-wal']);
  store.close();
  expect(lookAtStore(file)).toEqual(sound);
  expect(readdirSync(dir)).toEqual(['outcry.db']);
});

it('none of what an older format does not have', () => {
  const file = join(temporaryFolder(), 'outcry.db');
  const db = openDatabase(file, MIGRATIONS.slice(0, 6));
  const insert = db.prepare(
    `INSERT INTO orders (id, user, exchange, symbol, status, terminal, order_time, doc)
     VALUES ('a', 'owner', 'paper-spot', 'BTCUSDT', 'NEW', 0, 1, ?)`,
  );
  insert.run(JSON.stringify(order('a', { phase: 'held' })));
  db.exec("INSERT INTO meta (name, doc) VALUES ('ban https://a.example', '5')");
  db.close();
  expect(lookAtStore(file)).toMatchObject({
    version: 6,
    why: null,
    facts: { operators: 0, vault: false, sealed: [], bans: new Map([['https://a.example', 5]]), held: 1 },
  });
});

it('that a file in its place is none of ours', () => {
  const file = join(temporaryFolder(), 'outcry.db');
  writeFileSync(file, 'my shopping list\n'.repeat(100));
  expect(lookAtStore(file)).toMatchObject({ state: 'problem', code: 'FOREIGN' });
  writeFileSync(file, '');
  expect(lookAtStore(file)).toEqual({ state: 'none' });
});
