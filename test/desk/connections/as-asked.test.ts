/**
 * What a connect goes by: the account of each market, the addresses that stand in the configuration, the key that
 * was made for it, and what others do at the same time.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/domain/connection.ts';
import type { VenueKind } from '../../../src/venues/venue-kind.ts';
import { ok } from '../integration/support.ts';
import { KEY, openRig, REQUEST, type Rig, refusal, SECRET } from './rig.ts';
import { type Acme, acme, LIVE_HOST } from './test-kind.ts';

const NEWER = { apiKey: 'newer-key-1', secret: 'newer-secret-1' };
const BEE = { ...REQUEST, name: 'bee', secrets: { apiKey: 'key-of-bee', secret: 'secret-of-bee' } };
const BLOCK: Connection = {
  name: 'acme',
  venue: 'acme',
  markets: ['spot', 'futures'],
  environment: 'live',
  endpoints: {},
};
const LIMIT = {
  exchange: 'acme-spot',
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  price: '50000',
  quantity: '0.01',
} as const;
const STREAM = 'wss://stream.acme.example/ws';

const accountOf = ({ desk }: Rig, id: string) => desk.state().accounts.find((one) => one.id === id);
const keysOf = (rig: Rig, id: string) => rig.acme.line(id).keys.map(String);
const viewOf = async (rig: Rig) => (await rig.ask('connections.list', {})).connections[0];
const remove = (rig: Rig, name: string) => rig.ask('connections.remove', { name, word: name });

/** Each key is of an account of its own. */
function twoAccounts(): Acme {
  const exchange = acme();
  exchange.account.identity = async (key) => ({ id: key === KEY ? '1234' : '99' });
  return exchange;
}

/** Notes the addresses of every line that is made. */
function addressesUsed({ kind }: Acme): string[] {
  const used: string[] = [];
  const { open } = kind;
  const noting: VenueKind['open'] = (given) => {
    used.push(...Object.values(given.addresses));
    return open(given);
  };
  Object.assign(kind, { open: noting });
  return used;
}

describe('the account behind a connection', () => {
  it('is known of each of its markets: new keys for another one are refused, whichever market it is', async () => {
    let onFutures = '5678';
    const exchange = acme();
    exchange.account.fill = (venue) => {
      if (venue.account.kind === 'futures')
        Object.assign(venue, { identity: async () => ({ id: onFutures }) });
    };
    const rig = await openRig({ exchange });
    ok(await rig.ask('connections.add', REQUEST));
    const line = rig.acme.line('acme-futures');
    onFutures = '9999';
    const again = { ...REQUEST, secrets: NEWER, replace: true };
    expect(refusal(await rig.ask('connections.add', again))).toBe(
      'acme was account 5678, and this key is of 9999; choose another name',
    );
    expect([line.closed, line.keys.map(String)]).toEqual([false, [KEY, SECRET]]);
  });

  it('is asked for by every start: where it is another one, the connection is closed and nothing is sent', async () => {
    const first = await openRig();
    ok(await first.ask('connections.add', REQUEST));
    first.acme.account.identity = async () => ({ id: '99' });
    const rig = await first.again();
    expect(await viewOf(rig)).toMatchObject({
      state: 'closed',
      why: 'acme-spot was account 1234 and is 99 now; choose another name',
    });
    expect((await rig.ask('orders.place', LIMIT)).ok).toBe(false);
    expect(rig.acme.lines.flatMap(({ sent }) => sent)).toEqual([]);
  });

  it('that another desk trades is held, not closed, and nothing is sent', async () => {
    const first = await openRig();
    ok(await first.ask('connections.add', REQUEST));
    for (const market of first.acme.markets) market.ticks(['BTCUSDT', '60000']);
    await first.clock.advance(1_000);
    ok(await first.ask('orders.place', LIMIT));
    const [sent] = first.acme.line('acme-spot').sent;
    const exchange = acme();
    exchange.account.fill = (venue) => {
      if (venue.account.kind === 'spot')
        venue.answers.openOrders = async () => [venue.working(sent as never)];
    };
    const rig = await openRig({ exchange });
    const view = ok(await rig.ask('connections.add', REQUEST));
    expect([view.state, accountOf(rig, 'acme-spot')?.connection?.state]).toEqual(['held', 'held']);
    expect(view.why).toContain('ANOTHER DESK');
    expect((await rig.ask('orders.place', LIMIT)).ok).toBe(false);
    expect(exchange.lines.flatMap(({ sent: own }) => own)).toEqual([]);
  });

  it('is another one at another exchange, though both call it the same', async () => {
    const second = acme();
    const rig = await openRig({ others: [{ ...second.kind, name: 'other' }] });
    ok(await rig.ask('connections.add', REQUEST));
    expect(ok(await rig.ask('connections.add', { ...BEE, venue: 'other' })).state).toBe('ready');
  });

  it.each([false, true])(
    'counts from the connect that succeeds, not from one that failed before it (a restart between: %s)',
    async (restarts) => {
      const first = await openRig();
      const file = join(first.dataDir, 'config.toml');
      writeFileSync(file, 'exchanges = {}\n');
      expect(refusal(await first.ask('connections.add', REQUEST))).toContain('by hand');
      writeFileSync(file, '');
      const rig = restarts ? await first.again() : first;
      rig.acme.account.identity = async () => ({ id: '77' });
      ok(await rig.ask('connections.add', REQUEST));
      rig.acme.account.identity = async () => ({ id: '88' });
      expect(refusal(await rig.ask('connections.add', { ...REQUEST, replace: true }))).toContain(
        'acme was account 77',
      );
    },
  );

  it('is connected once where two names are asked for it at the same time', async () => {
    const rig = await openRig();
    const [one, two] = await rig.wait(
      Promise.all([
        rig.call('connections.add', REQUEST),
        rig.call('connections.add', { ...REQUEST, name: 'bee' }),
      ]),
    );
    expect(ok(one).state).toBe('ready');
    expect(refusal(two)).toBe('account 1234 is connected as acme already');
    expect(rig.config()).not.toContain('bee');
  });
});

