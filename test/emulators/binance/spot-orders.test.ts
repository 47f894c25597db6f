/** Spot orders beyond the plain one: triggers, trailing stops, icebergs, amendments, replacements, dust. */
import { expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import { testEmulator } from './support.ts';

const SELL = { symbol: 'BTCUSDT', side: 'SELL', quantity: '0.01', timeInForce: 'GTC' };
const reports = (messages: { event?: Record<string, string> }[]) =>
  messages.flatMap(({ event }) => (event?.e === 'executionReport' ? [`${event.x} ${event.X}`] : []));

it('keeps a stop-limit order off the book until its trigger, then works it at its limit', () => {
  const { emulator, signed, userStream } = testEmulator();
  const { messages } = userStream();
  const stop = {
    ...SELL,
    type: 'STOP_LOSS_LIMIT',
    stopPrice: '59000',
    price: '59500',
    newClientOrderId: 's',
  };
  expect(signed('POST', '/api/v3/order', stop).body).not.toHaveProperty('status');
  expect(messages[1].event).toMatchObject({ x: 'NEW', w: false, P: '59000.00000000' });
  expect(messages[1].event).not.toHaveProperty('W');
  const asked = () => signed('GET', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 's' }).body;
  emulator.printSpot('BTCUSDT', '59000.01');
  expect(asked()).toMatchObject({ isWorking: false, workingTime: -1 });
  emulator.printSpot('BTCUSDT', '59000');
  expect(asked()).toMatchObject({ isWorking: true, status: 'NEW' });
  emulator.printSpot('BTCUSDT', '59500', '0.004');
  expect(asked()).toMatchObject({ status: 'PARTIALLY_FILLED', executedQty: '0.00400000' });
  emulator.printSpot('BTCUSDT', '59500.01', '0.0001');
  expect(asked()).toMatchObject({ status: 'FILLED' });
  expect(reports(messages)).toEqual(['NEW NEW', 'TRADE PARTIALLY_FILLED', 'TRADE FILLED']);
});

it.each([
  ['SELL', 'STOP_LOSS_LIMIT', '61000'],
  ['BUY', 'STOP_LOSS_LIMIT', '59000'],
  ['SELL', 'TAKE_PROFIT_LIMIT', '59000'],
  ['BUY', 'TAKE_PROFIT_LIMIT', '61000'],
])('refuses a %s %s whose trigger at %s is behind the market', (side, type, stopPrice) => {
  const { signed } = testEmulator();
  const { body } = signed('POST', '/api/v3/order', { ...SELL, side, type, stopPrice, price: '60000' });
  expect(body).toEqual({ code: -2010, msg: 'Order would trigger immediately.' });
});

it('trails by hundredths of a percent from the extreme, and fires at exactly the distance', () => {
  const { emulator, signed } = testEmulator();
  signed('POST', '/api/v3/order', {
    ...SELL,
    type: 'STOP_LOSS_LIMIT',
    trailingDelta: '100',
    price: '50000',
    newClientOrderId: 't',
  });
  const status = () =>
    signed('GET', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 't' }).body.status;
  for (const price of ['60500', '61000', '60390.01']) emulator.printSpot('BTCUSDT', price);
  expect(status()).toBe('NEW');
  emulator.printSpot('BTCUSDT', '60390');
  expect(status()).toBe('FILLED');
});

it('takes a market stop where the symbol lists it, with a trail that begins at its stop price', () => {
  const { emulator, signed } = testEmulator();
  const order = {
    symbol: 'ADAUSDT',
    side: 'BUY',
    type: 'STOP_LOSS',
    quantity: '100',
    stopPrice: '0.41',
    trailingDelta: '1000',
    newClientOrderId: 'm',
  };
  expect(signed('POST', '/api/v3/order', order).status).toBe(200);
  const status = () =>
    signed('GET', '/api/v3/order', { symbol: 'ADAUSDT', origClientOrderId: 'm' }).body.status;
  for (const price of ['0.41', '0.4', '0.4399']) emulator.printSpot('ADAUSDT', price);
  expect(status()).toBe('NEW');
  emulator.printSpot('ADAUSDT', '0.44');
  expect(status()).toBe('FILLED');
});

