/**
 * Every refusal of an order names its field, what was wrong and what would be valid (engine.md, submission
 * rules 1 and 8; S24, S25, S32, S33).
 */
import { describe, expect, it } from 'vitest';
import type { RefusalReason } from '../../src/domain/errors.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { Bench, type BenchOptions } from './support/bench.ts';
import { BTC, FUTURES_BTC, START } from './support/market.ts';

type Request = Partial<CreateOrder>;
type Case = readonly [
  name: string,
  request: Request,
  reason: RefusalReason,
  message: string,
  options?: BenchOptions,
];

const LIMIT: Request = { type: 'LIMIT', side: 'BUY', price: '50000', quantity: '1' };
const STOP: Request = { type: 'STOP_MARKET', side: 'SELL', stopPrice: '55000', quantity: '1' };
const TRAIL: Request = { type: 'STOP_MARKET', side: 'SELL', quantity: '1', trailingDelta: 100 };
const MARKET: Request = { type: 'MARKET', side: 'BUY', quantity: '1' };
const wide = { instruments: [{ ...BTC, minNotional: '0.0001', maxNotional: '90000000' }] };
const poor = { balances: [{ asset: 'USDT', free: '12.5', locked: '0' }] };

const cases: readonly Case[] = [
  [
    'exchange missing',
    { ...LIMIT, exchange: undefined },
    'EXCHANGE',
    'exchange is missing; connected: paper-spot',
  ],
  [
    'exchange unknown',
    { ...LIMIT, exchange: 'binance-spot' },
    'EXCHANGE',
    'exchange "binance-spot" is not connected; connected: paper-spot',
  ],
  ['symbol missing', { ...LIMIT, symbol: undefined }, 'SYMBOL', 'symbol is missing; for example BTCUSDT'],
  [
    'symbol spelled otherwise',
    { ...LIMIT, symbol: 'btc-usdt' },
    'SYMBOL',
    'symbol "btc-usdt" is not traded on paper-spot; did you mean BTCUSDT?',
  ],
  [
    'symbol of letters that only look like those of another',
    { ...LIMIT, symbol: 'ВTCUSDT' },
    'SYMBOL',
    'symbol "ВTCUSDT" is not traded on paper-spot: В (Cyrillic) is outside A-Z; did you mean BTCUSDT?',
  ],
  [
    'symbol unknown',
    { ...LIMIT, symbol: 'XYZUSD' },
    'SYMBOL',
    'symbol "XYZUSD" is not traded on paper-spot; for example BTCUSDT',
  ],
  ['side missing', { ...LIMIT, side: undefined }, 'FIELD', 'side is missing; BUY or SELL'],
  ['type missing', { ...LIMIT, type: undefined }, 'FIELD', 'type is missing; for example LIMIT or MARKET'],
  [
    'S24 closePosition',
    { ...MARKET, closePosition: true },
    'FIELD',
    'closePosition is for futures only; paper-spot is spot: leave it out',
  ],
  [
    'S24 reduceOnly',
    { ...LIMIT, reduceOnly: true },
    'FIELD',
    'reduceOnly is for futures only; paper-spot is spot: leave it out',
  ],
  [
    'S24 positionSide',
    { ...LIMIT, positionSide: 'LONG' },
    'FIELD',
    'positionSide is for futures only; paper-spot is spot: leave it out',
  ],
  [
    'S24 marginType',
    { ...LIMIT, marginType: 'ISOLATED' },
    'FIELD',
    'marginType is for futures only; paper-spot is spot: leave it out',
  ],
  [
    'S24 marketType',
    { ...LIMIT, marketType: 'futures' },
    'FIELD',
    'marketType futures contradicts paper-spot, which is spot; leave it out or send spot',
  ],
  ['price missing', { ...LIMIT, price: undefined }, 'FIELD', 'price is required for LIMIT orders'],
  [
    'price missing on STOP_LIMIT',
    { ...STOP, type: 'STOP_LIMIT' },
    'FIELD',
    'price is required for STOP_LIMIT orders',
  ],
  [
    'price on a MARKET order',
    { ...MARKET, price: '50000' },
    'FIELD',
    'price does not apply to MARKET orders; leave it out',
  ],
  ['price zero', { ...LIMIT, price: '0.00' }, 'FIELD', 'price must be more than zero'],
  [
    'price with a leading zero',
    { ...LIMIT, price: '050000' },
    'FIELD',
    'price "050000" is not a decimal such as 0.01 or 61234.56',
  ],
  [
    'price with an exponent',
    { ...LIMIT, price: '5e4' },
    'FIELD',
    'price "5e4" is not a decimal such as 0.01 or 61234.56',
  ],
  [
    'price off the tick',
    { ...LIMIT, price: '61234.567' },
    'PRICE_TICK',
    'price 61234.567 is not a multiple of the tick size 0.01; nearest: 61234.56, 61234.57',
  ],
  [
    'price below the tick',
    { ...LIMIT, price: '0.001' },
    'PRICE_TICK',
    'price 0.001 is not a multiple of the tick size 0.01; nearest: 0.01',
    wide,
  ],
  [
    'price below the least',
    { ...LIMIT, price: '0.5' },
    'PRICE_RANGE',
    'price 0.5 is outside 1 to 1000000 of BTCUSDT',
    wide,
  ],
  [
    'price above the most',
    { ...LIMIT, price: '1000000.01' },
    'PRICE_RANGE',
    'price 1000000.01 is outside 1 to 1000000 of BTCUSDT',
    wide,
  ],
  [
    'price too far below the last',
    { ...LIMIT, price: '11999.99' },
    'PRICE_RANGE',
    'price 11999.99 is too far from the last price 60000; allowed: 12000 to 300000',
  ],
  [
    'price too far above the last',
    { ...LIMIT, price: '300000.01' },
    'PRICE_RANGE',
    'price 300000.01 is too far from the last price 60000; allowed: 12000 to 300000',
  ],
  [
    'stopPrice missing',
    { ...STOP, stopPrice: undefined },
    'FIELD',
    'stopPrice is required for STOP_MARKET orders',
  ],
  [
    'stopPrice on a LIMIT order',
    { ...LIMIT, stopPrice: '55000' },
    'FIELD',
    'stopPrice does not apply to LIMIT orders; leave it out',
  ],
  [
    'stopPrice off the tick',
    { ...STOP, stopPrice: '55000.001' },
    'PRICE_TICK',
    'stopPrice 55000.001 is not a multiple of the tick size 0.01; nearest: 55000, 55000.01',
  ],
  [
    'stop of a sell above',
    { ...STOP, stopPrice: '60000' },
    'STOP_SIDE',
    'stopPrice 60000 would trigger at once: the last price is 60000; a STOP_MARKET SELL needs a stopPrice below it',
  ],
  [
    'stop of a buy below',
    { ...STOP, side: 'BUY' },
    'STOP_SIDE',
    'stopPrice 55000 would trigger at once: the last price is 60000; a STOP_MARKET BUY needs a stopPrice above it',
  ],
  [
    'take-profit of a sell below',
    { ...STOP, type: 'TAKE_PROFIT_MARKET' },
    'STOP_SIDE',
    'stopPrice 55000 would trigger at once: the last price is 60000; a TAKE_PROFIT_MARKET SELL needs a stopPrice above it',
  ],
  [
    'trailingDelta with a LIMIT',
    { ...LIMIT, trailingDelta: 100 },
    'FIELD',
    'trailingDelta goes with STOP_MARKET only, not with LIMIT',
  ],
  [
    'trailingDelta too small',
    { ...TRAIL, trailingDelta: 9 },
    'TRAILING',
    'trailingDelta 9 must be a whole number of basis points from 10 to 2000 (100 = 1 %)',
  ],
  [
    'trailingDelta not whole',
    { ...TRAIL, trailingDelta: 10.5 },
    'TRAILING',
    'trailingDelta 10.5 must be a whole number of basis points from 10 to 2000 (100 = 1 %)',
  ],
  [
    'trailing with stopPrice',
    { ...TRAIL, stopPrice: '55000' },
    'FIELD',
    'stopPrice does not go with trailingDelta; activationPrice is the price at which the trailing stop arms',
  ],
  [
    'activationPrice alone',
    { ...STOP, activationPrice: '61000' },
    'FIELD',
    'activationPrice goes with trailingDelta only',
  ],
  [
    'percentPrice alone',
    { ...LIMIT, percentPrice: '1' },
    'FIELD',
    'percentPrice goes with trailingDelta only',
  ],
  [
    'S32 both',
    { ...TRAIL, activationPrice: '61000', percentPrice: '1' },
    'FIELD',
    'activationPrice and percentPrice exclude each other; give one',
  ],
  [
    'activationPrice off the tick',
    { ...TRAIL, activationPrice: '61000.001' },
    'PRICE_TICK',
    'activationPrice 61000.001 is not a multiple of the tick size 0.01; nearest: 61000, 61000.01',
  ],
  [
    'percentPrice of a buy to zero',
    { ...TRAIL, side: 'BUY', percentPrice: '100' },
    'FIELD',
    'percentPrice 100 leads to a price of zero or less; it must be below 100',
  ],
  [
    'percentPrice without a price',
    { ...TRAIL, percentPrice: '1' },
    'NO_PRICE',
    'no price of BTCUSDT is known yet; a LIMIT order does not need one',
    { price: null },
  ],
  [
    'MARKET without a price',
    MARKET,
    'NO_PRICE',
    'no price of BTCUSDT is known yet; a LIMIT order does not need one',
    { price: null },
  ],
  [
    'LIMIT_MAKER with IOC',
    { ...LIMIT, type: 'LIMIT_MAKER', timeInForce: 'IOC' },
    'FIELD',
    'timeInForce IOC contradicts LIMIT_MAKER, which must rest; use GTC or GTD',
  ],
  [
    'GTD without a date',
    { ...LIMIT, timeInForce: 'GTD' },
    'FIELD',
    'goodTillDate (Unix ms) is required with timeInForce GTD',
  ],
  [
    'GTD in the past',
    { ...LIMIT, timeInForce: 'GTD', goodTillDate: START },
    'FIELD',
    `goodTillDate ${START} is in the past; market time is ${START}`,
  ],
  [
    'a date without GTD',
    { ...LIMIT, goodTillDate: START + 1 },
    'FIELD',
    'goodTillDate goes with timeInForce GTD, not with GTC',
  ],
  ['quantity missing', { ...LIMIT, quantity: undefined }, 'FIELD', 'quantity is required for LIMIT orders'],
  ['quantity zero', { ...LIMIT, quantity: '0' }, 'FIELD', 'quantity must be more than zero'],
  [
    'quantity off the step',
    { ...LIMIT, quantity: '1.0005' },
    'QUANTITY_STEP',
    'quantity 1.0005 is not a multiple of the step size 0.001; nearest: 1, 1.001',
  ],
  [
    'quantity below the least',
    { ...LIMIT, quantity: '0.001' },
    'QUANTITY_RANGE',
    'quantity 0.001 is outside 0.002 to 100 BTC of BTCUSDT',
  ],
  [
    'quantity above the most',
    { ...LIMIT, quantity: '100.001' },
    'QUANTITY_RANGE',
    'quantity 100.001 is outside 0.002 to 100 BTC of BTCUSDT',
  ],
  [
    'quantity above the most of a MARKET order',
    { ...MARKET, quantity: '50.001' },
    'QUANTITY_RANGE',
    'quantity 50.001 is outside 0.002 to 50 BTC of BTCUSDT',
  ],
  [
    'worth too little',
    { ...LIMIT, price: '1250', quantity: '0.003' },
    'MIN_NOTIONAL',
    'quantity 0.003 is worth 3.75 USDT, below the minimum of 5; at 1250 at least 0.004 BTC',
    { price: '1300' },
  ],
  [
    'worth too much',
    { ...LIMIT, quantity: '18.001' },
    'MAX_NOTIONAL',
    'quantity 18.001 is worth 900050 USDT, above the maximum of 900000',
  ],
  [
    'quoteOrderQty with LIMIT',
    { ...LIMIT, quoteOrderQty: '100' },
    'FIELD',
    'quoteOrderQty goes with MARKET orders only, not with LIMIT; give quantity',
  ],
  [
    'quoteOrderQty too little',
    { ...MARKET, quoteOrderQty: '100' },
    'MIN_NOTIONAL',
    'quoteOrderQty 100 buys 0.001 BTC, below the minimum order of 5 USDT and 0.002 BTC',
  ],
  [
    'iceberg of a MARKET order',
    { ...MARKET, icebergQty: '0.1' },
    'ICEBERG',
    'icebergQty goes with LIMIT orders of timeInForce GTC only',
  ],
  [
    'iceberg with IOC',
    { ...LIMIT, timeInForce: 'IOC', icebergQty: '0.1' },
    'ICEBERG',
    'icebergQty goes with LIMIT orders of timeInForce GTC only',
  ],
  [
    'iceberg off the step',
    { ...LIMIT, icebergQty: '0.0105' },
    'ICEBERG',
    'icebergQty 0.0105 is not a multiple of the step size 0.001; nearest: 0.01, 0.011',
  ],
  [
    'iceberg above the quantity',
    { ...LIMIT, icebergQty: '1.001' },
    'ICEBERG',
    'icebergQty 1.001 is more than the quantity 1',
  ],
  [
    'iceberg in too many parts',
    { ...LIMIT, quantity: '1.001', icebergQty: '0.01' },
    'ICEBERG',
    'icebergQty 0.01 would make 101 parts; at most 100',
  ],
  [
    'too little balance',
    LIMIT,
    'BALANCE',
    'insufficient balance: 12.5 USDT available, the order needs 50000',
    poor,
  ],
  [
    'too little balance for quoteOrderQty',
    { ...MARKET, quoteOrderQty: '600' },
    'BALANCE',
    'insufficient balance: 12.5 USDT available, the order needs 600',
    poor,
  ],
  [
    'nothing to sell',
    { ...LIMIT, side: 'SELL' },
    'BALANCE',
    'insufficient balance: 0 BTC available, the order needs 1',
    poor,
  ],
];

