/**
 * What the private socket of a Bybit account tells beside its orders: executions, positions and balances,
 * with every figure in its place, two of everything, and nothing of the other market.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { ExchangeFill } from '../../../src/domain/exchange.ts';
import type { ExchangePosition } from '../../../src/domain/position.ts';
import type { VenueSink } from '../../../src/venues/venue.ts';
import { bybitRig, type Rig } from './bybit-rig.ts';

const EXECUTION = {
  category: 'linear',
  symbol: 'BTCUSDT',
  orderId: 'x1',
  orderLinkId: 'c1',
  side: 'Buy',
  execId: 'e1',
  execType: 'Trade',
  execPrice: '50000.10',
  execQty: '0.030',
  execFee: '0.825',
  isMaker: false,
  execPnl: '',
  closedSize: '0',
  createType: 'CreateByUser',
  execTime: '1700000000001',
};
const FILL: ExchangeFill = {
  tradeId: 'e1',
  clientId: 'c1',
  venueId: 'x1',
  symbol: 'BTCUSDT',
  side: 'BUY',
  price: '50000.1',
  qty: '0.03',
  comm: '0.825',
  commAsset: 'USDT',
  maker: false,
  rPnl: null,
  posSide: 'BOTH',
  time: 1_700_000_000_001,
};

const T = 1_800_000_000_000;
const POSITION = {
  category: 'linear',
  symbol: 'BTCUSDT',
  positionIdx: 0,
  side: 'Buy',
  size: '0.020',
  entryPrice: '60000.50',
  breakEvenPrice: '60066',
  markPrice: '61000.0',
  positionValue: '1200.01',
  unrealisedPnl: '20.0',
  leverage: '5.9',
  positionIM: '240',
  positionMM: '6.60',
  liqPrice: '49000.0',
  updatedTime: String(T),
};
const HELD: ExchangePosition = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  amount: '0.02',
  entryPrice: '60000.5',
  breakEvenPrice: '60066',
  markPrice: '61000',
  unrealizedProfit: '20',
  marginType: 'CROSSED',
  leverage: 5,
  isolatedWallet: '0',
  liquidationPrice: '49000',
  maintenanceMarginRate: '0.005',
  maintenanceMargin: '6.6',
  realizedPnl: '0',
  updateTime: T,
};

let rig: Rig;
beforeEach(async () => {
  rig = bybitRig({ kind: 'futures' });
  await rig.open();
  rig.forget();
});

describe('executions of contracts', () => {
  it('are told one by one, each with its own figures, and those of spot not', () => {
    rig.hear('execution.linear', [
      EXECUTION,
      {
        ...{ ...EXECUTION, symbol: 'BTCPERP', orderId: 'x2', orderLinkId: 'c2', side: 'Sell', execId: 'e2' },
        ...{ execPrice: '7', execQty: '9', execFee: '-0.0100', isMaker: true, execPnl: '-3.50' },
        ...{ closedSize: '9', execTime: '1700000000002' },
      },
    ]);
    rig.hear('execution.spot', [{ ...EXECUTION, category: 'spot', execId: 'e3' }]);
    const second = {
      ...{ tradeId: 'e2', clientId: 'c2', venueId: 'x2', symbol: 'BTCPERP', side: 'SELL', price: '7' },
      ...{ qty: '9', comm: '-0.01', commAsset: 'USDC', maker: true, rPnl: '-3.5', posSide: 'BOTH' },
      time: 1_700_000_000_002,
    };
    expect(rig.told.fills).toEqual([FILL, second]);
    expect(rig.told.reports).toEqual([]);
  });

  it('without a word of their market, their maker or their order are taken all the same', () => {
    const { category: _c, isMaker: _m, orderLinkId: _o, createType: _t, execFee: _f, ...bare } = EXECUTION;
    rig.hear('execution.linear', [bare]);
    expect(rig.told.fills).toEqual([{ ...FILL, clientId: '', comm: '0' }]);
  });

  it.each([
    ['Trade', true, false],
    ['AdlTrade', true, false],
    ['BustTrade', true, false],
    ['Settle', true, false],
    ['Delivery', true, false],
    ['Funding', false, false],
    ['BlockTrade', false, false],
    ['MovePosition', false, false],
    ['FutureSpread', false, false],
    ['CorporateAction', false, false],
    ['Odd', false, true],
  ])('of the kind %s count: %s, and are strange: %s', (execType, isFill, isStrange) => {
    rig.hear('execution.linear', [{ ...EXECUTION, execType }]);
    expect([rig.told.fills.length, rig.told.reports.length]).toEqual([Number(isFill), Number(isStrange)]);
    expect(rig.told.ledger).toBe(execType === 'Funding' ? 1 : 0);
  });

  it('of a strange kind do not keep those beside them from being told', () => {
    rig.hear('execution.linear', [{ ...EXECUTION, execType: 'Odd' }, EXECUTION]);
    expect(rig.told.fills).toEqual([FILL]);
    expect(rig.told.reports[0]).toContain('Odd');
  });
});

describe('executions of spot', () => {
  it.each([
    ['Buy', '0.5', false, 'BTC'],
    ['Buy', '0.5', true, 'BTC'],
    ['Sell', '0.5', false, 'USDT'],
    ['Sell', '0.5', true, 'USDT'],
    // A rebate of a maker is paid in the other asset; a fee of nothing is none, nor is one of a taker.
    ['Buy', '-0.5', true, 'USDT'],
    ['Sell', '-0.5', true, 'BTC'],
    ['Buy', '0', true, 'BTC'],
    ['Buy', '-0.5', false, 'BTC'],
  ])('a %s with a fee of %s, as maker: %s, pays in %s, and realises nothing', async (...told) => {
    const [side, execFee, isMaker, commAsset] = told;
    const spot = bybitRig();
    await spot.open();
    const row = { ...EXECUTION, category: 'spot', side, execFee, isMaker, execPnl: '5', closedSize: '1' };
    spot.hear('execution.spot', [row]);
    const [fill] = spot.told.fills;
    expect(fill).toMatchObject({ commAsset, comm: execFee, maker: isMaker, rPnl: null, posSide: 'BOTH' });
    // Of a symbol that is not listed nobody can say in what.
    spot.hear('execution.spot', [{ ...row, symbol: 'NOPEUSDT' }]);
    expect(spot.told.fills.at(-1)?.commAsset).toBe('');
  });
});

describe('positions', () => {
  const futures = () => {
    if (!rig.venue.futures) throw new Error('it has no contracts');
    return rig.venue.futures;
  };

  it('are told with every figure, long and short, of each symbol', async () => {
    await rig.clock.advance(3_000);
    rig.forget();
    rig.hear('position.linear', [
      POSITION,
      {
        ...{ ...POSITION, symbol: 'ETHUSDT', side: 'Sell', size: '3', entryPrice: '2500', leverage: '8' },
        ...{ breakEvenPrice: '', markPrice: '2400', positionValue: '7500', unrealisedPnl: '-300' },
        ...{ positionIM: '937', positionMM: '38', liqPrice: '', updatedTime: String(T + 1) },
      },
      { ...POSITION, category: 'inverse', symbol: 'BTCUSD' },
    ]);
    expect(rig.told.positions).toEqual([
      HELD,
      {
        ...{ ...HELD, symbol: 'ETHUSDT', amount: '-3', entryPrice: '2500', breakEvenPrice: '2500' },
        ...{ markPrice: '2400', unrealizedProfit: '-300', leverage: 8, liquidationPrice: null },
        ...{ maintenanceMargin: '38', updateTime: T + 1 },
        maintenanceMarginRate: expect.any(String),
      },
    ]);
    expect([futures().markPrice('BTCUSDT'), futures().markPrice('ETHUSDT')]).toEqual(['61000', '2400']);
    expect(futures().markPrice('NOPEUSDT')).toBeNull();
    rig.forget();
    rig.hear('position.linear', [{ ...POSITION, category: 'inverse' }]);
    expect(rig.told.positions).toEqual([]);
  });

  it('of an answer name their price otherwise, and an empty mark is the last one that was told', () => {
    const { entryPrice: avgPrice, breakEvenPrice: _b, category: _c, ...row } = POSITION;
    rig.hear('position.linear', [{ ...row, avgPrice }]);
    rig.hear('position.linear', [{ ...POSITION, markPrice: '', breakEvenPrice: '0' }]);
    rig.hear('position.linear', [{ ...POSITION, symbol: 'ETHUSDT', markPrice: '' }]);
    expect(rig.told.positions).toMatchObject([
      { entryPrice: '60000.5', breakEvenPrice: '60000.5', markPrice: '61000' },
      { breakEvenPrice: '60000.5', markPrice: '61000' },
      { symbol: 'ETHUSDT', markPrice: '0' },
    ]);
  });

  it('that are flat are told so, without a price of their end, nor what they had realised', async () => {
    rig.hear('position.linear', [POSITION]);
    rig.hear('execution.linear', [{ ...EXECUTION, side: 'Sell', execPnl: '5', closedSize: '0.02' }]);
    rig.hear('position.linear', [{ ...POSITION, side: '', size: '0', updatedTime: String(T + 1) }]);
    rig.hear('position.linear', [{ ...POSITION, updatedTime: String(T + 2) }]);
    expect(rig.told.positions.slice(1)).toMatchObject([
      { amount: '0', liquidationPrice: null, realizedPnl: '0' },
      { amount: '0.02', liquidationPrice: '49000', realizedPnl: '0' },
    ]);
  });

  it('have their own realised profit, each symbol and side, which the leverage tells as well', async () => {
    rig.hear('position.linear', [
      { ...POSITION, positionIdx: 1 },
      { ...POSITION, positionIdx: 2, side: 'Sell', size: '7' },
      { ...POSITION, symbol: 'BTCPERP' },
    ]);
    const closed = { ...EXECUTION, closedSize: '0.01' };
    rig.hear('execution.linear', [
      { ...closed, side: 'Sell', execId: 'e1', execPnl: '5' },
      { ...closed, side: 'Buy', execId: 'e2', execPnl: '-7' },
      { ...closed, symbol: 'BTCPERP', side: 'Sell', execId: 'e3', execPnl: '11' },
      { ...closed, side: 'Sell', execId: 'e4', execPnl: '0.5' },
      { ...closed, side: 'Sell', execId: 'e5', execPnl: '' },
    ]);
    expect(rig.told.fills.map(({ posSide, rPnl }) => [posSide, rPnl])).toEqual([
      ['LONG', '5'],
      ['SHORT', '-7'],
      ['BOTH', '11'],
      ['LONG', '0.5'],
      ['LONG', null],
    ]);
    const told = await rig.during(futures().leverage(['BTCUSDT', 'BTCPERP', 'ETHUSDT']));
    expect(told?.map(({ symbol, side, realizedPnl }) => [symbol, side, realizedPnl])).toEqual([
      ['BTCUSDT', 'LONG', '5.5'],
      ['BTCUSDT', 'SHORT', '-7'],
      ['BTCPERP', 'BOTH', '11'],
      ['ETHUSDT', 'BOTH', '0'],
    ]);
    rig.list('/v5/position/list', [
      { ...POSITION, positionIdx: 1, updatedTime: String(T + 1) },
      { ...POSITION, symbol: 'ETHUSDT', size: '0', side: '' },
    ]);
    rig.list('/v5/position/list', [{ ...POSITION, symbol: 'BTCPERP', updatedTime: String(T + 1) }]);
    const held = await rig.during(futures().positions());
    // What is flat is none.
    expect(held?.map(({ symbol, side, realizedPnl }) => [symbol, side, realizedPnl])).toEqual([
      ['BTCUSDT', 'LONG', '5.5'],
      ['BTCPERP', 'BOTH', '11'],
    ]);
  });

  it('are asked for in both assets that contracts are settled in, and are not known where one answer fails', async () => {
    rig.list('/v5/position/list', [POSITION]);
    rig.list('/v5/position/list', []);
    expect(await rig.during(futures().positions())).toHaveLength(1);
    expect(rig.asked('/v5/position/list')).toEqual(
      expect.arrayContaining([
        { category: 'linear', settleCoin: 'USDT', limit: '200' },
        { category: 'linear', settleCoin: 'USDC', limit: '200' },
      ]),
    );
    for (const isFirst of [true, false]) {
      if (!isFirst) rig.list('/v5/position/list', [POSITION]);
      rig.refuse('/v5/position/list', 10_016);
      expect(await rig.during(futures().positions())).toBeNull();
    }
  });

  it('have the rate of maintenance of the bracket that their value is in, a lower bound included', async () => {
    const tier = (riskLimitValue: string, maintenanceMargin: string | number, symbol = 'BTCUSDT') => ({
      ...{ symbol, riskLimitValue, maintenanceMargin, maxLeverage: '50', mmDeduction: '0' },
    });
    rig.list('/v5/market/risk-limit', [
      ...[tier('3000', 0.03), tier('1000', '0.01'), tier('2000', '0.02')],
      ...[tier('1000', '0.5', 'ETHUSDT'), tier('9', '0.00000001', 'BTCPERP'), tier('5', '0.4', 'no name!')],
      ...[tier('9', 0.1, 'SOLUSDT'), tier('10', 1e-8, 'SOLUSDT')],
    ]);
    rig.venue.relist?.();
    await rig.clock.advance(500);
    for (const [symbol, positionValue, rate] of [
      ['BTCUSDT', '0', '0.01'],
      ['BTCUSDT', '999.99', '0.01'],
      ['BTCUSDT', '1000', '0.02'],
      ['BTCUSDT', '2000.01', '0.03'],
      ['BTCUSDT', '50000', '0.03'],
      ['ETHUSDT', '50', '0.5'],
      ['BTCPERP', '5', '0.00000001'],
      ['SOLUSDT', '50', '0'],
    ] as const) {
      rig.hear('position.linear', [{ ...POSITION, symbol, positionValue }]);
      expect([symbol, positionValue, rig.told.positions.at(-1)?.maintenanceMarginRate]).toEqual([
        ...[symbol, positionValue, rate],
      ]);
    }
    expect(futures().brackets('ETHUSDT')).toEqual([
      {
        ...{ initialLeverage: 50, notionalFloor: '0', notionalCap: '1000', maintenanceMarginRate: '0.5' },
        cumulative: '0',
      },
    ]);
    expect(futures().brackets('NOPEUSDT')).toEqual([]);
  });

  it('in isolated margin have a wallet of their own, and in portfolio margin no leverage', async () => {
    for (const [mode, marginType, isolatedWallet] of [
      ['ISOLATED_MARGIN', 'ISOLATED', '240'],
      ['REGULAR_MARGIN', 'CROSSED', '0'],
      ['PORTFOLIO_MARGIN', 'CROSSED', '0'],
    ] as const) {
      const other = bybitRig({ kind: 'futures' });
      other.emulator.account('main').marginMode = mode;
      await other.open();
      other.hear('position.linear', [{ ...POSITION, leverage: mode === 'PORTFOLIO_MARGIN' ? '' : '5' }]);
      const leverage = mode === 'PORTFOLIO_MARGIN' ? 1 : 5;
      expect(other.told.positions).toMatchObject([{ marginType, isolatedWallet, leverage }]);
      expect(other.told.reports).toHaveLength(mode === 'PORTFOLIO_MARGIN' ? 1 : 0);
    }
  });

  it('that come without a time are older than any other', () => {
    rig.hear('position.linear', [POSITION]);
    rig.hear('position.linear', [{ ...POSITION, side: '', size: '0', updatedTime: '' }]);
    expect(rig.told.positions.at(-1)).toMatchObject({ amount: '0', updateTime: 0 });
    rig.hear('execution.linear', [{ ...EXECUTION, execPnl: '5', closedSize: '0.01', side: 'Sell' }]);
    rig.hear('position.linear', [{ ...POSITION, updatedTime: String(T + 1) }]);
    expect(rig.told.positions.at(-1)).toMatchObject({ realizedPnl: '5' });
  });
});

describe('the wallet', () => {
  const coin = (name: string, walletBalance: string, locked: string, spotBorrow = '0') => ({
    ...{ coin: name, walletBalance, locked, spotBorrow },
  });

  it('is told of each coin with the time of the message, and of none where it names none', () => {
    rig.hear(
      'wallet',
      [{ accountType: 'UNIFIED', coin: [coin('USDT', '100.50', '30'), coin('BTC', '2', '5', '0.5')] }],
      T,
    );
    rig.hear('wallet', [{ accountType: 'UNIFIED', coin: [] }], T + 1);
    expect(rig.told.balances).toEqual([
      { asset: 'USDT', free: '70.5', locked: '30', time: T },
      { asset: 'BTC', free: '0', locked: '1.5', time: T },
    ]);
  });

  it('that was told of once is told as nothing where a later answer lacks it', async () => {
    rig.hear('wallet', [{ coin: [coin('XYZ', '5', '0')] }]);
    rig.list('/v5/account/wallet-balance', [{ coin: [coin('USDT', '8', '3')] }]);
    expect(await rig.during(rig.venue.balances())).toEqual([
      { asset: 'USDT', free: '5', locked: '3' },
      { asset: 'XYZ', free: '0', locked: '0' },
    ]);
    expect(rig.asked('/v5/account/wallet-balance')).toEqual([{ accountType: 'UNIFIED' }]);
  });

  it('whose money is only bound or let go has not moved', async () => {
    rig.hear('wallet', [{ coin: [coin('USDT', '100', '0')] }]);
    await rig.clock.advance(60_000);
    rig.told.ledger = 0;
    rig.hear('wallet', [{ coin: [coin('USDT', '100', '40')] }]);
    rig.hear('wallet', [{ coin: [coin('USDT', '100', '10')] }]);
    await rig.clock.advance(60_000);
    expect(rig.told.ledger).toBe(0);
    rig.hear('wallet', [{ coin: [coin('USDT', '99', '10')] }]);
    await rig.clock.advance(499);
    expect(rig.told.ledger).toBe(0);
    await rig.clock.advance(1);
    expect(rig.told.ledger).toBe(1);
  });

  it('may have moved and come back while the account was not open', async () => {
    rig.hear('wallet', [{ coin: [coin('USDT', '100', '0')] }]);
    await rig.clock.advance(60_000);
    await rig.open();
    rig.told.ledger = 0;
    rig.hear('wallet', [{ coin: [coin('USDT', '100', '0')] }]);
    await rig.clock.advance(500);
    expect(rig.told.ledger).toBe(1);
  });

  it.each([
    [1_000, 0],
    [1_001, 1],
  ])('that moves %i ms after an execution is looked up at once: %i', async (ms, looks) => {
    rig.hear('wallet', [{ coin: [coin('USDT', '100', '0')] }]);
    await rig.clock.advance(60_000);
    rig.told.ledger = 0;
    rig.hear('execution.spot', [{ ...EXECUTION, category: 'spot' }]);
    await rig.clock.advance(ms);
    rig.hear('wallet', [{ coin: [coin('USDT', '90', '0')] }]);
    await rig.clock.advance(500);
    expect(rig.told.ledger).toBe(looks);
    await rig.clock.advance(30_000);
    expect(rig.told.ledger).toBe(1);
  });
});

it('an event that has nothing to tell is none', async () => {
  const calls: string[] = [];
  const sink: VenueSink = {
    ...rig.sink,
    positions: (changed) => calls.push(`${changed.length} positions`),
    balances: (changed) => calls.push(`${changed.length} balances`),
  };
  await rig.during(rig.venue.open(sink));
  rig.hear('position.linear', []);
  rig.hear('position.linear', [{ ...POSITION, category: 'inverse' }]);
  rig.hear('wallet', [{ coin: [] }]);
  expect(calls).toEqual([]);
  rig.hear('position.linear', [POSITION, { ...POSITION, symbol: 'ETHUSDT' }]);
  expect(calls).toEqual(['2 positions']);
});

it('the dead-man switch’s own topic says nothing, and one that nobody knows is named', () => {
  rig.hear('dcp.spot', []);
  expect(rig.told.reports).toEqual([]);
  rig.hear(`greeks${'x'.repeat(200)}`, []);
  expect(rig.told.reports[0]).toContain('greeksxxx');
  expect(rig.told.stream).toEqual([]);
});
