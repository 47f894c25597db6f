/**
 * What a connection keeps and drops: its bans over a restart, its keys when they are forgotten, its market
 * when it is disconnected.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { headerLine } from '../../../src/console/app/header.ts';
import type { Addresses } from '../../../src/venues/kit/addresses.ts';
import { ok } from '../integration/support.ts';
import { openRig, REQUEST, type Rig, refusal } from './rig.ts';
import { acme, LIVE_HOST } from './test-kind.ts';

const account = (rig: Rig, exchange: string) => rig.desk.state().accounts.find(({ id }) => id === exchange);

const header = (rig: Rig) =>
  headerLine(rig.desk.state(), 0, 200)
    .map(({ text }) => text)
    .join('');

it('a connection whose keys are forgotten is closed at once, and they are gone', async () => {
  const rig = await openRig();
  ok(await rig.ask('connections.add', REQUEST));
  expect(account(rig, 'acme-spot')?.connection?.state).toBe('ready');
  ok(await rig.ask('vault.forget', { connection: 'acme' }));
  expect(account(rig, 'acme-spot')).toMatchObject({
    away: expect.stringMatching(/^there are no keys of acme: outcry connect acme --replace/) as string,
    connection: { state: 'closed' },
  });
  expect(rig.acme.lines.filter(({ keys }) => keys.length > 0).every(({ closed }) => closed)).toBe(true);
  expect(rig.acme.lines.flatMap(({ keys }) => keys).every((key) => key.every((byte) => byte === 0))).toBe(
    true,
  );
  ok(await rig.ask('connections.add', { ...REQUEST, replace: true }));
  expect(account(rig, 'acme-spot')?.connection?.state).toBe('ready');
});

it('a line that does not come up after an unlock was not up before it: it is not told as lost', async () => {
  const rig = await openRig();
  ok(await rig.ask('connections.add', REQUEST));
  await rig.clock.advance(3_000);
  await rig.lock();
  await rig.clock.advance(3_000);
  rig.acme.account.open = () => Promise.reject(new Error('unreachable'));
  await rig.unlock();
  await rig.clock.advance(60_000);
  expect(account(rig, 'acme-spot')?.link).toBe('down');
  expect(rig.desk.state().alerts).toEqual([]);
});

it('a market whose last connection is gone is let go', async () => {
  const rig = await openRig();
  ok(await rig.ask('connections.add', REQUEST));
  expect(rig.acme.markets.map(({ closed }) => closed)).toEqual([false, false]);
  ok(await rig.ask('connections.remove', { name: 'acme', word: 'acme' }));
  expect(rig.acme.markets.map(({ closed }) => closed)).toEqual([true, true]);
  ok(await rig.ask('connections.add', REQUEST));
  expect(rig.acme.markets.slice(2).map(({ opened, closed }) => [opened, closed])).toEqual([
    [1, false],
    [1, false],
  ]);
});

it('a market that paper accounts mirror stays when its connection is gone', async () => {
  const exchange = acme();
  const kind = { ...exchange.kind, name: 'okx' };
  const rig = await openRig({ feed: 'okx', exchange: { ...exchange, kind } });
  const mirrored = [...rig.acme.markets];
  expect(mirrored.map(({ opened }) => opened)).toEqual([1, 1]);
  ok(await rig.ask('connections.add', { ...REQUEST, venue: 'okx' }));
  ok(await rig.ask('connections.remove', { name: 'acme', word: 'acme' }));
  expect(mirrored.map(({ closed }) => closed)).toEqual([false, false]);
  for (const market of mirrored) market.ticks(['BTCUSDT', '61000']);
  await rig.clock.advance(100);
  const prices = Object.values(rig.desk.state().prices).filter(({ symbol }) => symbol === 'BTCUSDT');
  expect(prices.map(({ last }) => last)).toEqual(['61000', '61000']);
});

describe('stops that this desk holds, where no file opens the vault', () => {
  const holding = () => {
    const exchange = acme();
    exchange.account.fill = (venue) => {
      const native = { asked: 'type', form: 'native', source: '' } as const;
      const forms = venue.account.kind === 'spot' ? [] : [native];
      Object.assign(venue, { caps: { ...venue.caps, forms } });
    };
    return exchange;
  };

  it('are warned of when it is connected, and in the header from then on', async () => {
    const rig = await openRig({ exchange: holding(), vault: 'locked' });
    await rig.unlock();
    const { name, venue, markets, environment, secrets } = REQUEST;
    const tried = ok(await rig.ask('connections.test', { name, venue, markets, environment, secrets }));
    expect(tried.lines.filter(({ name: line }) => line === 'stops')).toEqual([
      {
        exchange: 'acme-spot',
        name: 'stops',
        level: 'warn',
        text: 'stops at the market are held by this desk: after a restart nobody fires them before somebody unlocks the vault',
        todo: 'set passphrase_file of [vault] in config.toml, and the desk unlocks itself',
      },
    ]);
    expect(header(rig)).not.toContain('no passphrase file');
    ok(await rig.ask('connections.add', REQUEST));
    expect(rig.desk.state().vault.unattended).toEqual(['acme']);
    expect(header(rig)).toContain('no passphrase file');
  });

  it('are not where one does', async () => {
    const rig = await openRig({ exchange: holding() });
    ok(await rig.ask('connections.add', REQUEST));
    const second = await rig.again({ vault: 'open' });
    expect(second.desk.state().vault.unattended).toBeUndefined();
    expect(header(second)).not.toContain('no passphrase file');
  });
});

it('a ban of an address is kept over a restart, for as long as it is', async () => {
  const exchange = acme();
  const ways: Addresses[] = [];
  const { open } = exchange.kind;
  Object.assign(exchange.kind, {
    open: (given: Parameters<typeof open>[0]) => {
      ways.push(given.ways);
      return open(given);
    },
  });
  const bannedMs = (rig: Rig) => {
    const way = (ways.at(-1) as Addresses).way(LIVE_HOST);
    return Math.round(way.budget.bannedMs(rig.clock.monotonic()) / 1_000);
  };
  const first = await openRig({ exchange });
  ok(await first.ask('connections.add', REQUEST));
  expect(new Set(ways).size).toBe(1);
  expect(bannedMs(first)).toBe(0);
  const { budget, now } = (ways[0] as Addresses).way(LIVE_HOST);
  budget.ban(120_000, now);
  expect(bannedMs(first)).toBe(120);
  await first.clock.advance(10_000);
  const second = await first.again();
  expect(new Set(ways).size).toBe(2);
  expect(bannedMs(second)).toBeGreaterThan(100);
  expect(bannedMs(second)).toBeLessThanOrEqual(110);
});

describe('a key that is made here', () => {
  const { secrets: _, rights: __, ...PLACE } = REQUEST;
  const ASKED = { ...PLACE, secrets: { apiKey: 'key-0123456789' }, madeKey: true, rights: [] };
  const making = () => {
    const exchange = acme();
    return { ...exchange, kind: { ...exchange.kind, makesKey: true as const } };
  };

  it('gives its public half, is used where that is connected, and is nowhere to be read', async () => {
    const rig = await openRig({ exchange: making() });
    const { publicKey } = ok(await rig.ask('connections.makeKey', PLACE));
    expect(publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
    expect(createPublicKey(publicKey).asymmetricKeyType).toBe('ed25519');
    const answers = [publicKey, ok(await rig.ask('connections.add', ASKED))];
    const pem = rig.acme.line('acme-spot').keys[1] as Buffer;
    const own = createPublicKey(createPrivateKey(pem.toString())).export({ format: 'pem', type: 'spki' });
    expect(own).toBe(publicKey);
    const inner = pem.toString().split('\n')[1] as string;
    expect(JSON.stringify([answers, rig.desk.state(), rig.log(), rig.config()])).not.toContain(inner);
    // The key is used up: what held it until then is cleared, too.
    expect(ok(await rig.ask('vault.forget', { connection: 'acme' })).fields.toSorted()).toEqual([
      'apiKey',
      'secret',
    ]);
  });

  it('is used for a connection that stands in the configuration without keys', async () => {
    const rig = await openRig({ exchange: making() });
    ok(await rig.ask('connections.add', REQUEST));
    ok(await rig.ask('vault.forget', { connection: 'acme' }));
    ok(await rig.ask('connections.makeKey', PLACE));
    expect(ok(await rig.ask('connections.add', ASKED))).toMatchObject({ name: 'acme', state: 'ready' });
  });

  it('is not of another address, and not of an exchange that takes none', async () => {
    const rig = await openRig({ exchange: making() });
    expect(refusal(await rig.ask('connections.add', ASKED))).toContain('no key was made for acme');
    ok(await rig.ask('connections.makeKey', PLACE));
    const endpoints = { 'spot-rest': 'https://other.example' };
    expect(refusal(await rig.ask('connections.add', { ...ASKED, endpoints }))).toContain(
      'no key was made for acme',
    );
    const other = await openRig();
    expect(refusal(await other.ask('connections.makeKey', PLACE))).toBe(
      'Acme takes no key that is made here: make one there',
    );
  });
});