const named = cases.map(([name, request, reason, message, options]) => ({
  name,
  request,
  reason,
  message,
  options,
}));

describe('an order is refused with 400', () => {
  // proves: field create-order exchange, field create-order symbol, field create-order side
  // proves: field create-order type, field create-order quantity, field create-order quoteOrderQty
  // proves: field create-order price, field create-order stopPrice, field create-order goodTillDate
  // proves: field create-order icebergQty, field create-order trailingDelta
  // proves: field create-order activationPrice, field create-order percentPrice
  // proves: field create-order closePosition, field create-order reduceOnly
  // proves: field create-order positionSide, field create-order marginType, field create-order marketType
  // proves: order-type LIMIT, order-type STOP_MARKET, order-type STOP_LIMIT, S23, S24, S32, S33
  it.each(named)('$name', ({ request, reason, message, options }) => {
    const bench = new Bench(options);
    const { reply } = bench.place(request);
    expect(reply().message).toBe(message);
    expect(reply().status).toBe(400);
    expect(reply().reason).toBe(reason);
    expect(bench.engine.memory.orders.size).toBe(0);
    expect(bench.kinds('submit')).toEqual([]);
    expect(bench.kinds('log')[0]).toMatchObject({
      level: 'warn',
      text: `key A6EHv_PO: place refused (${reason}): ${message}`,
    });
  });

  it('when the symbol has as many open orders as it may', () => {
    const bench = new Bench({ instruments: [{ ...BTC, maxOrders: 2 }] });
    const first = bench.resting();
    bench.place(STOP);
    expect(bench.place(LIMIT).reply()).toMatchObject({
      status: 400,
      reason: 'MAX_ORDERS',
      message: 'BTCUSDT has 2 open orders already; at most 2',
    });
    bench.cancel(first.id);
    bench.cancelDone(first);
    expect(bench.kinds('order-event').at(-1)).toMatchObject({ order: { status: 'CANCELLED' } });
    expect(bench.place(LIMIT).order.status).toBe('NEW');
    expect(bench.kinds('submit')).toHaveLength(1);
  });

  it('with every problem in one message', () => {
    const { reply } = new Bench().place({
      ...LIMIT,
      price: '61234.567',
      quantity: '0.0001',
      marginType: 'CROSSED',
    });
    expect(reply().message).toBe(
      'marginType is for futures only; paper-spot is spot: leave it out; price 61234.567 is not a multiple of the tick size 0.01; nearest: 61234.56, 61234.57; quantity 0.0001 is not a multiple of the step size 0.001; nearest: 0.001',
    );
  });
});

