/**
 * Linear contracts: positions, margin, hedge mode, conditional orders and stops of a position, acts of the
 * exchange itself.
 */
import { describe, expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import { testEmulator } from './support.ts';

const CREATE = '/v5/order/create';
const ORDER = {
  category: 'linear',
  symbol: 'BTCUSDT',
  side: 'Buy',
  orderType: 'Limit',
  qty: '0.010',
  price: '59000.0',
};
const MARKET = { category: 'linear', symbol: 'BTCUSDT', side: 'Buy', orderType: 'Market', qty: '0.010' };
const ORDER_PAGE = { category: 'linear', symbol: 'BTCUSDT' };
const HOUR = 3_600_000;

type Rig = ReturnType<typeof testEmulator>;
const positions = (rig: Rig, symbol = 'BTCUSDT') =>
  rig.get('/v5/position/list', { category: 'linear', symbol }).result.list;
const wallet = (rig: Rig) =>
  rig.get('/v5/account/wallet-balance', { accountType: 'UNIFIED', coin: 'USDT' }).result.list[0];

describe('linear orders', () => {
  it('opens a position, keeps its margin, closes it and books what was realised', () => {
    const rig = testEmulator();
    const { rows } = rig.userStream();
    rig.post(CREATE, { ...MARKET, orderLinkId: 'in' });
    expect(rows('order')).toMatchObject([
      { category: 'linear', orderStatus: 'Filled', createType: 'CreateByUser', avgPrice: '60020.1' },
    ]);
    // The row shows the bound of the market order, not the fill.
    expect(rows('order')[0].price).toBe('63021.00');
    expect(rows('position').at(-1)).toMatchObject({
      side: 'Buy',
      size: '0.010',
      entryPrice: '60020.1',
      positionIdx: 0,
    });
    expect(positions(rig)).toMatchObject([
      { avgPrice: '60020.1', size: '0.010', leverage: '10', positionIM: '60.02' },
    ]);
    // 600.201 x 0.00055
    expect(wallet(rig).coin).toMatchObject([{ walletBalance: '99999.66988945', totalPositionIM: '60.02' }]);
    rig.emulator.printLinear('BTCUSDT', '61000');
    expect(wallet(rig).coin[0]).toMatchObject({ unrealisedPnl: '9.799' });
    rig.post(CREATE, { ...MARKET, side: 'Sell', reduceOnly: true });
    expect(rows('execution').at(-1)).toMatchObject({
      closedSize: '0.01',
      execPnl: '9.798',
      execFee: '0.33549945',
    });
    expect(rows('order').at(-1)).toMatchObject({ closedPnl: '9.798', reduceOnly: true });
    expect(positions(rig)).toMatchObject([
      { side: '', size: '0.000', avgPrice: '0', curRealisedPnl: '9.798' },
    ]);
    expect(rig.get('/v5/position/closed-pnl', { category: 'linear' }).result.list).toMatchObject([
      { closedSize: '0.01' },
    ]);
    expect(rig.get('/v5/account/transaction-log', { category: 'linear' }).result.list).toMatchObject([
      { type: 'TRADE', side: 'Sell', cashFlow: '9.798', size: '0', currency: 'USDT', funding: '' },
      { type: 'TRADE', side: 'Buy', cashFlow: '0', size: '0.01', fee: '0.33011055', change: '-0.33011055' },
    ]);
  });

  it('tells the position at every order, cuts a reduce-only order down, and ends it with the position', () => {
    const rig = testEmulator();
    const { rows } = rig.userStream();
    rig.post(CREATE, { ...ORDER, orderLinkId: 'rest' });
    expect(rows('position')).toMatchObject([{ size: '0.000', side: '' }]);
    expect(wallet(rig).coin[0].totalOrderIM).toBe('59');
    rig.post(CREATE, MARKET);
    rig.post(CREATE, {
      ...ORDER,
      side: 'Sell',
      price: '62000.0',
      qty: '5.000',
      reduceOnly: true,
      orderLinkId: 'cut',
    });
    expect(rows('order').at(-1)).toMatchObject({ qty: '0.010', orderStatus: 'New' });
    rig.post(CREATE, { ...MARKET, side: 'Sell', qty: '0', reduceOnly: true, closeOnTrigger: true });
    const cut = rows('order').filter(({ orderLinkId }) => orderLinkId === 'cut');
    expect(cut.at(-1)).toMatchObject({ orderStatus: 'Cancelled', cancelType: 'CancelByReduceOnly' });
    expect(rows('order').filter(({ orderLinkId }) => orderLinkId === 'rest')).toHaveLength(1);
  });

  it('ends a market order that finds too little as Cancelled with what it has', () => {
    const rig = testEmulator({ levelNotional: '600' });
    const { rows } = rig.userStream();
    rig.emulator.exchange.isThin = true;
    rig.post(CREATE, { ...MARKET, qty: '0.200' });
    expect(rows('order')).toMatchObject([{ orderStatus: 'Cancelled', cumExecQty: '0.100', leavesQty: '0' }]);
    expect(rows('execution')).toHaveLength(10);
    expect(new Set(rows('execution').map(({ seq }) => seq)).size).toBe(1);
  });

  it('keeps two sides in hedge mode, and will not switch while there is something', () => {
    const rig = testEmulator();
    const mode = (more: Record<string, unknown>) =>
      rig.post('/v5/position/switch-mode', { category: 'linear', ...more }).retCode;
    expect(mode({ symbol: 'BTCUSDT', mode: 0 })).toBe(110_025);
    expect(mode({ symbol: 'BTCPERP', mode: 3 })).toBe(110_029);
    expect(mode({ symbol: 'BTCUSDT', mode: 3 })).toBe(0);
    expect(rig.post(CREATE, MARKET)).toMatchObject({
      retCode: 10_001,
      retMsg: 'position idx not match position mode',
    });
    rig.post(CREATE, { ...MARKET, positionIdx: 1 });
    rig.post(CREATE, { ...MARKET, side: 'Sell', qty: '0.020', positionIdx: 2 });
    expect(positions(rig)).toMatchObject([
      { positionIdx: 1, side: 'Buy', size: '0.010' },
      { positionIdx: 2, side: 'Sell', size: '0.020' },
    ]);
    expect(rig.post(CREATE, { ...MARKET, side: 'Sell', positionIdx: 1 }).retCode).toBe(0);
    expect(rig.post(CREATE, { ...MARKET, side: 'Sell', positionIdx: 1 }).retCode).toBe(110_017);
    expect(mode({ symbol: 'BTCUSDT', mode: 0 })).toBe(110_024);
    rig.post(CREATE, { ...MARKET, qty: '0.020', positionIdx: 2 });
    rig.post(CREATE, { ...ORDER, positionIdx: 1 });
    expect(mode({ symbol: 'BTCUSDT', mode: 0 })).toBe(110_028);
    // A change by coin silently skips symbols with positions or orders.
    expect(mode({ coin: 'USDT', mode: 3 })).toBe(0);
    rig.post('/v5/order/cancel-all', { category: 'linear', symbol: 'BTCUSDT' });
    expect(mode({ symbol: 'ETHUSDT', mode: 3 })).toBe(110_025);
    expect(positions(rig, 'ETHUSDT')).toHaveLength(2);
  });

  it('sets leverage within its bounds, both sides alike', () => {
    const rig = testEmulator();
    const set = (buyLeverage: string, sellLeverage = buyLeverage) =>
      rig.post('/v5/position/set-leverage', {
        category: 'linear',
        symbol: 'BTCUSDT',
        buyLeverage,
        sellLeverage,
      }).retCode;
    expect([set('10'), set('20', '10'), set('101'), set('25'), set('25')]).toEqual([
      110_043, 10_001, 110_013, 0, 110_043,
    ]);
    rig.post(CREATE, MARKET);
    expect(positions(rig)).toMatchObject([{ leverage: '25', positionIM: '24.008' }]);
    rig.emulator.account().marginMode = 'PORTFOLIO_MARGIN';
    expect(set('5')).toBe(110_038);
  });

  it('refuses a change for which there is no margin, or that is off a filter', () => {
    const rig = testEmulator();
    rig.post(CREATE, { ...ORDER, orderLinkId: 'a' });
    const amend = (change: Record<string, unknown>) =>
      rig.post('/v5/order/amend', { category: 'linear', symbol: 'BTCUSDT', orderLinkId: 'a', ...change })
        .retCode;
    expect([
      amend({ qty: '100' }),
      amend({ qty: '0.0105' }),
      amend({ price: '59000.05' }),
      amend({ qty: '2000' }),
    ]).toEqual([110_007, 10_001, 10_001, 10_001]);
    expect([amend({ price: '70000' }), amend({ qty: '0.020', price: '59100' })]).toEqual([110_003, 0]);
  });

  it('sweeps by settle coin, only what waits or only what is active when asked', () => {
    const rig = testEmulator();
    rig.post(CREATE, { ...ORDER, orderLinkId: 'a' });
    rig.post(CREATE, { ...ORDER, orderLinkId: 's', triggerPrice: '59000', triggerDirection: 2 });
    const sweep = (more: Record<string, unknown>) =>
      rig.post('/v5/order/cancel-all', { category: 'linear', ...more });
    expect(sweep({}).retCode).toBe(10_001);
    expect(sweep({ settleCoin: 'USDT', orderFilter: 'StopOrder' }).result).toMatchObject({
      list: [{ orderLinkId: 's' }],
      success: '1',
    });
    expect(sweep({ settleCoin: 'USDC' }).result.list).toEqual([]);
    rig.post(CREATE, { ...ORDER, orderLinkId: 'b' });
    const { messages } = rig.userStream(['order']);
    expect(sweep({ settleCoin: 'USDT' }).result.list).toMatchObject([
      { orderLinkId: 'a' },
      { orderLinkId: 'b' },
    ]);
    // One message with a row for each.
    expect(messages.map(({ data }) => data.length)).toEqual([2]);
  });
});

describe('what waits for a price', () => {
  it('triggers by last and by mark, on the side it was told, with the same order id', () => {
    const rig = testEmulator();
    const { rows } = rig.userStream();
    const stop = { ...MARKET, side: 'Sell', triggerPrice: '59500', triggerDirection: 2 };
    const last = rig.post(CREATE, { ...stop, orderLinkId: 'last' }).result.orderId;
    rig.post(CREATE, { ...stop, triggerBy: 'MarkPrice', orderLinkId: 'mark' });
    expect(rows('order').at(-1)).toMatchObject({
      orderStatus: 'Untriggered',
      stopOrderType: 'Stop',
      triggerBy: 'MarkPrice',
      triggerDirection: 2,
    });
    rig.emulator.printLinear('BTCUSDT', '59500', '1', true, '59600');
    const of = (id: string) =>
      rows('order')
        .filter(({ orderLinkId }) => orderLinkId === id)
        .map(({ orderStatus }) => orderStatus);
    expect(of('last')).toEqual(['Untriggered', 'Triggered', 'Filled']);
    expect(of('mark')).toEqual(['Untriggered']);
    expect(rows('execution')).toMatchObject([{ orderId: last }]);
    rig.emulator.printLinear('BTCUSDT', '59550', '1', true, '59500');
    expect(of('mark')).toEqual(['Untriggered', 'Triggered', 'Filled']);
  });

  it('takes ten of a symbol, changes the trigger of one, cancels one that finds nothing to reduce or no margin', () => {
    const rig = testEmulator({ limits: { factor: 10 } });
    const { rows } = rig.userStream();
    const stop = { ...MARKET, side: 'Sell', triggerPrice: '59500', triggerDirection: 2 };
    rig.post(CREATE, MARKET);
    rig.post(CREATE, { ...stop, reduceOnly: true, orderLinkId: 'reduce' });
    rig.post(CREATE, { ...stop, qty: '300', triggerPrice: '59400', orderLinkId: 'poor' });
    expect(
      rig.post('/v5/order/amend', {
        category: 'linear',
        symbol: 'BTCUSDT',
        orderLinkId: 'poor',
        triggerPrice: '59450',
      }).retCode,
    ).toBe(0);
    expect(rows('order').at(-1)).toMatchObject({ triggerPrice: '59450.00', orderStatus: 'Untriggered' });
    for (let i = 0; i < 8; i++) rig.post(CREATE, { ...stop, triggerPrice: '50000', orderLinkId: `s${i}` });
    expect(rig.post(CREATE, stop).retCode).toBe(110_009);
    rig.post(CREATE, { ...MARKET, side: 'Sell' });
    rig.emulator.printLinear('BTCUSDT', '59440');
    const last = (id: string) =>
      rows('order')
        .filter(({ orderLinkId }) => orderLinkId === id)
        .at(-1);
    expect(last('reduce')).toMatchObject({ orderStatus: 'Cancelled', cancelType: 'CancelByReduceOnly' });
    expect(last('poor')).toMatchObject({ orderStatus: 'Cancelled', rejectReason: 'EC_Others' });
  });

  it('gives a position its stops as orders without link id, follows its size, and clears them with it', () => {
    const rig = testEmulator();
    const { rows } = rig.userStream();
    const set = (more: Record<string, unknown>) =>
      rig.post('/v5/position/trading-stop', {
        category: 'linear',
        symbol: 'BTCUSDT',
        tpslMode: 'Full',
        positionIdx: 0,
        ...more,
      }).retCode;
    expect(set({ stopLoss: '59000' })).toBe(10_001);
    rig.post(CREATE, { ...MARKET, takeProfit: '65000', orderLinkId: 'parent' });
    expect(set({ stopLoss: '61000' })).toBe(10_001);
    expect([set({ stopLoss: '59000' }), set({ stopLoss: '59000' }), set({ trailingStop: '500' })]).toEqual([
      0, 34_040, 0,
    ]);
    const open = rig.get('/v5/order/realtime', {
      category: 'linear',
      symbol: 'BTCUSDT',
      orderFilter: 'StopOrder',
    }).result.list;
    expect(
      open
        .map((row: Record<string, unknown>) => [
          row.stopOrderType,
          row.createType,
          row.orderLinkId,
          row.parentOrderLinkId,
          row.qty,
        ])
        .sort(),
    ).toEqual([
      ['StopLoss', 'CreateByStopLoss', '', '', '0.010'],
      ['TakeProfit', 'CreateByTakeProfit', '', 'parent', '0.010'],
      ['TrailingStop', 'CreateByTrailingStop', '', '', '0.010'],
    ]);
    expect(positions(rig)).toMatchObject([
      { takeProfit: '65000.00', stopLoss: '59000.00', trailingStop: '500.00' },
    ]);
    rig.emulator.printLinear('BTCUSDT', '61000');
    rig.emulator.printLinear('BTCUSDT', '60600');
    expect(positions(rig)).toMatchObject([{ size: '0.010' }]);
    rig.emulator.printLinear('BTCUSDT', '60500');
    expect(positions(rig)).toMatchObject([{ size: '0.000', stopLoss: '0.00' }]);
    expect(
      rows('order')
        .filter(({ cancelType }) => cancelType === 'CancelByTpSlTsClear')
        .map(({ orderStatus }) => orderStatus),
    ).toEqual(['Deactivated', 'Deactivated']);
  });
});

describe('what the exchange does by itself', () => {
  it('settles funding every eight hours: an execution, a row of the log, the wallet', async () => {
    const rig = testEmulator();
    rig.post(CREATE, MARKET);
    await rig.clock.advance(4 * HOUR - 5_000);
    const { rows } = rig.userStream();
    await rig.clock.advance(15_000);
    expect(rows('execution')).toMatchObject([
      {
        execType: 'Funding',
        orderType: 'UNKNOWN',
        execFee: '0.06002',
        execQty: '0.010',
        feeRate: '0.0001',
        orderLinkId: '',
      },
    ]);
    expect(rig.get('/v5/account/transaction-log', { type: 'SETTLEMENT' }).result.list).toMatchObject([
      { funding: '-0.06002', change: '-0.06002', cashFlow: '0', size: '0.01', side: 'Buy' },
    ]);
    expect(
      rig.get('/v5/execution/list', { category: 'linear', execType: 'Funding' }).result.list,
    ).toHaveLength(1);
    expect(rig.get('/v5/execution/list', { category: 'linear', execType: 'Trade' }).result.list).toHaveLength(
      1,
    );
  });

  it('takes over the positions of who has too little, after cancelling the orders', () => {
    const rig = testEmulator({ balances: { USDT: '1000' } });
    rig.post(CREATE, { ...MARKET, qty: '0.100' });
    rig.post(CREATE, {
      category: 'spot',
      symbol: 'ETHUSDT',
      side: 'Buy',
      orderType: 'Limit',
      qty: '0.01',
      price: '2400',
    });
    const { rows } = rig.userStream();
    rig.emulator.printLinear('BTCUSDT', '50300');
    expect(rows('order')).toMatchObject([
      { category: 'spot', orderStatus: 'Cancelled', cancelType: 'CancelAllBeforeLiq' },
      {
        category: 'linear',
        orderStatus: 'Filled',
        createType: 'CreateByTakeOver_PassThrough',
        orderLinkId: '',
      },
    ]);
    expect(rows('execution')).toMatchObject([{ execType: 'BustTrade', execQty: '0.100' }]);
    expect(rig.get('/v5/account/transaction-log', {}).result.list[0]).toMatchObject({ type: 'LIQUIDATION' });
  });

  it('liquidates an isolated position alone', () => {
    const rig = testEmulator();
    expect(rig.post('/v5/account/set-margin-mode', { setMarginMode: 'ISOLATED_MARGIN' })).toMatchObject({
      retCode: 0,
      result: { reasons: [] },
    });
    rig.post(CREATE, { ...MARKET, qty: '0.100' });
    rig.post(CREATE, { ...MARKET, symbol: 'ETHUSDT', qty: '1.00' });
    expect(wallet(rig)).toMatchObject({ totalAvailableBalance: '', accountIMRate: '' });
    expect(
      rig.post('/v5/position/add-margin', { category: 'linear', symbol: 'ETHUSDT', margin: '100' }).retCode,
    ).toBe(0);
    rig.emulator.printLinear('BTCUSDT', '54200');
    expect(positions(rig)).toMatchObject([{ size: '0.000' }]);
    expect(positions(rig, 'ETHUSDT')).toMatchObject([{ size: '1.00' }]);
  });

  it('reduces a position for somebody else', () => {
    const rig = testEmulator();
    rig.post(CREATE, MARKET);
    const { rows } = rig.userStream();
    rig.emulator.acts.adl(rig.emulator.account(), 'BTCUSDT', 0, dec('0.004'));
    expect(rows('execution')).toMatchObject([
      { execType: 'AdlTrade', execQty: '0.004', createType: 'CreateByAdl_PassThrough' },
    ]);
    expect(positions(rig)).toMatchObject([{ size: '0.006' }]);
  });

  it('closes a contract that ends: orders cancelled, a trade that is no order', () => {
    const rig = testEmulator();
    rig.post(CREATE, MARKET);
    rig.post(CREATE, { ...ORDER, orderLinkId: 'rests' });
    const { rows } = rig.userStream();
    rig.emulator.acts.delist('BTCUSDT');
    expect(rows('order')).toMatchObject([{ orderLinkId: 'rests', cancelType: 'CancelBySettle' }]);
    expect(rows('execution')).toMatchObject([{ execType: 'Delivery', createType: 'CreateBySettle' }]);
    expect(rows('position').at(-1)).toMatchObject({ size: '0.000' });
    expect(rig.get('/v5/account/transaction-log', { type: 'DELIVERY' }).result.list).toHaveLength(1);
    expect(rig.post(CREATE, ORDER).retCode).toBe(110_074);
    expect(rig.open('/v5/market/instruments-info', ORDER_PAGE).result.list).toEqual([]);
  });

  it('rejects an order that has been filled in part, and keeps what was filled', () => {
    const rig = testEmulator();
    const { rows } = rig.userStream();
    rig.post(CREATE, { ...ORDER, orderLinkId: 'part' });
    rig.emulator.printLinear('BTCUSDT', '59000', '0.004');
    const account = rig.emulator.account();
    const [order] = rig.emulator.exchange.openOrders(account, 'linear');
    if (order) rig.emulator.exchange.reject(account, order, 'EC_SecurityStatusFail');
    expect(rows('order').at(-1)).toMatchObject({
      orderStatus: 'Rejected',
      cumExecQty: '0.004',
      leavesQty: '0',
    });
  });

  it('says why a margin mode cannot be had', () => {
    const rig = testEmulator({ balances: { USDT: '900' } });
    expect(rig.post('/v5/account/set-margin-mode', { setMarginMode: 'PORTFOLIO_MARGIN' })).toMatchObject({
      retCode: 3_400_045,
      result: { reasons: [{ reasonCode: '3400000' }] },
    });
  });

  it('cancels what is active when every connection with the dcp topic has been gone for its time', async () => {
    const rig = testEmulator({ dcp: true });
    const dead = '/v5/order/disconnected-cancel-all';
    expect(rig.post(dead, { product: 'DERIVATIVES', timeWindow: 2 }).retCode).toBe(10_001);
    expect(rig.post(dead, { product: 'DERIVATIVES', timeWindow: 10 }).retCode).toBe(0);
    expect(rig.get('/v5/account/query-dcp-info').result.dcpInfos).toEqual([
      { product: 'DERIVATIVES', dcpStatus: 'ON', timeWindow: '10' },
    ]);
    rig.post(CREATE, { ...ORDER, orderLinkId: 'guarded' });
    const a = rig.userStream(['order', 'dcp.future']);
    const b = rig.userStream(['order', 'dcp.future']);
    a.session.closed();
    await rig.clock.advance(11_000);
    const open = () =>
      rig.get('/v5/order/realtime', { category: 'linear', symbol: 'BTCUSDT' }).result.list.length;
    expect(open()).toBe(1);
    b.session.closed();
    await rig.clock.advance(9_000);
    const again = rig.userStream(['order', 'dcp.future']);
    await rig.clock.advance(5_000);
    expect(open()).toBe(1);
    again.session.closed();
    await rig.clock.advance(10_000);
    expect(open()).toBe(0);
    expect(rig.get('/v5/order/history', { category: 'linear' }).result.list).toMatchObject([
      { cancelType: 'CancelByDCP' },
    ]);
    expect(testEmulator().post(dead, { timeWindow: 10 }).retCode).toBe(10_005);
  });

  it('converts small balances by a quote that runs out', async () => {
    const rig = testEmulator({ balances: { USDT: '10', BTC: '0.0001', ADA: '100' } });
    const path = '/v5/asset/covert';
    const list = rig.get(`${path}/small-balance-list`, { accountType: 'eb_convert_uta' });
    expect(list.result.smallAssetCoins).toMatchObject([{ fromCoin: 'BTC', baseValue: '6' }]);
    const ask = (coins: string[]) =>
      rig.post(`${path}/get-quote`, { accountType: 'eb_convert_uta', fromCoinList: coins, toCoin: 'USDT' });
    expect(ask(['ADA']).retCode).toBe(700_000);
    const { quoteId } = ask(['BTC']).result;
    expect(rig.post(`${path}/small-balance-execute`, { quoteId })).toMatchObject({
      result: { status: 'processing' },
    });
    const history = () => rig.get(`${path}/small-balance-history`, { quoteId }).result.records[0];
    expect(history()).toMatchObject({ status: 'processing' });
    await rig.clock.advance(500);
    expect(history()).toMatchObject({ status: 'success', toAmount: '5.88' });
    expect(wallet(rig).coin[0].walletBalance).toBe('15.88');
    rig.emulator.transfer('BTC', '0.0001');
    const late = ask(['BTC']).result.quoteId;
    await rig.clock.advance(30_001);
    expect(rig.post(`${path}/small-balance-execute`, { quoteId: late }).retCode).toBe(700_004);
  });
});
