/**
 * Connections, vault and guards are only for an owner at a console: no API key of any tier reaches their
 * methods, over any route or message (S46, S51).
 */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { ROUTE_TIERS } from '../../src/access/tiers.ts';
import { COST, deriveKey } from '../../src/access/vault/derive.ts';
import { apiFacade } from '../../src/desk/api/api-facade.ts';
import { CALL_PARAMS } from '../../src/desk/console/call-params.ts';
import { METHOD_ROLES } from '../../src/desk/console/method-roles.ts';
import type { Method } from '../../src/desk/console/protocol.ts';
import type { Tier } from '../../src/domain/actor.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { WsSigner } from '../api/ws/session-rig.ts';
import { StreamClient } from '../api/ws/support.ts';
import { clientOf, EXCHANGE, ok, openTestDesk } from '../desk/integration/support.ts';
import { overlay } from '../storage/faulty-ports.ts';

const GOOD = 'correct horse battery';
const TIERS: readonly Tier[] = ['read', 'trade', 'full'];
const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const AREAS = ['vault', 'guards', 'connections', 'operators', 'sessions'];
const isOwners = (method: string) => ['owner', 'local'].includes(METHOD_ROLES[method as Method]);

/** All methods of these areas, and some that do not exist. */
const METHODS = [
  ...Object.keys(CALL_PARAMS).filter(
    (name) => AREAS.includes(name.split('.')[0] ?? '') || name === 'exchange.confirmRights',
  ),
  'connections.list',
  'connections.add',
  'connections.replace',
  'connections.remove',
  'connections.confirm',
];

/** Parameters as a caller of the console protocol writes them, and as fields of a request. */
const paramsOf = (method: string) => ({
  t: 'call',
  id: 1,
  op: method,
  method,
  params: { passphrase: GOOD, exchange: EXCHANGE, connection: 'binance' },
  passphrase: GOOD,
  old: GOOD,
  exchange: EXCHANGE,
  connection: 'binance',
  rights: ['withdraw'],
  change: { maxOrderValue: null },
  guards: { maxOrderValue: null },
  channel: method,
});

/** Paths that a router might map to the method. */
const pathsOf = (method: string) => {
  const [area = '', verb = ''] = method.split('.');
  return [
    `/v2/${method}`,
    `/v2/${area}/${verb}`,
    `/v2/${area}`,
    `/v2/call/${method}`,
    `/v2/console/${area}/${verb}`,
  ];
};

/** A desk with a locked vault and a guard, which records every use of them. */
async function watchedDesk() {
  const worked: string[] = [];
  const t = await openTestDesk({
    ports: {
      vault: {
        cost: { ...COST, memory: 64 },
        derive: (...given) => {
          worked.push('a passphrase was looked at');
          return deriveKey(...given);
        },
      },
      openStore: (file, options) => {
        const store = openSqliteStore(file, options);
        return overlay(store, {
          commit(rows) {
            for (const { kind } of rows) if (kind.startsWith('vault')) worked.push(`a row ${kind}`);
            store.commit(rows);
          },
        });
      },
    },
  });
  ok(await t.call('vault.init', { passphrase: GOOD }));
  ok(await t.call('vault.lock', {}));
  ok(await t.call('guards.set', { exchange: EXCHANGE, change: { maxOrderValue: '100' } }));
  worked.length = 0;
  const now = async () => {
    const { vault, accounts } = t.desk.state();
    const guards = ok(await t.call('guards.read', { exchange: EXCHANGE })).set;
    return { vault, guards, rights: accounts.map(({ unconfirmed }) => unconfirmed) };
  };
  return { t, worked, now };
}

it('the methods of an owner are named in one place', () => {
  expect(METHODS.filter((name) => name.startsWith('vault.'))).toEqual([
    'vault.init',
    'vault.unlock',
    'vault.lock',
    'vault.change',
    'vault.forget',
  ]);
  expect(METHODS).toEqual(expect.arrayContaining(['guards.read', 'guards.set', 'exchange.confirmRights']));
  expect(METHODS.filter((name) => name.startsWith('orders.') || name.startsWith('bots.'))).toEqual([]);
  expect(METHODS.filter((name) => Object.hasOwn(CALL_PARAMS, name) && !isOwners(name))).toEqual([]);
});

// proves: S51
it('what the API is given of the desk has none of them', () => {
  const face = Object.keys(apiFacade({ core: {}, store: {} } as never));
  expect(face.length).toBeGreaterThan(10);
  const names = [...face, ...Object.keys(ROUTE_TIERS)];
  expect(names.filter((name) => AREAS.some((area) => name.toLowerCase().includes(area)))).toEqual([]);
});

it.each(TIERS)('a key of tier %s reaches none over HTTP', async (tier) => {
  const { t, worked, now } = await watchedDesk();
  const client = await clientOf(t, ok(await t.call('keys.generate', { label: tier, tier })));
  const before = await now();
  const said: string[] = [];
  for (const method of METHODS) {
    const body = JSON.stringify(paramsOf(method));
    for (const path of pathsOf(method))
      for (const verb of VERBS) {
        const { status, text } = await client.raw(
          verb,
          path,
          verb === 'GET' ? {} : { body, idempotencyKey: randomUUID() },
        );
        said.push(text);
        expect([404, 405, 400], `${verb} ${path}`).toContain(status);
      }
  }
  for (const name of Object.keys(ROUTE_TIERS)) {
    const [verb = '', template = ''] = name.split(' ');
    const path = `/v2${template.replace('{id}', 'vault').replace('{runId}', 'unlock')}`;
    for (const method of METHODS) {
      const body = JSON.stringify(paramsOf(method));
      const query = `?method=${method}&exchange=${EXCHANGE}`;
      const { text } = await client.raw(
        verb,
        path + query,
        verb === 'GET' ? {} : { body, idempotencyKey: randomUUID() },
      );
      said.push(text);
    }
  }
  expect(said.length).toBeGreaterThan(500);
  expect(said.filter((text) => text.includes(GOOD))).toEqual([]);
  expect(worked).toEqual([]);
  expect(await now()).toEqual(before);
  expect(t.desk.state().keys.find(({ label }) => label === tier)?.lastUsedAt).not.toBeNull();
});

it.each(TIERS)('a key of tier %s reaches none over the WebSocket', async (tier) => {
  const { t, worked, now } = await watchedDesk();
  const signer = new WsSigner(TIERS.indexOf(tier) + 30);
  ok(await t.call('keys.register', { label: tier, tier, publicKey: signer.keyId }));
  const before = await now();
  const client = await StreamClient.open(t.desk.info.wsUrl, signer, () => t.clock.wall());
  await client.authenticate();
  const greeted = client.messages.length;
  for (const method of METHODS) {
    const call = paramsOf(method);
    client.send({ ...call, id: 'a' });
    client.send({ op: 'call', id: 'b', args: call });
    client.send({ op: 'subscribe', id: 'c', args: { channel: method } });
    client.send({ op: 'subscribe', id: 'd', args: call });
    await client.settle();
  }
  const answers = client.messages.slice(greeted).filter(({ op }) => op !== 'pong');
  expect(answers.length).toBeGreaterThan(METHODS.length);
  expect(answers.every(({ op }) => op === 'error')).toBe(true);
  expect(JSON.stringify(answers)).not.toContain(GOOD);
  expect(worked).toEqual([]);
  expect(await now()).toEqual(before);
});
