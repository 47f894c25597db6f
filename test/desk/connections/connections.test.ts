/**
 * Connections of a whole desk: added while it runs, present after a restart, locked with the vault, closed
 * when its account or addresses differ from the stored ones.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { squeeze } from '../../bots/rules/bots.ts';
import { clientOf, ok } from '../integration/support.ts';
import { KEY, openRig, REQUEST, type Rig, refusal, SECRET } from './rig.ts';
import { acme } from './test-kind.ts';

const accountOf = ({ desk }: Rig, id: string) => desk.state().accounts.find((one) => one.id === id);
const LIMIT = {
  exchange: 'acme-spot',
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  price: '50000',
  quantity: '0.01',
} as const;

async function priced(rig: Rig): Promise<void> {
  for (const market of rig.acme.markets) market.ticks(['BTCUSDT', '60000']);
  await rig.clock.advance(1_000);
}

describe('connecting while the desk runs', () => {
  it('gives the accounts to consoles and API, trades on them, and writes one block', async () => {
    const rig = await openRig();
    const view = ok(await rig.ask('connections.add', REQUEST));
    expect(view).toMatchObject({
      name: 'acme',
      state: 'ready',
      place: 'LIVE',
      accounts: ['acme-spot', 'acme-futures'],
    });
    expect(accountOf(rig, 'acme-spot')).toMatchObject({
      link: 'up',
      connection: { name: 'acme', venue: 'acme', place: 'LIVE', state: 'ready' },
      guards: {
        set: {
          maxOrderValue: '1000',
          maxPositionValue: '5000',
          maxOpenOrders: 200,
          maxOrdersPerMinute: 120,
          priceBand: '10',
        },
      },
    });
    await priced(rig);
    const order = ok(await rig.ask('orders.place', LIMIT));
    expect(order.status).toBe('OPENED');
    expect(rig.acme.line('acme-spot').sent).toHaveLength(1);
    const client = await clientOf(rig);
    const supported = await rig.wait(client.exchange.supported());
    expect(JSON.stringify(supported)).toContain('acme-futures');
    expect(rig.config()).toBe(
      '[exchanges.acme]\nvenue = "acme"\nmarkets = ["spot", "futures"]\nenvironment = "live"\n',
    );
    expect(statSync(join(rig.dataDir, 'config.toml')).mode & 0o777).toBe(0o600);
  });

  it('goes on after a restart without being connected again, with its guards and its orders', async () => {
    const first = await openRig();
    ok(await first.ask('connections.add', { ...REQUEST, guards: { maxOrderValue: '700' } }));
    await priced(first);
    const { id } = ok(await first.ask('orders.place', LIMIT));
    const second = await first.again();
    expect(accountOf(second, 'acme-spot')).toMatchObject({
      link: 'up',
      guards: { set: { maxOrderValue: '700' } },
      connection: { state: 'ready' },
    });
    expect(second.desk.state().orders[id]?.status).toBe('OPENED');
  });

  it('guards entries from the first moment on', async () => {
    const rig = await openRig();
    ok(await rig.ask('connections.add', REQUEST));
    await priced(rig);
    expect(refusal(await rig.ask('orders.place', { ...LIMIT, quantity: '0.1' }))).toMatch(/1,?000/);
    expect(rig.acme.line('acme-spot').sent).toEqual([]);
  });

  it('says what it found and stores nothing where a test is all that is asked for', async () => {
    const rig = await openRig();
    const { secrets: _, ...rest } = REQUEST;
    const found = ok(await rig.ask('connections.test', { ...without(REQUEST), secrets: REQUEST.secrets }));
    expect(rest.name).toBe('acme');
    expect(found.passed).toBe(true);
    expect(found.account).toBe('1234');
    expect(found.lines.map(({ exchange, name, level }) => `${exchange} ${name} ${level}`)).toEqual([
      'acme-spot reachable ok',
      'acme-spot account ok',
      'acme-spot permissions ok',
      'acme-spot balance ok',
      'acme-futures reachable ok',
      'acme-futures account ok',
      'acme-futures permissions ok',
      'acme-futures position mode ok',
      'acme-futures margin mode ok',
      'acme-futures balance ok',
    ]);
    expect(found.guards['acme-spot']).toMatchObject({ maxOrderValue: '1000' });
    expect(rig.acme.lines.every(({ closed }) => closed)).toBe(true);
    expect(rig.desk.state().accounts.map(({ id }) => id)).toEqual(['paper-spot', 'paper-futures']);
    expect(() => rig.config()).toThrow('ENOENT');
  });
});

/** A request to add without the fields that a request to test has. */
function without({ rights: _, secrets: __, ...rest }: typeof REQUEST) {
  return rest;
}