describe('an order passes', () => {
  // proves: field create-order timeInForce, S32
  it.each<[string, Request]>([
    ['at the very bounds', { ...LIMIT, price: '12000', quantity: '75' }],
    ['with the least quantity', { ...LIMIT, quantity: '0.002' }],
    [
      'with futures fields that say nothing',
      {
        ...LIMIT,
        reduceOnly: false,
        closePosition: false,
        positionSide: 'BOTH',
        workingType: 'MARK_PRICE',
        marketType: 'spot',
      },
    ],
    ['as MARKET with a date that is ignored', { ...MARKET, timeInForce: 'GTD', goodTillDate: 1 }],
    ['as iceberg in 100 parts', { ...LIMIT, icebergQty: '0.01' }],
    [
      'as LIMIT_MAKER good till a date',
      { ...LIMIT, type: 'LIMIT_MAKER', timeInForce: 'GTD', goodTillDate: START + 1 },
    ],
    ['as take-profit limit of a buy', { ...LIMIT, type: 'TAKE_PROFIT_LIMIT', stopPrice: '55000' }],
  ])('%s', (_name, request) => {
    const bench = new Bench();
    bench.place(request);
    expect(bench.kinds('submit')).toHaveLength(1);
  });

  // proves: field create-order quoteOrderQty, S32
  it('and S32 gives quoteOrderQty its quantity, rounded down to the step', () => {
    const bench = new Bench();
    const { order } = bench.place({ type: 'MARKET', side: 'BUY', quoteOrderQty: '200', quantity: '7' });
    expect(order).toMatchObject({
      origQty: '0.003',
      quoteOrderQty: '200',
      lock: { asset: 'USDT', amount: '200' },
    });
    expect(bench.kinds('submit')[0]).toMatchObject({ order: { quoteOrderQty: '200' } });
    expect(bench.kinds('submit')[0]).not.toHaveProperty('order.quantity');
  });

  // proves: S25
  it('and a STOP_LIMIT that buys needs what its limit costs, not its stop', () => {
    const stop: Request = { ...LIMIT, type: 'STOP_LIMIT', stopPrice: '61000', price: '62000' };
    const desk = (free: string) => new Bench({ balances: [{ asset: 'USDT', free, locked: '0' }] });
    expect(desk('61999.99').place(stop).reply()).toMatchObject({
      reason: 'BALANCE',
      message: 'insufficient balance: 61999.99 USDT available, the order needs 62000',
    });
    const bench = desk('62000');
    expect(bench.place(stop).order.lock).toEqual({ asset: 'USDT', amount: '62000' });
    expect(bench.kinds('submit')).toHaveLength(1);
  });

  it('and may use what open intents have left of the balance', () => {
    const bench = new Bench({ balances: [{ asset: 'USDT', free: '100000', locked: '0' }] });
    bench.place({ ...LIMIT, quantity: '1.5' });
    expect(bench.place(LIMIT).reply().message).toBe(
      'insufficient balance: 25000 USDT available, the order needs 50000',
    );
    expect(bench.place({ ...LIMIT, quantity: '0.5' }).order.status).toBe('NEW');
  });
});

