/** Spot orders: what is acknowledged, what becomes of it, what lists and streams say. */
import { describe, expect, it } from 'vitest';
import { testEmulator } from './support.ts';

const LIMIT = {
  category: 'spot',
  symbol: 'BTCUSDT',
  side: 'Buy',
  orderType: 'Limit',
  qty: '0.01',
  price: '59000',
};
const CREATE = '/v5/order/create';

describe('spot orders', () => {
  it('acknowledges a limit order, locks its money, tells of it, and fills it when the price has come', () => {
    const rig = testEmulator();
    const { rows } = rig.userStream();
    const made = rig.post(CREATE, { ...LIMIT, orderLinkId: 'mine-1' });
    expect(made).toMatchObject({ status: 200, retCode: 0, retMsg: 'OK', result: { orderLinkId: 'mine-1' } });
    const { orderId } = made.result;
    expect(rows('order')).toMatchObject([
      {
        category: 'spot',
        orderId,
        orderStatus: 'New',
        leavesQty: '0.010000',
        avgPrice: '',
        cumExecQty: '0.000000',
      },
    ]);
    const wallet = rig.get('/v5/account/wallet-balance', { accountType: 'UNIFIED', coin: 'USDT' });
    expect(wallet.result.list[0].coin).toMatchObject([
      { coin: 'USDT', walletBalance: '100000', locked: '590' },
    ]);
    expect(rig.get('/v5/order/realtime', { category: 'spot', symbol: 'BTCUSDT' }).result.list).toMatchObject([
      { orderId, orderStatus: 'New', price: '59000.0', stopOrderType: 'UNKNOWN', basePrice: '60000.0' },
    ]);
    rig.emulator.printSpot('BTCUSDT', '58999.9');
    expect(rows('execution')).toMatchObject([
      {
        orderId,
        orderLinkId: 'mine-1',
        execPrice: '59000.0',
        execQty: '0.010000',
        execType: 'Trade',
        isMaker: true,
        execFee: '0.00001',
        feeCurrency: 'BTC',
      },
    ]);
    expect(rows('order').at(-1)).toMatchObject({
      orderStatus: 'Filled',
      leavesQty: '0',
      avgPrice: '59000',
      cumFeeDetail: { BTC: '0.00001' },
    });
    const coins = rig.get('/v5/account/wallet-balance', { accountType: 'UNIFIED', coin: 'USDT,BTC' }).result
      .list[0].coin;
    expect(coins).toMatchObject([
      { coin: 'USDT', walletBalance: '99410', locked: '0' },
      { coin: 'BTC', walletBalance: '1.00999' },
    ]);
    expect(rig.get('/v5/order/realtime', { category: 'spot' }).result.list).toEqual([]);
    expect(
      rig.get('/v5/order/realtime', { category: 'spot', orderLinkId: 'mine-1' }).result.list,
    ).toHaveLength(1);
    expect(rig.get('/v5/order/history', { category: 'spot' }).result.list).toMatchObject([
      { orderId, orderStatus: 'Filled' },
    ]);
    expect(rig.get('/v5/execution/list', { category: 'spot', orderId }).result.list).toMatchObject([
      { execValue: '590', leavesQty: '0' },
    ]);
  });
});