describe('a locked vault', () => {
  it('keeps the accounts there, answers 503 and stores nothing; unlocked they trade', async () => {
    const first = await openRig();
    ok(await first.ask('connections.add', REQUEST));
    const rig = await first.again({ vault: 'none' });
    expect(accountOf(rig, 'acme-spot')).toMatchObject({
      link: 'down',
      away: 'the vault is locked',
      connection: { state: 'locked' },
    });
    const client = await clientOf(rig);
    await expect(rig.wait(client.orders.place(LIMIT))).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('the vault is locked') as string,
    });
    expect(Object.values(rig.desk.state().orders)).toEqual([]);
    const paper = ok(
      await rig.ask('orders.place', {
        ...LIMIT,
        exchange: 'paper-spot',
        type: 'MARKET',
        price: undefined,
      } as never),
    );
    expect(paper.exchange).toBe('paper-spot');
    await rig.unlock();
    await rig.clock.advance(2_000);
    expect(accountOf(rig, 'acme-spot')).toMatchObject({ link: 'up', connection: { state: 'ready' } });
    await priced(rig);
    expect(ok(await rig.ask('orders.place', LIMIT)).status).toBe('OPENED');
  });

  it('lets bots wait, over a restart as well, and go on when it is unlocked', async () => {
    const first = await openRig();
    ok(await first.ask('connections.add', REQUEST));
    await priced(first);
    const deposit = { value: '900', asset: 'USDT' };
    const settings = squeeze({ exchange: 'acme-spot', deposit });
    const bot = ok(await first.ask('bots.create', { bot: { type: 'SQUEEZE', settings } } as never)) as {
      id: string;
    };
    ok(await first.ask('bots.start', { id: bot.id }));
    const rig = await first.again({ vault: 'none' });
    const status = () => rig.desk.state().bots[bot.id]?.status;
    await priced(rig);
    await rig.clock.advance(5 * 60_000);
    expect(status()).toBe('STARTED');
    expect(rig.acme.lines.flatMap(({ sent }) => sent)).toEqual([]);
    expect(refusal(await rig.ask('connections.remove', { name: 'acme', word: 'acme' }))).toContain(
      '1 running bot',
    );
    await rig.unlock();
    await rig.clock.advance(2_000);
    expect(status()).toBe('STARTED');
    expect(accountOf(rig, 'acme-spot')).toMatchObject({ link: 'up' });
  });

  it('ends the lines at once and fills the keys with zeros', async () => {
    const rig = await openRig();
    ok(await rig.ask('connections.add', REQUEST));
    const line = rig.acme.line('acme-spot');
    const used = [...line.keys];
    expect(used.map(String)).toEqual([KEY, SECRET]);
    await rig.lock();
    await rig.clock.advance(1_000);
    expect(used.every((one) => one.every((byte) => byte === 0))).toBe(true);
    expect(line.closed).toBe(true);
    expect(accountOf(rig, 'acme-spot')).toMatchObject({ link: 'down', connection: { state: 'locked' } });
    // The same once more, twice.
    await rig.unlock();
    await rig.clock.advance(1_000);
    expect(accountOf(rig, 'acme-spot')).toMatchObject({ link: 'up', connection: { state: 'ready' } });
  });

  it('refuses to connect, and so does a desk without one', async () => {
    const rig = await openRig({ vault: 'locked' });
    expect(refusal(await rig.ask('connections.add', REQUEST))).toContain('the vault is locked');
    const without = await openRig({ vault: 'none' });
    expect(refusal(await without.ask('connections.add', REQUEST))).toContain('outcry vault init');
    expect([...rig.acme.lines, ...without.acme.lines]).toEqual([]);
  });
});

