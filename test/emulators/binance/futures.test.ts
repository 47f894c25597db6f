/** The emulator's USD-M exchange: orders, positions, conditionals, settings, the account's stream. */
import { expect, it } from 'vitest';
import { testEmulator } from './support.ts';

const LIMIT = {
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  timeInForce: 'GTC',
  quantity: '0.01',
  price: '59000',
  newClientOrderId: 'a',
};
const STOP = {
  algoType: 'CONDITIONAL',
  symbol: 'BTCUSDT',
  side: 'SELL',
  type: 'STOP_MARKET',
  quantity: '0.01',
  triggerPrice: '58000',
  clientAlgoId: 's',
};

function opened(settings = {}) {
  const rig = testEmulator(settings);
  const { listenKey } = rig.ask('POST', '/fapi/v1/listenKey').body;
  return { ...rig, listenKey, stream: rig.socket(`/private/ws?listenKey=${listenKey}`) };
}

it('takes a limit order, fills it, and opens a position that the stream and the account tell alike', () => {
  const { emulator, signed, stream } = opened();
  const placed = signed('POST', '/fapi/v1/order', LIMIT);
  expect(placed.body).toMatchObject({ status: 'NEW', clientOrderId: 'a', origQty: '0.010' });
  expect(placed.body).not.toHaveProperty('avgPrice');
  emulator.printFutures('BTCUSDT', '58999');
  expect(stream.messages.map((event) => [event.e, event.o?.x ?? event.a?.m])).toEqual([
    ['ORDER_TRADE_UPDATE', 'NEW'],
    ['TRADE_LITE', undefined],
    ['ACCOUNT_UPDATE', 'ORDER'],
    ['ORDER_TRADE_UPDATE', 'TRADE'],
  ]);
  expect(signed('GET', '/fapi/v3/positionRisk').body).toMatchObject([
    { symbol: 'BTCUSDT', positionAmt: '0.010', entryPrice: '59000.00000000' },
  ]);
  expect(signed('GET', '/fapi/v1/userTrades', { symbol: 'BTCUSDT' }).body).toMatchObject([
    { price: '59000.0', commission: '0.11800000', realizedPnl: '0.00000000', maker: true },
  ]);
});

it('sends a stop through TRIGGERING and TRIGGERED into an order of its own, and finishes with it', () => {
  const { emulator, signed, stream } = opened();
  signed('POST', '/fapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' });
  const before = stream.messages.length;
  expect(signed('POST', '/fapi/v1/algoOrder', STOP).body).toMatchObject({
    algoStatus: 'NEW',
    triggerPrice: '58000.0',
  });
  expect(signed('GET', '/fapi/v1/openOrders').body).toEqual([]);
  emulator.printFutures('BTCUSDT', '57999.9');
  const told = stream.messages
    .slice(before)
    .map((event) => `${event.e} ${event.o?.x ?? event.o?.X ?? event.a?.m ?? ''}`);
  expect(told).toEqual([
    'ALGO_UPDATE NEW',
    'ALGO_UPDATE TRIGGERING',
    'ALGO_UPDATE TRIGGERED',
    'ORDER_TRADE_UPDATE NEW',
    'TRADE_LITE ',
    'ACCOUNT_UPDATE ORDER',
    'ORDER_TRADE_UPDATE TRADE',
    'ALGO_UPDATE FINISHED',
  ]);
  const [position] = signed('GET', '/fapi/v2/positionRisk', { symbol: 'BTCUSDT' }).body;
  expect(position.positionAmt).toBe('0.000');
  expect(signed('GET', '/fapi/v1/algoOrder', { clientAlgoId: 's' }).body).toMatchObject({
    algoStatus: 'FINISHED',
    actualOrderId: expect.stringMatching(/^\d+$/),
  });
});

it('moves the wallet by what was realized and by fees, to the last digit', () => {
  const { emulator, signed, log } = opened();
  for (const [side, price] of [
    ['BUY', '59000'],
    ['BUY', '58500'],
    ['SELL', '60500'],
    ['SELL', '60700'],
  ] as const) {
    signed('POST', '/fapi/v1/order', { ...LIMIT, side, price, newClientOrderId: `${side}${price}` });
    emulator.printFutures('BTCUSDT', side === 'BUY' ? '58000' : '60800');
  }
  const fills = log.filter(({ kind }) => kind === 'fill');
  expect(fills).toHaveLength(4);
  const change = fills.reduce(
    (sum, { realized, commission }) => sum + Number(realized) - Number(commission),
    0,
  );
  const [usdt] = signed('GET', '/fapi/v3/balance').body;
  expect(Number(usdt.balance) - 100_000).toBeCloseTo(change, 8);
});

