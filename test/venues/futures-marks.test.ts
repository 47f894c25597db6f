/**
 * Paper futures where the mark is not the last price, where two sides have their own times, and where orders
 * alone or a whole account bound a setting.
 */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import type { ExchangeOrder } from '../../src/domain/exchange.ts';
import { FuturesCore } from '../../src/venues/paper/futures/futures-core.ts';
import { compilePaperOptions } from '../../src/venues/paper/options.ts';
import { CONTRACTS, FuturesBench } from './futures-support.ts';

const HOUR = 3_600_000;

/** Last price 51,500 and mark 50,750. */
function apart(): FuturesBench {
  const b = new FuturesBench({ markLagMs: 1_000, startBalances: { USDT: '10000000' } });
  b.tick('50000');
  b.tick('51500', { after: 1_000 });
  return b;
}

function told(b: FuturesBench, order: Partial<ExchangeOrder>): string | null {
  const outcome = b.submit({ quantity: '1', ...order });
  return outcome.kind === 'rejected' ? outcome.code : null;
}

describe('where the mark is below the last price', () => {
  const BUYS = { type: 'STOP_MARKET', stopPrice: '51000' } as const;
  const PROFIT = { type: 'TAKE_PROFIT_MARKET', stopPrice: '51000' } as const;
  it.each<[Partial<ExchangeOrder>, string | null]>([
    // A stop is passed or not by the price that it looks at, which is the mark unless it says so.
    [BUYS, null],
    [{ ...BUYS, workingType: 'MARK_PRICE' }, null],
    [{ ...BUYS, workingType: 'CONTRACT_PRICE' }, '-2021'],
    [PROFIT, '-2021'],
    [{ ...PROFIT, workingType: 'CONTRACT_PRICE' }, null],
    [{ ...PROFIT, side: 'SELL' }, null],
    [{ ...PROFIT, side: 'SELL', workingType: 'CONTRACT_PRICE' }, '-2021'],
    // A limit is bounded by the mark.
    [{ price: '53287.5' }, null],
    [{ price: '53287.51' }, '-4016'],
    [{ side: 'SELL', price: '48212.5' }, null],
    [{ side: 'SELL', price: '48212.49' }, '-4024'],
    // It takes at the last price.
    [{ type: 'LIMIT_MAKER', price: '51499.99' }, null],
    [{ type: 'LIMIT_MAKER', price: '51500' }, '-5022'],
    [{ type: 'LIMIT_MAKER', side: 'SELL', price: '51500' }, '-5022'],
    [{ type: 'LIMIT_MAKER', side: 'SELL', price: '51000' }, '-5022'],
    [{ type: 'LIMIT_MAKER', side: 'SELL', price: '51500.01' }, null],
  ])('%j: %s', (order, code) => expect(told(apart(), order)).toBe(code));

  it('a stop that trails the last price follows that and fires by it', () => {
    const b = new FuturesBench({ markLagMs: HOUR });
    b.tick('50000');
    b.market('BUY', '1');
    const trails = { type: 'STOP_MARKET', side: 'SELL', trailingDelta: 100, quantity: '0.5' } as const;
    const byLast = b.place({ ...trails, reduceOnly: true, workingType: 'CONTRACT_PRICE' });
    const byMark = b.place({ ...trails, reduceOnly: true });
    b.tick('52000');
    b.tick('51480.01');
    expect([byLast, byMark].map((id) => b.state(id).status)).toEqual(['PENDING', 'PENDING']);
    expect(b.tick('51480').map(({ clientId, price }) => `${clientId} ${price}`)).toEqual([`${byLast} 51480`]);
    expect(b.state(byMark).status).toBe('PENDING');
  });
});

it('a stop that trails and buys is armed at its activation price or below, not before', () => {
  const b = new FuturesBench();
  b.tick('50000');
  b.market('SELL', '1');
  const id = b.place({
    type: 'STOP_MARKET',
    side: 'BUY',
    quantity: '1',
    trailingDelta: 100,
    activationPrice: '49000',
    reduceOnly: true,
  });
  // Armed at the first of these, it would fire at the second.
  for (const price of ['49000.01', '49600']) b.tick(price);
  expect(b.state(id)).not.toHaveProperty('armedAt');
  b.tick('49000');
  expect(b.state(id)).toMatchObject({ status: 'PENDING', armedAt: b.now });
  b.tick('48000');
  expect(b.tick('48479.99')).toEqual([]);
  expect(b.tick('48480')).toMatchObject([{ clientId: id, price: '48480', rPnl: '1520' }]);
});

