/**
 * USD-M beyond the plain order: hedge mode, reductions, trailing stops, amendments, dates, margins, acts of
 * the exchange itself.
 */
import { expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import { testEmulator } from './support.ts';

const MARKET = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' };
const LIMIT = {
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  timeInForce: 'GTC',
  quantity: '0.01',
  price: '59000',
  newClientOrderId: 'a',
};
const ALGO = {
  algoType: 'CONDITIONAL',
  symbol: 'BTCUSDT',
  side: 'SELL',
  quantity: '0.01',
  clientAlgoId: 's',
};

function opened(settings = {}) {
  const rig = testEmulator(settings);
  const { listenKey } = rig.ask('POST', '/fapi/v1/listenKey').body;
  const { messages } = rig.socket(`/private/ws?listenKey=${listenKey}`);
  const ended = () => messages.filter(({ o }) => o?.X === 'EXPIRED').map(({ o }) => [o.c, o.er]);
  const position = () =>
    rig.signed('GET', '/fapi/v2/positionRisk', { symbol: 'BTCUSDT' }).body[0].positionAmt;
  return { ...rig, messages, ended, position };
}

it('keeps two positions in hedge mode, and closes none with more than there is', () => {
  const { signed } = testEmulator({ hedge: true });
  const order = (more: Record<string, string>) => signed('POST', '/fapi/v1/order', { ...MARKET, ...more });
  expect(order({}).body.code).toBe(-4061);
  expect(order({ positionSide: 'LONG', reduceOnly: 'true' }).body.code).toBe(-1106);
  order({ positionSide: 'LONG' });
  order({ positionSide: 'SHORT', side: 'SELL', quantity: '0.02' });
  const amounts = () =>
    signed('GET', '/fapi/v3/positionRisk').body.map(
      (row: Record<string, string>) => `${row.positionSide} ${row.positionAmt}`,
    );
  expect(amounts()).toEqual(['LONG 0.010', 'SHORT -0.020']);
  expect(order({ positionSide: 'LONG', side: 'SELL', quantity: '0.011' }).body.code).toBe(-2022);
  order({ positionSide: 'LONG', side: 'SELL' });
  expect(amounts()).toEqual(['LONG 0.000', 'SHORT -0.020']);
  expect(signed('POST', '/fapi/v1/positionSide/dual', { dualSidePosition: 'false' }).body.code).toBe(-4068);
});

it('knocks a resting reduce-only order out when its position is gone', () => {
  const { signed, ended, position } = opened();
  signed('POST', '/fapi/v1/order', MARKET);
  signed('POST', '/fapi/v1/order', { ...LIMIT, side: 'SELL', price: '61000', reduceOnly: 'true' });
  signed('POST', '/fapi/v1/order', { ...MARKET, side: 'SELL', reduceOnly: 'true' });
  expect([position(), ended()]).toEqual(['0.000', [['a', '4']]]);
});

it('never reduces beyond the position, and never needs the least notional for it', () => {
  const { signed, position } = opened();
  signed('POST', '/fapi/v1/order', { ...MARKET, quantity: '0.001' });
  const reduce = {
    ...MARKET,
    side: 'SELL',
    quantity: '0.005',
    reduceOnly: 'true',
    newOrderRespType: 'RESULT',
  };
  expect(signed('POST', '/fapi/v1/order', reduce).body).toMatchObject({
    status: 'EXPIRED',
    executedQty: '0.001',
  });
  expect(position()).toBe('0.000');
});

it('says NEW and nothing filled in its short answer, and the truth in the long one', () => {
  const { signed } = testEmulator();
  expect(signed('POST', '/fapi/v1/order', MARKET).body).toMatchObject({ status: 'NEW', executedQty: '0' });
  const full = signed('POST', '/fapi/v1/order', { ...MARKET, newOrderRespType: 'RESULT' }).body;
  expect(full).toMatchObject({ status: 'FILLED', executedQty: '0.010' });
  expect(
    signed('GET', '/fapi/v1/order', { symbol: 'BTCUSDT', orderId: String(full.orderId) }).body.avgPrice,
  ).toBe('60020.10000');
});

it('trails a percentage from the extreme after its activation', () => {
  const { emulator, signed, messages, position } = opened();
  signed('POST', '/fapi/v1/order', MARKET);
  signed('POST', '/fapi/v1/algoOrder', {
    ...ALGO,
    type: 'TRAILING_STOP_MARKET',
    callbackRate: '1',
    activatePrice: '61000',
  });
  for (const price of ['60900', '60000', '61000', '62000', '61380.1'])
    emulator.printFutures('BTCUSDT', price);
  expect(position()).toBe('0.010');
  expect(messages.filter(({ e }) => e === 'ALGO_UPDATE').map(({ o }) => [o.X, o.ia])).toEqual([
    ['NEW', false],
    ['NEW', true],
  ]);
  emulator.printFutures('BTCUSDT', '61380');
  expect(position()).toBe('0.000');
});

it('watches the mark price where it is asked to', () => {
  const { emulator, signed, position } = opened();
  signed('POST', '/fapi/v1/order', MARKET);
  signed('POST', '/fapi/v1/algoOrder', {
    ...ALGO,
    type: 'STOP_MARKET',
    triggerPrice: '59000',
    workingType: 'MARK_PRICE',
  });
  emulator.printFutures('BTCUSDT', '58900', '1', true, '59500');
  expect(position()).toBe('0.010');
  emulator.printFutures('BTCUSDT', '58900', '1', true, '59000');
  expect(position()).toBe('0.000');
});

it('closes the whole position with closePosition, and lets it go with the position', () => {
  const { emulator, signed, messages, position } = opened();
  signed('POST', '/fapi/v1/order', { ...MARKET, quantity: '0.03' });
  const { quantity: _, ...close } = {
    ...ALGO,
    type: 'STOP_MARKET',
    triggerPrice: '59000',
    closePosition: 'true',
  };
  signed('POST', '/fapi/v1/algoOrder', close);
  signed('POST', '/fapi/v1/order', { ...MARKET, side: 'SELL', quantity: '0.03' });
  expect(messages.at(-1).o).toMatchObject({ caid: 's', X: 'EXPIRED' });
  signed('POST', '/fapi/v1/order', { ...MARKET, quantity: '0.03' });
  signed('POST', '/fapi/v1/algoOrder', close);
  emulator.printFutures('BTCUSDT', '59000');
  expect(position()).toBe('0.000');
});

it('can neither cancel nor trust one that is triggering, and lets the engine refuse it', async () => {
  const { clock, emulator, signed, messages } = opened({
    triggeringMs: 2_000,
    futuresBalances: { USDT: '100' },
  });
  const buy = { ...ALGO, side: 'BUY', quantity: '1', type: 'STOP_MARKET', triggerPrice: '61000' };
  signed('POST', '/fapi/v1/algoOrder', buy);
  emulator.printFutures('BTCUSDT', '61000');
  expect(signed('DELETE', '/fapi/v1/algoOrder', { clientAlgoId: 's' }).body.code).toBe(-4117);
  await clock.advance(2_000);
  expect(messages.at(-1).o).toMatchObject({ X: 'REJECTED', rm: 'Margin is insufficient.', ai: '' });
  expect(signed('DELETE', '/fapi/v1/algoOrder', { clientAlgoId: 's' }).body.code).toBe(-2011);
});

it('amends price and quantity, refuses no change, and cancels one that is made smaller than it is filled', () => {
  const { emulator, signed, messages } = opened();
  signed('POST', '/fapi/v1/order', LIMIT);
  const change = (more: Record<string, string>) =>
    signed('PUT', '/fapi/v1/order', {
      symbol: 'BTCUSDT',
      side: 'BUY',
      origClientOrderId: 'a',
      quantity: '0.01',
      price: '59000',
      ...more,
    });
  expect(change({}).body.code).toBe(-5027);
  expect(change({ price: '58000', quantity: '0.02' }).body).toMatchObject({
    price: '58000.0',
    origQty: '0.020',
    modifyId: 1,
  });
  expect(messages.at(-1).o).toMatchObject({ x: 'AMENDMENT', M: 1 });
  emulator.printFutures('BTCUSDT', '58000', '0.005');
  expect(change({ price: '58000', quantity: '0.005' }).body).toMatchObject({
    status: 'CANCELED',
    executedQty: '0.005',
  });
});

it('ends a dated order at its date, and all of a symbol by the dead man’s switch', async () => {
  const { clock, emulator, signed, ended } = opened();
  const goodTillDate = String(emulator.now() + 700_000);
  signed('POST', '/fapi/v1/order', { ...LIMIT, timeInForce: 'GTD', goodTillDate });
  signed('POST', '/fapi/v1/order', { ...LIMIT, newClientOrderId: 'b' });
  signed('POST', '/fapi/v1/countdownCancelAll', { symbol: 'BTCUSDT', countdownTime: '800000' });
  await clock.advance(699_999);
  expect(signed('GET', '/fapi/v1/openOrders').body).toHaveLength(2);
  await clock.advance(1);
  expect(ended()).toEqual([['a', '0']]);
  await clock.advance(100_000);
  expect(signed('GET', '/fapi/v1/openOrders').body).toEqual([]);
});

it('settles funding, tells the balance only, and books it as income', async () => {
  const { ask, clock, emulator, signed, messages } = opened();
  signed('POST', '/fapi/v1/order', { ...MARKET, quantity: '1' });
  emulator.futuresMarket.of('BTCUSDT').fundingRate = dec('0.0001');
  const before = messages.length;
  for (let hour = 0; hour < 4; hour++) {
    await clock.advance(3_599_000);
    ask('PUT', '/fapi/v1/listenKey');
  }
  await clock.advance(10_000);
  signed('GET', '/fapi/v1/time');
  // 1 BTC at 60020 x 0.01 %.
  const told = messages.slice(before).filter(({ e }) => e === 'ACCOUNT_UPDATE');
  expect(told.map(({ a }) => [a.m, a.B[0].bc, a.P])).toEqual([['FUNDING_FEE', '-6.00200000', []]]);
  expect(signed('GET', '/fapi/v1/income', { incomeType: 'FUNDING_FEE' }).body).toMatchObject([
    { income: '-6.00200000' },
  ]);
});

it('reduces a position by itself, under a name of its own', () => {
  const { emulator, signed, messages, position } = opened();
  signed('POST', '/fapi/v1/order', { ...MARKET, quantity: '0.05' });
  emulator.acts.adl(emulator.futures.account('main'), 'BTCUSDT', 'BOTH', dec('0.02'));
  expect(position()).toBe('0.030');
  expect(messages.at(-1).o).toMatchObject({ c: 'adl_autoclose', x: 'CALCULATED', X: 'FILLED' });
});

it('keeps the margin of an isolated position apart, and liquidates it alone', () => {
  const { emulator, signed, position } = opened();
  signed('POST', '/fapi/v1/marginType', { symbol: 'BTCUSDT', marginType: 'ISOLATED' });
  signed('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: '100' });
  signed('POST', '/fapi/v1/order', { ...MARKET, quantity: '0.1' });
  signed('POST', '/fapi/v1/order', { ...MARKET, symbol: 'ETHUSDT', quantity: '1' });
  expect(signed('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: '50' }).body.code).toBe(-4161);
  emulator.printFutures('BTCUSDT', '59000');
  expect(position()).toBe('0.000');
  expect(signed('GET', '/fapi/v3/positionRisk').body).toMatchObject([{ symbol: 'ETHUSDT' }]);
});

it('shows nothing of an unfilled order after three days', async () => {
  const { clock, signed } = testEmulator();
  signed('POST', '/fapi/v1/order', LIMIT);
  signed('DELETE', '/fapi/v1/order', { symbol: 'BTCUSDT', origClientOrderId: 'a' });
  const ask = () => signed('GET', '/fapi/v1/order', { symbol: 'BTCUSDT', origClientOrderId: 'a' });
  expect(ask().body.status).toBe('CANCELED');
  await clock.advance(3 * 86_400_000);
  expect(ask().body.code).toBe(-2013);
});