describe('a market buy for an amount of money', () => {
  const buy = (quoteOrderQty: string) => new Bench().place({ type: 'MARKET', quoteOrderQty });
  it('may buy as much as a market order may, and no more', () => {
    expect(buy('3000000').order).toMatchObject({ origQty: '50' });
    expect(buy('3000060').reply()).toMatchObject({
      status: 400,
      reason: 'QUANTITY_RANGE',
      message: 'quoteOrderQty 50.001 is outside 0.002 to 50 BTC of BTCUSDT',
    });
    // An additional amount below one step buys no more.
    expect(buy('3000059.99').order).toMatchObject({ origQty: '50' });
  });

  it('must buy the minimum of the order', () => {
    expect(buy('120').order).toMatchObject({ origQty: '0.002' });
    expect(buy('119.99').reply()).toMatchObject({ status: 400, reason: 'MIN_NOTIONAL' });
  });
});

describe('a trailing stop in percent', () => {
  const trail = (percentPrice: string, side: 'BUY' | 'SELL' = 'BUY') =>
    new Bench().place({ type: 'STOP_MARKET', side, trailingDelta: 100, quantity: '1', percentPrice });
  it.each(['x', '0', '', '-1'])('needs one: %j', (percent) => {
    expect(trail(percent).reply()).toMatchObject({ status: 400, reason: 'FIELD' });
  });

  it('that leads to no price is refused; of a sell any does lead to one', () => {
    const below = 'percentPrice 100 leads to a price of zero or less; it must be below 100';
    expect(trail('100').reply()).toMatchObject({ status: 400, message: below });
    expect(trail('99.9').order.trailing).toMatchObject({ activationPrice: '60' });
    expect(trail('100', 'SELL').order.trailing).toMatchObject({ activationPrice: '120000' });
  });
});