describe('the addresses that keys are used at', () => {
  it('are those of the connection where it gets new keys, whatever the request says', async () => {
    const exchange = acme();
    const used = addressesUsed(exchange);
    const rig = await openRig({ exchange });
    ok(await rig.ask('connections.add', REQUEST));
    used.length = 0;
    const endpoints = { 'spot-rest': 'https://elsewhere.example' };
    const asked = { ...REQUEST, secrets: NEWER, environment: 'demo', endpoints, replace: true } as const;
    expect(ok(await rig.ask('connections.add', asked))).toMatchObject({ environment: 'live', endpoints: {} });
    expect(new Set(used)).toEqual(new Set([LIVE_HOST, STREAM]));
  });

  it('are those of the configuration, whose connection lacks keys: with others it gets none', async () => {
    const exchange = acme();
    const used = addressesUsed(exchange);
    const endpoints = { 'spot-rest': 'https://proxy.example', 'futures-stream': 'wss://proxy.example/ws' };
    const rig = await openRig({ exchange, connections: [{ ...BLOCK, endpoints }] });
    used.length = 0;
    for (const others of [
      undefined,
      { 'spot-rest': 'https://proxy.example' },
      { ...endpoints, 'spot-rest': 'https://elsewhere.example' },
    ])
      expect(refusal(await rig.ask('connections.add', { ...REQUEST, endpoints: others } as never))).toContain(
        'config.toml has [exchanges.acme] otherwise',
      );
    expect(used).toEqual([]);
    // The order in which they are listed is none.
    const same = Object.fromEntries(Object.entries(endpoints).toReversed());
    expect(ok(await rig.ask('connections.add', { ...REQUEST, endpoints: same })).state).toBe('ready');
    expect(new Set(used)).toEqual(new Set(Object.values(endpoints)));
  });
});

describe('a key that is made here', () => {
  const { secrets: _, rights: __, ...PLACE } = REQUEST;
  const ASKED = { ...PLACE, secrets: { apiKey: KEY }, madeKey: true, rights: [] };
  const making = () => openRig({ exchange: madeBy(acme()) });
  const madeBy = (exchange: Acme): Acme => ({
    ...exchange,
    kind: { ...exchange.kind, makesKey: true as const },
  });
  const publicOf = (pem: Buffer | undefined) =>
    createPublicKey(createPrivateKey(String(pem))).export({ format: 'pem', type: 'spki' });

  it('is kept through a connect that fails, and through a restart', async () => {
    const first = await making();
    const { publicKey } = ok(await first.ask('connections.makeKey', PLACE));
    const rights = await first.acme.account.permissions();
    first.acme.account.permissions = async () => null;
    expect(refusal(await first.ask('connections.add', ASKED))).toContain('was not connected');
    const rig = await first.again();
    rig.acme.account.permissions = async () => rights;
    expect(ok(await rig.ask('connections.add', ASKED)).state).toBe('ready');
    expect(publicOf(rig.acme.line('acme-spot').keys[1])).toBe(publicKey);
    // It was used up.
    expect(refusal(await rig.ask('connections.add', { ...ASKED, replace: true }))).toContain(
      'no key was made for acme',
    );
  });

  it('for a connection that has keys leaves these in use until it gets the new one', async () => {
    const first = await making();
    ok(await first.ask('connections.add', REQUEST));
    expect(refusal(await first.ask('connections.makeKey', PLACE))).toContain('is connected already');
    const { publicKey } = ok(await first.ask('connections.makeKey', { ...PLACE, replace: true }));
    const rig = await first.again();
    expect((await viewOf(rig))?.state).toBe('ready');
    expect(keysOf(rig, 'acme-spot')).toEqual([KEY, SECRET]);
    const asked = { ...ASKED, secrets: { apiKey: 'newer-key-1' }, replace: true };
    expect(ok(await rig.ask('connections.add', asked)).state).toBe('ready');
    const [apiKey, secret] = rig.acme.line('acme-futures').keys;
    expect([String(apiKey), publicOf(secret)]).toEqual(['newer-key-1', publicKey]);
    expect(ok(await rig.ask('vault.forget', { connection: 'acme' })).fields.toSorted()).toEqual([
      'apiKey',
      'secret',
    ]);
  });
});

