/** Spot orders: acknowledgements, later states, and their rows in lists and streams. */
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

  it('buys by quote and leaves less than a step over, which ends it as PartiallyFilledCanceled', () => {
    const rig = testEmulator();
    const { rows } = rig.userStream();
    rig.post(CREATE, { ...LIMIT, orderType: 'Market', price: undefined, qty: '50' });
    const [order] = rows('order');
    // 50 / 60000.1, in steps of a millionth.
    expect(order).toMatchObject({
      orderStatus: 'PartiallyFilledCanceled',
      marketUnit: 'quoteCoin',
      qty: '50',
      cumExecQty: '0.000833',
      leavesQty: '0',
      price: '0',
    });
    expect(rows('order')).toHaveLength(1);
  });

  it('buys and sells by base, and by quote when it is told to', () => {
    const rig = testEmulator();
    const { rows } = rig.userStream();
    const market = { ...LIMIT, orderType: 'Market', price: undefined };
    rig.post(CREATE, { ...market, marketUnit: 'baseCoin' });
    rig.post(CREATE, { ...market, side: 'Sell' });
    rig.post(CREATE, { ...market, side: 'Sell', qty: '600', marketUnit: 'quoteCoin' });
    expect(rows('order').map(({ orderStatus, cumExecQty }) => [orderStatus, cumExecQty])).toEqual([
      ['Filled', '0.010000'],
      ['Filled', '0.010000'],
      ['PartiallyFilledCanceled', '0.010000'],
    ]);
  });

  it('cancels a post-only order that would take, an FOK that finds too little, the rest of an IOC', () => {
    const rig = testEmulator({ levelNotional: '600' });
    const { rows } = rig.userStream();
    for (const timeInForce of ['PostOnly', 'FOK', 'IOC'])
      expect(rig.post(CREATE, { ...LIMIT, price: '60000.1', qty: '0.02', timeInForce }).retCode).toBe(0);
    expect(
      rows('order').map(({ orderStatus, rejectReason, cumExecQty }) => [
        orderStatus,
        rejectReason,
        cumExecQty,
      ]),
    ).toEqual([
      ['Cancelled', 'EC_PostOnlyWillTakeLiquidity', '0.000000'],
      ['Cancelled', 'EC_CancelForNoFullFill', '0.000000'],
      ['PartiallyFilledCanceled', 'EC_NoImmediateQtyToFill', '0.010000'],
    ]);
    expect(rows('wallet').at(-1).coin).toMatchObject([{ coin: 'BTC' }, { coin: 'USDT', locked: '0' }]);
  });

  it('cancels by either id, keeps what was filled, and says that what is gone is gone', () => {
    const rig = testEmulator();
    const { rows } = rig.userStream();
    rig.post(CREATE, { ...LIMIT, orderLinkId: 'part' });
    rig.emulator.printSpot('BTCUSDT', '59000', '0.004');
    const cancel = (more: Record<string, unknown>) =>
      rig.post('/v5/order/cancel', { category: 'spot', symbol: 'BTCUSDT', ...more });
    expect(cancel({}).retCode).toBe(10_001);
    expect(cancel({ orderLinkId: 'part', orderFilter: 'StopOrder' }).retCode).toBe(170_213);
    expect(cancel({ orderLinkId: 'part' })).toMatchObject({ retCode: 0, result: { orderLinkId: 'part' } });
    expect(rows('order').at(-1)).toMatchObject({
      orderStatus: 'PartiallyFilledCanceled',
      cancelType: 'CancelByUser',
      cumExecQty: '0.004000',
      leavesQty: '0',
    });
    expect(cancel({ orderLinkId: 'part' }).retCode).toBe(170_213);
    rig.emulator.namesTheEnd = true;
    expect(cancel({ orderLinkId: 'part' }).retCode).toBe(170_142);
    expect(cancel({ orderLinkId: 'never' }).retCode).toBe(170_213);
  });

  it('refuses a client id that was used before, also of an order that has ended', () => {
    const { post } = testEmulator();
    post(CREATE, { ...LIMIT, orderLinkId: 'once' });
    expect(post(CREATE, { ...LIMIT, orderLinkId: 'once' }).retCode).toBe(170_141);
    post('/v5/order/cancel', { category: 'spot', symbol: 'BTCUSDT', orderLinkId: 'once' });
    expect(post(CREATE, { ...LIMIT, orderLinkId: 'once' }).retCode).toBe(170_141);
    expect(post(CREATE, { ...LIMIT, category: 'linear', orderLinkId: 'once' }).retCode).toBe(0);
  });

  it('changes price and quantity, refuses a change of nothing, and meets the market when the price goes there', () => {
    const rig = testEmulator();
    const { rows } = rig.userStream();
    rig.post(CREATE, { ...LIMIT, orderLinkId: 'a' });
    const amend = (change: Record<string, unknown>) =>
      rig.post('/v5/order/amend', { category: 'spot', symbol: 'BTCUSDT', orderLinkId: 'a', ...change });
    expect(amend({ price: '59000' }).retCode).toBe(10_001);
    expect(amend({ price: '59000.05' }).retCode).toBe(170_134);
    expect(amend({ qty: '2' }).retCode).toBe(170_131);
    expect(amend({ price: '59100', qty: '0.02' }).retCode).toBe(0);
    expect(rows('order').at(-1)).toMatchObject({ price: '59100.0', qty: '0.020000', orderStatus: 'New' });
    rig.emulator.printSpot('BTCUSDT', '59100', '0.005');
    expect(amend({ qty: '0.004' }).retCode).toBe(170_313);
    expect(amend({ price: '60000' }).retCode).toBe(0);
    expect(rows('order').at(-1)).toMatchObject({ orderStatus: 'Filled', cumExecQty: '0.020000' });
    expect(amend({ price: '60001' }).retCode).toBe(170_213);
  });

  it('waits with a StopOrder that locks nothing and a tpslOrder that locks at once, and takes a trigger without filter for nothing', () => {
    const rig = testEmulator();
    const { rows } = rig.userStream();
    const sell = { ...LIMIT, side: 'Sell', triggerPrice: '59500', price: '59400' };
    const locked = () =>
      rig.get('/v5/account/wallet-balance', { accountType: 'UNIFIED', coin: 'BTC' }).result.list[0].coin[0]
        .locked;
    rig.post(CREATE, { ...sell, orderFilter: 'StopOrder', orderLinkId: 's' });
    expect(locked()).toBe('0');
    rig.post(CREATE, { ...sell, orderFilter: 'tpslOrder', orderLinkId: 't' });
    expect(locked()).toBe('0.01');
    expect(
      rows('order').map(({ orderStatus, stopOrderType, triggerPrice }) => [
        orderStatus,
        stopOrderType,
        triggerPrice,
      ]),
    ).toEqual([
      ['Untriggered', 'Stop', '59500.0'],
      ['Untriggered', 'tpslOrder', '59500.0'],
    ]);
    rig.emulator.printSpot('BTCUSDT', '59500');
    const of = (id: string) =>
      rows('order')
        .filter(({ orderLinkId }) => orderLinkId === id)
        .map(({ orderStatus }) => orderStatus);
    expect(of('s')).toEqual(['Untriggered', 'Triggered', 'Filled']);
    expect(of('t')).toEqual(['Untriggered', 'Triggered', 'Filled']);
    rig.post(CREATE, { ...LIMIT, triggerPrice: '70000', orderLinkId: 'plain' });
    expect(of('plain')).toEqual(['New']);
    rig.post(CREATE, {
      ...sell,
      triggerPrice: '59000',
      price: '58000',
      orderFilter: 'StopOrder',
      orderLinkId: 'd',
    });
    rig.post('/v5/order/cancel', {
      category: 'spot',
      symbol: 'BTCUSDT',
      orderLinkId: 'd',
      orderFilter: 'StopOrder',
    });
    expect(of('d')).toEqual(['Untriggered', 'Deactivated']);
  });

  it('cancels all ordinary orders of spot and leaves the conditional ones', () => {
    const rig = testEmulator();
    rig.post(CREATE, { ...LIMIT, orderLinkId: 'a' });
    rig.post(CREATE, { ...LIMIT, symbol: 'ETHUSDT', price: '2400', qty: '1', orderLinkId: 'b' });
    rig.post(CREATE, { ...LIMIT, orderFilter: 'StopOrder', triggerPrice: '59000', orderLinkId: 'c' });
    const { result } = rig.post('/v5/order/cancel-all', { category: 'spot' });
    expect(result.list.map((row: { orderLinkId: string }) => row.orderLinkId)).toEqual(['a', 'b']);
    expect(rig.get('/v5/order/realtime', { category: 'spot' }).result.list).toMatchObject([
      { orderLinkId: 'c' },
    ]);
  });

  it('takes a rebate from the other side, and fees in MNT for who has chosen it', () => {
    const rig = testEmulator();
    const { rows } = rig.userStream();
    const account = rig.emulator.account();
    account.fees.spot.maker = -(10n ** 26n);
    rig.post(CREATE, LIMIT);
    rig.emulator.printSpot('BTCUSDT', '58000');
    expect(rows('execution').at(-1)).toMatchObject({
      feeCurrency: 'USDT',
      execFee: '-0.059',
      feeRate: '-0.0001',
    });
    account.paysInMnt = true;
    rig.post(CREATE, { ...LIMIT, orderType: 'Market', qty: '58' });
    expect(rows('execution').at(-1)).toMatchObject({ feeCurrency: 'MNT' });
  });
});

