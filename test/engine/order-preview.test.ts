/**
 * What the order ticket and the split dialog show while they are filled in: every figure of every kind of
 * order, compared as a whole.
 */
import { describe, expect, it } from 'vitest';
import { dec } from '../../src/domain/decimal.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { orderPreview, splitFigures } from '../../src/engine/order-preview.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { Bench } from './support/bench.ts';
import { FUTURES, FUTURES_BTC, SPOT, START } from './support/market.ts';

const RATES = { maker: '0.0002', taker: '0.0005' };

const figures = (bench: Bench, request: Partial<CreateOrder>) =>
  orderPreview(
    bench.engine.memory,
    { exchange: bench.exchange, symbol: 'BTCUSDT', ...request },
    START,
    RATES,
  );

const BUY = { side: 'BUY', type: 'LIMIT', price: '50000', quantity: '2' } as const;
const SELL = { ...BUY, side: 'SELL', price: '70000' } as const;

/** The preview fields that most spot buys have in common. */
const QUIET = {
  problems: [],
  last: '60000',
  mark: null,
  availableAsset: 'USDT',
  available: '10000000',
  feeAsset: 'BTC',
  margin: null,
  after: null,
};

describe('the ticket on spot', () => {
  const bench = new Bench();
  const rests = 'It rests on the book and fills at its limit price.';
  const takes = 'It crosses the current price: it fills at once as taker; what is left rests.';
  const held =
    'Held by this desk: does not work while it is stopped. It sends a market order once the stop price is reached.';
  const native =
    ' As STOP_LIMIT with the price 53900, 2 % beyond the stop, it would wait at paper-spot itself.';
  const waits = 'It waits at paper-spot; once the stop price is reached a limit order rests at its price.';
  const base = { ...QUIET, availableAsset: 'BTC', available: '1000', feeAsset: 'USDT' };
  it.each<[string, Partial<CreateOrder>, object]>([
    [
      'a buy below the price: the maker’s fee, of what it brings',
      BUY,
      { ...QUIET, notional: '100000', fee: '0.0004', distance: '-16.67', next: rests },
    ],
    [
      'a buy at the price: the taker’s',
      { ...BUY, price: '60000' },
      { ...QUIET, notional: '120000', fee: '0.001', distance: '0.00', next: takes },
    ],
    [
      'a buy one tick below it',
      { ...BUY, price: '59999.99' },
      { ...QUIET, notional: '119999.98', fee: '0.0004', distance: '0.00', next: rests },
    ],
    [
      'a sell above it: the fee is of the money',
      SELL,
      { ...base, notional: '140000', fee: '28', distance: '+16.67', next: rests },
    ],
    [
      'a sell at it',
      { ...SELL, price: '60000' },
      { ...base, notional: '120000', fee: '60', distance: '0.00', next: takes },
    ],
    [
      'a sell one tick above it',
      { ...SELL, price: '60000.01' },
      { ...base, notional: '120000.02', fee: '24.000004', distance: '0.00', next: rests },
    ],
    [
      'one that must rest',
      { ...BUY, type: 'LIMIT_MAKER', price: '60000' },
      { ...QUIET, notional: '120000', fee: '0.0004', distance: '0.00', next: rests },
    ],
    [
      'one with an end date',
      { ...BUY, timeInForce: 'GTD', goodTillDate: START + 1 },
      {
        ...QUIET,
        notional: '100000',
        fee: '0.0004',
        distance: '-16.67',
        next: 'It rests on the book until its end date and fills at its limit price.',
      },
    ],
    [
      'a market buy',
      { side: 'BUY', type: 'MARKET', quantity: '2' },
      {
        ...QUIET,
        notional: '120000',
        fee: '0.001',
        distance: '0.00',
        next: 'It fills at once at the current price.',
      },
    ],
    [
      'a market buy for an amount of money',
      { side: 'BUY', type: 'MARKET', quoteOrderQty: '100.05' },
      {
        ...QUIET,
        problems: [
          {
            field: 'quoteOrderQty',
            message: 'quoteOrderQty 100.05 buys 0.001 BTC, below the minimum order of 5 USDT and 0.002 BTC',
          },
        ],
        notional: '100.05',
        fee: null,
        distance: '0.00',
        next: 'It fills at once at the current price.',
      },
    ],
    [
      'a larger one: what it buys is rounded down',
      { side: 'BUY', type: 'MARKET', quoteOrderQty: '150' },
      {
        ...QUIET,
        notional: '150',
        fee: '0.000001',
        distance: '0.00',
        next: 'It fills at once at the current price.',
      },
    ],
    [
      'a stop that is held',
      { side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', quantity: '2' },
      { ...base, notional: '110000', fee: '55', distance: '-8.33', next: held + native },
    ],
    [
      'a stop with a limit',
      { ...SELL, type: 'STOP_LIMIT', stopPrice: '55000', price: '54000' },
      { ...base, notional: '108000', fee: '21.6', distance: '-10.00', next: waits },
    ],
    [
      'a take-profit with a limit',
      { ...SELL, type: 'TAKE_PROFIT_LIMIT', stopPrice: '65000', price: '66000' },
      { ...base, notional: '132000', fee: '26.4', distance: '+10.00', next: waits },
    ],
    [
      'a trailing stop: at the last price',
      { side: 'SELL', type: 'STOP_MARKET', trailingDelta: 150, quantity: '2' },
      {
        ...base,
        notional: '120000',
        fee: '60',
        distance: '0.00',
        next: 'Held by this desk: does not work while it is stopped. It follows the price and sends a market order once that turns by 1.5 %.',
      },
    ],
    [
      'a trailing stop from a price on: at that price',
      { side: 'SELL', type: 'STOP_MARKET', trailingDelta: 150, activationPrice: '66000', quantity: '2' },
      {
        ...base,
        notional: '132000',
        fee: '66',
        distance: '+10.00',
        next: 'Held by this desk: does not work while it is stopped. It follows the price and sends a market order once that turns by 1.5 %.',
      },
    ],
    [
      'one whose price is not typed yet: no figures',
      { side: 'BUY', type: 'LIMIT', quantity: '2' },
      {
        ...QUIET,
        problems: [{ field: 'price', message: 'price is required for LIMIT orders' }],
        notional: null,
        fee: '0.0004',
        distance: null,
        next: rests,
      },
    ],
    [
      'one whose quantity is not typed yet',
      { side: 'SELL', type: 'LIMIT', price: '70000' },
      {
        ...base,
        problems: [{ field: 'quantity', message: 'quantity is required for LIMIT orders' }],
        notional: null,
        fee: null,
        distance: '+16.67',
        next: rests,
      },
    ],
  ])('%s', (_name, request, shown) => expect(figures(bench, request)).toEqual(shown));

  it('shows no price and no distance where no price is known', () => {
    const blind = new Bench({ price: null });
    expect(figures(blind, BUY)).toMatchObject({
      problems: [],
      last: null,
      distance: null,
      notional: '100000',
      next: rests,
    });
    expect(figures(blind, { side: 'BUY', type: 'MARKET', quantity: '2' })).toMatchObject({
      problems: [{ field: 'symbol' }],
      notional: null,
      fee: '0.001',
      distance: null,
    });
  });

  it('shows nothing of an exchange or a market that is not known', () => {
    const none = {
      last: null,
      mark: null,
      feeAsset: null,
      available: null,
      availableAsset: null,
      margin: null,
      after: null,
    };
    expect(figures(bench, { ...BUY, exchange: 'x' })).toMatchObject({
      ...none,
      problems: [{ field: 'exchange' }],
    });
    expect(figures(bench, { ...BUY, symbol: 'XUSDT' })).toMatchObject({
      ...none,
      problems: [{ field: 'symbol' }],
    });
  });

  it('says what is available once bots and other orders have theirs', () => {
    const shared = new Bench();
    shared.engine.memory.account(SPOT).wallet.reserved.set('USDT', { shown: dec('7'), excess: dec('5') });
    shared.place({ side: 'BUY', type: 'STOP_MARKET', stopPrice: '61000', quantity: '1' });
    expect(figures(shared, BUY).available).toBe('9938995');
  });

  it('asks to wait for an account that is not read yet, but where the order closes', () => {
    const unread = new Bench();
    unread.engine.memory.account(SPOT).unread.add('balances');
    unread.engine.memory.account(SPOT).wallet.balances.clear();
    expect(figures(unread, BUY)).toMatchObject({
      problems: [
        { field: 'exchange', message: 'the balances of paper-spot could not be read yet; try again' },
      ],
      available: null,
      availableAsset: 'USDT',
      notional: '100000',
    });
    expect(figures(unread, SELL)).toMatchObject({ problems: [], available: null, availableAsset: 'BTC' });
  });
});

const LONG: ExchangePosition = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  amount: '3',
  entryPrice: '60000',
  breakEvenPrice: '60000',
  markPrice: '60000',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 20,
  isolatedWallet: '0',
  liquidationPrice: '0',
  maintenanceMarginRate: '0.004',
  maintenanceMargin: '0',
  realizedPnl: '0',
  updateTime: START,
};
const BRACKETS = [
  {
    initialLeverage: 20,
    notionalFloor: '0',
    notionalCap: '100000000',
    maintenanceMarginRate: '0.01',
    cumulative: '0',
  },
];

