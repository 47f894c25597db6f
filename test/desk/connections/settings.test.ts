/**
 * What is given with the keys of a connection: guards and accepted rights, whether its accounts are new, known
 * from the configuration, or have had other keys before.
 */
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/domain/connection.ts';
import { ok } from '../integration/support.ts';
import { openRig, REQUEST, type Rig } from './rig.ts';

const BLOCK: Connection = {
  name: 'acme',
  venue: 'acme',
  markets: ['spot', 'futures'],
  environment: 'live',
  endpoints: {},
};
const AGAIN = { ...REQUEST, replace: true } as const;

const accountOf = ({ desk }: Rig, id = 'acme-spot') => desk.state().accounts.find((one) => one.id === id);
const guardsOf = (rig: Rig, id?: string) => accountOf(rig, id)?.guards?.set;

/** The guards that a person is shown before the keys are given. */
async function promised(rig: Rig, request: object): Promise<unknown> {
  const { rights: _, ...asked } = { ...REQUEST, ...request };
  return ok(await rig.ask('connections.test', asked)).guards['acme-spot'];
}

describe('guards', () => {
  it.each([
    ['with its first keys', REQUEST],
    ['with keys that are called new ones', AGAIN],
  ])('of a connection that somebody wrote into the configuration are set %s', async (_, request) => {
    const rig = await openRig({ connections: [BLOCK] });
    expect(guardsOf(rig)).toBeUndefined();
    expect(await promised(rig, request)).toMatchObject({ maxOrderValue: '1000', dailyLossLimit: '5' });
    ok(await rig.ask('connections.add', { ...request, guards: { maxOpenOrders: 7 } }));
    const set = { maxOrderValue: '1000', dailyLossLimit: '5', maxOpenOrders: 7 };
    expect(guardsOf(rig)).toMatchObject(set);
    expect(guardsOf(rig, 'acme-futures')).toMatchObject(set);
    const second = await rig.again({ connections: [BLOCK] });
    expect(guardsOf(second)).toMatchObject(set);
  });

  it('of a market that somebody added to a connection by hand are set at the next start, and no others', async () => {
    const rig = await openRig();
    ok(await rig.ask('connections.add', { ...REQUEST, markets: ['spot'] }));
    const off = Object.fromEntries(Object.keys(guardsOf(rig) ?? {}).map((name) => [name, null]));
    ok(await rig.ask('guards.set', { exchange: 'acme-spot', change: off }));
    const second = await rig.again({ connections: [BLOCK] });
    expect(guardsOf(second)).toBeUndefined();
    expect(guardsOf(second, 'acme-futures')).toMatchObject({ maxOrderValue: '1000', dailyLossLimit: '5' });
    const third = await second.again({ connections: [BLOCK] });
    expect(guardsOf(third, 'acme-futures')).toMatchObject({ maxOrderValue: '1000' });
  });

  it('that are given with new keys are set, and the others stay as they are', async () => {
    const rig = await openRig();
    ok(await rig.ask('connections.add', { ...REQUEST, guards: { maxOrderValue: '700' } }));
    expect(await promised(rig, AGAIN)).toBeNull();
    ok(await rig.ask('connections.add', { ...AGAIN, guards: { maxOpenOrders: 7 } }));
    expect(guardsOf(rig)).toMatchObject({ maxOrderValue: '700', maxPositionValue: '5000', maxOpenOrders: 7 });
    const second = await rig.again();
    expect(guardsOf(second)).toMatchObject({ maxOrderValue: '700', maxOpenOrders: 7 });
  });

  it('that an owner has switched off stay off with new keys', async () => {
    const rig = await openRig();
    ok(await rig.ask('connections.add', REQUEST));
    const off = Object.fromEntries(Object.keys(guardsOf(rig) ?? {}).map((name) => [name, null]));
    ok(await rig.ask('guards.set', { exchange: 'acme-spot', change: off }));
    expect(await promised(rig, AGAIN)).toBeNull();
    ok(await rig.ask('connections.add', AGAIN));
    expect(guardsOf(rig)).toBeUndefined();
    expect(guardsOf(rig, 'acme-futures')).toMatchObject({ maxOrderValue: '1000' });
  });

  it('that an owner has switched off stay off beside the one that is given with new keys', async () => {
    const rig = await openRig();
    ok(await rig.ask('connections.add', REQUEST));
    const off = Object.fromEntries(Object.keys(guardsOf(rig) ?? {}).map((name) => [name, null]));
    ok(await rig.ask('guards.set', { exchange: 'acme-spot', change: off }));
    ok(await rig.ask('connections.add', { ...AGAIN, guards: { maxOpenOrders: 7 } }));
    const set = Object.entries(guardsOf(rig) ?? {}).filter(([, value]) => value !== null);
    expect(set).toEqual([['maxOpenOrders', 7]]);
  });

  it('that are given when it is connected anew are set, and the others stay as they were', async () => {
    const rig = await openRig();
    ok(await rig.ask('connections.add', { ...REQUEST, guards: { maxOrderValue: '700' } }));
    ok(await rig.ask('connections.remove', { name: 'acme', word: 'acme' }));
    ok(await rig.ask('connections.add', { ...REQUEST, guards: { maxOpenOrders: 7 } }));
    expect(guardsOf(rig)).toMatchObject({ maxOrderValue: '700', maxOpenOrders: 7 });
  });
});

it('rights that are accepted with new keys need no second word', async () => {
  const rig = await openRig();
  ok(await rig.ask('connections.add', REQUEST));
  rig.acme.account.permissions = async () => ({
    trade: true,
    withdraw: true,
    transfer: false,
    addresses: [],
    expiresAt: null,
  });
  ok(await rig.ask('connections.add', { ...AGAIN, rights: ['withdraw'] as never }));
  expect(accountOf(rig)).not.toHaveProperty('closed');
  const second = await rig.again();
  expect(accountOf(second)).not.toHaveProperty('closed');
});
