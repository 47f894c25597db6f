/**
 * Every fault that loses an answer: the order is NEW and visibly unresolved, then takes the state that the
 * exchange reports. engine.md, submission rules 3 and 4.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { PaperFaultRequest } from '../../../src/desk/console/protocol.ts';
import type { Order } from '../../../src/schemas/order.ts';
import { clientOf, EXCHANGE, flat, ok, openTestDesk, type TestDesk, until, writeCandles } from './support.ts';

/** Validity window of the paper exchange and the clock margin. */
const WINDOW_MS = 6_000;
const LIMIT = {
  exchange: EXCHANGE,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  price: '90',
  quantity: '0.5',
} as const;
const MARKET = {
  exchange: EXCHANGE,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'MARKET',
  quantity: '0.5',
} as const;
/** Ten queries go unanswered: longer than the validity window. */
const DEAF: PaperFaultRequest = { fault: 'queryFails', times: 10 };

let t: TestDesk;
let client: Client;

beforeEach(async () => {
  t = await openTestDesk({ feed: writeCandles({ BTCUSDT: flat('100', 500) }), hold: true });
  client = await clientOf(t);
  await t.call('feed.control', { action: 'step' });
});

async function fault(request: PaperFaultRequest): Promise<void> {
  ok(await t.call('paper.fault', request));
}

/** Loses the stream's events of one order as well: only a query can tell its state. */
async function loseEvents(): Promise<void> {
  for (const on of ['order', 'fill'] as const) await fault({ fault: 'dropEvent', on });
}

async function post(body: unknown): Promise<Order> {
  const answer = await client.raw('POST', '/v2/orders', { body: JSON.stringify(body) });
  expect(answer.status, answer.text).toBe(200);
  return JSON.parse(answer.text).data;
}

async function remove(id: string): Promise<Order> {
  const answer = await client.raw('DELETE', `/v2/orders/${id}?exchange=${EXCHANGE}`);
  expect(answer.status, answer.text).toBe(200);
  return JSON.parse(answer.text).data;
}

function expectUnresolved(order: Order): void {
  expect(order).toMatchObject({ status: 'NEW', isWorking: false, executedQty: '0' });
  expect(order.specific.unresolved).toBe(true);
  const seen = t.view(order.id);
  expect(seen.status).toBe('NEW');
  expect(seen.unresolved?.since).toBe(t.clock.wall());
  expect(seen.unresolved?.settlesAt).toBe(t.clock.wall() + WINDOW_MS);
  expect(seen.unresolved?.cause).not.toBe('');
}

const resolved = (id: string) => () => t.view(id).unresolved === undefined;
const balance = async () => (await client.portfolio.get({ full: true })).balances ?? [];
const wallet = async (asset: string) => (await balance()).find((b) => b.asset === asset);