it('a kind that takes one more key than before keeps its connections closed until they have it', async () => {
  const first = await openRig();
  ok(await first.ask('connections.add', REQUEST));
  const { kind } = first.acme;
  const more = { name: 'passphrase', label: 'passphrase', help: '' } as const;
  const opened: string[] = [];
  first.acme.account.open = async (key) => void opened.push(key);
  const exchange = { ...first.acme, kind: { ...kind, credentials: [...kind.credentials, more] } };
  const rig = await first.again({ exchange });
  const why =
    'its passphrase is not in the vault as it was put there: outcry connect acme --replace gives it another';
  expect(await viewOf(rig)).toMatchObject({ state: 'closed', why });
  expect(opened).toEqual([]);
  const secrets = { ...REQUEST.secrets, passphrase: 'passphrase-1' };
  expect(ok(await rig.ask('connections.add', { ...REQUEST, secrets, replace: true })).state).toBe('ready');
});

it('a connection whose prices cannot be made at a start is closed, and its accounts are not opened', async () => {
  const first = await openRig();
  ok(await first.ask('connections.add', REQUEST));
  const opened: string[] = [];
  first.acme.account.open = async (key) => void opened.push(key);
  const marketData = () => {
    throw new Error('no such prices');
  };
  const rig = await first.again({
    exchange: { ...first.acme, kind: { ...first.acme.kind, marketData } },
  });
  const why = 'its adapter failed: no such prices';
  expect(await viewOf(rig)).toMatchObject({ state: 'closed', why });
  expect(rig.log()).toContain(`acme is closed: ${why}`);
  await rig.clock.advance(10_000);
  expect(accountOf(rig, 'acme-spot')).toMatchObject({ link: 'down', away: why });
  expect(opened).toEqual([]);
});

it('a connection is opening until the last of its accounts is there, and says why', async () => {
  const rig = await openRig();
  ok(await rig.ask('connections.add', REQUEST));
  let isBroken = true;
  rig.acme.account.fill = (venue) => {
    const open = venue.open.bind(venue);
    if (venue.account.kind === 'futures')
      Object.assign(venue, {
        open: (sink: Parameters<typeof open>[0]) =>
          isBroken ? Promise.reject(new Error('no route')) : open(sink),
      });
  };
  await rig.lock();
  await rig.unlock();
  await rig.clock.advance(2_000);
  expect([accountOf(rig, 'acme-spot')?.link, accountOf(rig, 'acme-futures')?.link]).toEqual(['up', 'down']);
  const view = await viewOf(rig);
  expect(view?.state).toBe('opening');
  expect(view?.why).toContain('no route');
  expect(accountOf(rig, 'acme-spot')?.connection?.state).toBe('opening');
  isBroken = false;
  await rig.clock.advance(20_000);
  expect((await viewOf(rig))?.state).toBe('ready');
});

it('guards that an owner gives a market before it is first connected stay at the next start', async () => {
  const first = await openRig();
  ok(await first.ask('connections.add', { ...REQUEST, markets: ['spot'] }));
  // Its keys are not for the address of the new market yet.
  const second = await first.again({ connections: [BLOCK] });
  const guards = (rig: Rig) => accountOf(rig, 'acme-futures')?.guards?.set;
  expect(guards(second)).toMatchObject({ maxOrderValue: '1000', maxOpenOrders: 200 });
  ok(await second.ask('guards.set', { exchange: 'acme-futures', change: { maxOrderValue: '700' } }));
  const third = await second.again({ connections: [BLOCK] });
  expect(guards(third)).toMatchObject({ maxOrderValue: '700', maxOpenOrders: 200 });
});

it('of two connections the markets that only the one has go with it', async () => {
  const rig = await openRig({ exchange: twoAccounts() });
  ok(await rig.ask('connections.add', REQUEST));
  ok(await rig.ask('connections.add', { ...BEE, markets: ['spot'] }));
  const closed = () =>
    rig.acme.markets.filter(({ opened }) => opened > 0).map((one) => [one.market, one.closed]);
  ok(await remove(rig, 'acme'));
  expect(closed()).toEqual([
    ['acme-spot', false],
    ['acme-futures', true],
  ]);
  ok(await remove(rig, 'bee'));
  expect(closed()).toEqual([
    ['acme-spot', true],
    ['acme-futures', true],
  ]);
});

it('of two connections the one whose stops this desk holds is named as such, and no other', async () => {
  const exchange = twoAccounts();
  exchange.account.fill = (venue) => {
    const native = { asked: 'type', form: 'native', source: '' } as const;
    const forms = venue.account.id === 'bee-futures' ? [] : [native];
    Object.assign(venue, { caps: { ...venue.caps, forms } });
  };
  const rig = await openRig({ exchange, vault: 'locked' });
  await rig.unlock();
  ok(await rig.ask('connections.add', REQUEST));
  expect(rig.desk.state().vault.unattended ?? []).toEqual([]);
  ok(await rig.ask('connections.add', BEE));
  expect(rig.desk.state().vault.unattended).toEqual(['bee']);
});
