/**
 * Two connections to one exchange: each with keys, accounts, orders and a state of its own. What is done to one
 * leaves the other as it is.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CreateOrder } from '../../../src/schemas/order.ts';
import { squeeze } from '../../bots/rules/bots.ts';
import { ok } from '../integration/support.ts';
import { KEY, openRig, REQUEST, type Rig, refusal, SECRET } from './rig.ts';
import { acme } from './test-kind.ts';

/** Prices that come only as the test says. */
const FEED = { feed: 'okx' } as const;
const ONE = { ...REQUEST, venue: 'okx' };
const TWO = { ...ONE, name: 'bee', secrets: { apiKey: 'key-of-bee', secret: 'secret-of-bee' } };

async function desk(): Promise<Rig> {
  const exchange = acme();
  exchange.account.identity = async (key) => ({ id: key === KEY ? '1234' : '99' });
  return openRig({ ...FEED, exchange: { ...exchange, kind: { ...exchange.kind, name: 'okx' } } });
}

/** A desk with both connections and a price. */
async function both(): Promise<Rig> {
  const rig = await desk();
  for (const request of [ONE, TWO]) ok(await rig.ask('connections.add', request));
  await priced(rig);
  return rig;
}

async function priced(rig: Rig): Promise<void> {
  for (const market of rig.acme.markets) market.ticks(['BTCUSDT', '60000']);
  await rig.clock.advance(1_000);
}

