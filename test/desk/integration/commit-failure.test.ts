/**
 * A commit that fails: 503 to its batch, nothing sent, memory equal to the store, and the desk goes on.
 * architecture.md, promises.
 */
import { beforeEach, expect, it } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { Row } from '../../../src/domain/rows.ts';
import type { Order } from '../../../src/schemas/order.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { type Store, StoreError } from '../../../src/store/store.ts';
import {
  clientOf,
  EXCHANGE,
  flat,
  openTestDesk,
  place,
  type TestDesk,
  until,
  writeCandles,
} from './support.ts';

const LIMIT = {
  exchange: EXCHANGE,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  price: '90',
  quantity: '0.5',
} as const;

let t: TestDesk;
let client: Client;
let store: Store;
/** Selects the commit that fails; null: none. */
let select: ((rows: readonly Row[]) => boolean) | null;
let failures: number;
let openStore: (file: string) => Store;

beforeEach(async () => {
  select = null;
  failures = 0;
  let rows: readonly Row[] = [];
  openStore = (file) => {
    const opened = openSqliteStore(file, {
      beforeCommit: () => {
        if (failures > 0 && select?.(rows)) {
          failures--;
          throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
        }
      },
    });
    const commit = opened.commit.bind(opened);
    opened.commit = (given) => {
      rows = given;
      commit(given);
    };
    store = opened;
    return opened;
  };
  const feed = writeCandles({ BTCUSDT: flat('100', 500) });
  t = await openTestDesk({ feed, hold: true, ports: { openStore } });
  client = await clientOf(t);
  await t.call('feed.control', { action: 'step' });
});

function fail(times: number, which: (rows: readonly Row[]) => boolean): void {
  failures = times;
  select = which;
}

const hasOrder = (status: string) => (rows: readonly Row[]) =>
  rows.some((row) => row.kind === 'order' && row.order.status === status);
const ofExchange = (rows: readonly Row[]) => rows.some(({ kind }) => kind === 'paper');
const raw = (body: object, idempotencyKey?: string) =>
  client.raw('POST', '/v2/orders', { body: JSON.stringify(body), idempotencyKey });
const knownToExchange = () =>
  [...store.loadPaper()].filter(([name]) => name.includes('order')).flatMap(([, docs]) => [...docs.values()]);

/** Expects memory and store to agree on every order. */
function expectSame(): void {
  const stored = new Map(store.load(0).orders.map((order) => [order.id, order]));
  const seen = Object.values(t.desk.state().orders);
  expect(seen.map(({ id }) => id).sort()).toEqual([...stored.keys()].sort());
  for (const { id, status, executedQty, origQty } of seen)
    expect({ status, executedQty, origQty }).toEqual({
      status: stored.get(id)?.status,
      executedQty: stored.get(id)?.executedQty,
      origQty: stored.get(id)?.origQty,
    });
}

async function expectGoesOn(): Promise<void> {
  const answer = await raw(LIMIT);
  expect(answer.status, answer.text).toBe(200);
  expect(JSON.parse(answer.text).data.status).toBe('OPENED');
  expect((await client.ping()).message).toBe('pong');
  expectSame();
}

// proves: error SERVICE_UNAVAILABLE, D12, D48
it('answers 503 to every request of the batch, sends none and keeps none', async () => {
  fail(1, hasOrder('NEW'));
  const answers = await Promise.all(Array.from({ length: 8 }, () => raw(LIMIT, crypto.randomUUID())));
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.length - refused.length).toBe(knownToExchange().length);
  for (const { text } of refused) expect(JSON.parse(text).error.code).toBe('SERVICE_UNAVAILABLE');
  expect(await client.orders.list()).toHaveLength(answers.length - refused.length);
  expectSame();
  await expectGoesOn();
});

// proves: rule idempotency-5xx, D12
it('keeps nothing of a refused request under its idempotency key: the repeat places the order', async () => {
  fail(1, hasOrder('NEW'));
  const key = crypto.randomUUID();
  expect((await raw(LIMIT, key)).status).toBe(503);
  const again = await raw(LIMIT, key);
  expect(again.status).toBe(200);
  expect(again.headers['x-idempotent-replayed']).toBeUndefined();
  expect(await client.orders.list()).toHaveLength(1);
  expectSame();
});

for (const key of [undefined, crypto.randomUUID()]) {
  it(`tells the truth about an order that was sent when its outcome cannot be stored, ${key ? 'with' : 'without'} a key`, async () => {
    fail(1, hasOrder('OPENED'));
    const running = raw(LIMIT, key);
    let answer: Awaited<typeof running> | null = null;
    void running.then((given) => {
      answer = given;
    });
    await until(t, () => answer !== null, { limitMs: 30_000 });
    const { status, text } = await running;
    // The exchange has the order: a caller who was told "not carried out" would place it again.
    expect(knownToExchange()).toHaveLength(1);
    expect(status, text).toBe(200);
    const { id } = JSON.parse(text).data as Order;
    await until(t, () => t.view(id).status === 'OPENED', { limitMs: 30_000 });
    if (key) expect((await raw(LIMIT, key)).text).toBe(text);
    await expectGoesOn();
  });
}

