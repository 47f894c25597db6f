/**
 * Changes of connections that cannot be stored, or are not what was asked for: they are not made, nothing of them
 * is left, and the next try goes as if there had been none.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Row } from '../../../src/domain/rows.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { StoreError } from '../../../src/store/store.ts';
import { ok } from '../integration/support.ts';
import { openRig, REQUEST, type Rig, refusal } from './rig.ts';
import { acme } from './test-kind.ts';

const FEED = { feed: 'okx' } as const;
const ADD = { ...REQUEST, venue: 'okx' };

/** A desk whose next commit with a row of this kind fails. */
async function desk() {
  let rows: readonly Row[] = [];
  const failing: { kind: Row['kind'] | null } = { kind: null };
  const openStore = (file: string) => {
    const store = openSqliteStore(file, {
      beforeCommit: () => {
        if (!rows.some(({ kind }) => kind === failing.kind)) return;
        failing.kind = null;
        throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
      },
    });
    const commit = store.commit.bind(store);
    store.commit = (given) => {
      rows = given;
      commit(given);
    };
    return store;
  };
  const exchange = acme();
  const kind = { ...exchange.kind, name: 'okx', makesKey: true as const };
  const options = { ...FEED, openStore };
  const rig = await openRig({ ...options, exchange: { ...exchange, kind } });
  const failNext = (what: Row['kind']) => {
    failing.kind = what;
  };
  return { rig, options, failNext, hasFailed: () => failing.kind === null };
}

const ids = (rig: Rig) => rig.desk.state().accounts.map(({ id }) => id);
const stateOf = async (rig: Rig) => (await rig.ask('connections.list', {})).connections[0]?.state;

it('a connection whose keys cannot be stored is none, and its name is free for any account', async () => {
  const { rig, failNext, hasFailed } = await desk();
  failNext('vault-secret');
  expect(refusal(await rig.ask('connections.add', ADD))).toBe(
    'it could not be stored; nothing was connected, try again',
  );
  expect(hasFailed()).toBe(true);
  expect([ids(rig), rig.desk.state().vault.connections]).toEqual([['paper-spot', 'paper-futures'], []]);
  expect(() => rig.config()).toThrow('ENOENT');
  expect(rig.acme.lines.every(({ closed }) => closed)).toBe(true);
  rig.acme.account.identity = async () => ({ id: '55' });
  expect(ok(await rig.ask('connections.add', ADD)).state).toBe('ready');
});

it('new keys that cannot be stored leave the connection with its old ones', async () => {
  const { rig, options, failNext } = await desk();
  ok(await rig.ask('connections.add', ADD));
  const line = rig.acme.line('acme-spot');
  const secrets = { apiKey: 'newer-key', secret: 'newer-secret' };
  failNext('vault-secret');
  expect(refusal(await rig.ask('connections.add', { ...ADD, secrets, replace: true }))).toContain(
    'nothing was connected',
  );
  expect([line.closed, line.keys.map(String), await stateOf(rig)]).toEqual([
    false,
    [REQUEST.secrets.apiKey, REQUEST.secrets.secret],
    'ready',
  ]);
  const second = await rig.again(options);
  expect(second.acme.line('acme-spot').keys.map(String)[0]).toBe(REQUEST.secrets.apiKey);
});

it('a key made here that cannot be stored is none; the next one is used', async () => {
  const { rig, failNext } = await desk();
  const { secrets: _, rights: __, ...place } = ADD;
  const asked = { ...ADD, secrets: { apiKey: 'key-0123456789' }, madeKey: true };
  failNext('vault-secret');
  expect(refusal(await rig.ask('connections.makeKey', place))).toBe(
    'the key of acme could not be stored; try again',
  );
  expect(refusal(await rig.ask('connections.add', asked))).toContain('no key was made for acme');
  const first = ok(await rig.ask('connections.makeKey', place)).publicKey;
  // A second one takes the place of the first.
  const second = ok(await rig.ask('connections.makeKey', place)).publicKey;
  expect(second).not.toBe(first);
  ok(await rig.ask('connections.add', asked));
  expect(rig.acme.line('acme-spot').keys[1]?.toString()).toContain('PRIVATE KEY');
});

it('addresses whose confirmation cannot be stored stay to be confirmed', async () => {
  const { rig: first, options, failNext } = await desk();
  ok(await first.ask('connections.add', ADD));
  const file = join(first.dataDir, 'config.toml');
  const elsewhere = '[exchanges.acme.endpoints]\nspot-rest = "https://elsewhere.example"\n';
  writeFileSync(file, `${readFileSync(file, 'utf8')}${elsewhere}`);
  const rig = await first.again(options);
  const { changed } = (await rig.ask('connections.list', {})).connections[0] ?? {};
  const confirm = () => rig.ask('connections.confirm', { name: 'acme', to: changed?.to ?? [], word: 'acme' });
  failNext('vault-secret');
  expect(refusal(await confirm())).toBe('the change could not be stored and was not made; try again');
  expect(await stateOf(rig)).toBe('closed');
  expect(ok(await confirm()).state).toBe('ready');
});

it('a disconnect whose keys cannot be forgotten is told, and goes on at the next try', async () => {
  const { rig, failNext } = await desk();
  ok(await rig.ask('connections.add', ADD));
  failNext('vault-forget');
  const remove = () => rig.ask('connections.remove', { name: 'acme', word: 'acme' });
  expect((await remove()).ok).toBe(false);
  expect([ids(rig).length, rig.desk.state().vault.connections, await stateOf(rig)]).toEqual([
    4,
    ['acme'],
    'ready',
  ]);
  ok(await remove());
  expect([ids(rig).length, rig.desk.state().vault.connections]).toEqual([2, []]);
});

it('of the rights that are accepted those count which the key has: another one later closes the account', async () => {
  const { rig, options } = await desk();
  const has = { trade: true, withdraw: true, transfer: false, addresses: ['192.0.2.1'], expiresAt: null };
  rig.acme.account.permissions = async () => has;
  for (const rights of [[], ['transfer']])
    expect(refusal(await rig.ask('connections.add', { ...ADD, rights } as never))).toBe(
      'the key of acme may withdraw: take that from it at the exchange, or accept it in words (--allow-withdrawals)',
    );
  ok(await rig.ask('connections.add', { ...ADD, rights: ['withdraw', 'transfer'] } as never));
  rig.acme.account.permissions = async () => ({ ...has, transfer: true });
  const second = await rig.again(options);
  const closed = second.desk.state().accounts.find(({ id }) => id === 'acme-spot')?.closed;
  expect(closed).toContain('may transfer');
});

it('guards that are none are refused before an exchange is asked, and so is what the name or an address says', async () => {
  const { rig } = await desk();
  const refused = async (change: object) =>
    refusal(await rig.ask('connections.add', { ...ADD, ...change } as never));
  expect(await refused({ guards: { maxOpenOrders: -1 } })).toContain('maxOpenOrders');
  expect(await refused({ name: 'paper' })).toBe(
    'name: paper is the exchange in this process; choose another name',
  );
  expect(await refused({ endpoints: { 'spot-rest': 'ftp://x' } })).toMatch(
    /^endpoints\.spot-rest takes an address/,
  );
  expect(await refused({ endpoints: { nowhere: 'https://a.example' } })).toContain('nowhere');
  expect(await refused({ replace: true })).toBe('acme is not connected; leave out --replace to connect it');
  expect(await refused({ venue: 'elsewhere' })).toBe('elsewhere is not built in; built in: okx');
  expect(await refused({ secrets: { apiKey: 'key' } })).toBe('secret is missing');
  expect(rig.acme.lines).toEqual([]);
});