describe('who the account is', () => {
  it('is one: the same account under a second name, and another one under a known name, are refused', async () => {
    const rig = await openRig();
    ok(await rig.ask('connections.add', REQUEST));
    expect(refusal(await rig.ask('connections.add', { ...REQUEST, name: 'second' }))).toBe(
      'account 1234 is connected as acme already',
    );
    rig.acme.account.identity = async () => ({ id: '99' });
    expect(refusal(await rig.ask('connections.add', { ...REQUEST, replace: true }))).toBe(
      'acme was account 1234, and this key is of 99; choose another name',
    );
    ok(await rig.ask('connections.remove', { name: 'acme', word: 'acme' }));
    expect(refusal(await rig.ask('connections.add', REQUEST))).toContain('acme was account 1234');
    rig.acme.account.identity = async () => ({ id: '1234' });
    ok(await rig.ask('connections.add', REQUEST));
  });

  it('may have new keys, which are the only ones from then on', async () => {
    const rig = await openRig();
    ok(await rig.ask('connections.add', REQUEST));
    expect(refusal(await rig.ask('connections.add', REQUEST))).toContain('--replace');
    const opened: string[] = [];
    rig.acme.account.open = async (key) => {
      opened.push(key);
    };
    const secrets = { apiKey: 'another-key-1', secret: 'another-secret-1' };
    ok(await rig.ask('connections.add', { ...REQUEST, secrets, replace: true }));
    expect(new Set(opened)).toEqual(new Set(['another-key-1']));
    const before = rig.config();
    opened.length = 0;
    const second = await rig.again();
    expect(new Set(opened)).toEqual(new Set(['another-key-1']));
    expect(second.config()).toBe(before);
  });

  it('is not connected when it does not say which account it is', async () => {
    const rig = await openRig();
    rig.acme.account.identity = async () => null;
    expect(refusal(await rig.ask('connections.add', REQUEST))).toContain('which account it is');
    expect(() => rig.config()).toThrow('ENOENT');
  });
});

describe('the rights of the key', () => {
  it('beyond trading are accepted in words, and stay accepted', async () => {
    const rig = await openRig();
    const rights = { trade: true, withdraw: true, transfer: false, addresses: [], expiresAt: null };
    rig.acme.account.permissions = async () => rights;
    expect(refusal(await rig.ask('connections.add', REQUEST))).toContain('may withdraw');
    ok(await rig.ask('connections.add', { ...REQUEST, rights: ['withdraw'] as never }));
    await priced(rig);
    expect(ok(await rig.ask('orders.place', LIMIT)).status).toBe('OPENED');
    expect(accountOf(rig, 'acme-spot')).not.toHaveProperty('closed');
    const second = await rig.again();
    expect(accountOf(second, 'acme-spot')).not.toHaveProperty('closed');
    rig.acme.account.permissions = async () => ({ ...rights, transfer: true });
    const third = await second.again();
    expect(accountOf(third, 'acme-spot')?.closed).toContain('may transfer');
  });

  it('must be known where there is money, and allow trading', async () => {
    const rig = await openRig();
    rig.acme.account.permissions = async () => null;
    expect(refusal(await rig.ask('connections.add', REQUEST))).toContain('permissions');
    rig.acme.account.permissions = async () => ({
      trade: false,
      withdraw: false,
      transfer: false,
      addresses: [],
      expiresAt: null,
    });
    expect(refusal(await rig.ask('connections.add', REQUEST))).toContain('may not trade');
    const testnet = { ...REQUEST, name: 'play', environment: 'testnet', markets: ['spot'] } as const;
    rig.acme.account.permissions = async () => null;
    expect(ok(await rig.ask('connections.add', testnet as never)).place).toBe('TESTNET');
  });
});