/** 100,000 USDT at 20x, the mark at the last price. */
function futures(positions: readonly ExchangePosition[], hedge = false): Bench {
  const bench = new Bench({
    futures: true,
    instruments: [FUTURES_BTC, { ...FUTURES_BTC, symbol: 'ETHUSDT', base: 'ETH' }],
    balances: [{ asset: 'USDT', free: '100000', locked: '0' }],
  });
  const { instruments } = bench.engine.memory.account(FUTURES);
  bench.event({
    type: 'account',
    exchange: FUTURES,
    away: null,
    instruments: [...instruments.values()],
    brackets: new Map(['BTCUSDT', 'ETHUSDT'].map((symbol) => [symbol, BRACKETS])),
  });
  const leverage = (hedge ? (['LONG', 'SHORT'] as const) : (['BOTH'] as const)).map(
    (side) => ({ symbol: 'BTCUSDT', side, leverage: 20, marginType: 'CROSSED', realizedPnl: '0' }) as const,
  );
  bench.event({ type: 'venue.settings', exchange: FUTURES, hedge, leverage });
  bench.event({ type: 'venue.positions', exchange: FUTURES, changed: positions, all: true });
  bench.event({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price: '60000' });
  return bench;
}

describe('the ticket on futures', () => {
  const held = [LONG];
  const both = [
    { ...LONG, side: 'LONG' },
    { ...LONG, side: 'SHORT', amount: '1' },
  ] as const;
  it.each<[string, readonly ExchangePosition[], boolean, Partial<CreateOrder>, object]>([
    [
      'a buy that opens',
      [],
      false,
      BUY,
      {
        after: { amount: '2', distance: '-99.98', exposure: '1.00', liquidation: '10.1' },
        available: '100000',
        fee: '20',
        margin: '5000',
        notional: '100000',
      },
    ],
    [
      'a sell that opens',
      [],
      false,
      SELL,
      {
        after: { amount: '-2', distance: '+69.71', exposure: '1.40', liquidation: '118798.02' },
        available: '100000',
        fee: '28',
        margin: '7000',
        notional: '140000',
      },
    ],
    [
      'a buy that adds',
      held,
      false,
      BUY,
      {
        after: { amount: '5', distance: '-27.26', exposure: '3.57', liquidation: '36367.68' },
        available: '91000',
        fee: '20',
        margin: '5000',
        notional: '100000',
      },
    ],
    [
      'a sell that closes some',
      held,
      false,
      SELL,
      {
        after: { amount: '1', distance: null, exposure: '0.54', liquidation: null },
        available: '91000',
        fee: '28',
        margin: '0',
        notional: '140000',
      },
    ],
    [
      'a sell that closes all',
      held,
      false,
      { ...SELL, quantity: '3' },
      {
        after: { amount: '0', distance: null, exposure: '0.00', liquidation: null },
        available: '91000',
        fee: '42',
        margin: '0',
        notional: '210000',
      },
    ],
    [
      'a sell that turns it around',
      held,
      false,
      { ...SELL, quantity: '5' },
      {
        after: { amount: '-2', distance: '+90.90', exposure: '1.08', liquidation: '133628.71' },
        available: '91000',
        fee: '70',
        margin: '7000',
        notional: '350000',
      },
    ],
    [
      'one that only reduces, and is larger',
      held,
      false,
      { ...SELL, quantity: '5', reduceOnly: true },
      {
        after: { amount: '0', distance: null, exposure: '0.00', liquidation: null },
        available: '91000',
        fee: '70',
        margin: '0',
        notional: '350000',
      },
    ],
    [
      'one that closes the position',
      held,
      false,
      { side: 'SELL', type: 'MARKET', closePosition: true },
      {
        after: { amount: '0', distance: null, exposure: '0.00', liquidation: null },
        available: '91000',
        fee: '90',
        margin: '0',
        notional: '180000',
      },
    ],
    [
      'one that sets the margin type first',
      [],
      false,
      { ...BUY, marginType: 'ISOLATED' },
      {
        after: { amount: '2', distance: '-4.04', exposure: '1.00', liquidation: '47979.8' },
        available: '100000',
        fee: '20',
        margin: '5000',
        notional: '100000',
      },
    ],
    [
      'in hedge mode, a LONG that grows',
      both,
      true,
      { ...BUY, positionSide: 'LONG' },
      {
        after: { amount: '5', distance: '-39.08', exposure: '3.75', liquidation: '30461.93' },
        available: '88000',
        fee: '20',
        margin: '5000',
        notional: '100000',
      },
    ],
    [
      'in hedge mode, a LONG that shrinks',
      both,
      true,
      { ...SELL, positionSide: 'LONG', quantity: '4' },
      {
        after: { amount: '0', distance: null, exposure: '0.58', liquidation: null },
        available: '88000',
        fee: '56',
        margin: '0',
        notional: '280000',
      },
    ],
    [
      'in hedge mode, a SHORT that grows',
      both,
      true,
      { ...SELL, positionSide: 'SHORT' },
      {
        after: { amount: '-3', distance: '+2756.48', exposure: '3.50', liquidation: '1999533.33' },
        available: '88000',
        fee: '28',
        margin: '7000',
        notional: '140000',
      },
    ],
    [
      'in hedge mode, a SHORT that shrinks',
      both,
      true,
      { ...BUY, positionSide: 'SHORT' },
      {
        after: { amount: '0', distance: null, exposure: '1.88', liquidation: null },
        available: '88000',
        fee: '20',
        margin: '0',
        notional: '100000',
      },
    ],
  ])('%s', (_name, positions, hedge, request, shown) => {
    const { margin, after, notional, fee, feeAsset, available, availableAsset, mark } = figures(
      futures(positions, hedge),
      request,
    );
    expect({ mark, availableAsset, feeAsset }).toEqual({
      mark: '60000',
      availableAsset: 'USDT',
      feeAsset: 'USDT',
    });
    expect({ margin, after, notional, fee, available }).toEqual(shown);
  });

  it('shows what comes after with another contract held, which stays at its own mark', () => {
    const bench = futures([{ ...LONG, symbol: 'ETHUSDT', amount: '10', entryPrice: '3000' }]);
    bench.event({ type: 'mark', market: 'paper', symbol: 'ETHUSDT', price: '3100' });
    // 99,980 + 1,000 of profit; the other one needs 10 x 3,100 x 1 %.
    expect(figures(bench, BUY).after).toEqual({
      amount: '2',
      exposure: '1.30',
      liquidation: null,
      distance: null,
    });
  });

  it('is said to wait at the exchange where that does it by itself', () => {
    const bench = futures(held);
    expect(
      figures(bench, { side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', quantity: '1' }).next,
    ).toBe('It waits at paper-futures and fills at the market once the stop price is reached.');
    expect(
      figures(bench, { side: 'SELL', type: 'STOP_MARKET', trailingDelta: 100, quantity: '1' }).next,
    ).toBe('It waits at paper-futures, which follows the price and fills it once that turns by 1 %.');
  });

  it('knows nothing of what comes after where the brackets of the contract are not known', () => {
    expect(figures(new Bench({ futures: true }), BUY)).toMatchObject({
      problems: [],
      margin: '5000',
      after: null,
    });
  });
});

describe('the split dialog', () => {
  it('shows the parts of what is left, and what stands against them', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.fill(bench.trade(order, '0.3'));
    const shown = (prices: string[]) => splitFigures(bench.engine.memory, order, prices, null);
    expect(shown(['50000', '49000', '48000'])).toEqual({
      problems: [],
      remaining: '0.7',
      parts: [
        { price: '50000', quantity: '0.233', notional: '11650' },
        { price: '49000', quantity: '0.233', notional: '11417' },
        { price: '48000', quantity: '0.234', notional: '11232' },
      ],
    });
    const few = 'prices has 1 entries; 2 to 50 are allowed';
    expect(shown(['50000'])).toMatchObject({ problems: [few], parts: [{ quantity: '0.7' }] });
    expect(shown([])).toMatchObject({ problems: ['prices has 0 entries; 2 to 50 are allowed'], parts: [] });
    expect(shown(['50000', 'x'])).toMatchObject({ remaining: '0.7', parts: [] });
    expect(shown(Array(51).fill('50000'))).toMatchObject({ parts: [] });
    expect(shown(Array(50).fill('50000')).parts).toHaveLength(50);
    expect(
      splitFigures(bench.engine.memory, order, ['50000', '49000'], { claim: () => 'a bot’s' }).problems,
    ).toEqual(['a bot’s']);
  });
});
