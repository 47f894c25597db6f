/**
 * Keys and the maintenance switch on a whole desk: what a console sets applies to API clients, and is
 * stored.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { KeySettings } from '../../../src/domain/access-key.ts';
import { requestsToday, UNUSED_KEY } from '../../../src/domain/access-key.ts';
import type { Row } from '../../../src/domain/rows.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { clientOf, EXCHANGE, flat, ok, openTestDesk, place, type TestDesk, writeCandles } from './support.ts';

const PUBLIC_KEY = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';

async function heldDesk(given: Partial<Parameters<typeof openTestDesk>[0]> = {}): Promise<TestDesk> {
  const t = await openTestDesk({ feed: writeCandles({ BTCUSDT: flat('100', 50) }), hold: true, ...given });
  await t.call('feed.control', { action: 'step' });
  return t;
}

const keysOf = ({ desk }: TestDesk) => desk.state().keys;
const lastLog = ({ desk }: TestDesk) => desk.state().log.at(-1);

// proves: rule key-registration
it('registers with all settings, and has them after a restart', async () => {
  const t = await heldDesk();
  const settings: KeySettings = {
    label: ' robot ',
    tier: 'trade',
    ipList: ['127.0.0.1', '10.0.0.0/8'],
    allowedExchanges: ['paper-spot'],
  };
  expect(await t.call('keys.check', { ...settings, publicKey: PUBLIC_KEY })).toEqual([]);
  const key = ok(await t.call('keys.register', { ...settings, publicKey: PUBLIC_KEY }));
  expect(key).toMatchObject({
    ...UNUSED_KEY,
    id: PUBLIC_KEY,
    user: 'owner',
    label: 'robot',
    tier: 'trade',
    ipList: ['127.0.0.1/32', '10.0.0.0/8'],
    allowedExchanges: ['paper-spot'],
  });
  const made = ok(await t.call('keys.generate', { ...settings, label: 'Robot zwei' }));
  expect(made.key.file).toBe('robot-zwei.pem');
  const before = keysOf(t);
  await t.stop();
  const again = await heldDesk({ dataDir: t.dataDir });
  expect(keysOf(again)).toEqual(before);
});

it('names everything that is wrong with a registration, and does nothing', async () => {
  const t = await heldDesk();
  const wrong = { label: '', tier: 'read', ipList: [], allowedExchanges: ['binance-spot'] } as const;
  const problems = await t.call('keys.check', { ...wrong, publicKey: 'x' });
  expect(problems.map(({ field }) => field)).toEqual(['label', 'ipList', 'allowedExchanges', 'publicKey']);
  for (const refused of [
    await t.call('keys.generate', wrong),
    await t.call('keys.register', { ...wrong, publicKey: PUBLIC_KEY }),
  ]) {
    expect(refused).toMatchObject({ ok: false, error: { code: 'INVALID_REQUEST' } });
  }
  expect(keysOf(t)).toEqual([]);
  expect(readdirSync(join(t.dataDir, 'keys'))).toEqual([]);
});

it('takes from a terminal nothing but the settings: a key is the operator’s own', async () => {
  const t = await heldDesk();
  const more = { label: 'a', tier: 'read', user: 'second', createdAt: 0, file: '../../etc/passwd' } as const;
  const key = ok(await t.call('keys.register', { ...more, publicKey: PUBLIC_KEY }));
  expect(key).toMatchObject({ user: 'owner', file: null });
  expect(key.createdAt).toBeGreaterThan(0);
});

// proves: S27
it('shows, signs for and revokes nothing of another user', async () => {
  const t = await heldDesk();
  await t.stop();
  const store = openSqliteStore(join(t.dataDir, 'outcry.db'), {});
  const other = { id: PUBLIC_KEY, user: 'second', label: 'theirs', tier: 'full', createdAt: 1 } as const;
  store.commit([{ kind: 'key', key: { ...UNUSED_KEY, ...other, ipList: null, allowedExchanges: null } }]);
  store.close();
  const again = await heldDesk({ dataDir: t.dataDir });
  expect(keysOf(again)).toEqual([]);
  expect(await again.call('keys.example', { id: PUBLIC_KEY })).toBeNull();
  expect(await again.call('keys.revoke', { id: PUBLIC_KEY })).toMatchObject({
    ok: false,
    error: { code: 'NOT_FOUND' },
  });
  // Their label is free here, their key is not, and its name is not revealed.
  expect(await again.call('keys.check', { label: 'theirs', tier: 'read', publicKey: PUBLIC_KEY })).toEqual([
    {
      field: 'publicKey',
      code: 'CONFLICT',
      message: 'this public key belongs to another user; generate a new one',
    },
  ]);
});

it('counts requests without a commit of their own, and keeps the counts through a stop', async () => {
  let commits: (readonly Row[])[] = [];
  const t = await heldDesk({
    ports: {
      openStore(path, options) {
        const store = openSqliteStore(path, options);
        return {
          ...bound(store),
          commit(rows) {
            commits.push(rows);
            store.commit(rows);
          },
        };
      },
    },
  });
  const client = await clientOf(t);
  await t.clock.settle();
  commits = [];
  for (let n = 0; n < 4; n++) await client.orders.list();
  await t.clock.settle();
  expect(commits).toEqual([]);
  const [key] = keysOf(t);
  expect(key).toMatchObject({ lastUsedAt: t.clock.wall(), lastUsedFrom: '127.0.0.1', counts: { total: 4 } });
  expect(key && requestsToday(key, t.clock.wall())).toBe(4);
  await place(t, { side: 'BUY', type: 'LIMIT', price: '90', quantity: '1' });
  const rows = commits.flat().filter((row) => row.kind === 'key');
  expect(rows).toHaveLength(1);
  await t.stop();
  const again = await heldDesk({ dataDir: t.dataDir, clock: t.clock });
  expect(keysOf(again)[0]).toEqual(key);
});

/** The methods of a store, so that one of them can be replaced. */
function bound<T extends object>(store: T): T {
  return new Proxy({} as T, {
    ownKeys: () => Object.getOwnPropertyNames(Object.getPrototypeOf(store)),
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    get: (_, name) => {
      const value = Reflect.get(store, name, store) as unknown;
      return typeof value === 'function' ? value.bind(store) : value;
    },
  });
}