it('does not lose a cancel whose outcome cannot be stored', async () => {
  const order = await client.orders.place(LIMIT);
  fail(1, hasOrder('CANCELLED'));
  const running = client.raw('DELETE', `/v2/orders/${order.id}?exchange=${EXCHANGE}`);
  let done = false;
  void running.then(() => {
    done = true;
  });
  await until(t, () => done, { limitMs: 30_000 });
  const { status, text } = await running;
  expect(status, text).toBe(200);
  await until(t, () => t.view(order.id).status === 'CANCELLED', { limitMs: 30_000 });
  await expectGoesOn();
});

it('has an unknown outcome when the exchange cannot store what it did', async () => {
  fail(1, ofExchange);
  const order = await client.orders.place(LIMIT);
  expect(order.status).toBe('NEW');
  expect(order.specific.unresolved).toBe(true);
  expect(knownToExchange()).toHaveLength(0);
  await until(t, () => t.view(order.id).unresolved === undefined, { limitMs: 30_000 });
  expect(t.view(order.id).status).toBe('ERROR');
  await expectGoesOn();
});

it('answers a key change that cannot be stored with a refusal, and the key does not work', async () => {
  fail(1, (rows) => rows.some(({ kind }) => kind === 'key'));
  const made = await t.call('keys.generate', { label: 'second', tier: 'trade' });
  expect(made).toMatchObject({ ok: false, error: { code: 'SERVICE_UNAVAILABLE' } });
  expect(t.desk.state().keys).toHaveLength(1);
  await expectGoesOn();
});

it('refuses a cancel whose intent cannot be stored, and leaves the order as it is', async () => {
  const order = await client.orders.place(LIMIT);
  fail(1, (rows) => rows.some((row) => row.kind === 'event' && row.event.kind === 'cancel-wanted'));
  const answer = await client.raw('DELETE', `/v2/orders/${order.id}?exchange=${EXCHANGE}`);
  expect(answer.status).toBe(503);
  expect(t.view(order.id)).toMatchObject({ status: 'OPENED', cancelPending: false });
  await t.clock.advance(60_000);
  expect(t.view(order.id).status).toBe('OPENED');
  await expectGoesOn();
});

it('goes on with the marks of now: what a position is worth is never told by older ones', async () => {
  const FUTURES = 'paper-futures';
  const feed = writeCandles({ BTCUSDT: [...flat('100'), ...flat('130', 60)] });
  const other = await openTestDesk({ feed, hold: true, ports: { openStore } });
  for (let n = 0; n < 2; n++) await other.call('feed.control', { action: 'step' });
  await place(other, { exchange: FUTURES, side: 'BUY', type: 'MARKET', quantity: '2' });
  for (let n = 0; n < 4; n++) await other.call('feed.control', { action: 'step' });
  const seen = () => other.desk.state().futures[FUTURES]?.positions[0];
  expect(seen()).toMatchObject({ unrealizedProfit: '60.00', markPrice: '130' });
  // The exchange does not answer, so nothing is read again.
  await other.call('paper.fault', { fault: 'down', ms: 60_000, exchange: FUTURES });
  fail(1, (rows) => rows.some(({ kind }) => kind === 'key'));
  expect(await other.call('keys.generate', { label: 'second', tier: 'trade' })).toMatchObject({ ok: false });
  expect(seen()).toMatchObject({ unrealizedProfit: '60.00', markPrice: '130' });
});

it('goes on however often the store fails, as long as that is not all at once', async () => {
  for (let times = 0; times < 30; times++) {
    fail(1, hasOrder('NEW'));
    expect((await raw(LIMIT)).status).toBe(503);
    expect(failures).toBe(0);
    await t.clock.advance(1_000);
  }
  await expectGoesOn();
});

it('ends the desk when the store fails again right after: exit code 1, the reason in words', async () => {
  let broken = false;
  fail(100, (rows) => {
    broken ||= hasOrder('OPENED')(rows);
    return broken;
  });
  void t.call('orders.place', LIMIT);
  const ending = await t.desk.stopping;
  expect(ending.exitCode).toBe(1);
  expect(ending.reason).toMatch(/store keeps failing/);
  failures = 0;
});

it('ends the desk when one row can never be stored, instead of loading again for ever', async () => {
  fail(1_000, hasOrder('OPENED'));
  void t.call('orders.place', LIMIT);
  let ending: { reason: string; exitCode: number } | null = null;
  void t.desk.stopping.then((given) => {
    ending = given;
  });
  await until(t, () => ending !== null, { limitMs: 60_000 });
  expect(ending).toMatchObject({ exitCode: 1, reason: expect.stringMatching(/store keeps failing/) });
  failures = 0;
});