async function placed(rig: Rig, exchange: string): Promise<string> {
  const order = { exchange, symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', price: '50000', quantity: '0.01' };
  return ok(await rig.ask('orders.place', order as CreateOrder)).id;
}

async function cancelled(rig: Rig, exchange: string, id: string): Promise<void> {
  const line = rig.acme.line(exchange);
  line.answers.cancel = async () => {
    const sent = line.sent.find(({ clientId }) => clientId === line.cancelled.at(-1));
    return { kind: 'done', state: { ...line.working(sent as never), status: 'CANCELLED' } };
  };
  expect(ok(await rig.ask('orders.cancel', { exchange, id })).status).toBe('CANCELLED');
}

const accountOf = ({ desk: { state } }: Rig, id: string) => state().accounts.find((one) => one.id === id);
const states = async (rig: Rig) =>
  Object.fromEntries((await rig.ask('connections.list', {})).connections.map((one) => [one.name, one.state]));
const keysOf = (rig: Rig, id: string) => rig.acme.line(id).keys.map(String);
const isWiped = (keys: readonly Buffer[]) => keys.every((key) => key.every((byte) => byte === 0));

it('each opens its accounts with its own keys, over a restart as well', async () => {
  const first = await both();
  const own = (rig: Rig) =>
    ['acme-spot', 'acme-futures', 'bee-spot', 'bee-futures'].map((id) => keysOf(rig, id).join());
  const wanted = [
    `${KEY},${SECRET}`,
    `${KEY},${SECRET}`,
    'key-of-bee,secret-of-bee',
    'key-of-bee,secret-of-bee',
  ];
  expect(own(first)).toEqual(wanted);
  await placed(first, 'bee-spot');
  expect([first.acme.line('acme-spot').sent.length, first.acme.line('bee-spot').sent.length]).toEqual([0, 1]);
  const second = await first.again(FEED);
  expect(own(second)).toEqual(wanted);
  expect(await states(second)).toEqual({ acme: 'ready', bee: 'ready' });
});

it('locked and unlocked, twice, each has new lines with its own keys, and the old keys are gone', async () => {
  const rig = await both();
  for (let n = 0; n < 2; n++) {
    const used = ['acme-spot', 'acme-futures', 'bee-spot', 'bee-futures'].map((id) => rig.acme.line(id));
    await rig.lock();
    await rig.clock.advance(1_000);
    expect(used.every(({ keys, closed }) => closed && keys.length === 2 && isWiped(keys))).toBe(true);
    expect(await states(rig)).toEqual({ acme: 'locked', bee: 'locked' });
    await rig.unlock();
    await rig.clock.advance(1_000);
    expect(await states(rig)).toEqual({ acme: 'ready', bee: 'ready' });
    expect([keysOf(rig, 'acme-futures')[0], keysOf(rig, 'bee-futures')[0]]).toEqual([KEY, 'key-of-bee']);
    expect(used).not.toContain(rig.acme.line('bee-spot'));
  }
});

it('new keys for one leave the other’s lines alone; the old keys of the one are gone', async () => {
  const rig = await both();
  const [old, other] = [rig.acme.line('acme-spot'), rig.acme.line('bee-spot')];
  rig.acme.account.identity = async (key) => ({ id: key === 'newer-key' ? '1234' : '99' });
  const secrets = { apiKey: 'newer-key', secret: 'newer-secret' };
  ok(await rig.ask('connections.add', { ...ONE, secrets, replace: true }));
  expect([old.closed, isWiped(old.keys)]).toEqual([true, true]);
  expect(keysOf(rig, 'acme-spot')).toEqual(['newer-key', 'newer-secret']);
  expect([rig.acme.line('bee-spot') === other, other.closed, isWiped(other.keys)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(rig.log().at(-1)).toBe(
    'acme has new keys of Acme live (LIVE): acme-spot, acme-futures, asked by operator',
  );
});

it('keys of one that are forgotten close that one alone', async () => {
  const rig = await both();
  const other = rig.acme.line('bee-spot');
  ok(await rig.ask('vault.forget', { connection: 'acme' }));
  expect(await states(rig)).toEqual({ acme: 'closed', bee: 'ready' });
  expect([other.closed, isWiped(other.keys)]).toEqual([false, false]);
  // What opens the vault opens the other one alone.
  await rig.lock();
  await rig.unlock();
  await rig.clock.advance(1_000);
  expect(await states(rig)).toEqual({ acme: 'closed', bee: 'ready' });
  expect(refusal(await rig.ask('connections.test', { name: 'acme' }))).toContain('there are no keys of acme');
  expect(ok(await rig.ask('connections.test', { name: 'bee' })).account).toBe('99');
  expect(refusal(await rig.ask('connections.test', { name: 'cee' }))).toBe('cee is not connected');
});

it('changed addresses of one keep that one closed, whatever the vault does, until they are confirmed', async () => {
  const first = await both();
  const file = join(first.dataDir, 'config.toml');
  const text = readFileSync(file, 'utf8');
  const elsewhere = '[exchanges.bee.endpoints]\nspot-rest = "https://elsewhere.example"\n';
  writeFileSync(file, `${text}${elsewhere}`);
  const rig = await first.again(FEED);
  expect(await states(rig)).toEqual({ acme: 'ready', bee: 'closed' });
  await rig.lock();
  expect(await states(rig)).toEqual({ acme: 'locked', bee: 'closed' });
  const { changed } = (await rig.ask('connections.list', {})).connections[1] ?? {};
  const to = changed?.to ?? [];
  expect(to).toContain('https://elsewhere.example');
  const confirm = (name: string) => rig.ask('connections.confirm', { name, to, word: name });
  expect((await confirm('bee')).ok).toBe(false);
  await rig.unlock();
  await rig.clock.advance(1_000);
  expect(await states(rig)).toEqual({ acme: 'ready', bee: 'closed' });
  for (const name of ['acme', 'cee'])
    expect(refusal(await confirm(name))).toBe(`the addresses of ${name} are those that its keys are for`);
  expect(
    rig.acme.lines.filter(({ account, keys }) => account.id === 'bee-spot' && keys.length > 0),
  ).toHaveLength(
    first.acme.lines.filter(({ account, keys }) => account.id === 'bee-spot' && keys.length > 0).length,
  );
  ok(await confirm('bee'));
  await rig.clock.advance(1_000);
  expect(await states(rig)).toEqual({ acme: 'ready', bee: 'ready' });
  expect(keysOf(rig, 'bee-spot')).toEqual(['key-of-bee', 'secret-of-bee']);
});

it('changed addresses of any one of its endpoints keep it closed', async () => {
  const first = await both();
  const file = join(first.dataDir, 'config.toml');
  const elsewhere = '[exchanges.bee.endpoints]\nfutures-stream = "wss://elsewhere.example/ws"\n';
  writeFileSync(file, `${readFileSync(file, 'utf8')}${elsewhere}`);
  const rig = await first.again(FEED);
  expect(await states(rig)).toEqual({ acme: 'ready', bee: 'closed' });
  const { changed } = (await rig.ask('connections.list', {})).connections[1] ?? {};
  expect(changed?.to.filter((origin) => !changed.from.includes(origin))).toEqual(['wss://elsewhere.example']);
});

it('one whose adapter fails stays closed until a person acts, whatever the vault does', async () => {
  const first = await both();
  const { kind } = first.acme;
  const { open } = kind;
  let fails = true;
  const failing: typeof open = (given) => {
    if (fails && given.connection.name === 'bee') throw new Error(`no way with ${SECRET}`);
    return open(given);
  };
  const rig = await first.again({ ...FEED, exchange: { ...first.acme, kind: { ...kind, open: failing } } });
  expect(await states(rig)).toEqual({ acme: 'ready', bee: 'closed' });
  fails = false;
  await rig.lock();
  await rig.unlock();
  await rig.clock.advance(1_000);
  expect(await states(rig)).toEqual({ acme: 'ready', bee: 'closed' });
  ok(await rig.ask('connections.add', { ...TWO, replace: true }));
  expect(await states(rig)).toEqual({ acme: 'ready', bee: 'ready' });
});

it('keys are given to a connection of the configuration whichever way its markets are listed there', async () => {
  const exchange = acme();
  const { name, environment } = ONE;
  const block = { name, venue: 'okx', markets: ['futures', 'spot'] as const, environment, endpoints: {} };
  const rig = await openRig({
    ...FEED,
    connections: [block],
    exchange: { ...exchange, kind: { ...exchange.kind, name: 'okx' } },
  });
  expect(
    refusal(await rig.ask('connections.add', { ...ONE, environment: 'demo', markets: ['spot'] })),
  ).toContain('config.toml has [exchanges.acme] otherwise');
  expect(ok(await rig.ask('connections.add', ONE)).state).toBe('ready');
});

it('keys that are for another environment than the configuration says are not used', async () => {
  const first = await desk();
  for (const request of [ONE, { ...TWO, markets: ['spot'] } as const])
    ok(await first.ask('connections.add', request));
  const file = join(first.dataDir, 'config.toml');
  const [one, two] = readFileSync(file, 'utf8').split('[exchanges.bee]');
  writeFileSync(file, `${one}[exchanges.bee]${two?.replace('"live"', '"demo"')}`);
  const opened = first.acme.lines.length;
  const rig = await first.again(FEED);
  expect(accountOf(rig, 'bee-spot')?.away).toBe(
    'its keys are of okx live, and config.toml says okx demo: put that right',
  );
  expect(await states(rig)).toEqual({ acme: 'ready', bee: 'closed' });
  const since = rig.acme.lines.slice(opened).filter(({ keys }) => keys.length > 0);
  expect(new Set(since.map(({ account }) => account.id))).toEqual(new Set(['acme-spot', 'acme-futures']));
});

describe('an account of the exchange', () => {
  const as = (name: string, change: object) => ({ ...ONE, name, ...change });

  it('may be connected in parts, each part once, and once in each environment', async () => {
    const rig = await desk();
    ok(await rig.ask('connections.add', as('acme', { markets: ['spot'] })));
    expect(refusal(await rig.ask('connections.add', as('bee', {})))).toBe(
      'account 1234 is connected as acme already',
    );
    ok(await rig.ask('connections.add', as('bee', { markets: ['futures'] })));
    expect(refusal(await rig.ask('connections.add', as('cee', { markets: ['futures'] })))).toBe(
      'account 1234 is connected as bee already',
    );
    ok(await rig.ask('connections.add', as('cee', { markets: ['spot'], environment: 'testnet' })));
    expect(
      refusal(await rig.ask('connections.add', as('dee', { markets: ['spot'], environment: 'testnet' }))),
    ).toBe('account 1234 is connected as cee already');
    ok(await rig.ask('connections.remove', { name: 'bee', word: 'bee' }));
    ok(await rig.ask('connections.add', as('dee', { markets: ['futures'] })));
  });

  it('stays the one of its name when a later connect has failed at the configuration', async () => {
    const rig = await both();
    ok(await rig.ask('connections.remove', { name: 'acme', word: 'acme' }));
    const file = join(rig.dataDir, 'config.toml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, 'no TOML');
    expect(refusal(await rig.ask('connections.add', ONE))).toContain('is not TOML any more');
    expect(rig.desk.state().vault.connections).toEqual(['bee']);
    writeFileSync(file, text);
    rig.acme.account.identity = async () => ({ id: '55' });
    expect(refusal(await rig.ask('connections.add', ONE))).toBe(
      'acme was account 1234, and this key is of 55; choose another name',
    );
  });
});

describe('disconnecting one', () => {
  it('is hindered by its own orders and bots, by none of the other', async () => {
    const rig = await both();
    const remove = (name: string) => rig.ask('connections.remove', { name, word: name });
    const mine = [await placed(rig, 'acme-spot'), await placed(rig, 'acme-spot')];
    expect(refusal(await remove('acme'))).toBe(
      'acme cannot be disconnected: it has 2 open orders; cancel them first',
    );
    for (const id of mine) await cancelled(rig, 'acme-spot', id);
    const onFutures = await placed(rig, 'acme-futures');
    expect(refusal(await remove('acme'))).toContain('it has 1 open order;');
    await cancelled(rig, 'acme-futures', onFutures);
    await placed(rig, 'bee-spot');
    const settings = squeeze({ exchange: 'bee-spot', deposit: { value: '900', asset: 'USDT' } });
    const bot = ok(await rig.ask('bots.create', { bot: { type: 'SQUEEZE', settings } } as never)) as {
      id: string;
    };
    ok(await rig.ask('bots.start', { id: bot.id }));
    expect(refusal(await remove('bee'))).toBe(
      'bee cannot be disconnected: it has 1 open order and 1 running bot; stop the bots and cancel the orders first',
    );
    expect(refusal(await remove('cee'))).toBe('cee is not connected; connected: acme, bee');
    const other = rig.acme.line('bee-spot');
    ok(await remove('acme'));
    expect(rig.acme.markets.map(({ closed }) => closed).includes(true)).toBe(false);
    expect([other.closed, isWiped(other.keys)]).toEqual([false, false]);
    expect(rig.desk.state().accounts.map(({ id }) => id)).toEqual([
      'paper-spot',
      'paper-futures',
      'bee-spot',
      'bee-futures',
    ]);
    expect(rig.config()).not.toContain('acme');
    const second = await rig.again(FEED);
    expect(await states(second)).toEqual({ bee: 'ready' });
    expect(rig.log().filter((text) => text.startsWith('the vault has keys'))).toEqual([]);
  });
});