it.each<[Partial<ExchangeOrder>, string | null]>([
  [{ type: 'STOP_MARKET', stopPrice: '50000.01' }, null],
  [{ type: 'STOP_MARKET', side: 'SELL', stopPrice: '49999.99' }, '-4164'],
  [{ type: 'STOP_LIMIT', stopPrice: '50001', price: '49999.99' }, '-4164'],
  [{ type: 'STOP_LIMIT', stopPrice: '49999', side: 'SELL', price: '50000' }, null],
  [{ type: 'STOP_MARKET', trailingDelta: 100 }, null],
  [{ type: 'STOP_MARKET', trailingDelta: 100, quantity: '0.001' }, '-4164'],
])(
  'the least notional of an order that waits is at its limit, its stop, or the last price: %j',
  (order, code) => {
    const b = new FuturesBench();
    b.tick('50000');
    expect(told(b, { quantity: '0.002', ...order })).toBe(code);
  },
);

it('a payment of the past is that of the side that was held then, and each side goes on from its own time', () => {
  const b = new FuturesBench();
  b.tick('50000');
  b.mustSet((core) => core.setHedgeMode(true));
  b.market('BUY', '1', { positionSide: 'LONG' });
  const long = b.now;
  b.tick('50000', { after: HOUR });
  b.market('SELL', '3', { positionSide: 'SHORT' });
  const short = b.now;
  const pay = (at: number) => {
    b.keep(b.core.payPast('BTCUSDT', { at, rate: '0.0001', mark: '50000' }));
    return [str(b.core.amounts().funding), b.core.fundedAt('BTCUSDT')];
  };
  expect(b.core.fundedAt('BTCUSDT')).toBe(long);
  expect(pay(long)).toEqual(['0', long]);
  expect(pay(long + 10)).toEqual(['-5', long + 10]);
  expect(pay(short)).toEqual(['-10', short]);
  expect(pay(short + 10)).toEqual(['0', short + 10]);
  const { rows } = b.core.ledger({ after: null, since: 0, limit: 9 });
  expect(rows.map(({ amount, time }) => `${amount} ${time - long}`)).toEqual([
    '-5 10',
    `-5 ${HOUR}`,
    `-5 ${HOUR + 10}`,
    `15 ${HOUR + 10}`,
  ]);
});

it.each(['ISOLATED', 'CROSSED'] as const)(
  'a position of two brackets is taken over as a whole at the very price of its bankruptcy: %s',
  (margin) => {
    const b = new FuturesBench({ takerRate: '0', startBalances: { USDT: '5000' } });
    b.tick('50000');
    b.mustSet((core) => core.setMarginType('BTCUSDT', margin));
    b.market('BUY', '2');
    b.tick('47500');
    const fills = b.fills().slice(1);
    expect(fills.map(({ side, qty, price, rPnl }) => `${side} ${qty} @ ${price}: ${rPnl}`)).toEqual([
      'SELL 2 @ 47500: -5000',
    ]);
    const { wallet, insurance, covered } = b.core.amounts();
    expect([wallet, insurance, covered]).toEqual([0n, 0n, 0n]);
  },
);

