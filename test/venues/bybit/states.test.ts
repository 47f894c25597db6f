/**
 * The exchange's orders, executions and instruments translated for the port; vectors of the documents and of
 * other clients.
 */
import { describe, expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import { balancesOf } from '../../../src/venues/bybit/balances.ts';
import { bracketsOf } from '../../../src/venues/bybit/brackets.ts';
import { BybitFills, type FillsGiven, fillOf } from '../../../src/venues/bybit/fills.ts';
import { instrumentsOf } from '../../../src/venues/bybit/instruments.ts';
import {
  type ExecutionRow,
  type OrderRow,
  readExecutionEvent,
  readExecutions,
  readFrame,
  readInstrumentPage,
  readOrderEvent,
  readOrders,
  readPositionEvent,
  readPositions,
  readWallet,
  readWalletEvent,
} from '../../../src/venues/bybit/messages.ts';
import { OrderNamesKept } from '../../../src/venues/bybit/order-names.ts';
import { stateOf } from '../../../src/venues/bybit/order-states.ts';
import type { Questions } from '../../../src/venues/bybit/questions.ts';
import { BYBIT } from '../../../src/venues/bybit/requests.ts';
import { withUnread } from '../../../src/venues/kit/instrument-reading.ts';
import { readShared } from '../../support/shared-data.ts';
import { orderOf } from './bybit-rig.ts';

const row = (more: Partial<OrderRow>): OrderRow => ({
  orderId: '1',
  orderLinkId: 'a',
  symbol: 'BTCUSDT',
  side: 'Buy',
  orderType: 'Limit',
  orderStatus: 'New',
  price: '50000',
  qty: '0.020',
  cumExecQty: '0',
  cumExecValue: '0',
  timeInForce: 'GTC',
  updatedTime: '1700000000000',
  rejectReason: 'EC_NoError',
  ...more,
});
const given = (category: 'spot' | 'linear' = 'spot', names = new OrderNamesKept()) => ({
  category,
  names,
  stepOf: () => dec('0.000001'),
});

describe('the state of an order', () => {
  it.each([
    ['New', {}, 'WORKING'],
    ['PartiallyFilled', { cumExecQty: '0.01' }, 'WORKING'],
    ['Untriggered', { stopOrderType: 'Stop', triggerPrice: '60000', triggerDirection: 1 }, 'PENDING'],
    ['Triggered', { stopOrderType: 'Stop', triggerPrice: '60000', triggerDirection: 1 }, 'PENDING'],
    ['Filled', { cumExecQty: '0.02' }, 'FILLED'],
    ['Cancelled', {}, 'CANCELLED'],
    ['Cancelled', { cumExecQty: '0.01' }, 'CANCELLED'],
    ['PartiallyFilledCanceled', { cumExecQty: '0.01' }, 'CANCELLED'],
    ['Deactivated', {}, 'CANCELLED'],
    ['Rejected', { rejectReason: 'EC_InvalidSymbolStatus' }, 'REJECTED'],
    // An order with an execution is not a refusal, whatever its status is called.
    ['Rejected', { cumExecQty: '0.01' }, 'CANCELLED'],
    ['Cancelled', { rejectReason: 'EC_PostOnlyWillTakeLiquidity' }, 'REJECTED'],
  ] as const)('%s with %o is %s', (orderStatus, more, status) => {
    const state = stateOf(row({ orderStatus, ...more }), given());
    expect(state).toMatchObject({ status, clientId: 'a', venueIds: ['1'], seq: 1_700_000_000_000 });
  });

  it('has the reason of a refusal, and of an end in plain words', () => {
    const refused = stateOf(
      row({ orderStatus: 'Cancelled', rejectReason: 'EC_PostOnlyWillTakeLiquidity' }),
      given(),
    );
    expect(refused).toMatchObject({ reason: 'POST_ONLY', text: expect.stringContaining('post-only') });
    const margin = stateOf(row({ orderStatus: 'Rejected', rejectReason: 'INSUFFICIENT_MARGIN' }), given());
    expect(margin?.reason).toBe('BALANCE');
    const dcp = stateOf(row({ orderStatus: 'Cancelled', cancelType: 'CancelByDCP' }), given());
    expect(dcp?.text).toContain('DCP');
  });

  it('of a post-only order that was open already is cancelled, never refused', () => {
    const names = new OrderNamesKept();
    stateOf(row({}), given('spot', names));
    const ended = row({ orderStatus: 'Cancelled', rejectReason: 'EC_PostOnlyWillTakeLiquidity' });
    expect(stateOf(ended, given('spot', names))?.status).toBe('CANCELLED');
    expect(stateOf(row({ orderStatus: 'Rejected' }), given('spot', names))?.status).toBe('CANCELLED');
  });

  it('over an amount has the quantity that it bought, and is filled where less than a step was left', () => {
    const names = new OrderNamesKept();
    names.sends(orderOf({ clientId: 'a', type: 'MARKET', quoteOrderQty: '100' }));
    const bought = {
      orderType: 'Market',
      qty: '100',
      cumExecQty: '0.001666',
      orderStatus: 'PartiallyFilledCanceled',
    };
    const all = stateOf(row({ ...bought, cumExecValue: '99.96' }), given('spot', names));
    expect(all).toMatchObject({
      status: 'FILLED',
      origQty: '0.001666',
      cumQty: '0.001666',
      quoteQty: '99.96',
    });
    const part = stateOf(row({ ...bought, cumExecQty: '0.0008', cumExecValue: '48' }), given('spot', names));
    expect(part?.status).toBe('CANCELLED');
    // The same by the exchange's own fields, where this process knows nothing of the order.
    const told = row({ ...bought, cumExecValue: '99.96', marketUnit: 'quoteCoin' });
    expect(stateOf(told, given())?.status).toBe('FILLED');
    // Many coins for little are no reason to call it filled before its end.
    const some = { ...bought, cumExecQty: '150', cumExecValue: '15', orderStatus: 'PartiallyFilled' };
    expect(stateOf(row(some), given('spot', names))).toMatchObject({ status: 'WORKING', cumQty: '150' });
    // What is left is worth a whole step, or less.
    for (const [spent, status] of [
      ['99.999999', 'CANCELLED'],
      ['99.9999991', 'FILLED'],
    ] as const) {
      const rest = { ...bought, cumExecQty: spent, cumExecValue: spent };
      expect(stateOf(row(rest), given('spot', names))?.status).toBe(status);
    }
    const byBase = row({ ...bought, qty: '0.002', cumExecValue: '99.96', marketUnit: 'baseCoin' });
    expect(stateOf(byBase, given())).toMatchObject({ status: 'CANCELLED', origQty: '0.002' });
  });

  it('protects nothing where a trigger of spot waits for the other side', () => {
    const names = new OrderNamesKept();
    names.sends(
      orderOf({ clientId: 'a', type: 'STOP_MARKET', side: 'SELL', stopPrice: '50000', quantity: '1' }),
    );
    const waiting = {
      side: 'Sell',
      orderStatus: 'Untriggered',
      stopOrderType: 'Stop',
      triggerPrice: '50000',
    } as const;
    const fine = stateOf(row({ ...waiting, lastPriceOnCreated: '50001' }), given('spot', names));
    expect(fine?.stuck).toBeUndefined();
    const passed = stateOf(row({ ...waiting, lastPriceOnCreated: '49999' }), given('spot', names));
    expect(passed?.stuck).toBe(true);
    const met = stateOf(row({ ...waiting, lastPriceOnCreated: '50000' }), given('spot', names));
    expect(met?.stuck).toBe(true);
  });

  it.each([
    ['Sell', 2, '', 'STOP_MARKET'],
    ['Sell', 1, '', 'TAKE_PROFIT_MARKET'],
    ['Buy', 1, '', 'STOP_MARKET'],
    ['Buy', 2, '', 'TAKE_PROFIT_MARKET'],
    ['Sell', 0, '61000', 'STOP_MARKET'],
    ['Sell', 0, '59000', 'TAKE_PROFIT_MARKET'],
  ] as const)(
    'of a %s with direction %i and a price of %s is of type %s',
    (side, triggerDirection, last, type) => {
      const waiting = row({
        side,
        triggerDirection,
        orderType: 'Market',
        orderStatus: 'Untriggered',
        stopOrderType: 'Stop',
        triggerPrice: '60000',
        lastPriceOnCreated: last,
      });
      expect(stateOf(waiting, given('linear'))?.terms).toMatchObject({ type, stopPrice: '60000' });
    },
  );

  it('has no price of a market order: it is the bound of what may be paid', () => {
    const state = stateOf(row({ orderType: 'Market', price: '63000', timeInForce: 'IOC' }), given('linear'));
    expect(state?.terms).not.toHaveProperty('price');
    expect(state?.terms).toMatchObject({ type: 'MARKET', timeInForce: 'IOC' });
  });

  it('says nothing where a word is not known', () => {
    expect(stateOf(row({ orderStatus: 'Frozen' }), given())).toBeNull();
    expect(stateOf(row({ orderType: 'Iceberg' }), given())).toBeNull();
  });
});

describe('an execution', () => {
  const execution = (more: Partial<ExecutionRow>): ExecutionRow => ({
    symbol: 'BTCUSDT',
    orderId: '1',
    orderLinkId: 'a',
    side: 'Buy',
    execId: 'e',
    execType: 'Trade',
    execPrice: '50000',
    execQty: '0.010',
    execFee: '0.00001',
    execTime: '1700000000000',
    isMaker: false,
    ...more,
  });
  const instrument = instrumentsOf([spotRow('BTCUSDT', 'BTC', 'USDT')], 'spot', 'x').instruments[0];
  const of = (category: 'spot' | 'linear', more: Partial<FillsGiven> = {}): FillsGiven => ({
    category,
    names: new OrderNamesKept(),
    instrumentOf: () => instrument,
    isHedged: () => false,
    ...more,
  });

  it('pays what the exchange says, else what was bought, or what was got for it; a rebate is the other one', () => {
    expect(fillOf(execution({ feeCurrency: 'MNT' }), of('spot'))?.commAsset).toBe('MNT');
    expect(fillOf(execution({}), of('spot'))?.commAsset).toBe('BTC');
    expect(fillOf(execution({ side: 'Sell' }), of('spot'))?.commAsset).toBe('USDT');
    expect(fillOf(execution({ execFee: '-0.1', isMaker: true }), of('spot'))).toMatchObject({
      comm: '-0.1',
      commAsset: 'USDT',
    });
    expect(fillOf(execution({}), of('linear'))?.commAsset).toBe('USDT');
  });

  it('has the taxes with it that are charged in the same asset', () => {
    const extraFees = [{ feeCoin: 'BTC', fee: '0.000002' }, { feeCoin: 'USDT', fee: '5' }, null, 'x'];
    expect(fillOf(execution({ extraFees }), of('spot'))?.comm).toBe('0.000012');
    expect(fillOf(execution({ extraFees: '' }), of('spot'))?.comm).toBe('0.00001');
  });

  it('is none where only money has moved', () => {
    expect(fillOf(execution({ execType: 'Funding' }), of('linear'))).toBeNull();
    expect(fillOf(execution({ execQty: '0' }), of('linear'))).toBeNull();
  });

  it.each([
    ['BustTrade', '', true],
    ['Trade', 'CreateByLiq', true],
    ['Trade', 'CreateByTakeOver_PassThrough', true],
    ['AdlTrade', 'CreateByAdl_PassThrough', undefined],
    ['Trade', 'CreateByUser', undefined],
  ])('%s %s is of a liquidation: %s', (execType, createType, liquidation) => {
    expect(fillOf(execution({ execType, createType }), of('linear'))?.liquidation).toBe(liquidation);
  });

  it.each([
    ['Buy', '0', 'LONG'],
    ['Sell', '0.01', 'LONG'],
    ['Sell', '0', 'SHORT'],
    ['Buy', '0.01', 'SHORT'],
  ] as const)('in hedge mode a %s that has closed %s is of the %s side', (side, closedSize, posSide) => {
    const hedged = of('linear', { isHedged: () => true });
    expect(fillOf(execution({ side, closedSize }), hedged)?.posSide).toBe(posSide);
    const names = new OrderNamesKept();
    names.heard('1', 'a', posSide === 'LONG' ? 1 : 2, true);
    expect(fillOf(execution({ side: 'Buy' }), of('linear', { names }))?.posSide).toBe(posSide);
    // As any message about the order has said it.
    const heard = new OrderNamesKept();
    stateOf(row({ positionIdx: posSide === 'LONG' ? 1 : 2 }), given('linear', heard));
    expect(fillOf(execution({ side }), of('linear', { names: heard }))?.posSide).toBe(posSide);
  });
});

it('halves a window of executions that has more than are taken at once, and leaves none out', async () => {
  const times = [10, 20, 30, 40, 50, 60, 70, 80];
  const asked: string[] = [];
  // At most the three newest rows: like a list that is given up after its first page.
  const list = async (_form: unknown, { startTime = '', endTime = '' }: Record<string, string>) => {
    asked.push(`${startTime}-${endTime}`);
    const within = times.filter((time) => time >= Number(startTime) && time <= Number(endTime)).reverse();
    const rows = within.slice(0, 3).map((time) => ({
      symbol: 'BTCUSDT',
      orderId: '1',
      side: 'Buy',
      execId: `e${time}`,
      execType: 'Trade',
      execPrice: '1',
      execQty: '1',
      execTime: String(time),
    }));
    return { kind: 'found', value: { rows, isWhole: within.length <= 3 } };
  };
  const fills = new BybitFills({
    category: 'spot',
    names: new OrderNamesKept(),
    requests: BYBIT.spot,
    now: () => 100,
    instrumentOf: () => undefined,
    isHedged: () => false,
    questions: { list } as unknown as Questions,
  });
  const seen = new Set<string>();
  let after: string | null = null;
  for (let pages = 0; pages < 40; pages++) {
    const page: Awaited<ReturnType<BybitFills['page']>> = await fills.page({
      symbol: 'BTCUSDT',
      after,
      since: 0,
    });
    for (const { tradeId } of page?.fills ?? []) seen.add(tradeId);
    if (!page?.more) break;
    expect(page.next).not.toBe(after);
    after = page.next;
  }
  expect(asked[0]).toBe('0-100');
  expect([...seen].sort()).toEqual(times.map((time) => `e${time}`));
});

it('gives each execution that has closed something what it has realised, which another list tells', async () => {
  const DAY = 86_400_000;
  const executions = [2, 1].map((day) => ({
    ...{ symbol: 'BTCUSDT', orderId: '1', side: 'Sell', execType: 'Trade', execPrice: '1', execQty: '1' },
    ...{ execId: `e${day}`, closedSize: '1', execTime: String(day * DAY) },
  }));
  let isThere = true;
  const asked: Record<string, string>[] = [];
  const rows = async (_form: unknown, parameters: Record<string, string>) => {
    asked.push(parameters);
    const { startTime = '', endTime = '' } = parameters;
    const log = [1, 2].map((day) => ({ tradeId: `e${day}`, cashFlow: String(day), at: day * DAY }));
    return isThere ? log.filter(({ at }) => at >= Number(startTime) && at <= Number(endTime)) : null;
  };
  const fills = new BybitFills({
    category: 'linear',
    names: new OrderNamesKept(),
    requests: BYBIT.linear,
    now: () => 3 * DAY,
    instrumentOf: () => undefined,
    isHedged: () => false,
    questions: {
      rows,
      list: async () => ({ kind: 'found', value: { rows: executions, isWhole: true } }),
    } as unknown as Questions,
  });
  const page = () => fills.page({ symbol: 'BTCUSDT', after: null, since: 0 });
  expect((await page())?.fills.map(({ tradeId, rPnl }) => [tradeId, rPnl])).toEqual([
    ['e1', '1'],
    ['e2', '2'],
  ]);
  expect(asked).toHaveLength(1);
  isThere = false;
  expect(await page()).toBeNull();
});

it('counts of a wallet what is the account’s own, and binds no more than there is', () => {
  const coin = { coin: 'USDT', walletBalance: '1200', spotBorrow: '200' };
  expect(balancesOf([{ ...coin, locked: '300' }], 5)).toEqual([
    { asset: 'USDT', free: '700', locked: '300', time: 5 },
  ]);
  expect(balancesOf([{ ...coin, locked: '5000' }])).toEqual([{ asset: 'USDT', free: '0', locked: '1000' }]);
  expect(balancesOf([{ coin: 'ETH', walletBalance: '' }])).toEqual([
    { asset: 'ETH', free: '0', locked: '0' },
  ]);
});

function spotRow(symbol: string, baseCoin: string, quoteCoin: string, more: object = {}) {
  return {
    symbol,
    baseCoin,
    quoteCoin,
    status: 'Trading',
    lotSizeFilter: {
      basePrecision: '0.000001',
      quotePrecision: '0.0000001',
      minOrderQty: '0.000011',
      maxOrderQty: '83',
      minOrderAmt: '5',
      maxLimitOrderQty: '83',
      maxMarketOrderQty: '41.5',
    },
    priceFilter: { tickSize: '0.1' },
    ...more,
  };
}

function linearRow(symbol: string, baseCoin: string, quoteCoin: string, more: object = {}) {
  return {
    symbol,
    baseCoin,
    quoteCoin,
    settleCoin: quoteCoin,
    status: 'Trading',
    deliveryTime: '0',
    contractType: 'LinearPerpetual',
    lotSizeFilter: {
      qtyStep: '0.001',
      minOrderQty: '0.001',
      maxOrderQty: '1190.000',
      maxMktOrderQty: '500.000',
      minNotionalValue: '5',
    },
    priceFilter: { tickSize: '0.10', minPrice: '0.10', maxPrice: '1999999.80' },
    ...more,
  };
}

describe('what is traded', () => {
  it('has the steps and bounds that are checked, of spot by value and not by the least quantity', () => {
    const { instruments, problems } = instrumentsOf([spotRow('BTCUSDT', 'BTC', 'USDT')], 'spot', 'mine-spot');
    expect(problems).toEqual([]);
    expect(instruments[0]).toMatchObject({
      exchange: 'mine-spot',
      symbol: 'BTCUSDT',
      kind: 'spot',
      tickSize: '0.1',
      stepSize: '0.000001',
      minQty: '0.000001',
      maxQty: '83',
      marketMaxQty: '41.5',
      minNotional: '5',
      maxIcebergParts: 0,
    });
  });

  it('is perpetual contracts in USDT and USDC alone, each under the exchange’s own name', () => {
    const rows = [
      linearRow('BTCUSDT', 'BTC', 'USDT'),
      linearRow('BTCPERP', 'BTC', 'USDC'),
      linearRow('BTCUSDT-26MAR27', 'BTC', 'USDT', { contractType: 'LinearFutures' }),
      linearRow('BTCUSD', 'BTC', 'USD', { settleCoin: 'BTC', contractType: 'Anything' }),
      linearRow('BIOUSDT', 'BIO', 'USDT', { status: 'PreLaunch' }),
      linearRow('OLDUSDT', 'OLD', 'USDT', { status: 'Delivering', deliveryTime: '1800000000000' }),
    ];
    const { instruments, problems } = instrumentsOf(rows, 'linear', 'x');
    expect(instruments.map(({ symbol }) => symbol)).toEqual(['BTCUSDT', 'BTCPERP', 'OLDUSDT']);
    expect(instruments[2]).toMatchObject({ halt: 'halted', endsAt: 1_800_000_000_000 });
    expect(problems).toEqual([]);
  });

  it.each([
    ['1000PEPE', '1000'],
    ['SHIB1000', '1000'],
    ['1000000MOG', '1000000'],
    ['10000SATS', '10000'],
    ['1INCH', undefined],
    ['BTC', undefined],
  ])('%s is several of a coin: %s', (base, multiplier) => {
    const [one] = instrumentsOf([linearRow(`${base}USDT`, base, 'USDT')], 'linear', 'x').instruments;
    expect(one?.multiplier).toBe(multiplier);
  });

  it('leaves out with a sentence what cannot be read, and keeps what of it was known as halted', () => {
    const good = spotRow('BTCUSDT', 'BTC', 'USDT');
    const before = instrumentsOf([good, spotRow('ETHUSDT', 'ETH', 'USDT')], 'spot', 'x').instruments;
    const rows = [good, good, spotRow('ETHUSDT', 'ETH', 'USDT', { status: 'Odd' }), 5, null, { symbol: 'X' }];
    const read = instrumentsOf(rows, 'spot', 'x');
    expect(read.instruments.map(({ symbol }) => symbol)).toEqual(['BTCUSDT']);
    expect(read.problems.join('\n')).toContain('ETHUSDT: has the status Odd');
    expect(read.problems.join('\n')).toContain('named twice');
    expect(withUnread(read, before).find(({ symbol }) => symbol === 'ETHUSDT')?.halt).toBe('halted');
  });
});

it('makes brackets out of risk limits in whatever order they come', () => {
  const tier = (
    riskLimitValue: string,
    maintenanceMargin: number | string,
    mmDeduction: string,
    maxLeverage: string,
  ) => ({
    symbol: 'BTCUSDT',
    riskLimitValue,
    maintenanceMargin,
    mmDeduction,
    maxLeverage,
  });
  const rows = [tier('4000000', 0.01, '10000', '50.00'), tier('2000000', '0.005', '', '100.00')];
  expect(bracketsOf(rows).get('BTCUSDT')).toEqual([
    {
      initialLeverage: 100,
      notionalFloor: '0',
      notionalCap: '2000000',
      maintenanceMarginRate: '0.005',
      cumulative: '0',
    },
    {
      initialLeverage: 50,
      notionalFloor: '2000000',
      notionalCap: '4000000',
      maintenanceMarginRate: '0.01',
      cumulative: '10000',
    },
  ]);
});

const shared = readShared('payloads/bybit.json');
describe.skipIf(shared === null)('recorded payloads of another client (payloads/bybit.json)', () => {
  const { payloads } = JSON.parse(shared ?? '{"payloads":{}}') as { payloads: Record<string, unknown> };
  const READERS: readonly [RegExp, (text: string) => { readonly ok: boolean }][] = [
    [/^http_get_order(?!book)/, readOrders],
    [/^http_get_executions/, readExecutions],
    [/^http_get_wallet/, readWallet],
    [/^http_get_positions/, readPositions],
    [/^http_get_instruments/, readInstrumentPage],
    [/^ws_account_order/, readOrderEvent],
    [/^ws_account_execution$/, readExecutionEvent],
    [/^ws_account_wallet/, readWalletEvent],
    [/^ws_account_position(_short)?$/, readPositionEvent],
    [/^ws_(auth|subscription)/, readFrame],
  ];
  const cases = READERS.flatMap(([names, read]) =>
    Object.keys(payloads)
      .filter((name) => names.test(name))
      .map((name) => [name, read] as const),
  );
  it.each(cases)('%s is read', (name, read) => {
    expect(read(JSON.stringify(payloads[name]))).toMatchObject({ ok: true });
  });
});
