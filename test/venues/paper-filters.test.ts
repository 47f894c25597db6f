/**
 * The paper exchanges' refusals exactly at each filter's limit, with their texts: a value on the bound
 * passes, one step beyond it does not.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangeOrder } from '../../src/domain/exchange.ts';
import { FuturesBench } from './futures-support.ts';
import { CoreBench } from './paper-support.ts';

type Case = readonly [Partial<ExchangeOrder>, string | null];

/** A spot exchange at price 100, with balances for all cases. */
function spot(): CoreBench {
  const b = new CoreBench({ startBalances: { USDT: '100000000', BTC: '100000' } });
  b.tick('100');
  return b;
}
const told = (outcome: ReturnType<CoreBench['submit']>) =>
  outcome.kind === 'rejected' ? `${outcome.code} ${outcome.message}` : null;

const FILTER = '-1013 Filter failure:';
const STOP = { type: 'STOP_LIMIT', quantity: '1' } as const;
const TAKE = { ...STOP, type: 'TAKE_PROFIT_LIMIT' } as const;
const TRIGGER = '-2010 Order would trigger immediately.';
const MATCH = '-2010 Order would immediately match and take.';

describe('on spot', () => {
  it('the least notional of a market order is that of the last price, whatever it slips', () => {
    const b = new CoreBench({ startBalances: { USDT: '1000', BTC: '10' }, slippageBps: 100 });
    b.tick('100');
    const at = (side: 'BUY' | 'SELL', quantity: string) => told(b.submit({ type: 'MARKET', side, quantity }));
    expect([at('SELL', '0.05'), at('BUY', '0.05')]).toEqual([null, null]);
    expect(at('BUY', '0.0495')).toContain('LOT_SIZE');
    expect(at('BUY', '0.049')).toBe(`${FILTER} NOTIONAL: 4.9 is below the minimum of 5.`);
  });

  it.each<Case>([
    [{ price: '99', quantity: '0.001' }, `${FILTER} NOTIONAL: 0.099 is below the minimum of 5.`],
    [{ price: '99', quantity: '0.0005' }, `${FILTER} LOT_SIZE: quantity 0.0005 is not a multiple of 0.001.`],
    [{ price: '100', quantity: '0.05' }, null],
    [{ price: '99.99', quantity: '0.05' }, `${FILTER} NOTIONAL: 4.9995 is below the minimum of 5.`],
    [{ side: 'SELL', price: '101', quantity: '1000' }, null],
    [
      { side: 'SELL', price: '101', quantity: '1000.001' },
      `${FILTER} LOT_SIZE: quantity 1000.001 is above 1000.`,
    ],
    [{ type: 'MARKET', quantity: '100' }, null],
    [{ type: 'MARKET', quantity: '100.001' }, `${FILTER} LOT_SIZE: quantity 100.001 is above 100.`],
    [{ type: 'MARKET', quantity: '0.05' }, null],
    [{ type: 'MARKET', quantity: '0.049' }, `${FILTER} NOTIONAL: 4.9 is below the minimum of 5.`],
    [{ type: 'MARKET', quoteOrderQty: '10000' }, null],
    [{ type: 'MARKET', quoteOrderQty: '10000.1' }, `${FILTER} LOT_SIZE: quantity 100.001 is above 100.`],
    [
      { type: 'MARKET', quoteOrderQty: '0.09' },
      `${FILTER} LOT_SIZE: 0.09 buys 0, below the minimum of 0.001.`,
    ],
    [{ price: '20', quantity: '1' }, null],
    [{ price: '19.99', quantity: '1' }, `${FILTER} PERCENT_PRICE: price must be between 20 and 500.`],
    [{ side: 'SELL', price: '500', quantity: '1' }, null],
    [
      { side: 'SELL', price: '500.01', quantity: '1' },
      `${FILTER} PERCENT_PRICE: price must be between 20 and 500.`,
    ],
    [
      { price: '99.001', quantity: '1' },
      `${FILTER} PRICE_FILTER: price 99.001 is not a multiple of 0.01 (near 99).`,
    ],
    [
      { price: '99.005', quantity: '1' },
      `${FILTER} PRICE_FILTER: price 99.005 is not a multiple of 0.01 (near 99.01).`,
    ],
    [
      { price: '0.005', quantity: '1' },
      `${FILTER} PRICE_FILTER: price 0.005 is not a multiple of 0.01 (near 0.01).`,
    ],
    [{ price: '1000000.01', quantity: '1' }, `${FILTER} PRICE_FILTER: price 1000000.01 is above 1000000.`],
    [{ price: '99', quantity: '10', icebergQty: '0.1' }, null],
    [
      { price: '99', quantity: '10', icebergQty: '0.099' },
      `${FILTER} ICEBERG_PARTS: 102 parts, at most 100.`,
    ],
    [
      { price: '99', quantity: '10.001', icebergQty: '0.1' },
      `${FILTER} ICEBERG_PARTS: 101 parts, at most 100.`,
    ],
    [{ price: '99', quantity: '0' }, "-1100 Parameter 'quantity' must be above zero."],
    [{ price: '-1', quantity: '1' }, "-1100 Parameter 'price' must be above zero."],
    [{ price: '1e2', quantity: '1' }, "-1100 Illegal characters found in parameter 'price'."],
    [
      { price: '99', quantity: '1', timeInForce: 'GTX' as 'GTC' },
      '-1115 timeInForce GTX is not supported by this exchange.',
    ],
    [
      { type: 'STOP_MARKET', stopPrice: '90', quantity: '1' },
      '-1116 Order type STOP_MARKET is not supported by this exchange.',
    ],
    [{ price: '99', quantity: '1', reduceOnly: true }, '-1106 reduceOnly has no meaning on spot.'],
    [{ price: '99', quantity: '1', closePosition: true }, '-1106 closePosition has no meaning on spot.'],
    [{ quantity: '1' }, '-1102 A LIMIT order needs price.'],
    [{ price: '99' }, '-1102 A LIMIT order needs quantity.'],
    [
      { price: '99', quantity: '1', quoteOrderQty: '5' },
      "-1106 Parameter 'quoteOrderQty' sent when not required.",
    ],
    [{ type: 'MARKET', price: '99', quantity: '1' }, "-1106 Parameter 'price' sent when not required."],
    [{ type: 'MARKET' }, '-1102 A MARKET order needs either quantity or quoteOrderQty.'],
    [
      { type: 'MARKET', quantity: '1', quoteOrderQty: '100' },
      '-1102 A MARKET order needs either quantity or quoteOrderQty.',
    ],
    [{ ...STOP, price: '101' }, '-1102 A STOP_LIMIT order needs stopPrice.'],
    [{ price: '99', quantity: '1', stopPrice: '101' }, '-1102 A LIMIT order has no stopPrice.'],
    [
      { price: '99', quantity: '1', icebergQty: '0.5', timeInForce: 'IOC' },
      '-1013 icebergQty needs a LIMIT order with timeInForce GTC.',
    ],
    [
      { type: 'LIMIT_MAKER', price: '99', quantity: '1', timeInForce: 'IOC' },
      '-1106 LIMIT_MAKER orders rest until cancelled: timeInForce must be GTC.',
    ],
    [{ type: 'LIMIT_MAKER', price: '99.99', quantity: '1' }, null],
    [{ type: 'LIMIT_MAKER', price: '100', quantity: '1' }, MATCH],
    [{ type: 'LIMIT_MAKER', side: 'SELL', price: '100.01', quantity: '1' }, null],
    [{ type: 'LIMIT_MAKER', side: 'SELL', price: '100', quantity: '1' }, MATCH],
    [{ ...STOP, stopPrice: '100.01', price: '101' }, null],
    [{ ...STOP, stopPrice: '100', price: '101' }, TRIGGER],
    [{ ...STOP, side: 'SELL', stopPrice: '99.99', price: '99' }, null],
    [{ ...STOP, side: 'SELL', stopPrice: '100', price: '99' }, TRIGGER],
    [{ ...TAKE, stopPrice: '99.99', price: '99' }, null],
    [{ ...TAKE, stopPrice: '100', price: '99' }, TRIGGER],
    [{ ...TAKE, side: 'SELL', stopPrice: '100.01', price: '101' }, null],
    [{ ...TAKE, side: 'SELL', stopPrice: '100', price: '101' }, TRIGGER],
  ])('%o: %s', (order, words) => expect(told(spot().submit(order))).toBe(words));

  it.each([
    ['BUY', '99', 'USDT', '990'],
    ['SELL', '101', 'BTC', '10'],
  ] as const)('a %s may take the last of what is free, and no more', (side, price, asset, need) => {
    const few = new CoreBench({ startBalances: { [asset]: need } });
    few.tick('100');
    expect(told(few.submit({ side, price, quantity: '10.001' }))).toBe(
      '-2010 Account has insufficient balance for requested action.',
    );
    expect(told(few.submit({ side, price, quantity: '10' }))).toBeNull();
    expect(few.balance(asset)).toBe(`0/${need}`);
  });
});