describe('a setting', () => {
  it('of the leverage is bounded by orders that rest, though nothing is held', () => {
    const b = new FuturesBench({ startBalances: { USDT: '50000' }, takerRate: '0' });
    b.tick('50000');
    b.place({ price: '49000', quantity: '20' });
    const set = (leverage: number) => b.set((core) => core.setLeverage('BTCUSDT', leverage));
    // 980,000 USDT: at 100 the bracket ends at 600,000, at 10 they need as much again as at 20.
    expect(b.balance()).toBe('1000/49000');
    expect(set(100)).toMatchObject({ kind: 'rejected', code: '-2027' });
    expect(set(10)).toMatchObject({ kind: 'rejected', code: '-2028' });
    expect(set(75)).toEqual({ kind: 'done' });
    expect(set(20)).toEqual({ kind: 'done' });
    expect(b.balance()).toBe('1000/49000');
  });

  it('of a symbol that is not there is refused', () => {
    const b = new FuturesBench();
    expect(b.set((core) => core.setLeverage('XXXUSDT', 5))).toMatchObject({ code: '-1121' });
    expect(b.set((core) => core.setMarginType('XXXUSDT', 'ISOLATED'))).toMatchObject({ code: '-1121' });
    expect(b.core.leverage(['XXXUSDT'])).toEqual([]);
  });

  it('that is so already is done whatever hangs on it, and tells and stores nothing', () => {
    const b = new FuturesBench();
    b.tick('50000');
    b.market('BUY', '1');
    b.place({ price: '49000', quantity: '1' });
    const before = [b.events.length, b.lane.commits.flat().length];
    for (const set of [
      () => b.set((core) => core.setLeverage('BTCUSDT', 20)),
      () => b.set((core) => core.setMarginType('BTCUSDT', 'CROSSED')),
      () => b.set((core) => core.setHedgeMode(false)),
      () => b.set((core) => core.setMarginMode(1)),
    ])
      expect(set()).toEqual({ kind: 'done' });
    expect([b.events.length, b.lane.commits.flat().length]).toEqual(before);
  });

  it('of a higher leverage leaves an isolated position the margin that it has; what is added has less', () => {
    const b = new FuturesBench({ takerRate: '0' });
    b.tick('50000');
    b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    b.market('BUY', '1');
    b.mustSet((core) => core.setLeverage('BTCUSDT', 50));
    expect(b.position()).toMatchObject({ isolatedWallet: '2500', leverage: 50 });
    b.market('BUY', '1');
    expect(b.position()).toMatchObject({ amount: '2', isolatedWallet: '3500' });
  });
});

it('what an order needs is told anew when it is changed, and when the leverage of its symbol is', () => {
  const b = new FuturesBench({ takerRate: '0' });
  b.tick('50000');
  const told = () => {
    const last = b.events.findLast((event) => event.kind === 'balances');
    return last?.kind === 'balances' ? last.changed.map(({ free, locked }) => `${free}/${locked}`) : [];
  };
  const id = b.place({ price: '49000', quantity: '2' });
  const ref = { clientId: id, symbol: 'BTCUSDT' };
  expect(told()).toEqual(['95100/4900']);
  b.keep(b.core.amend(ref, { quantity: '1' }, b.now));
  expect(told()).toEqual(['97550/2450']);
  b.mustSet((core) => core.setLeverage('BTCUSDT', 10));
  expect(told()).toEqual(['95100/4900']);
  b.keep(b.core.amend(ref, { price: '40000' }, b.now));
  expect(told()).toEqual(['96000/4000']);
  b.keep(b.core.cancel(ref, b.now));
  expect(told()).toEqual(['100000/0']);
});

/** The core as it is after a crash, which stores no price by itself. */
function crashed(b: FuturesBench): FuturesCore {
  const options = compilePaperOptions({}, 'futures');
  return new FuturesCore({ instruments: CONTRACTS, options }, b.lane.tables);
}

it('a start after a crash knows the price of the last thing that happened to an order', () => {
  const b = new FuturesBench();
  const known = (price: string, happens: () => void = () => {}) => {
    b.tick(price);
    happens();
    return crashed(b).lastPrice('BTCUSDT');
  };
  expect(known('50000', () => b.place({ price: '49000', quantity: '1' }))).toBe('50000');
  b.place({ type: 'STOP_LIMIT', stopPrice: '51000', price: '49500', quantity: '1' });
  b.place({ type: 'STOP_MARKET', side: 'SELL', quantity: '1', trailingDelta: 500, activationPrice: '52000' });
  expect(known('50500')).toBe('50000');
  expect(known('51000')).toBe('51000');
  expect(known('52000')).toBe('52000');
  expect(known('52500')).toBe('52500');
  expect(known('52400')).toBe('52500');
});

