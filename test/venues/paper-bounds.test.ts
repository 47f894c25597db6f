/**
 * What bounds an order of the paper exchange beyond the usual filters: what is free for a changed SELL, the
 * number of open orders while one is changed, limits that an instrument does not have, slippage, and small
 * balances with a locked part.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangeOrder } from '../../src/domain/exchange.ts';
import type { Instrument } from '../../src/domain/instrument.ts';
import { PaperCore } from '../../src/venues/paper/core.ts';
import type { ExchangeCore } from '../../src/venues/paper/exchange-core.ts';
import { FuturesCore } from '../../src/venues/paper/futures/futures-core.ts';
import { compilePaperOptions } from '../../src/venues/paper/options.ts';
import { CONTRACTS, FuturesBench } from './futures-support.ts';
import { BTC, CoreBench, fillText } from './paper-support.ts';

const ref = (clientId: string) => ({ clientId, symbol: 'BTCUSDT' });

/** An account with plenty of everything, on one instrument at price 100 (a contract: 50,000). */
function coreOf(instrument: Instrument): ExchangeCore {
  const isSpot = instrument.kind === 'spot';
  const startBalances = { USDT: '1000000000', ...(isSpot ? { BTC: '1000000' } : {}) };
  const options = compilePaperOptions({ startBalances }, instrument.kind);
  const config = { instruments: [instrument], options };
  const core = isSpot
    ? new PaperCore({ kind: 'spot', instruments: [instrument], options }, new Map())
    : new FuturesCore(config, new Map());
  core.begin();
  core.beginTick('BTCUSDT', isSpot ? '100' : '50000', '1', 1);
  return core;
}

function submit(core: ExchangeCore, clientId: string, order: Partial<ExchangeOrder>): string | null {
  const usual = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC' } as const;
  const { outcome } = core.submit({ ...usual, ...order, clientId }, 2);
  return outcome.kind === 'rejected' ? outcome.message : null;
}

describe('a change of an order', () => {
  it('that sells locks what is left of it in base, and no more than the account has', () => {
    const b = new CoreBench({ participation: '1' });
    b.give('BTC', '10');
    b.tick('100');
    const id = b.sell('110', '4');
    const amend = (change: { price?: string; quantity?: string }) => {
      const outcome = b.keep(b.core.amend(ref(id), change, b.now++));
      return [outcome.kind === 'rejected' ? outcome.code : outcome.kind, b.balance('BTC')];
    };
    expect(amend({ quantity: '6' })).toEqual(['done', '4/6']);
    expect(amend({ price: '120' })).toEqual(['done', '4/6']);
    expect(amend({ quantity: '10.001' })).toEqual(['-2010', '4/6']);
    expect(amend({ quantity: '10' })).toEqual(['done', '0/10']);
    b.tick('120', '3');
    expect(amend({ quantity: '5', price: '121' })).toEqual(['done', '5/2']);
    expect(amend({ quantity: '10.001' })).toEqual(['-2010', '5/2']);
    expect(amend({ quantity: '10' })).toEqual(['done', '0/7']);
    expect(b.tick('130', '9').map(fillText)).toEqual(['SELL 7 @ 121 maker']);
    expect(b.balance('BTC')).toBe('0/0');
  });

  it.each(['spot', 'futures'] as const)(
    'is none more of those that may be open, and makes room for none: %s',
    (kind) => {
      const instrument = kind === 'spot' ? BTC : (CONTRACTS[0] as Instrument);
      const core = coreOf({ ...instrument, maxOrders: 2 });
      const [low, lower] = kind === 'spot' ? ['90', '80'] : ['49000', '48000'];
      expect(['a', 'b'].map((id) => submit(core, id, { price: low, quantity: '1' }))).toEqual([null, null]);
      const full = expect.stringMatching(/MAX_NUM_ORDERS|max open orders/);
      expect(submit(core, 'c', { price: low, quantity: '1' })).toEqual(full);
      for (const change of [{ price: lower }, { quantity: '2' }, { quantity: '1' }])
        expect(core.amend(ref('a'), change, 3).outcome.kind).toBe('done');
      expect(submit(core, 'd', { price: low, quantity: '1' })).toEqual(full);
      core.cancel(ref('a'), 4);
      expect(submit(core, 'e', { price: low, quantity: '1' })).toBeNull();
    },
  );

  it.each(['spot', 'futures'] as const)('leaves one that may not take where it rests: %s', (kind) => {
    const b = kind === 'spot' ? new CoreBench() : new FuturesBench();
    b.tick('50000');
    const id = b.place({ type: 'LIMIT_MAKER', price: '49000', quantity: '1' });
    const amend = (price: string) => b.keep(b.core.amend(ref(id), { price }, b.now));
    expect(amend('50000')).toMatchObject({ kind: 'rejected', reason: 'POST_ONLY' });
    expect(amend('49999.99').kind).toBe('done');
    b.tick('49999.99');
    expect(b.core.fills({ symbol: 'BTCUSDT', from: 0 }).map(fillText)).toEqual(['BUY 1 @ 49999.99 maker']);
  });
});

it('what ends or changes an order is of its own time, which never goes back', () => {
  const b = new CoreBench();
  b.tick('100');
  const [one, two, three, four] = ['99', '98', '97', '96'].map((price) => b.buy(price, '1')) as [
    string,
    string,
    string,
    string,
  ];
  const timeOf = (id: string) => b.state(id).time;
  b.keep(b.core.amend(ref(one), { price: '95' }, 5_000));
  b.keep(b.core.cancel(ref(two), 6_000));
  expect([timeOf(one), timeOf(two)]).toEqual([5_000, 6_000]);
  b.keep(b.core.cancel(ref(three), 10));
  expect(timeOf(three)).toBe(6_000);
  const all = b.keep(b.core.cancelAll('BTCUSDT', 7_000));
  expect(all).toMatchObject({ states: [{ clientId: one }, { clientId: four }] });
  expect([timeOf(one), timeOf(four), timeOf(two), b.core.time]).toEqual([7_000, 7_000, 6_000, 7_000]);
});

