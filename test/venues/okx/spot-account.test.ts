/** A spot account of OKX against the emulator: one order's whole way, and every form that is native. */
import { describe, expect, it } from 'vitest';
import { Rig } from './rig.ts';

describe('an order', () => {
  it('is placed, told, asked about, listed, filled with its fee, and cancelled', async () => {
    const rig = await new Rig().open();
    const { venue } = rig;
    expect(rig.stream).toEqual(['up']);
    const placed = await rig.submit({ clientId: 'one', price: '59000', quantity: '0.02' });
    expect(placed).toMatchObject({
      kind: 'accepted',
      state: { clientId: 'one', symbol: 'BTCUSDT', status: 'WORKING', origQty: '0.02', cumQty: '0' },
    });
    await rig.pass(200);
    expect(rig.last('one')).toMatchObject({
      status: 'WORKING',
      terms: { side: 'BUY', type: 'LIMIT', price: '59000', timeInForce: 'GTC', positionSide: 'BOTH' },
    });
    const found = await rig.result(venue.query({ clientId: 'one', symbol: 'BTCUSDT' }));
    expect(found).toMatchObject({ kind: 'found', state: { status: 'WORKING' }, fills: [] });
    expect(await rig.result(venue.openOrders())).toMatchObject([{ clientId: 'one' }]);
    await rig.trade('BTC-USDT', '59000', '0.005');
    await rig.pass(500);
    const [fill] = rig.fills;
    expect(fill).toMatchObject({
      ...{ clientId: 'one', symbol: 'BTCUSDT', side: 'BUY', price: '59000', maker: true, rPnl: null },
      ...{ commAsset: 'BTC', posSide: 'BOTH' },
    });
    expect(Number(fill?.comm)).toBeGreaterThan(0);
    const gone = await rig.result(venue.cancel({ clientId: 'one', symbol: 'BTCUSDT' }));
    expect(gone.kind === 'done' || gone.kind === 'gone').toBe(true);
    const end = await rig.result(venue.query({ clientId: 'one', symbol: 'BTCUSDT' }));
    if (end.kind !== 'found') throw new Error(end.kind);
    expect(end.fills).toEqual(rig.fills);
    expect(await rig.result(venue.openOrders())).toEqual([]);
  });
});