it.each([
  [
    'a stop on the old path',
    '/fapi/v1/order',
    { symbol: 'BTCUSDT', side: 'SELL', type: 'STOP_MARKET', stopPrice: '58000', quantity: '0.01' },
    -4120,
  ],
  ['a missing time in force', '/fapi/v1/order', { ...LIMIT, timeInForce: '' }, -1102],
  ['too many places', '/fapi/v1/order', { ...LIMIT, quantity: '0.0101' }, -1111],
  ['a price off the tick', '/fapi/v1/order', { ...LIMIT, price: '59000.05' }, -4014],
  ['too little', '/fapi/v1/order', { ...LIMIT, quantity: '0.0005', price: '59000' }, -1111],
  [
    'less than the notional',
    '/fapi/v1/order',
    { ...LIMIT, symbol: 'ADAUSDT', quantity: '1', price: '0.4' },
    -4164,
  ],
  ['a price beyond the band', '/fapi/v1/order', { ...LIMIT, price: '70000' }, -4016],
  ['a reduction of nothing', '/fapi/v1/order', { ...LIMIT, reduceOnly: 'true' }, -2022],
  ['more than the margin', '/fapi/v1/order', { ...LIMIT, quantity: '50' }, -2019],
  ['a position side in one-way mode', '/fapi/v1/order', { ...LIMIT, positionSide: 'LONG' }, -4061],
  [
    'a date too near',
    '/fapi/v1/order',
    { ...LIMIT, timeInForce: 'GTD', goodTillDate: '1795608000000' },
    -5040,
  ],
  ['a post-only order that takes', '/fapi/v1/order', { ...LIMIT, timeInForce: 'GTX', price: '60100' }, -5022],
  ['a stop that would fire', '/fapi/v1/algoOrder', { ...STOP, triggerPrice: '61000' }, -2021],
  ['a quantity with closePosition', '/fapi/v1/algoOrder', { ...STOP, closePosition: 'true' }, -4137],
  ['the same margin type', '/fapi/v1/marginType', { symbol: 'BTCUSDT', marginType: 'CROSSED' }, -4046],
  ['the same position mode', '/fapi/v1/positionSide/dual', { dualSidePosition: 'false' }, -4059],
  ['too much leverage', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: '126' }, -4028],
])('refuses %s', (_, path, order, code) => {
  const { signed } = testEmulator();
  const sent = Object.fromEntries(Object.entries(order).filter(([, value]) => value !== ''));
  expect(signed('POST', path, sent as Record<string, string>).body.code).toBe(code);
});

it('leaves names that it does not know unread, so that a trailing stop trails at once', () => {
  const { signed, stream } = opened();
  const trailing = {
    algoType: 'CONDITIONAL',
    symbol: 'BTCUSDT',
    side: 'SELL',
    type: 'TRAILING_STOP_MARKET',
    quantity: '0.01',
    callbackRate: '1',
    activationPrice: '65000',
  };
  expect(signed('POST', '/fapi/v1/algoOrder', trailing).status).toBe(200);
  expect(stream.messages.map((event) => event.o.ia)).toEqual([false, true]);
});

it('tells that a listen key has ended, and is silent from then on', async () => {
  const { clock, signed, stream, ask } = opened();
  await clock.advance(3_600_001);
  ask('GET', '/fapi/v1/time');
  expect(stream.messages.map((event) => event.e)).toEqual(['listenKeyExpired']);
  signed('POST', '/fapi/v1/order', LIMIT);
  expect(stream.messages).toHaveLength(1);
  expect(ask('PUT', '/fapi/v1/listenKey').body.code).toBe(-1125);
});

it('liquidates a position whose margin is gone', () => {
  const { emulator, signed, stream } = opened({ futuresBalances: { USDT: '100' } });
  signed('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: '125' });
  signed('POST', '/fapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.1' });
  emulator.printFutures('BTCUSDT', '59000');
  const reports = stream.messages.filter(
    (event) => event.e === 'ORDER_TRADE_UPDATE' && event.o.c.startsWith('autoclose-'),
  );
  expect(reports.map((event) => [event.o.x, event.o.X])).toEqual([
    ['NEW', 'NEW'],
    ['CALCULATED', 'FILLED'],
  ]);
  expect(signed('GET', '/fapi/v3/positionRisk').body).toEqual([]);
});