it('a stop with a limit has the last place among the orders of its price when it is triggered', () => {
  const b = new FuturesBench();
  b.tick('50000');
  const stop = b.place({ type: 'STOP_LIMIT', stopPrice: '51000', price: '49000', quantity: '1' });
  const rests = b.place({ price: '49000', quantity: '1' });
  b.tick('51000');
  expect(b.tick('49000').map(({ clientId }) => clientId)).toEqual([rests, stop]);
});

it.each([
  ['2470.4', 'FILLED', '-1'],
  ['2470.39999999', 'CANCELLED', '1'],
])(
  'a resting order that turns an isolated position needs the margin of what it opens and the fee of all: with %s it is %s',
  (free, status, amount) => {
    const b = new FuturesBench({ takerRate: '0', makerRate: '0.0002' });
    b.tick('50000');
    b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    b.market('BUY', '1');
    // 1 x 51,000 / 20 + 2 x 51,000 x 0.02 %, of which the order has locked 100.
    const id = b.place({ side: 'SELL', price: '51000', quantity: '2' });
    b.keep(b.core.setBalance('USDT', free));
    expect(b.balance()).toBe(`${free}/2600`);
    b.tick('51000');
    expect([b.state(id).status, b.position().amount]).toEqual([status, amount]);
  },
);

it('a start after a crash is no earlier than the payment that was stored last', () => {
  const b = new FuturesBench();
  b.tick('50000');
  b.market('BUY', '1');
  b.tick('51000', { after: 8 * HOUR });
  const again = crashed(b);
  expect([again.time, again.fundedAt('BTCUSDT')]).toEqual([b.now, b.core.fundedAt('BTCUSDT')]);
});

it('a reset leaves nothing of any side, contract, order or setting, and its ledger says what it paid', () => {
  const b = new FuturesBench({ fundingRate: '0.0001' });
  b.tick('50000');
  b.tick('3000', { symbol: 'ETHUSDT' });
  b.mustSet((core) => core.setHedgeMode(true));
  b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) b.mustSet((core) => core.setLeverage(symbol, 7));
  b.market('BUY', '1', { positionSide: 'LONG' });
  b.market('SELL', '2', { positionSide: 'SHORT' });
  b.market('BUY', '3', { symbol: 'ETHUSDT', positionSide: 'LONG' });
  const rests = b.place({ price: '49000', quantity: '1', positionSide: 'LONG' });
  const waits = b.place({
    type: 'STOP_MARKET',
    side: 'BUY',
    stopPrice: '60000',
    closePosition: true,
    positionSide: 'SHORT',
  });
  b.tick('49900', { after: 8 * HOUR });
  const before = b.core.amounts().wallet;
  const known = b.core.ledger({ after: null, since: 0, limit: 99 }).rows.length;
  b.keep(b.core.reset(b.now));
  expect([b.core.positions(), b.core.openOrders(), b.balance()]).toEqual([[], [], '100000/0']);
  for (const id of [rests, waits])
    expect(b.state(id)).toMatchObject({ status: 'CANCELLED', text: 'the paper account was reset' });
  const { wallet, start, ...others } = b.core.amounts();
  expect([wallet, start].map(str)).toEqual(['100000', '100000']);
  expect(Object.values(others).every((amount) => amount === 0n)).toBe(true);
  const { rows } = b.core.ledger({ after: null, since: 0, limit: 99 });
  expect(rows.slice(known).map(({ kind, amount, asset }) => `${kind} ${amount} ${asset}`)).toEqual([
    `transfer ${str(dec('100000') - before)} USDT`,
  ]);
  expect(b.core.leverage(['BTCUSDT', 'ETHUSDT'])).toMatchObject([
    { symbol: 'BTCUSDT', side: 'BOTH', leverage: 20, marginType: 'CROSSED', realizedPnl: '0' },
    { symbol: 'ETHUSDT', side: 'BOTH', leverage: 20, marginType: 'CROSSED', realizedPnl: '0' },
  ]);
  // The next position is a new one, with no time or cost of the one before.
  b.tick('49900', { after: HOUR });
  b.market('BUY', '1');
  expect(b.position()).toMatchObject({ amount: '1', isolatedWallet: '0', realizedPnl: '0' });
  expect(b.core.fundedAt('BTCUSDT')).toBe(b.now);
});
