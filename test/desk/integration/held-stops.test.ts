/**
 * Stops that the desk holds, on the paper exchange, while the exchange is away or accepts nothing for a
 * while (S53).
 */
import { describe, expect, it } from 'vitest';
import type { PaperFaultRequest } from '../../../src/desk/console/protocol.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import {
  clientOf,
  EXCHANGE,
  flat,
  ok,
  openTestDesk,
  place,
  type TestDesk,
  until,
  writeCandles,
} from './support.ts';

const STOP = { side: 'SELL', type: 'STOP_MARKET', stopPrice: '59000', quantity: '0.09' } as const;

/** A desk that holds 0.0999 BTC and a stop below; the next tick is beyond it. */
async function withStop(): Promise<{ t: TestDesk; stop: OrderView }> {
  const feed = writeCandles({ BTCUSDT: [...flat('60000', 1), ...flat('58000', 100)] });
  const t = await openTestDesk({ feed, hold: true });
  for (let n = 0; n < 4; n++) await t.call('feed.control', { action: 'step' });
  await place(t, { side: 'BUY', type: 'MARKET', quantity: '0.1' });
  return { t, stop: await place(t, STOP) };
}

async function fault(t: TestDesk, request: PaperFaultRequest): Promise<void> {
  ok(await t.call('paper.fault', request));
}

async function tick(t: TestDesk): Promise<void> {
  void t.call('feed.control', { action: 'step' }).catch(() => {});
  await t.clock.advance(100);
}

/** The order that protects now. */
function living(t: TestDesk, { id }: OrderView): OrderView {
  const order = t.view(id);
  const next = order.specific.replacedBy;
  return typeof next === 'string' ? living(t, t.view(next)) : order;
}

const isClosed = (t: TestDesk, stop: OrderView) => () => living(t, stop).status === 'CLOSED';

describe('a stop that the desk holds', () => {
  // proves: S53
  it('and whose price is passed while the exchange is away sells when it is back', async () => {
    const { t, stop } = await withStop();
    await fault(t, { fault: 'down', ms: 10_000 });
    await tick(t);
    expect(t.view(stop.id).status).toBe('NEW');
    await until(t, isClosed(t, stop), { limitMs: 12_000 });
    expect(living(t, stop).id).toBe(stop.id);
  });

  // proves: S53
  it('and that the exchange refuses because it is busy is sent again as another order', async () => {
    const { t, stop } = await withStop();
    await fault(t, { fault: 'reject', on: 'submit', times: 3 });
    await tick(t);
    await until(t, isClosed(t, stop), { limitMs: 9_000 });
    expect(t.view(stop.id).status).toBe('ERROR');
    expect(living(t, stop)).toMatchObject({ executedQty: '0.09', creator: 'UI' });
    const orders = Object.values(t.desk.state().orders).filter(({ type }) => type === 'STOP_MARKET');
    expect(orders).toHaveLength(4);
    expect(orders.filter(({ executedQty }) => executedQty !== '0')).toHaveLength(1);
  });

  it('and whose request was lost on the way is sent again once that is certain', async () => {
    const { t, stop } = await withStop();
    await fault(t, { fault: 'loseRequest', on: 'submit', times: 1 });
    await tick(t);
    await until(t, isClosed(t, stop), { limitMs: 30_000 });
    expect(t.view(stop.id)).toMatchObject({ status: 'ERROR', executedQty: '0' });
  });

  it('and whose answer alone was lost is not sent again', async () => {
    const { t, stop } = await withStop();
    await fault(t, { fault: 'loseAnswer', on: 'submit', times: 1 });
    for (const on of ['order', 'fill'] as const) await fault(t, { fault: 'dropEvent', on });
    await tick(t);
    await until(t, isClosed(t, stop), { limitMs: 60_000 });
    expect(t.view(stop.id)).toMatchObject({ status: 'CLOSED', executedQty: '0.09' });
  });

  // proves: S53
  it('is cancelled by its first id after hours of tries and a restart, and the answer is the order of now', async () => {
    const { t, stop } = await withStop();
    ok(await t.call('paper.faults', { exchange: EXCHANGE, change: { rejectNth: 1 } }));
    await tick(t);
    await t.clock.advance(90 * 60_000);
    await t.stop();
    const again = await openTestDesk({
      feed: 'synthetic',
      clock: t.clock,
      dataDir: t.dataDir,
      hold: true,
    });
    expect(again.desk.state().orders[stop.id]).toBeUndefined();
    const client = await clientOf(again, undefined);
    const answer = await client.raw('DELETE', `/v2/orders/${stop.id}?exchange=${EXCHANGE}`);
    const cancelled = JSON.parse(answer.text).data;
    expect([answer.status, cancelled.status]).toEqual([200, 'CANCELLED']);
    expect(cancelled.id).not.toBe(stop.id);
    const open = Object.values(again.desk.state().orders).filter(({ status }) => status === 'NEW');
    expect(open).toEqual([]);
  });

  it('and that nothing takes is told in red', async () => {
    const { t, stop } = await withStop();
    ok(await t.call('paper.faults', { exchange: EXCHANGE, change: { rejectNth: 1 } }));
    await tick(t);
    await t.clock.advance(2 * 60_000);
    const last = living(t, stop);
    expect(last.withoutStop).toBe(true);
    const red = t.desk.state().log.filter(({ level }) => level === 'error');
    expect(red.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^WITHOUT STOP: SELL STOP_MARKET 0.09/),
    ]);
    ok(await t.call('paper.faults', { exchange: EXCHANGE, heal: true }));
    await until(t, isClosed(t, stop), { limitMs: 31_000 });
    expect(living(t, stop).withoutStop).toBeUndefined();
  });
});

describe('an order of a program while the exchange is away', () => {
  // proves: S61
  it('is answered 503 with Retry-After, leaves no trace, and its key may be used again', async () => {
    const { t } = await withStop();
    const client = await clientOf(t);
    const body = {
      exchange: EXCHANGE,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      price: '50000',
      quantity: '0.01',
    };
    const idempotencyKey = crypto.randomUUID();
    const send = () => client.raw('POST', '/v2/orders', { body: JSON.stringify(body), idempotencyKey });
    await fault(t, { fault: 'down', ms: 10_000 });
    const before = Object.keys(t.desk.state().orders).length;
    const refused = await send();
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(JSON.parse(refused.text).error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(Object.keys(t.desk.state().orders)).toHaveLength(before);
    await t.clock.advance(11_000);
    expect((await send()).status).toBe(200);
  });
});