describe('rows', () => {
  it('write nothing in another way when they are told to', () => {
    const rig = testEmulator({ otherSpelling: true });
    const { rows } = rig.userStream();
    rig.post(CREATE, LIMIT);
    const written = { avgPrice: '0', orderIv: null, blockTradeId: null };
    expect(rows('order')[0]).toMatchObject({ ...written, triggerPrice: '0.00', stopOrderType: 'UNKNOWN' });
    const [row] = rig.get('/v5/order/realtime', { category: 'spot' }).result.list;
    expect(row).toMatchObject({ ...written, triggerPrice: '', stopOrderType: '', price: '59000.0' });
  });
});

describe('the acknowledgement is not the end', () => {
  it('rejects an order that was acknowledged, and keeps it a day in the history', async () => {
    const rig = testEmulator({ matchMs: 50 });
    const { rows } = rig.userStream();
    rig.emulator.rejectNext('EC_InvalidSymbolStatus');
    expect(rig.post(CREATE, { ...LIMIT, orderLinkId: 'late' })).toMatchObject({ retCode: 0 });
    expect(rows('order')).toEqual([]);
    expect(rig.get('/v5/order/realtime', { category: 'spot', orderLinkId: 'late' }).result.list).toEqual([]);
    await rig.clock.advance(50);
    expect(rows('order')).toMatchObject([
      { orderStatus: 'Rejected', rejectReason: 'EC_InvalidSymbolStatus' },
    ]);
    const history = () => rig.get('/v5/order/history', { category: 'spot', orderLinkId: 'late' }).result.list;
    expect(history()).toMatchObject([{ orderStatus: 'Rejected' }]);
    await rig.clock.advance(86_400_001);
    expect(history()).toEqual([]);
  });

  it('tells twice of an order that was filled while its cancel was on the way', async () => {
    const rig = testEmulator({ matchMs: 50 });
    const { rows } = rig.userStream();
    rig.post(CREATE, { ...LIMIT, orderLinkId: 'race' });
    await rig.clock.advance(50);
    expect(
      rig.post('/v5/order/cancel', { category: 'spot', symbol: 'BTCUSDT', orderLinkId: 'race' }).retCode,
    ).toBe(0);
    rig.emulator.printSpot('BTCUSDT', '58000');
    await rig.clock.advance(50);
    expect(
      rows('order').map(({ orderStatus, cancelType, rejectReason }) => [
        orderStatus,
        cancelType,
        rejectReason,
      ]),
    ).toEqual([
      ['New', 'UNKNOWN', 'EC_NoError'],
      ['Filled', 'UNKNOWN', 'EC_NoError'],
      ['Filled', 'CancelByUser', 'EC_OrigClOrdIDDoesNotExist'],
    ]);
  });

  it('forgets closed orders in realtime after a restart, and keeps fills for a week and longer in the history', async () => {
    const rig = testEmulator();
    rig.post(CREATE, { ...LIMIT, orderLinkId: 'gone' });
    rig.emulator.printSpot('BTCUSDT', '58000');
    const asked = { category: 'spot', orderLinkId: 'gone' };
    expect(rig.get('/v5/order/realtime', asked).result.list).toHaveLength(1);
    rig.emulator.shutdown();
    expect(rig.get('/v5/order/realtime', asked).result.list).toEqual([]);
    expect(rig.get('/v5/order/history', asked).result.list).toHaveLength(1);
    const startTime = String(rig.emulator.now() - 1000);
    await rig.clock.advance(8 * 86_400_000);
    expect(rig.get('/v5/order/history', asked).result.list).toEqual([]);
    expect(rig.get('/v5/order/history', { ...asked, startTime }).result.list).toHaveLength(1);
    expect(rig.get('/v5/execution/list', asked).result.list).toHaveLength(1);
  });

  it('is late with history and executions, and hides a new order for a while', async () => {
    const rig = testEmulator({ lagMs: 2_000, hiddenMs: 500 });
    rig.post(CREATE, { ...LIMIT, orderType: 'Market', qty: '60', orderLinkId: 'x' });
    const asked = { category: 'spot', orderLinkId: 'x' };
    const seen = () => [
      rig.get('/v5/order/realtime', asked).result.list.length,
      rig.get('/v5/order/history', asked).result.list.length,
      rig.get('/v5/execution/list', asked).result.list.length,
    ];
    expect(seen()).toEqual([0, 0, 0]);
    await rig.clock.advance(500);
    expect(seen()).toEqual([1, 0, 0]);
    await rig.clock.advance(1_500);
    expect(seen()).toEqual([1, 1, 1]);
  });
});