describe('an order on futures', () => {
  const refused = (request: Parameters<Bench['place']>[0]) => {
    const bench = new Bench({ futures: true });
    bench.event({ type: 'venue.settings', exchange: bench.exchange, hedge: false, leverage: [] });
    bench.engine.memory.account(bench.exchange).unread.add('positions');
    return bench.place(request).reply().message;
  };
  it('that closes the position has no quantity and no amount of its own, and takes at the market', () => {
    expect(refused({ type: 'MARKET', side: 'SELL', closePosition: true, quoteOrderQty: '500' })).toContain(
      'quoteOrderQty does not go with closePosition; leave it out',
    );
    expect(
      refused({ type: 'LIMIT', side: 'SELL', price: '70000', quantity: '1', closePosition: true }),
    ).toContain('closePosition goes with MARKET, STOP_MARKET and TAKE_PROFIT_MARKET, not with LIMIT');
  });

  it('whose margin type cannot be set now is told the one there is: CROSSED where none is known', () => {
    const bench = new Bench({
      futures: true,
      instruments: [{ ...FUTURES_BTC, symbol: 'ETHUSDT', base: 'ETH' }],
    });
    bench.event({ type: 'price', market: 'paper', symbol: 'ETHUSDT', price: '50000' });
    const order = { symbol: 'ETHUSDT', price: '50000', quantity: '1' } as const;
    bench.resting(order);
    const message = (marginType: 'ISOLATED' | 'CROSSED') =>
      bench.place({ ...order, marginType }).reply().message;
    expect(message('ISOLATED')).toBe(
      'marginType of ETHUSDT is CROSSED and cannot change to ISOLATED while it has a position or orders',
    );
    const info = {
      symbol: 'ETHUSDT',
      side: 'BOTH',
      leverage: 5,
      marginType: 'ISOLATED',
      realizedPnl: '0',
    } as const;
    bench.event({ type: 'venue.settings', exchange: bench.exchange, leverage: [info] });
    expect(message('CROSSED')).toBe(
      'marginType of ETHUSDT is ISOLATED and cannot change to CROSSED while it has a position or orders',
    );
  });
});
