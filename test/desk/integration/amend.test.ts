/** Changing an open order from a terminal, on a whole desk over the paper exchange. */
import { beforeEach, describe, expect, it } from 'vitest';
import { EXCHANGE, flat, ok, openTestDesk, place, type TestDesk, writeCandles } from './support.ts';

let t: TestDesk;

beforeEach(async () => {
  const feed = writeCandles({ BTCUSDT: flat('60000', 60), BNBUSDT: flat('600', 60) });
  t = await openTestDesk({ feed, hold: true });
  for (let n = 0; n < 4; n++) await t.call('feed.control', { action: 'step' });
});

const buy = (price: string, quantity: string) =>
  place(t, { exchange: EXCHANGE, side: 'BUY', type: 'LIMIT', price, quantity });
const usdt = () => t.desk.state().portfolios[EXCHANGE]?.balances?.find(({ asset }) => asset === 'USDT');

describe('an order that rests', () => {
  it('is changed in its place, with what it locks', async () => {
    const { id } = await buy('50000', '0.1');
    const before = usdt()?.locked;
    const check = await t.call('orders.amendCheck', { exchange: EXCHANGE, id, quantity: '0.2' });
    expect(check).toEqual({ problems: [], remaining: '0.2', notional: '10000' });
    const changed = ok(
      await t.call('orders.amend', { exchange: EXCHANGE, id, price: '51000', quantity: '0.2' }),
    );
    expect(changed).toMatchObject({ id, price: '51000', origQty: '0.2', status: 'OPENED' });
    expect([before, usdt()?.locked]).toEqual(['5000', '10200']);
    expect(Object.keys(t.desk.state().orders)).toHaveLength(1);
    const { events } = (await t.call('orders.detail', { id })) ?? { events: [] };
    expect(events.map(({ kind }) => kind).slice(-2)).toEqual(['amend-sent', 'amended']);
  });

  it('is found changed when the answer is lost', async () => {
    const { id } = await buy('50000', '0.1');
    ok(await t.call('paper.fault', { fault: 'loseAnswer', on: 'cancel', times: 1 }));
    const asked = t.call('orders.amend', { exchange: EXCHANGE, id, price: '51000' });
    await t.clock.advance(12_000);
    expect(ok(await asked).id).toBe(id);
    expect(t.view(id)).toMatchObject({ price: '51000' });
    expect(t.view(id).amendPending).toBeUndefined();
  });

  it('is not taken for another one: a cancel ends it, and nothing rests', async () => {
    const { id } = await buy('50000', '0.1');
    ok(await t.call('orders.amend', { exchange: EXCHANGE, id, price: '49000' }));
    ok(await t.call('orders.cancel', { exchange: EXCHANGE, id }));
    expect(t.view(id).status).toBe('CANCELLED');
    expect(usdt()?.locked).toBe('0');
    const late = await t.call('orders.amend', { exchange: EXCHANGE, id, price: '48000' });
    expect(late).toMatchObject({ ok: false, error: { code: 'INVALID_REQUEST', reason: 'NOT_AMENDABLE' } });
    expect(
      (await t.call('orders.amendCheck', { exchange: EXCHANGE, id: 'no', price: '1' })).problems,
    ).toEqual([{ field: 'id', message: 'there is no such open order' }]);
  });
});