describe('addresses', () => {
  it('that are other ones than the keys were sealed for keep it closed until its name is typed', async () => {
    const first = await openRig();
    ok(await first.ask('connections.add', REQUEST));
    const file = join(first.dataDir, 'config.toml');
    const elsewhere = '[exchanges.acme.endpoints]\nspot-rest = "https://elsewhere.example"\n';
    writeFileSync(file, `${readFileSync(file, 'utf8')}${elsewhere}`);
    const made = first.acme.lines.length;
    const rig = await first.again();
    const opened: string[] = [];
    rig.acme.account.open = async (key) => {
      opened.push(key);
    };
    const [view] = (await rig.ask('connections.list', {})).connections;
    expect(view).toMatchObject({ state: 'closed', place: 'LIVE' });
    expect(view?.why).toContain('the addresses of acme changed');
    expect(view?.why).toContain('https://elsewhere.example');
    expect(rig.acme.lines.length).toBeGreaterThan(made);
    expect(accountOf(rig, 'acme-spot')).toMatchObject({ link: 'down', connection: { state: 'closed' } });
    await rig.clock.advance(60_000);
    expect(opened).toEqual([]);
    const to = view?.changed?.to ?? [];
    expect(refusal(await rig.ask('connections.confirm', { name: 'acme', to, word: 'yes' }))).toContain(
      'type acme',
    );
    expect(
      refusal(await rig.ask('connections.confirm', { name: 'acme', to: [...to, 'x'], word: 'acme' })),
    ).toContain('look again');
    expect(ok(await rig.ask('connections.confirm', { name: 'acme', to, word: 'acme' })).state).toBe('ready');
    expect(opened.length).toBeGreaterThan(0);
    const second = await rig.again();
    expect(accountOf(second, 'acme-spot')).toMatchObject({ link: 'up', connection: { state: 'ready' } });
  });

  it('on this machine are LOCAL, and foreign ones LIVE whatever the environment says', async () => {
    const rig = await openRig();
    const at = (address: string) =>
      rig.ask('connections.test', {
        ...without(REQUEST),
        secrets: REQUEST.secrets,
        environment: 'testnet',
        markets: ['spot'],
        endpoints: { 'spot-rest': address },
      } as never);
    expect(ok(await at('http://127.0.0.1:9000')).place).toBe('LOCAL');
    expect(ok(await at('https://proxy.example')).place).toBe('LIVE');
    expect(refusal(await at('https://api.acme.example'))).toContain('is Acme live, not testnet');
    expect(refusal(await at('http://proxy.example'))).toContain('https');
  });
});

describe('disconnecting', () => {
  it('needs nothing open, takes the block out and forgets the keys', async () => {
    const rig = await openRig();
    ok(await rig.ask('connections.add', REQUEST));
    await priced(rig);
    const order = ok(await rig.ask('orders.place', LIMIT));
    expect(refusal(await rig.ask('connections.remove', { name: 'acme', word: 'acme' }))).toContain(
      '1 open order',
    );
    const line = rig.acme.line('acme-spot');
    line.answers.cancel = async () => ({
      kind: 'done',
      state: { ...line.working(line.sent[0] as never), status: 'CANCELLED' },
    });
    ok(await rig.ask('orders.cancel', { exchange: 'acme-spot', id: order.id }));
    expect(refusal(await rig.ask('connections.remove', { name: 'acme', word: 'no' }))).toContain('type acme');
    ok(await rig.ask('connections.remove', { name: 'acme', word: 'acme' }));
    expect(rig.config()).not.toContain('acme');
    expect(rig.desk.state().vault.connections).toEqual([]);
    expect(rig.desk.state().accounts.map(({ id }) => id)).toEqual(['paper-spot', 'paper-futures']);
    expect(rig.desk.state().orders[order.id]?.status).toBe('CANCELLED');
    expect(refusal(await rig.ask('orders.place', LIMIT))).toContain('not connected');
    const client = await clientOf(rig);
    expect(JSON.stringify(await rig.wait(client.exchange.supported()))).not.toContain('acme');
    ok(await rig.ask('connections.add', REQUEST));
    await priced(rig);
    expect(ok(await rig.ask('orders.place', LIMIT)).status).toBe('OPENED');
  });

  it('needs nothing open of accounts that this desk cannot open any more either', async () => {
    const first = await openRig();
    ok(await first.ask('connections.add', REQUEST));
    await priced(first);
    ok(await first.ask('orders.place', LIMIT));
    const before = first.config();
    const exchange = acme();
    const kind = { ...exchange.kind, environments: { testnet: [['spot']] } } as const;
    const rig = await first.again({ exchange: { ...exchange, kind } });
    expect((await rig.ask('connections.list', {})).connections).toMatchObject([{ state: 'closed' }]);
    expect(refusal(await rig.ask('connections.remove', { name: 'acme', word: 'acme' }))).toContain(
      '1 open order',
    );
    expect([rig.config(), rig.desk.state().vault.connections]).toEqual([before, ['acme']]);
  });
});

