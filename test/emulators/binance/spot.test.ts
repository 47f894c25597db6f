/** The emulator's spot exchange: it accepts, refuses and reports orders as the exchange does. */
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

it('takes a limit order, tells of it, fills it when somebody trades below it, and gives the fee', () => {
  const { emulator, signed, userStream, log } = testEmulator();
  const { messages } = userStream();
  const placed = signed('POST', '/api/v3/order', LIMIT);
  expect(placed.status).toBe(200);
  expect(placed.body).toMatchObject({ status: 'NEW', clientOrderId: 'a', fills: [], origQty: '0.01000000' });
  expect(placed.headers['x-mbx-order-count-10s']).toBe('1');
  emulator.printSpot('BTCUSDT', '58999.99');
  expect(signed('GET', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'a' }).body).toMatchObject({
    status: 'FILLED',
    executedQty: '0.01000000',
    cummulativeQuoteQty: '590.00000000',
  });
  expect(messages.slice(1).map(({ event }) => [event.e, event.x])).toEqual([
    ['executionReport', 'NEW'],
    ['outboundAccountPosition', undefined],
    ['executionReport', 'TRADE'],
    ['outboundAccountPosition', undefined],
  ]);
  expect(signed('GET', '/api/v3/myTrades', { symbol: 'BTCUSDT' }).body).toMatchObject([
    {
      price: '59000.00000000',
      qty: '0.01000000',
      commission: '0.00001000',
      commissionAsset: 'BTC',
      isMaker: true,
    },
  ]);
  const { balances } = signed('GET', '/api/v3/account').body;
  expect(balances.find((row: { asset: string }) => row.asset === 'USDT')).toEqual({
    asset: 'USDT',
    free: '99410.00000000',
    locked: '0.00000000',
  });
  expect(log.filter(({ kind }) => kind === 'fill')).toHaveLength(1);
});

it.each([
  ['a name that nobody reads', { ...LIMIT, timeInForce: '', timeInforce: 'GTC' }, -1104],
  ['a missing price', { ...LIMIT, price: '' }, -1102],
  ['a client id with a dot', { ...LIMIT, newClientOrderId: 'a.b' }, -1100],
  ['a price off the tick', { ...LIMIT, price: '59000.001' }, -1013],
  ['too many places', { ...LIMIT, quantity: '0.010000001' }, -1111],
  ['too little', { ...LIMIT, quantity: '0.00005' }, -1013],
  ['too much money', { ...LIMIT, quantity: '10' }, -2010],
  [
    'a stop market where there is none',
    { symbol: 'BTCUSDT', side: 'SELL', type: 'STOP_LOSS', quantity: '0.01', stopPrice: '58000' },
    -1013,
  ],
  ['a futures field', { ...LIMIT, reduceOnly: 'true' }, -1104],
  ['an unknown symbol', { ...LIMIT, symbol: 'NOPE' }, -1121],
])('refuses %s', (_, order, code) => {
  const { signed } = testEmulator();
  const sent = Object.fromEntries(Object.entries(order).filter(([, value]) => value !== ''));
  const { body, status } = signed('POST', '/api/v3/order', sent as Record<string, string>);
  expect([status, body.code]).toEqual([400, code]);
});
