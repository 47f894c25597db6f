/**
 * Two users on one desk: nothing of one user shows to the other, on any route, by any id, in any budget (S27,
 * D10). What belongs to another user gets word for word the same answer as what does not exist.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { KeyRegistry } from '../../../src/access/key-registry.ts';
import { ROUTE_TIERS, type RouteName } from '../../../src/access/tiers.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import type { DeskOptions } from '../../../src/desk/running.ts';
import type { ExchangeAccount } from '../../../src/domain/exchange.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { WsSigner } from '../../api/ws/session-rig.ts';
import { StreamClient } from '../../api/ws/support.ts';
import { attacked } from '../../support/attacks.ts';
import { ROOMY_LIMITS } from '../../support/roomy-limits.ts';
import { clientOf, flat, ok, openTestDesk, type TestDesk, temporaryFolder, writeCandles } from './support.ts';

const SECOND = 'second';
const SPOT: ExchangeAccount = { id: 'paper-spot', name: 'Paper spot', kind: 'spot' };
const FUTURES: ExchangeAccount = { id: 'paper-futures', name: 'Paper futures', kind: 'futures' };

/** A user with an account. */
interface Person {
  readonly client: Client;
  readonly signer: WsSigner;
  readonly account: ExchangeAccount;
}

let t: TestDesk;
let owner: Person;
let second: Person;
const clients: Client[] = [];