describe('a desk whose prices do not run with the clock', () => {
  it('refuses to connect, and a desk with connections does not start so', async () => {
    const fast = await openRig({ speed: 10 });
    expect(refusal(await fast.ask('connections.add', REQUEST))).toContain('trade by the clock');
    const held = await openRig({ hold: true });
    expect(refusal(await held.ask('connections.add', REQUEST))).toContain('held');
    const rig = await openRig();
    ok(await rig.ask('connections.add', REQUEST));
    expect(refusal(await rig.ask('feed.control', { action: 'pause' }))).toContain('runs with the clock');
    await rig.stop();
    for (const options of [{ speed: 10 }, { hold: true }] as const)
      await expect(openRig({ dataDir: rig.dataDir, exchange: acme(), ...options })).rejects.toThrow(
        /leave out --speed, --hold and --feed csv/,
      );
  });
});

describe('ended in the middle of connecting', () => {
  it('has keys without a block: it says so, and a second connect puts it right', async () => {
    const first = await openRig();
    ok(await first.ask('connections.add', REQUEST));
    await first.stop();
    writeFileSync(join(first.dataDir, 'config.toml'), '');
    const rig = await first.again();
    expect(rig.log().join('\n')).toContain('the vault has keys of acme, which is not connected');
    expect(accountOf(rig, 'acme-spot')).toBeUndefined();
    ok(await rig.ask('connections.add', REQUEST));
    expect(accountOf(rig, 'acme-spot')).toMatchObject({ link: 'up' });
  });

  it('takes up the open orders that were left when its block was taken out', async () => {
    const first = await openRig();
    ok(await first.ask('connections.add', REQUEST));
    await priced(first);
    const { id } = ok(await first.ask('orders.place', LIMIT));
    const [sent] = first.acme.line('acme-spot').sent;
    await first.stop();
    writeFileSync(join(first.dataDir, 'config.toml'), '');
    const rig = await first.again();
    expect(rig.log().join('\n')).toContain('acme-spot is not configured any more but had 1 open order');
    expect(refusal(await rig.ask('orders.cancel', { exchange: 'acme-spot', id }))).toContain(
      'not configured',
    );
    rig.acme.account.fill = (venue) => {
      const state = venue.working(sent as never);
      venue.answers.openOrders = async () => (venue.account.id === 'acme-spot' ? [state] : []);
      venue.answers.query = async () => ({ kind: 'found', state, fills: [] });
      venue.answers.cancel = async () => ({ kind: 'done', state: { ...state, seq: 9, status: 'CANCELLED' } });
    };
    ok(await rig.ask('connections.add', REQUEST));
    await rig.clock.advance(2_000);
    expect(rig.desk.state().orders[id]?.status).toBe('OPENED');
    expect(ok(await rig.ask('orders.cancel', { exchange: 'acme-spot', id })).status).toBe('CANCELLED');
    expect(rig.acme.line('acme-spot').cancelled).toHaveLength(1);
  });

  it('has a block without keys: it is closed until it gets some', async () => {
    const first = await openRig();
    ok(await first.ask('connections.add', REQUEST));
    await first.stop();
    const store = openSqliteStore(join(first.dataDir, 'outcry.db'));
    store.commit([{ kind: 'vault-forget', connection: 'acme' }]);
    store.close();
    const rig = await first.again();
    expect(accountOf(rig, 'acme-spot')?.away).toContain('there are no keys of acme');
    expect(refusal(await rig.ask('connections.add', { ...REQUEST, markets: ['spot'] }))).toContain(
      'otherwise',
    );
    ok(await rig.ask('connections.add', REQUEST));
    expect(accountOf(rig, 'acme-spot')).toMatchObject({ link: 'up', connection: { state: 'ready' } });
    expect(rig.config().match(/\[exchanges\.acme\]/g)).toHaveLength(1);
  });

  it('stores nothing where the configuration cannot be changed', async () => {
    const rig = await openRig();
    writeFileSync(join(rig.dataDir, 'config.toml'), 'exchanges = {}\n');
    expect(refusal(await rig.ask('connections.add', REQUEST))).toContain('by hand');
    expect(rig.desk.state().vault.connections).toEqual([]);
    writeFileSync(join(rig.dataDir, 'config.toml'), '# mine\n[log]\nstderr = false');
    rig.acme.account.identity = async () => ({ id: '77' });
    ok(await rig.ask('connections.add', REQUEST));
    expect(rig.config()).toMatch(/^# mine\n\[log\]\nstderr = false\n\n\[exchanges\.acme\]\n/);
  });
});
