/** Requests of a panic go before the lists that a desk reads, including the queries that a cancel needs. */
import { describe, expect, it } from 'vitest';
import { futuresRig } from './futures-rig.ts';
import { SpotCase } from './spot-support.ts';

const STOP = { type: 'STOP_MARKET', side: 'SELL', stopPrice: '58000', reduceOnly: true } as const;

describe('a cancel behind so many lists that questions have no turn', () => {
  it('is answered at once on futures, with how a waiting order has ended', async () => {
    const rig = futuresRig();
    await rig.open();
    await rig.submit({ clientId: 'bf-1' });
    await rig.submit({ clientId: 'bf-2', ...STOP });
    for (let n = 0; n < 60; n++) void rig.venue.openOrders();
    await rig.clock.advance(500);
    const cancelled = await rig.during(rig.venue.cancel({ clientId: 'bf-2', symbol: 'BTCUSDT' }), 100);
    expect(cancelled).toMatchObject({ kind: 'done', state: { status: 'CANCELLED' } });
    const gone = await rig.during(rig.venue.cancel({ clientId: 'bf-2', symbol: 'BTCUSDT' }), 100);
    expect(gone).toMatchObject({ kind: 'gone', state: { status: 'CANCELLED' } });
    const close = { lane: 'protective', notAfter: Infinity, waitUntil: Infinity, onWaits: () => {} } as const;
    const leaves = () => ({ notAfter: Infinity });
    const order = {
      clientId: 'bf-3',
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'MARKET',
      quantity: '0.01',
    } as const;
    expect(
      await rig.during(rig.venue.submit({ ...order, timeInForce: 'GTC' }, { ...close, leaves }), 100),
    ).toMatchObject({ kind: 'accepted' });
  });

  it('is answered at once on spot, where it has ended already', async () => {
    const c = await new SpotCase().open();
    await c.submit({ clientId: 'bs-1', quantity: '0.01', price: '59000' });
    await c.result(c.venue.cancel({ symbol: 'BTCUSDT', clientId: 'bs-1' }));
    for (let n = 0; n < 80; n++) void c.venue.openOrders();
    await c.clock.advance(500);
    let told: unknown = 'nothing yet';
    void c.venue.cancel({ symbol: 'BTCUSDT', clientId: 'bs-1' }).then((outcome) => {
      told = outcome;
    });
    await c.clock.advance(100);
    expect(told).toMatchObject({ kind: 'gone', state: { status: 'CANCELLED' } });
  });
});
