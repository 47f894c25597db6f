/**
 * Keys of a connection when their use is over: nothing of them is left, however a try ends; what is still in use
 * stays; and what an adapter says of them while they are open is hidden.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { VenueKind } from '../../../src/venues/venue-kind.ts';
import { ok } from '../integration/support.ts';
import { KEY, openRig, REQUEST, type Rig, refusal, SECRET } from './rig.ts';

const { rights: _, ...ASKED } = REQUEST;
const WITHDRAWS = { trade: true, withdraw: true, transfer: false, addresses: ['192.0.2.1'], expiresAt: null };

const isWiped = (keys: readonly Buffer[]) => keys.every((key) => key.every((byte) => byte === 0));
const usedKeys = ({ acme }: Rig) => acme.lines.flatMap(({ keys }) => keys);
const viewOf = async (rig: Rig) => (await rig.ask('connections.list', {})).connections[0];

describe('the keys that were given are gone', () => {
  const tries: [string, (rig: Rig) => Promise<unknown>][] = [
    ['after a test', async (rig) => ok(await rig.ask('connections.test', ASKED))],
    [
      'after a test of an account that cannot be opened',
      async (rig) => {
        rig.acme.account.open = () => Promise.reject(new Error('no route'));
        expect(ok(await rig.ask('connections.test', ASKED)).passed).toBe(false);
      },
    ],
    [
      'after a connect that a question has failed',
      async (rig) => {
        rig.acme.account.identity = async () => null;
        refusal(await rig.ask('connections.add', REQUEST));
      },
    ],
    [
      'after a connect that is refused for what the key may do',
      async (rig) => {
        rig.acme.account.permissions = async () => WITHDRAWS;
        expect(refusal(await rig.ask('connections.add', REQUEST))).toContain('may withdraw');
      },
    ],
    [
      'after a connect whose block cannot be written',
      async (rig) => {
        writeFileSync(join(rig.dataDir, 'config.toml'), 'exchanges = {}\n');
        expect(refusal(await rig.ask('connections.add', REQUEST))).toContain('by hand');
      },
    ],
  ];

  it.each(tries)('%s', async (_, go) => {
    const rig = await openRig();
    await go(rig);
    const keys = usedKeys(rig);
    expect(keys.length).toBeGreaterThanOrEqual(4);
    expect(isWiped(keys)).toBe(true);
  });

  it('when the desk stops', async () => {
    const rig = await openRig();
    ok(await rig.ask('connections.add', REQUEST));
    const { keys } = rig.acme.line('acme-futures');
    expect(keys.map(String)).toEqual([KEY, SECRET]);
    await rig.wait(rig.stop());
    expect(isWiped(keys)).toBe(true);
  });
});

it('a test of a connection leaves its lines and keys as they are, and closes its own', async () => {
  const rig = await openRig();
  ok(await rig.ask('connections.add', REQUEST));
  const line = rig.acme.line('acme-spot');
  const before = rig.acme.lines.length;
  expect(ok(await rig.ask('connections.test', { name: 'acme' })).passed).toBe(true);
  expect(rig.acme.lines.slice(before).map(({ closed }) => closed)).toEqual([true, true]);
  expect([line.closed, line.keys.map(String)]).toEqual([false, [KEY, SECRET]]);
});

it('a vault that is locked while an exchange is tried stores no key, and the next connect goes as usual', async () => {
  const rig = await openRig();
  const rights = await rig.acme.account.permissions();
  rig.acme.account.permissions = async () => {
    await rig.call('vault.lock', {});
    return rights;
  };
  expect(refusal(await rig.ask('connections.add', REQUEST))).toContain('the vault is locked');
  expect(rig.desk.state().vault.connections).toEqual([]);
  expect(rig.desk.state().accounts.map(({ id }) => id)).toEqual(['paper-spot', 'paper-futures']);
  expect(() => rig.config()).toThrow('ENOENT');
  expect(isWiped(usedKeys(rig))).toBe(true);
  rig.acme.account.permissions = async () => rights;
  await rig.unlock();
  expect(ok(await rig.ask('connections.add', REQUEST)).state).toBe('ready');
});

describe('what an adapter says with the keys in it', () => {
  type Given = Parameters<VenueKind['open']>[0];

  it('when its prices fail while it is connected is hidden, and new keys open the connection', async () => {
    const rig = await openRig();
    const { marketData } = rig.acme.kind;
    const fails = () => {
      throw new Error(`no prices for ${SECRET}`);
    };
    Object.assign(rig.acme.kind, { marketData: fails });
    const why = 'its adapter failed: no prices for (hidden)';
    expect(ok(await rig.ask('connections.add', REQUEST))).toMatchObject({ state: 'closed', why });
    expect(rig.log()).toContain(`acme is closed: ${why}`);
    expect(isWiped(usedKeys(rig))).toBe(true);
    Object.assign(rig.acme.kind, { marketData });
    expect(ok(await rig.ask('connections.add', { ...REQUEST, replace: true })).state).toBe('ready');
  });

  it('when its lines cannot be made after an unlock is hidden, and the keys are gone', async () => {
    const rig = await openRig();
    ok(await rig.ask('connections.add', REQUEST));
    const { open } = rig.acme.kind;
    const given: Buffer[] = [];
    const leaks = (one: Given) => {
      given.push(one.secrets.get('secret'));
      throw new Error(`bad form: ${given.at(-1)}`);
    };
    await rig.lock();
    await rig.clock.advance(1_000);
    Object.assign(rig.acme.kind, { open: leaks });
    await rig.unlock();
    await rig.clock.advance(1_000);
    const why = 'its adapter failed: bad form: (hidden)';
    expect(await viewOf(rig)).toMatchObject({ state: 'closed', why });
    expect(rig.log()).toContain(`acme is closed: ${why}`);
    expect([given.length, isWiped(given)]).toEqual([1, true]);
    Object.assign(rig.acme.kind, { open });
  });

  it('to its owner is hidden, before a restart and after it', async () => {
    const rig = await openRig();
    const { open } = rig.acme.kind;
    const reports: ((text: string) => void)[] = [];
    const heard = (one: Given) => {
      if (one.report) reports.push(one.report);
      return open(one);
    };
    Object.assign(rig.acme.kind, { open: heard });
    ok(await rig.ask('connections.add', REQUEST));
    const says = async (desk: Rig, text: string) => {
      reports.at(-1)?.(text);
      await desk.clock.advance(100);
      return desk.log().at(-1);
    };
    expect(await says(rig, `slow: ${KEY} and ${SECRET}`)).toBe('slow: (hidden) and (hidden)');
    const second = await rig.again();
    expect(await says(second, `late: ${SECRET}`)).toBe('late: (hidden)');
  });
});