/** Writes the second user's key where the desk finds it: nothing in the service creates one. */
function storeKey(dataDir: string, user: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const id = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url');
  const { rows } = ok(new KeyRegistry().register({ label: 'theirs', tier: 'trade', user }, id, 1));
  mkdirSync(dataDir, { mode: 0o700, recursive: true });
  const store = openSqliteStore(join(dataDir, 'outcry.db'));
  store.commit(rows);
  store.close();
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

/** Opens a desk; `theirs` is the account of the second user, the other one is the owner's. */
async function open(theirs: ExchangeAccount, options: Partial<DeskOptions> = {}): Promise<void> {
  const dataDir = join(temporaryFolder(), 'data');
  const privateKeyPem = storeKey(dataDir, SECOND);
  const accounts = [SPOT, FUTURES].map((one) => (one === theirs ? { ...one, user: SECOND } : one));
  const feed = writeCandles({ BTCUSDT: flat('60000', 50) });
  t = await openTestDesk({
    feed,
    hold: true,
    limits: ROOMY_LIMITS,
    ...options,
    dataDir,
    ports: { accounts },
  });
  await t.call('feed.control', { action: 'step' });
  const client = createClient({
    baseUrl: t.desk.info.apiUrl,
    key: { privateKeyPem },
    now: () => t.clock.wall(),
    retry: { attempts: 1 },
  });
  clients.push(client);
  const key = ok(await t.call('keys.generate', { label: 'test', tier: 'trade' }));
  owner = {
    client: await clientOf(t, key),
    signer: new WsSigner(readFileSync(key.path, 'utf8')),
    account: theirs === SPOT ? FUTURES : SPOT,
  };
  second = { client, signer: new WsSigner(privateKeyPem), account: theirs };
}

beforeEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

interface Asked {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly json: any;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

async function ask(
  { client }: Person,
  method: string,
  path: string,
  body?: unknown,
  idempotencyKey?: string,
): Promise<Asked> {
  const answer = await client.raw(method, path, {
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
  return { ...answer, json: JSON.parse(answer.text) };
}

const market = (exchange: string, quantity: string) => ({
  exchange,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'MARKET',
  quantity,
});
const resting = (exchange: string, quantity = '0.01') => ({
  ...market(exchange, quantity),
  type: 'LIMIT',
  price: '59000',
});

const alarm = (exchange: string) => ({
  type: 'ALARM',
  settings: {
    exchange,
    symbol: { base: 'BTC', quote: 'USDT' },
    ticker: 'BTCUSDT',
    range: { trend: { 1700000000000: 100, 1700003600000: 110 } },
  },
});

/** Starts a bot; returns its id and its run's id. */
async function runningBot(person: Person): Promise<readonly [bot: string, run: string]> {
  const made = await ask(person, 'POST', '/v2/bots', alarm(person.account.id));
  expect(made.status, made.text).toBe(200);
  const { id } = made.json.data;
  const started = await ask(person, 'POST', `/v2/bots/${id}/runs`);
  expect(started.status, started.text).toBe(200);
  return [id, started.json.data.runId];
}

/** Makes a trade, a resting and a cancelled order; on futures also a position with its own settings. */
async function busy(person: Person, quantity: string): Promise<string[]> {
  const { account } = person;
  const of = async (body: object) => (await ask(person, 'POST', '/v2/orders', body)).json.data.id;
  if (account.kind === 'futures') {
    const change = { exchange: account.id, symbol: 'BTCUSDT', leverage: 7 };
    expect((await ask(person, 'POST', '/v2/portfolio/position/leverage', change)).status).toBe(200);
  }
  const ids = [
    await of(market(account.id, quantity)),
    await of(resting(account.id)),
    await of(resting(account.id)),
  ];
  await ask(person, 'DELETE', `/v2/orders/${ids[2]}?exchange=${account.id}`);
  return ids;
}

/** What a request names: an account, an order of it, a bot and its run. */
interface Names {
  readonly exchange: string;
  readonly order: string;
  readonly bot: string;
  readonly run: string;
}
type Build = (n: Names) => { path: string; body?: unknown };

/**
 * A request to each route that names somebody's account or order; `{order}` routes also with one's own
 * account.
 */
const REQUESTS: Readonly<Record<RouteName, readonly Build[]>> = {
  'GET /openapi.json': [],
  'GET /server/time': [],
  'GET /server/status': [],
  'GET /server/version': [],
  'GET /ping': [],
  'GET /bots': [],
  'POST /bots': [({ exchange }) => ({ path: '/v2/bots', body: alarm(exchange) })],
  'GET /bots/{id}': [({ bot }) => ({ path: `/v2/bots/${bot}` })],
  'PATCH /bots/{id}': [
    ({ bot }) => ({ path: `/v2/bots/${bot}`, body: { metadata: 'mine' } }),
    ({ bot, exchange }) => ({ path: `/v2/bots/${bot}`, body: { config: { exchange }, restart: true } }),
  ],
  'DELETE /bots/{id}': [
    ({ bot }) => ({ path: `/v2/bots/${bot}` }),
    ({ bot }) => ({ path: `/v2/bots/${bot}?force=true` }),
  ],
  'POST /bots/{id}/runs': [({ bot }) => ({ path: `/v2/bots/${bot}/runs` })],
  'DELETE /bots/{id}/runs/{runId}': [
    ({ bot, run }) => ({ path: `/v2/bots/${bot}/runs/${run}?force=true&action=stop_and_sell` }),
  ],
  'POST /bots/{id}/runs/{runId}/message': [
    ({ bot, run }) => ({
      path: `/v2/bots/${bot}/runs/${run}/message`,
      body: { message: 'add_stoploss', params: {} },
    }),
  ],
  'POST /bots/batch/runs': [({ bot }) => ({ path: '/v2/bots/batch/runs', body: { bots: [bot] } })],
  'DELETE /bots/batch/runs': [
    ({ bot, run }) => ({ path: '/v2/bots/batch/runs', body: { bots: [[bot, run]], force: true } }),
  ],
  'DELETE /bots/batch': [({ bot }) => ({ path: '/v2/bots/batch', body: { bots: [bot] } })],
  'GET /exchange/supported': [],
  'GET /exchange/hedge-mode': [({ exchange }) => ({ path: `/v2/exchange/hedge-mode?exchange=${exchange}` })],
  'POST /exchange/hedge-mode': [
    ({ exchange }) => ({
      path: `/v2/exchange/hedge-mode?exchange=${exchange}`,
      body: { dualSidePosition: true },
    }),
  ],
  'GET /orders': [
    ({ exchange }) => ({ path: `/v2/orders?exchange=${exchange}` }),
    ({ exchange }) => ({ path: `/v2/orders?exchange=${exchange}&status=recent&symbol=BTCUSDT` }),
  ],
  'POST /orders': [
    ({ exchange }) => ({ path: '/v2/orders', body: market(exchange, '0.1') }),
    ({ exchange }) => ({ path: '/v2/orders', body: { ...market(exchange, '0.1'), side: 'SELL' } }),
  ],
  'DELETE /orders': [
    ({ exchange, order }) => ({ path: `/v2/orders?exchange=${exchange}&order=${order}` }),
    ({ exchange, order }) => ({ path: `/v2/orders?exchange=${exchange}`, body: { order } }),
  ],
  'DELETE /orders/{id}': [({ exchange, order }) => ({ path: `/v2/orders/${order}?exchange=${exchange}` })],
  'POST /orders/{id}/split': [
    ({ exchange, order }) => ({
      path: `/v2/orders/${order}/split`,
      body: { exchange, prices: ['58000', '57000'] },
    }),
  ],
  'GET /orders/trades': [
    ({ exchange }) => ({ path: `/v2/orders/trades?exchange=${exchange}&symbol=BTCUSDT` }),
  ],
  'GET /portfolio': [
    ({ exchange }) => ({ path: `/v2/portfolio?exchange=${exchange}` }),
    ({ exchange }) => ({ path: `/v2/portfolio?exchange=${exchange}&totalOnly=true` }),
  ],
  'GET /portfolio/positions': [({ exchange }) => ({ path: `/v2/portfolio/positions?exchange=${exchange}` })],
  'GET /portfolio/position/leverage': [
    ({ exchange }) => ({ path: `/v2/portfolio/position/leverage?exchange=${exchange}&symbols=BTCUSDT` }),
  ],
  'POST /portfolio/position/leverage': [
    ({ exchange }) => ({
      path: '/v2/portfolio/position/leverage',
      body: { exchange, symbol: 'BTCUSDT', leverage: 3 },
    }),
  ],
  'GET /portfolio/margin-mode': [
    ({ exchange }) => ({ path: `/v2/portfolio/margin-mode?exchange=${exchange}` }),
  ],
  'POST /portfolio/margin-mode': [
    ({ exchange }) => ({ path: `/v2/portfolio/margin-mode?exchange=${exchange}`, body: { mode: 2 } }),
  ],
  'POST /portfolio/position/margin-type': [
    ({ exchange }) => ({
      path: `/v2/portfolio/position/margin-type?exchange=${exchange}`,
      body: { symbol: 'BTCUSDT', marginType: 'ISOLATED' },
    }),
  ],
  'GET /portfolio/leverage-brackets': [
    ({ exchange }) => ({ path: `/v2/portfolio/leverage-brackets?exchange=${exchange}&symbol=BTCUSDT` }),
  ],
  'GET /portfolio/dust': [({ exchange }) => ({ path: `/v2/portfolio/dust?exchange=${exchange}` })],
  'POST /portfolio/dust/convert': [
    ({ exchange }) => ({ path: '/v2/portfolio/dust/convert', body: { exchange, assets: ['BTC'] } }),
  ],
};

/** Names of things that do not exist. */
const NOTHING: Names = {
  exchange: 'paper-nowhere',
  order: 'ps-nosuchorder',
  bot: 'bnosuchbot',
  run: 'nosuchrun0',
};
const methodOf = (route: string) => route.slice(0, route.indexOf(' '));

/** The content of an answer, without the names that were asked about. */
function said({ status, json }: Asked, names: Names): string {
  const content = `${status} ${JSON.stringify(json.error ?? json.data)}`;
  return Object.entries(names).reduce((text, [what, name]) => text.replaceAll(name, `<${what}>`), content);
}

/** Everything a person has, as they see it themselves. */
async function belongings(person: Person): Promise<unknown> {
  const { id } = person.account;
  const paths = [
    '/v2/exchange/supported',
    '/v2/orders?status=recent',
    `/v2/orders/trades?exchange=${id}&symbol=BTCUSDT`,
    `/v2/portfolio?exchange=${id}&full=true`,
    '/v2/bots',
    ...(person.account.kind === 'futures'
      ? [
          '/v2/portfolio/positions',
          `/v2/portfolio/position/leverage?exchange=${id}&symbols=BTCUSDT`,
          `/v2/portfolio/margin-mode?exchange=${id}`,
          `/v2/exchange/hedge-mode?exchange=${id}`,
        ]
      : [`/v2/portfolio/dust?exchange=${id}`]),
  ];
  const found: unknown[] = [];
  for (const path of paths) {
    const answer = await ask(person, 'GET', path);
    expect(answer.status, answer.text).toBe(200);
    found.push(answer.json.data);
  }
  return found;
}

// proves: S27
describe.each([
  ['the owner has spot, the second futures', FUTURES],
  ['the owner has futures, the second spot', SPOT],
])('two users on one desk: %s', (_how, theirs) => {
  let ids: string[];
  /** Names of the owner's account, order, bot and run. */
  let abroad: Names;
  beforeEach(async () => {
    await open(theirs);
    ids = await busy(owner, '0.5');
    await busy(second, '0.3');
    const [bot, run] = await runningBot(owner);
    await runningBot(second);
    abroad = { exchange: owner.account.id, order: ids[0] ?? '', bot, run };
  });

  it('and a request is written down for every route', () => {
    expect(Object.keys(REQUESTS).sort()).toEqual(Object.keys(ROUTE_TIERS).sort());
  });

  it.each(Object.entries(REQUESTS).filter(([, builds]) => builds.length > 0))(
    '%s answers about the other one as about what does not exist',
    async (route, builds) => {
      const before = await belongings(owner);
      const known = JSON.stringify(await belongings(second));
      for (const build of builds) {
        const asking = (names: Names) => {
          const { path, body } = build(names);
          return ask(second, methodOf(route), path, body);
        };
        const answer = await asking(abroad);
        if (!route.includes('batch')) expect([400, 404]).toContain(answer.status);
        expect(said(answer, abroad)).toBe(said(await asking(NOTHING), NOTHING));
        expect(answer.text).not.toContain('connected: paper-spot, paper-futures');
      }
      expect(await belongings(owner)).toEqual(before);
      expect(JSON.stringify(await belongings(second))).toBe(known);
      attacked('what belongs to another user', builds.length, builds.length);
    },
  );

  it.each(['DELETE /orders', 'DELETE /orders/{id}', 'POST /orders/{id}/split'] as const)(
    '%s with the other one’s order is 404 in the words for an unknown order',
    async (route) => {
      const before = await belongings(owner);
      const exchange = second.account.id;
      for (const build of REQUESTS[route]) {
        for (const order of ids) {
          const named = { ...abroad, exchange, order };
          const none = { ...named, order: NOTHING.order };
          const [theirs, unknown] = [build(named), build(none)];
          const answer = await ask(second, methodOf(route), theirs.path, theirs.body);
          expect(answer.status, answer.text).toBe(404);
          expect(said(answer, named)).toBe(
            said(await ask(second, methodOf(route), unknown.path, unknown.body), none),
          );
        }
      }
      expect(await belongings(owner)).toEqual(before);
    },
  );

  it('an order that left memory long ago is no more theirs for that, nor comes back for its owner', async () => {
    await t.clock.advance(2 * 3_600_000);
    const before = await belongings(owner);
    const [order = ''] = ids;
    const path = `/v2/orders/${order}?exchange=${second.account.id}`;
    expect((await ask(second, 'DELETE', path)).status).toBe(404);
    expect(await belongings(owner)).toEqual(before);
    expect(JSON.stringify(await belongings(second))).not.toContain(order);
  });

  it('what the console cancels is the operator’s alone, and so are the results', async () => {
    const foreign = JSON.stringify(await belongings(second));
    const results = await t.call('orders.cancelAll', {});
    expect(results.map(({ outcome }) => outcome.ok)).not.toContain(false);
    expect(results.length).toBeGreaterThan(0);
    for (const { id } of results) expect(foreign).not.toContain(id);
  });

  it('lists are of one’s own, without a name and under every filter', async () => {
    const of = async (person: Person, path: string) => (await ask(person, 'GET', path)).json;
    for (const person of [owner, second]) {
      const { id, kind } = person.account;
      expect((await of(person, '/v2/exchange/supported')).data.map((one: { id: string }) => one.id)).toEqual([
        id,
      ]);
      for (const path of ['/v2/orders', '/v2/orders?status=recent', '/v2/orders?symbol=BTCUSDT']) {
        const { data } = await of(person, path);
        expect(data.length).toBeGreaterThan(0);
        for (const order of data) expect(order.exchange).toBe(id);
      }
      const [balances, positions] = [
        await of(person, '/v2/portfolio'),
        await of(person, '/v2/portfolio/positions'),
      ];
      const none = kind === 'spot' ? positions : balances;
      expect(none.error.message).toMatch(/^no (spot|futures) account is connected/);
      expect((kind === 'spot' ? balances : positions).data).toBeDefined();
    }
    expect((await of(second, '/v2/orders?status=recent')).data).toHaveLength(3);
    const bots = (await of(second, '/v2/bots')).data;
    expect(bots.map(({ exchange }: { exchange: string }) => exchange)).toEqual([second.account.id]);
  });

  it('the console is the owner’s', async () => {
    const { orders, accounts, portfolios, futures, keys, equity } = t.desk.state();
    expect(accounts.map(({ id }) => id)).toEqual([owner.account.id]);
    expect(Object.keys(portfolios)).toEqual([owner.account.id]);
    expect(Object.keys(futures)).toEqual(owner.account.kind === 'futures' ? [owner.account.id] : []);
    expect(Object.values(orders).map(({ exchange }) => exchange)).toEqual(ids.map(() => owner.account.id));
    expect(keys.map(({ label }) => label)).toEqual(['test']);
    expect(Number(equity.usd)).toBeLessThan(100_001);
    const refused = await t.call('orders.place', { ...market(second.account.id, '0.1') } as never);
    expect(refused).toMatchObject({ ok: false, error: { reason: 'EXCHANGE' } });
  });

  it('the console changes and asks nothing of another user’s exchange', async () => {
    const exchange = second.account.id;
    const held = async () =>
      (await ask(second, 'GET', `/v2/portfolio?exchange=${exchange}&full=true`)).json.data.balances;
    const before = await held();
    const { length } = t.desk.state().log;
    for (const answer of [
      t.call('paper.balance', { exchange, asset: 'USDT', amount: '5' }),
      t.call('paper.reset', { exchange }),
      t.call('paper.configure', { exchange, change: { latencyMs: 9 } }),
      t.call('paper.faults', { exchange, change: { queryFails: 1 } }),
      t.call('exchange.reconcile', { exchange }),
    ])
      expect(await answer).toMatchObject({ ok: false, error: { code: 'INVALID_REQUEST' } });
    expect(await held()).toEqual(before);
    expect(t.desk.state().log).toHaveLength(length);
  });

  // proves: D10, rule idempotency-conflict
  it('an idempotency key of the one is free for the other', async () => {
    const key = crypto.randomUUID();
    const body = resting(owner.account.id, '0.02');
    const placed = await ask(owner, 'POST', '/v2/orders', body, key);
    expect(placed.status).toBe(200);
    const same = await ask(second, 'POST', '/v2/orders', body, key);
    expect([same.status, same.headers['x-idempotent-replayed']]).toEqual([400, undefined]);
    expect(same.text).not.toContain(placed.json.data.id);
    const conflict = await ask(second, 'POST', '/v2/orders', resting(second.account.id), key);
    expect(conflict.json.error.code).toBe('IDEMPOTENCY_CONFLICT');
    const again = await ask(owner, 'POST', '/v2/orders', body, key);
    expect(again.text).toBe(placed.text);
    expect(again.headers['x-idempotent-replayed']).toBe('true');
    const other = crypto.randomUUID();
    for (const person of [second, owner]) {
      const own = await ask(person, 'POST', '/v2/orders', resting(person.account.id, '0.03'), other);
      expect([own.status, own.headers['x-idempotent-replayed']]).toEqual([200, undefined]);
    }
  });
});

/** A stream client with every channel, by the person's own key. */
async function hearing({ signer }: Person): Promise<StreamClient> {
  const client = await StreamClient.open(t.desk.info.wsUrl, signer, () => t.clock.wall());
  await client.authenticate();
  for (const channel of ['orders', 'balance', 'positions', 'botStatus']) await client.subscribe({ channel });
  // Naming the other user's account changes nothing.
  for (const { id } of [SPOT, FUTURES]) await client.subscribe({ channel: 'orders', exchange: id });
  return client;
}

describe('the stream', () => {
  // proves: rule ws-per-user, rule ws-auth-reply, S27
  it.each([
    ['the second has futures', FUTURES],
    ['the second has spot', SPOT],
  ])('tells each of their own and of nothing else when %s', async (_how, theirs) => {
    await open(theirs);
    const heard = [
      { person: owner, user: 'owner', client: await hearing(owner) },
      { person: second, user: SECOND, client: await hearing(second) },
    ];
    for (const person of [owner, second]) {
      await busy(person, '0.3');
      await runningBot(person);
    }
    for (const { person, user, client } of heard) {
      await client.settle();
      expect(client.all('auth')[0]?.data.userId).toBe(user);
      const { id, kind } = person.account;
      const orders = client.all('update.orders').map(({ data }) => data.order.exchange);
      const balances = client.all('update.balance').map(({ data }) => data.exchange);
      const positions = client.all('update.positions').map(({ data }) => data.exchange);
      expect(orders).toHaveLength(8);
      const bots = client.all('update.botStatus').map(({ data }) => data.bot.exchange);
      for (const exchange of [...orders, ...balances, ...positions, ...bots]) expect(exchange).toBe(id);
      expect(bots.length).toBeGreaterThan(1);
      expect(balances.length).toBeGreaterThan(0);
      expect(positions.length > 0).toBe(kind === 'futures');
    }
  });
});

describe('budgets', () => {
  // proves: rule budgets-per-account, D9, S27
  it('of the one are not used up by the other', async () => {
    await open(FUTURES, { limits: {} });
    const times = async (person: Person, count: number) => {
      const statuses: number[] = [];
      for (let i = 0; i < count; i++) statuses.push((await ask(person, 'GET', '/v2/orders')).status);
      return statuses;
    };
    expect(await times(owner, 6)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(await times(second, 6)).toEqual([200, 200, 200, 200, 200, 429]);
    const remaining = (await ask(second, 'GET', '/v2/ping')).headers['x-ratelimit-remaining'];
    expect(remaining).toBe('9');
  });
});

describe('the console', () => {
  it.each([
    ['the second has futures', FUTURES],
    ['the second has spot', SPOT],
  ])(
    'answers of an order of another user as of one that does not exist, and does nothing, when %s',
    async (_how, theirs) => {
      await open(theirs);
      const [, resting = ''] = await busy(second, '0.3');
      const answersOf = async (id: string) => {
        const order = { exchange: theirs.id, id };
        const prices = ['58000', '59000'];
        return {
          cancel: await t.call('orders.cancel', order),
          cancelAll: await t.call('orders.cancelAll', { ids: [id] }),
          split: await t.call('orders.split', { ...order, prices }),
          splitPreview: await t.call('orders.splitPreview', { ...order, prices }),
          detail: await t.call('orders.detail', { id }),
        };
      };
      const nobodys = 'aaaaaaaaaaaaaaaa';
      const text = (answers: object, id: string) => JSON.stringify(answers).replaceAll(id, 'ID');
      expect(text(await answersOf(resting), resting)).toBe(text(await answersOf(nobodys), nobodys));
      const list = (await ask(second, 'GET', `/v2/orders?exchange=${theirs.id}`)).json.data;
      expect(JSON.stringify(list)).toContain(resting);
    },
  );
});