it('signs the worked example while the private key lies in its folder, and says when it does not', async () => {
  const t = await heldDesk();
  const made = ok(await t.call('keys.generate', { label: 'a', tier: 'read' }));
  const { wall } = t.clock;
  const example = await t.call('keys.example', { id: made.key.id });
  expect(example).toEqual({
    message: `${wall.call(t.clock)}GET/v2/ping`,
    signature: expect.stringMatching(/^[A-Za-z0-9_-]{86}$/),
    command: `outcry ping --key ${made.path} --url ${t.desk.info.apiUrl}`,
  });
  const client = await clientOf(t, made);
  const timestamp = example?.message.slice(0, -'GET/v2/ping'.length) ?? '';
  const headers = {
    'X-SVC-KEY': made.key.id,
    'X-SVC-SIGN': example?.signature ?? '',
    'X-SVC-TIMESTAMP': timestamp,
  };
  const pong = await fetch(`${t.desk.info.apiUrl}/v2/ping`, { headers });
  expect(pong.status).toBe(200);
  await client.close();
  ok(await t.call('keys.register', { label: 'pasted', tier: 'read', publicKey: PUBLIC_KEY }));
  expect(await t.call('keys.example', { id: PUBLIC_KEY })).toMatchObject({
    signature: null,
    command: `outcry ping --key FILE.pem --url ${t.desk.info.apiUrl}`,
  });
});

it('leaves no private key behind when the key could not be stored', async () => {
  let failing = false;
  const t = await heldDesk({
    ports: {
      openStore(path, options) {
        const store = openSqliteStore(path, options);
        return {
          ...bound(store),
          commit(rows) {
            if (failing && rows.some(({ kind }) => kind === 'key')) {
              failing = false;
              throw Object.assign(new Error('disk I/O error'), { name: 'StoreError', code: 'IO' });
            }
            store.commit(rows);
          },
        };
      },
    },
  });
  failing = true;
  expect(await t.call('keys.generate', { label: 'a', tier: 'read' })).toMatchObject({
    ok: false,
    error: { code: 'SERVICE_UNAVAILABLE' },
  });
  expect(readdirSync(join(t.dataDir, 'keys'))).toEqual([]);
  const made = ok(await t.call('keys.generate', { label: 'a', tier: 'read' }));
  expect(readFileSync(made.path, 'utf8')).toContain('PRIVATE KEY');
});

// proves: S39, error SERVICE_UNAVAILABLE
it('turns programs away during maintenance, not the console, and serves again after a restart', async () => {
  const t = await heldDesk();
  const client = await clientOf(t);
  const answer = async () => {
    const { status, text } = await client.raw('GET', '/v2/orders');
    return [status, status === 200 ? '' : JSON.parse(text).error.message];
  };
  expect(t.desk.state().maintenance).toBeNull();
  expect(ok(await t.call('desk.maintenance', { on: true, message: ' back at 18:00 ' }))).toEqual({
    maintenance: 'under maintenance: back at 18:00',
  });
  expect(lastLog(t)).toMatchObject({
    level: 'warn',
    source: 'api',
    text: expect.stringContaining('back at 18:00'),
  });
  expect(await answer()).toEqual([503, 'under maintenance: back at 18:00']);
  expect((await client.raw('GET', '/v2/server/status', { signed: false })).status).toBe(200);
  const order = await place(t, { side: 'BUY', type: 'LIMIT', price: '90', quantity: '1' });
  expect(ok(await t.call('orders.cancel', { exchange: EXCHANGE, id: order.id })).status).toBe('CANCELLED');
  expect(ok(await t.call('desk.maintenance', { on: false }))).toEqual({ maintenance: null });
  expect(await answer()).toEqual([200, '']);

  ok(await t.call('desk.maintenance', { on: true }));
  expect(await answer()).toEqual([503, 'the service is under maintenance; try again later']);
  await t.stop();
  const again = await heldDesk({ dataDir: t.dataDir });
  expect(again.desk.state().maintenance).toBeNull();
});

it('tells terminals of maintenance as it changes, and refuses what cannot be shown', async () => {
  const t = await heldDesk();
  const marks: string[] = [];
  t.desk.onChange(({ kind }) => marks.push(kind));
  for (const message of ['a\u001b[31mb', 'x'.repeat(201)]) {
    expect(await t.call('desk.maintenance', { on: true, message })).toMatchObject({
      ok: false,
      error: { code: 'INVALID_REQUEST' },
    });
  }
  expect(marks).not.toContain('maintenance');
  ok(await t.call('desk.maintenance', { on: true }));
  ok(await t.call('desk.maintenance', { on: true }));
  expect(marks.filter((kind) => kind === 'maintenance')).toHaveLength(1);
});
