/** A spot account of Binance against the emulator: what is sent, and what is made of what comes back. */
import { describe, expect, it } from 'vitest';
import { SpotCase } from './spot-support.ts';

describe('a spot account', () => {
  it('opens, places an order, is filled, cancels another, and knows its balances', async () => {
    const c = await new SpotCase().open();
    expect(c.stream).toEqual(['up']);
    expect(c.venue.instruments().map(({ symbol }) => symbol)).toContain('BTCUSDT');
    const placed = await c.submit({ quantity: '0.01', price: '59000' });
    expect(placed).toMatchObject({ kind: 'accepted', state: { status: 'WORKING', cumQty: '0' } });
    await c.print('58999');
    expect(c.fills).toMatchObject([{ qty: '0.01', price: '59000', maker: true, commAsset: 'BTC' }]);
    expect(c.states.at(-1)).toMatchObject({ status: 'FILLED', clientId: 'bs-test-1' });
    await c.submit({ quantity: '0.02', price: '50000' });
    const cancelled = await c.result(c.venue.cancel({ clientId: 'bs-test-2', symbol: 'BTCUSDT' }));
    expect(cancelled).toMatchObject({ kind: 'done', state: { status: 'CANCELLED', clientId: 'bs-test-2' } });
    const balances = await c.result(c.venue.balances());
    expect(balances?.find(({ asset }) => asset === 'USDT')).toMatchObject({
      free: '99410',
      locked: '0',
    });
    expect(await c.result(c.venue.openOrders())).toEqual([]);
  });
});