it('shows an iceberg part by part, and refuses one with more than a hundred', () => {
  const { emulator, signed } = testEmulator();
  const order = { ...SELL, type: 'LIMIT', price: '60100', icebergQty: '0.004', newClientOrderId: 'i' };
  signed('POST', '/api/v3/order', order);
  emulator.printSpot('BTCUSDT', '60100', '1');
  const asked = signed('GET', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'i' }).body;
  expect(asked).toMatchObject({
    status: 'PARTIALLY_FILLED',
    executedQty: '0.00400000',
    icebergQty: '0.00400000',
  });
  expect(
    signed('POST', '/api/v3/order', { ...order, icebergQty: '0.00009', newClientOrderId: 'j' }).body.msg,
  ).toBe('Filter failure: ICEBERG_PARTS');
});

it('ends what IOC and FOK leave, with the reason', () => {
  const { signed } = testEmulator({ levelNotional: '600' });
  const order = (timeInForce: string) =>
    signed('POST', '/api/v3/order', {
      ...SELL,
      quantity: '0.1',
      type: 'LIMIT',
      price: '59999.95',
      timeInForce,
    }).body;
  expect(order('IOC')).toMatchObject({
    status: 'EXPIRED',
    executedQty: '0.05000000',
    expiryReason: 'UNFILLED_IOC_QUANTITY_EXPIRED',
  });
  expect(order('FOK')).toMatchObject({
    status: 'EXPIRED',
    executedQty: '0.00000000',
    expiryReason: 'UNFILLED_FOK_ORDER_EXPIRED',
  });
});

it('amends to less with a new id, keeps the lock exact, and tells both ids', () => {
  const { emulator, signed, userStream } = testEmulator();
  const { messages } = userStream();
  signed('POST', '/api/v3/order', {
    ...SELL,
    side: 'BUY',
    type: 'LIMIT',
    price: '50000',
    newClientOrderId: 'a',
  });
  const amended = signed('PUT', '/api/v3/order/amend/keepPriority', {
    symbol: 'BTCUSDT',
    origClientOrderId: 'a',
    newQty: '0.004',
    newClientOrderId: 'b',
  });
  expect(amended.body.amendedOrder).toMatchObject({
    origClientOrderId: 'a',
    clientOrderId: 'b',
    qty: '0.00400000',
  });
  expect(messages.at(-2).event).toMatchObject({ x: 'REPLACED', c: 'b', C: 'a', q: '0.00400000' });
  expect(emulator.spot.account('main').wallets.get('USDT')?.locked).toBe(200n * 10n ** 30n);
  const again = { symbol: 'BTCUSDT', origClientOrderId: 'b', newQty: '0.004' };
  expect(signed('PUT', '/api/v3/order/amend/keepPriority', again).body.code).toBe(-2038);
  expect(signed('GET', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'a' }).body.code).toBe(-2013);
});

it('replaces by halves: 409 with both answers, and nothing at all for a filter', () => {
  const { signed } = testEmulator();
  const limit = { ...SELL, side: 'BUY', type: 'LIMIT', price: '50000' };
  signed('POST', '/api/v3/order', { ...limit, newClientOrderId: 'a' });
  const replace = (more: Record<string, string>) =>
    signed('POST', '/api/v3/order/cancelReplace', {
      ...limit,
      cancelReplaceMode: 'STOP_ON_FAILURE',
      cancelOrigClientOrderId: 'a',
      ...more,
    });
  expect(replace({ price: '50000.001' }).body).toEqual({ code: -1013, msg: 'Filter failure: PRICE_FILTER' });
  expect(signed('GET', '/api/v3/openOrders').body).toHaveLength(1);
  const half = replace({ quantity: '100' });
  expect([
    half.status,
    half.body.code,
    half.body.data.cancelResult,
    half.body.data.newOrderResponse.code,
  ]).toEqual([409, -2021, 'SUCCESS', -2010]);
  expect(replace({})).toMatchObject({
    status: 400,
    body: { code: -2022, data: { newOrderResult: 'NOT_ATTEMPTED' } },
  });
  expect(replace({ cancelReplaceMode: 'ALLOW_FAILURE' })).toMatchObject({
    status: 409,
    body: { data: { newOrderResult: 'SUCCESS' } },
  });
});