describe('a submit whose answer is lost', () => {
  const ARRIVES: readonly [string, PaperFaultRequest][] = [
    ['the answer is lost', { fault: 'loseAnswer' }],
    ['a 5xx comes after the exchange accepted', { fault: 'serverErrorAfterAccept' }],
    ['the request arrives late', { fault: 'lateArrival', ms: 2_500 }],
    ['the request arrives at the last moment', { fault: 'lateArrival', ms: 5_000 }],
  ];

  for (const questions of ['answered', 'failing'] as const) {
    for (const [name, shot] of ARRIVES) {
      it(`is found as OPENED when ${name}, questions ${questions}`, async () => {
        await fault(shot);
        await loseEvents();
        if (questions === 'failing') await fault(DEAF);
        const order = await post(LIMIT);
        expectUnresolved(order);
        await until(t, resolved(order.id), { limitMs: 60_000 });
        expect(t.view(order.id)).toMatchObject({ status: 'OPENED', isWorking: true });
        expect(t.view(order.id).specific.unresolved).toBeUndefined();
        // The balances came before the order was known, so they are requested once more.
        await until(t, async () => (await wallet('USDT'))?.free === '99955', { limitMs: 60_000 });
        expect(await wallet('USDT')).toMatchObject({ locked: '45', wallet: '100000' });
      });

      it(`is found with its fill when ${name} to a MARKET order, questions ${questions}`, async () => {
        await fault(shot);
        await loseEvents();
        if (questions === 'failing') await fault(DEAF);
        const order = await post(MARKET);
        expectUnresolved(order);
        await until(t, resolved(order.id), { limitMs: 60_000 });
        expect(t.view(order.id)).toMatchObject({ status: 'CLOSED', executedQty: '0.5', fillPrice: '100' });
        const trades = await client.orders.trades({ exchange: EXCHANGE, symbol: 'BTCUSDT' });
        expect(trades).toHaveLength(1);
      });
    }

    it(`is an ERROR only after the window when the request was lost, questions ${questions}`, async () => {
      await fault({ fault: 'loseRequest' });
      if (questions === 'failing') await fault(DEAF);
      const order = await post(LIMIT);
      expectUnresolved(order);
      expect(await wallet('USDT')).toMatchObject({ free: '99955', locked: '45' });
      await t.clock.advance(WINDOW_MS - 1);
      expect(t.view(order.id).status).toBe('NEW');
      expect(t.view(order.id).unresolved?.asked).toBeGreaterThan(2);
      await until(t, resolved(order.id), { stepMs: 1, limitMs: questions === 'failing' ? 60_000 : 10 });
      expect(t.view(order.id)).toMatchObject({ status: 'ERROR', executedQty: '0' });
      expect(await wallet('USDT')).toMatchObject({ free: '100000', locked: '0' });
      await t.clock.advance(60_000);
      expect(await client.orders.list({ status: 'open' })).toEqual([]);
    });
  }

  it('is answered with the truth when the stream tells it before the loss is noticed', async () => {
    await fault({ fault: 'loseAnswer' });
    const order = await post(LIMIT);
    expect(order).toMatchObject({ status: 'OPENED', isWorking: true });
    expect(t.view(order.id).unresolved).toBeUndefined();
  });

  it('is an ERROR when the exchange was down, and is asked for once it is up', async () => {
    ok(await t.call('paper.configure', { exchange: EXCHANGE, change: { latencyMs: 1_000 } }));
    let order = null as Order | null;
    void post(LIMIT).then((answered) => {
      order = answered;
    });
    await until(t, () => Object.keys(t.desk.state().orders).length === 1);
    await fault({ fault: 'down', ms: 20_000 });
    await until(t, () => order !== null);
    if (!order) throw new Error('not answered');
    expect(order).toMatchObject({ status: 'NEW', specific: { unresolved: true } });
    await t.clock.advance(19_000);
    expect(t.view(order.id).status).toBe('NEW');
    await until(t, resolved(order.id), { limitMs: 15_000 });
    expect(t.view(order.id).status).toBe('ERROR');
    expect(t.desk.state().accounts[0]?.link).toBe('up');
  });

  // proves: D12, rule idempotency-replay
  it('keeps its answer for the idempotency key, however it is resolved', async () => {
    await fault({ fault: 'loseAnswer' });
    const idempotencyKey = crypto.randomUUID();
    const send = () => client.raw('POST', '/v2/orders', { body: JSON.stringify(LIMIT), idempotencyKey });
    const first = await send();
    const { id } = JSON.parse(first.text).data;
    await until(t, resolved(id));
    const again = await send();
    expect(again.text).toBe(first.text);
    expect(again.headers['x-idempotent-replayed']).toBe('true');
    expect(await client.orders.list()).toHaveLength(1);
  });

  // proves: S35
  it('has a cancel stored, and sent once the order is known', async () => {
    await fault({ fault: 'loseAnswer' });
    await fault({ fault: 'queryFails', times: 3 });
    // The stream must not report it either.
    await fault({ fault: 'dropEvent', on: 'order', times: 1 });
    const order = await post(LIMIT);
    expectUnresolved(order);
    const pending = await remove(order.id);
    expect(pending).toMatchObject({ status: 'NEW', specific: { cancelPending: true, unresolved: true } });
    await until(t, () => t.view(order.id).status === 'CANCELLED', { limitMs: 20_000 });
    expect(await wallet('USDT')).toMatchObject({ free: '100000', locked: '0' });
  });
});

describe('a cancel whose answer is lost', () => {
  const LOSSES: readonly [string, PaperFaultRequest][] = [
    ['the request was lost', { fault: 'loseRequest', on: 'cancel' }],
    ['the request arrives late', { fault: 'lateArrival', on: 'cancel', ms: 3_000 }],
    ['the answer was lost', { fault: 'loseAnswer', on: 'cancel' }],
    ['a 5xx came after it was done', { fault: 'serverErrorAfterAccept', on: 'cancel' }],
    ['the exchange was down', { fault: 'down', ms: 8_000 }],
  ];
  for (const questions of ['answered', 'failing'] as const) {
    for (const [name, shot] of LOSSES) {
      // proves: S35
      it(`is shown as pending and comes to CANCELLED when ${name}, questions ${questions}`, async () => {
        const order = await post(LIMIT);
        expect(order.status).toBe('OPENED');
        await fault(shot);
        if (shot.fault !== 'down') await fault({ fault: 'dropEvent', on: 'order', times: 1 });
        if (questions === 'failing') await fault({ fault: 'queryFails', times: 3 });
        const pending = await remove(order.id);
        expect(pending.specific.cancelPending).toBe(true);
        expect(pending.status).toBe('OPENED');
        expect(t.view(order.id).cancelPending).toBe(true);
        await until(t, () => t.view(order.id).status === 'CANCELLED', { limitMs: 30_000 });
        expect(t.view(order.id).cancelPending).toBe(false);
        expect(await wallet('USDT')).toMatchObject({ free: '100000', locked: '0', wallet: '100000' });
      });
    }
  }
});