it('a start after a crash knows the price at which a stop was triggered', () => {
  const b = new CoreBench();
  b.tick('100');
  const id = b.buy('90', '1', { type: 'STOP_LIMIT', stopPrice: '105' });
  b.tick('106');
  expect(b.state(id).status).toBe('WORKING');
  expect(b.restarted(b.lane.tables).lastPrice('BTCUSDT')).toBe('106');
});

describe('a limit that an instrument does not have', () => {
  const LIMITED = { ...BTC, maxPrice: '1000', maxQty: '1000', maxNotional: '50000', percentUp: '5' };
  it.each<[keyof Instrument, Partial<Instrument>, Partial<ExchangeOrder>, string]>([
    ['maxPrice', { percentUp: '0' }, { side: 'SELL', price: '1000.01', quantity: '1' }, 'PRICE_FILTER'],
    ['percentUp', {}, { side: 'SELL', price: '500.01', quantity: '1' }, 'PERCENT_PRICE'],
    ['maxQty', {}, { price: '30', quantity: '1000.001' }, 'LOT_SIZE'],
    ['maxNotional', {}, { price: '99', quantity: '505.051' }, 'NOTIONAL'],
  ])('bounds nothing: %s', (name, more, order, filter) => {
    const limited = { ...LIMITED, ...more };
    expect(submit(coreOf(limited), 'a', order)).toContain(`Filter failure: ${filter}`);
    expect(submit(coreOf({ ...limited, [name]: '0' }), 'a', order)).toBeNull();
  });

  it('and the least visible part of an iceberg is the least quantity', () => {
    const core = coreOf({ ...BTC, minQty: '0.01' });
    const iceberg = (icebergQty: string) =>
      submit(core, icebergQty, { price: '99', quantity: '0.5', icebergQty });
    expect(iceberg('0.009')).toBe('Filter failure: LOT_SIZE: icebergQty is below 0.01.');
    expect(iceberg('0.01')).toBeNull();
  });
});

describe('a quote amount', () => {
  it('pays for the price that the order gets, slippage included', () => {
    const b = new CoreBench({ startBalances: { USDT: '1010' }, slippageBps: 100 });
    b.tick('100');
    b.place({ type: 'MARKET', quoteOrderQty: '1010' });
    expect([b.fills(), b.balance('USDT')]).toEqual([['BUY 10 @ 101 taker'], '0/0']);
    const sells = new CoreBench({ startBalances: { BTC: '10' }, slippageBps: 100 });
    sells.tick('100');
    sells.place({ type: 'MARKET', side: 'SELL', quoteOrderQty: '495' });
    expect([sells.fills(), sells.balance('BTC')]).toEqual([['SELL 5 @ 99 taker'], '5/0']);
  });

  it('is that of the contract’s worsened price, too', () => {
    const b = new FuturesBench({ slippageBps: 100 });
    b.tick('50000');
    b.place({ type: 'MARKET', quoteOrderQty: '50500' });
    b.place({ type: 'MARKET', side: 'SELL', quoteOrderQty: '49500' });
    expect(b.fills().map(fillText)).toEqual(['BUY 1 @ 50500 taker', 'SELL 1 @ 49500 taker']);
  });
});

describe('small balances', () => {
  function dusty(startBalances = { USDT: '1000' }): CoreBench {
    const b = new CoreBench({ startBalances });
    b.give('BTC', '0.1');
    b.give('DOGE', '40');
    b.tick('100');
    b.tick('0.2', '1', undefined, 'DOGEUSDT');
    b.tick('600', '1', undefined, 'BNBUSDT');
    return b;
  }

  it('are converted without what orders have locked of them', () => {
    const b = dusty();
    const id = b.sell('101', '0.05');
    expect(b.core.dust().map(({ asset, free }) => `${free} ${asset}`)).toEqual(['0.05 BTC', '40 DOGE']);
    expect(b.keep(b.core.convertDust(['BTC'], 0)).kind).toBe('done');
    expect(b.balance('BTC')).toBe('0/0.05');
    expect(b.core.dust().map(({ asset }) => asset)).toEqual(['DOGE']);
    b.cancel(id);
    expect(b.balance('BTC')).toBe('0.05/0');
  });

  it('of several assets are paid as one sum, beside what the account has of the token', () => {
    const b = dusty();
    b.give('BNB', '1');
    b.keep(b.core.setBalance('BTC', '0.05'));
    const outcome = b.keep(b.core.convertDust(['BTC', 'DOGE'], 0));
    // 5 / 600 and 8 / 600, each down to the smallest amount, less 2 %.
    expect(outcome).toMatchObject({
      conversion: {
        converted: [
          { asset: 'BTC', amount: '0.05', received: '0.0081666634', fee: '0.0001666666' },
          { asset: 'DOGE', amount: '40', received: '0.0130666634', fee: '0.0002666666' },
        ],
        received: '0.0212333268',
      },
    });
    expect(b.balance('BNB')).toBe('1.0212333268/0');
  });

  it('are those of the quote asset, too, and never of the token itself', () => {
    const b = dusty({ USDT: '6' });
    b.give('BNB', '0.001');
    expect(b.core.dust().find(({ asset }) => asset === 'USDT')).toEqual({
      asset: 'USDT',
      free: '6',
      value: '6',
      toAsset: 'BNB',
      toAmount: '0.0098',
    });
    expect(b.core.dust().map(({ asset }) => asset)).toEqual(['DOGE', 'USDT']);
  });
});