it('cancels with its own id in the report, and once only', () => {
  const { signed, userStream } = testEmulator();
  const { messages } = userStream();
  signed('POST', '/api/v3/order', { ...SELL, type: 'LIMIT', price: '61000', newClientOrderId: 'a' });
  const cancel = { symbol: 'BTCUSDT', origClientOrderId: 'a', newClientOrderId: 'c' };
  expect(signed('DELETE', '/api/v3/order', cancel).body).toMatchObject({
    origClientOrderId: 'a',
    clientOrderId: 'c',
    status: 'CANCELED',
  });
  expect(messages.at(-2).event).toMatchObject({ x: 'CANCELED', c: 'c', C: 'a', w: false });
  expect(signed('DELETE', '/api/v3/order', cancel).body.code).toBe(-2011);
  expect(signed('DELETE', '/api/v3/openOrders', { symbol: 'BTCUSDT' }).body.code).toBe(-2011);
});

it('refuses a client id that is open, and takes it again afterwards', () => {
  const { signed } = testEmulator();
  const order = { ...SELL, type: 'LIMIT', price: '61000', newClientOrderId: 'a' };
  signed('POST', '/api/v3/order', order);
  expect(signed('POST', '/api/v3/order', order).body).toEqual({ code: -2010, msg: 'Duplicate order sent.' });
  signed('DELETE', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'a' });
  expect(signed('POST', '/api/v3/order', order).status).toBe(200);
});

it('hides a new order for a while, and forgets none', async () => {
  const { clock, signed } = testEmulator({ hiddenMs: 500 });
  signed('POST', '/api/v3/order', { ...SELL, type: 'LIMIT', price: '61000', newClientOrderId: 'a' });
  const ask = () => signed('GET', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'a' });
  expect(ask().body.code).toBe(-2013);
  await clock.advance(500);
  expect(ask().status).toBe(200);
});

it('pays fees in BNB a quarter off, and turns small balances into it once in six hours', () => {
  const { emulator, signed } = testEmulator({
    spotBalances: { USDT: '1000', BNB: '1', ADA: '3', DOGE: '10' },
  });
  signed('POST', '/sapi/v1/bnbBurn', { spotBNBBurn: 'true' });
  const { fills } = signed('POST', '/api/v3/order', {
    symbol: 'BNBUSDT',
    side: 'BUY',
    type: 'MARKET',
    quantity: '0.1',
  }).body;
  // 60 USDT x 0.1 % x 0.75 at 600.
  expect(fills).toMatchObject([{ commission: '0.00007500', commissionAsset: 'BNB' }]);
  const { details } = signed('POST', '/sapi/v1/asset/dust-btc').body;
  expect(details.map(({ asset }: { asset: string }) => asset)).toEqual(['ADA', 'DOGE']);
  const done = signed('POST', '/sapi/v1/asset/dust', { asset: 'ADA' });
  expect(done.body.transferResult).toMatchObject([{ fromAsset: 'ADA', amount: '3.00000000' }]);
  expect(emulator.spot.account('main').wallets.get('ADA')?.free).toBe(0n);
  expect(signed('POST', '/sapi/v1/asset/dust', { asset: 'DOGE' }).body.code).toBe(32110);
});

it('gives trades of a day at most between two times', () => {
  const { emulator, signed } = testEmulator();
  const now = emulator.now();
  const ask = (params: Record<string, string>) =>
    signed('GET', '/api/v3/myTrades', { symbol: 'BTCUSDT', ...params });
  expect(ask({ startTime: String(now - 86_400_001), endTime: String(now) }).body.code).toBe(-1127);
  expect(ask({ startTime: String(now - 86_400_000), endTime: String(now) }).body).toEqual([]);
  expect(ask({ startTime: '1', fromId: '1' }).body.code).toBe(-1128);
});

it('frees at once what a better price has saved, and locks what rests to the last digit', () => {
  const { emulator, signed } = testEmulator({ levelNotional: '600' });
  const order = { ...SELL, side: 'BUY', quantity: '0.1', type: 'LIMIT', price: '60000.05' };
  expect(signed('POST', '/api/v3/order', order).body).toMatchObject({
    executedQty: '0.05000000',
    status: 'PARTIALLY_FILLED',
  });
  const wallet = emulator.spot.account('main').wallets.get('USDT');
  expect([wallet?.locked, wallet?.free]).toEqual([dec('3000.0025'), dec('93999.996')]);
});