/**
 * BTCUSDT at 50,000: tick 0.01, step and minimum 0.001, maximum 1,000 and 120 for market orders, notional
 * 100.
 */
function futures(options: ConstructorParameters<typeof FuturesBench>[0] = {}): FuturesBench {
  const b = new FuturesBench({ startBalances: { USDT: '1000000000' }, ...options });
  b.tick('50000');
  b.mustSet((core) => core.setLeverage('BTCUSDT', 1));
  return b;
}

describe('on futures', () => {
  const STOPS = { type: 'STOP_MARKET', quantity: '1' } as const;
  const PROFITS = { ...STOPS, type: 'TAKE_PROFIT_MARKET' } as const;
  const IMMEDIATE = '-2021 Order would immediately trigger.';
  const POST = '-5022 Post Only order will be rejected: it would be matched immediately.';
  it.each<Case>([
    [{ price: '50000', quantity: '0.002' }, null],
    [
      { price: '49999.99', quantity: '0.002' },
      "-4164 Order's notional must be no smaller than 100 (unless you choose reduce only), not 99.99998.",
    ],
    [{ price: '49000', quantity: '1000' }, null],
    [{ price: '49000', quantity: '1000.001' }, `${FILTER} LOT_SIZE: quantity 1000.001 is above 1000.`],
    [{ type: 'MARKET', quantity: '120' }, null],
    [{ type: 'MARKET', quantity: '120.001' }, `${FILTER} LOT_SIZE: quantity 120.001 is above 120.`],
    [{ ...STOPS, stopPrice: '51000', quantity: '120' }, null],
    [
      { ...STOPS, stopPrice: '51000', quantity: '120.001' },
      `${FILTER} LOT_SIZE: quantity 120.001 is above 120.`,
    ],
    [{ type: 'MARKET', quoteOrderQty: '100' }, null],
    [{ type: 'MARKET', quoteOrderQty: '49.99' }, '-4003 Quantity less than min quantity: 49.99 buys 0.'],
    [
      { type: 'MARKET', quantity: '1', quoteOrderQty: '100' },
      "-1106 Parameter 'quoteOrderQty' goes with MARKET and without quantity.",
    ],
    [{ type: 'MARKET' }, '-1102 A MARKET order needs quantity.'],
    [{ symbol: 'ETHUSDT', type: 'MARKET', quantity: '1' }, '-4131 There is no price for ETHUSDT yet.'],
    [{ symbol: 'ETHUSDT', price: '3000', quantity: '1' }, null],
    [{ price: '52500', quantity: '1' }, null],
    [{ price: '52500.01', quantity: '1' }, "-4016 Limit price can't be higher than 52500."],
    [{ side: 'SELL', price: '47500', quantity: '1' }, null],
    [{ side: 'SELL', price: '47499.99', quantity: '1' }, "-4024 Limit price can't be lower than 47500."],
    // The limit price of a stop is checked against the stop price.
    [{ type: 'STOP_LIMIT', stopPrice: '52000', price: '54600', quantity: '1' }, null],
    [
      { type: 'STOP_LIMIT', stopPrice: '52000', price: '54600.01', quantity: '1' },
      "-4016 Limit price can't be higher than 54600.",
    ],
    [{ quantity: '1' }, '-1102 A LIMIT order needs price.'],
    [{ type: 'MARKET', price: '50000', quantity: '1' }, '-1102 A MARKET order has no price.'],
    [{ ...STOPS }, '-1102 A STOP_MARKET order needs stopPrice.'],
    [{ ...STOPS, trailingDelta: 100, stopPrice: '51000' }, '-1102 A trailing order has no stopPrice.'],
    [{ price: '49000', quantity: '1', stopPrice: '51000' }, '-1102 A LIMIT order has no stopPrice.'],
    [{ price: '49000', quantity: '1', icebergQty: '0.1' }, '-1106 There are no iceberg orders on futures.'],
    [
      { price: '49000', quantity: '1', timeInForce: 'GTX' as 'GTC' },
      '-1115 timeInForce GTX is not supported by this exchange.',
    ],
    [
      { type: 'LIMIT_MAKER', price: '49000', quantity: '1', timeInForce: 'FOK' },
      '-1106 LIMIT_MAKER orders rest until cancelled: timeInForce must be GTC.',
    ],
    [
      { ...PROFITS, trailingDelta: 100, stopPrice: undefined },
      '-1106 trailingDelta goes with STOP_MARKET only.',
    ],
    [
      { ...STOPS, stopPrice: '51000', activationPrice: '51000' },
      '-1106 activationPrice goes with trailingDelta only.',
    ],
    [
      { price: '49000', quantity: '1', closePosition: true },
      '-1106 closePosition goes with market orders only.',
    ],
    [{ ...STOPS, trailingDelta: 10 }, null],
    [
      { ...STOPS, trailingDelta: 9 },
      '-2007 trailingDelta must be a whole number of basis points from 10 to 1000.',
    ],
    [{ ...STOPS, trailingDelta: 1000 }, null],
    [
      { ...STOPS, trailingDelta: 1001 },
      '-2007 trailingDelta must be a whole number of basis points from 10 to 1000.',
    ],
    [
      { ...STOPS, trailingDelta: 10.5 },
      '-2007 trailingDelta must be a whole number of basis points from 10 to 1000.',
    ],
    [
      { ...STOPS, trailingDelta: 10, activationPrice: '51000.001' },
      `${FILTER} PRICE_FILTER: activationPrice 51000.001 is not a multiple of 0.01 (near 51000).`,
    ],
    [{ type: 'LIMIT_MAKER', price: '49999.99', quantity: '1' }, null],
    [{ type: 'LIMIT_MAKER', price: '50000', quantity: '1' }, POST],
    [{ type: 'LIMIT_MAKER', side: 'SELL', price: '50000.01', quantity: '1' }, null],
    [{ type: 'LIMIT_MAKER', side: 'SELL', price: '50000', quantity: '1' }, POST],
    [{ ...STOPS, stopPrice: '50000.01' }, null],
    [{ ...STOPS, stopPrice: '50000' }, IMMEDIATE],
    [{ ...STOPS, side: 'SELL', stopPrice: '49999.99' }, null],
    [{ ...STOPS, side: 'SELL', stopPrice: '50000' }, IMMEDIATE],
    [{ ...PROFITS, stopPrice: '49999.99' }, null],
    [{ ...PROFITS, stopPrice: '50000' }, IMMEDIATE],
    [{ ...PROFITS, side: 'SELL', stopPrice: '50000.01' }, null],
    [{ ...PROFITS, side: 'SELL', stopPrice: '50000' }, IMMEDIATE],
    [{ price: '49000', quantity: '1', reduceOnly: true }, '-2022 ReduceOnly Order is rejected.'],
    [
      { price: '49000', quantity: '1', positionSide: 'LONG' },
      "-4061 Order's position side does not match user's setting.",
    ],
  ])('%o: %s', (order, words) => expect(told(futures().submit(order))).toBe(words));

  it.each<[ExchangeOrder['side'], ExchangeOrder['positionSide'], boolean, string | null]>([
    ['BUY', 'BOTH', false, "-4061 Order's position side does not match user's setting."],
    ['BUY', 'LONG', false, null],
    ['SELL', 'SHORT', false, null],
    ['BUY', 'LONG', true, '-2022 ReduceOnly Order is rejected.'],
    ['SELL', 'SHORT', true, '-2022 ReduceOnly Order is rejected.'],
    ['SELL', 'LONG', false, null],
    ['SELL', 'LONG', true, null],
    ['BUY', 'SHORT', true, null],
  ])('in hedge mode: %s %s (reduce only: %s): %s', (side, positionSide, reduceOnly, words) => {
    const b = futures();
    b.mustSet((core) => core.setHedgeMode(true));
    b.market('BUY', '1', { positionSide: 'LONG' });
    b.market('SELL', '1', { positionSide: 'SHORT' });
    expect(told(b.submit({ type: 'MARKET', side, quantity: '0.5', positionSide, reduceOnly }))).toBe(words);
  });

  it('a closing order needs no least notional, and takes no count of what is open', () => {
    const b = futures();
    b.market('BUY', '1');
    expect(told(b.submit({ side: 'SELL', price: '60000', quantity: '0.001', reduceOnly: true }))).toBeNull();
    expect(told(b.submit({ side: 'SELL', price: '60000', quantity: '0.001' }))).toContain('-4164');
  });

  it('at most 200 orders of a contract wait or rest; a market order does neither', () => {
    const b = futures();
    for (let n = 0; n < 199; n++) b.place({ price: '40000', quantity: '0.003' });
    b.place({ ...STOPS, stopPrice: '60000' });
    const many = '-4045 Reach max stop order limit or max open orders: 200 on BTCUSDT already.';
    expect(told(b.submit({ price: '40000', quantity: '0.003' }))).toBe(many);
    expect(told(b.submit({ ...STOPS, stopPrice: '60000' }))).toBe(many);
    expect(told(b.submit({ type: 'MARKET', quantity: '1' }))).toBeNull();
  });

  it('an order may use the last of what is available: margin, the loss against the mark, the fee of taking', () => {
    // At 20x: 1 x 51,000 / 20 + 1,000 + 51,000 x 0.05 %.
    const of = (USDT: string) => {
      const b = new FuturesBench({ startBalances: { USDT } });
      b.tick('50000');
      return told(b.submit({ price: '51000', quantity: '1', side: 'BUY', timeInForce: 'FOK' }));
    };
    expect(of('3575.5')).toBeNull();
    expect(of('3575.49')).toBe('-2019 Margin is insufficient.');
    const sell = (USDT: string) => {
      const b = new FuturesBench({ startBalances: { USDT } });
      b.tick('50000');
      return told(b.submit({ price: '49000', quantity: '1', side: 'SELL', timeInForce: 'FOK' }));
    };
    expect(sell('3474.5')).toBeNull();
    expect(sell('3474.49')).toBe('-2019 Margin is insufficient.');
  });

  it.each([0, -1, 1.5, 126])('a leverage of %d is none', (leverage) => {
    const b = futures();
    expect(b.set((core) => core.setLeverage('BTCUSDT', leverage))).toMatchObject({ code: '-4028' });
    expect(b.set((core) => core.setLeverage('BTCUSDT', 125))).toEqual({ kind: 'done' });
    expect(b.set((core) => core.setLeverage('BTCUSDT', 1))).toEqual({ kind: 'done' });
  });

  it('a balance is of the margin asset, and none below zero; none at all is one', () => {
    const b = futures();
    expect(() => b.core.setBalance('BTC', '1')).toThrow('paper futures has no balance of BTC');
    expect(() => b.core.setBalance('USDT', '-0.01')).toThrow('a balance cannot be negative: -0.01');
    b.keep(b.core.setBalance('USDT', '0'));
    expect(b.balance()).toBe('0/0');
    const spotBench = spot();
    expect(() => spotBench.core.setBalance('USDT', '-0.01')).toThrow('a balance cannot be negative: -0.01');
    spotBench.give('USDT', '0');
    expect(spotBench.balance('USDT')).toBe('0/0');
  });
});
