/** Settings of ALGO: bracket, tpsl, twap (strategies.md 7). */
import { describe, expect, it } from 'vitest';
import type { AlgoSettings } from '../../../../src/bots/types/algo/settings.ts';
import { slicesBelowMinimum } from '../../../../src/bots/types/algo/twap-slices.ts';
import { dec } from '../../../../src/domain/decimal.ts';
import { compile, compiled, type Kind, problems, warnings, world } from '../../settings/support.ts';

const FUTURES = { exchange: 'paper-futures' };
const DEPOSIT = { deposit: { value: '1000', asset: 'USDT' }, quantity: undefined };

function algo(kind: Kind, changes: Record<string, unknown> = {}): AlgoSettings {
  return compiled<AlgoSettings>(kind, changes);
}

// proves: bot ALGO settings
describe('ALGO', () => {
  it('counts in minutes', () => {
    expect(algo('BRACKET')).toMatchObject({ timeFrame: 60_000, expire: null });
    expect(algo('BRACKET', { timeFrame: 5, expire: 10 })).toMatchObject({
      timeFrame: 300_000,
      expire: 600_000,
    });
  });

  it.each([
    ['BRACKET', { algo: 'oco' }, 'algo: must be one of bracket, tpsl, twap, got "oco"'],
    ['BRACKET', { algo: undefined }, 'algo: missing; must be one of bracket, tpsl, twap'],
    ['BRACKET', { side: 'LONG' }, 'side: must be BUY or SELL, got "LONG"'],
    ['TPSL', { side: undefined }, 'side: missing; must be BUY or SELL'],
    ['TWAP', { timeFrame: 0 }, 'timeFrame: must be an integer from 1 to 10080, got 0'],
    ['TWAP', { timeFrame: 60_000 }, 'timeFrame: must be an integer from 1 to 10080, got 60000'],
    ['BRACKET', { expire: 0 }, 'expire: must be an integer from 1 to 525600, got 0'],
    ['BRACKET', { quantity: '0' }, 'quantity: must be a decimal above 0, got "0"'],
  ] as const)('%s refuses %j', (kind, changes, problem) => {
    expect(problems(kind, changes)).toEqual([problem]);
  });

  // proves: bot ALGO size
  it('is sized by quantity, or a BUY by deposit', () => {
    expect(algo('BRACKET')).toMatchObject({ quantity: dec('0.5'), deposit: null });
    expect(algo('BRACKET', DEPOSIT)).toMatchObject({ quantity: null, deposit: { value: dec('1000') } });
    const missing = 'quantity: missing; must be a decimal above 0';
    expect(problems('BRACKET', { quantity: undefined })).toEqual([`${missing}, or deposit given`]);
    expect(problems('TWAP', { quantity: undefined, side: 'SELL' })).toEqual([missing]);
    expect(problems('TWAP', { ...DEPOSIT, side: 'SELL' })).toEqual([
      'deposit: is for a BUY; a SELL needs quantity',
    ]);
    expect(problems('BRACKET', { ...DEPOSIT, quantity: '1' })).toEqual([
      'quantity: give quantity or deposit, not both',
    ]);
  });

  it('is of the whole position when tpsl on futures has no quantity', () => {
    expect(algo('TPSL', { ...FUTURES, quantity: undefined })).toMatchObject({ quantity: null });
    expect(problems('TPSL', { quantity: undefined })).toEqual([
      'quantity: missing; must be a decimal above 0',
    ]);
    expect(problems('TPSL', { ...FUTURES, ...DEPOSIT })).toEqual([
      'deposit: is not for tpsl, which buys nothing; give quantity',
    ]);
  });

  it('works on a short position on futures only', () => {
    const falling = { side: 'SELL', takeProfit: { price: '90' }, stopLoss: { price: '105' } };
    expect(algo('BRACKET', { ...FUTURES, ...falling }).short).toBe(true);
    expect(algo('TPSL', { ...FUTURES, side: 'BUY' }).short).toBe(true);
    expect([algo('BRACKET').short, algo('TPSL').short, algo('TWAP', { side: 'SELL' }).short]).toEqual([
      false,
      false,
      false,
    ]);
    expect(problems('BRACKET', falling)).toEqual([
      'side: a SELL bracket opens a short, which needs a futures or swap account; paper-spot is spot',
    ]);
    expect(problems('TPSL', { side: 'BUY' })).toEqual([
      'side: a BUY exit closes a short, which needs a futures or swap account; paper-spot is spot',
    ]);
  });

  // proves: bot common positionSide
  it('names its side in hedge mode', () => {
    const hedge = { exchange: 'paper-hedge' };
    expect(problems('BRACKET', hedge)).toEqual(['positionSide: must be LONG: paper-hedge is in hedge mode']);
    expect(problems('TPSL', { ...hedge, side: 'BUY' })).toEqual([
      'positionSide: must be SHORT: paper-hedge is in hedge mode',
    ]);
    expect(problems('TWAP', hedge)).toEqual([
      'positionSide: must be LONG or SHORT: paper-hedge is in hedge mode',
    ]);
    expect(problems('TWAP', { ...hedge, positionSide: 'SHORT' })).toEqual([]);
  });

  it('is warned of fields of another algo', () => {
    const twap = { duration: 5, limitOffset: 1, priceLimit: 5, jitter: 1 };
    expect(warnings('BRACKET', twap)).toEqual(
      Object.keys(twap).map((name) => `${name}: has no effect with algo bracket`),
    );
    const bracket = { entry: { type: 'MARKET' }, expire: 5, takeProfit: {}, stopLoss: {} };
    expect(warnings('TWAP', bracket)).toEqual(
      Object.keys(bracket).map((name) => `${name}: has no effect with algo twap`),
    );
    expect(warnings('TPSL', { entry: {}, expire: 5 })).toEqual([
      'entry: has no effect with algo tpsl',
      'expire: has no effect with algo tpsl',
    ]);
  });
});

// proves: bot ALGO settings
describe('a bracket', () => {
  it('has an entry, a target and a stop', () => {
    expect(algo('BRACKET')).toMatchObject({
      entry: { type: 'LIMIT', price: dec('100'), stopPrice: null },
      takeProfit: { price: dec('110') },
      stopLoss: { price: dec('95'), limitPrice: null },
      twap: null,
    });
    const percents = { takeProfit: { percent: 2 }, stopLoss: { percent: '1', limitPrice: '94' } };
    expect(algo('BRACKET', percents)).toMatchObject({
      takeProfit: { percent: dec('2') },
      stopLoss: { percent: dec('1'), limitPrice: dec('94') },
    });
  });

  it.each([
    [{ entry: undefined }, 'entry: missing; a bracket needs its type: MARKET, LIMIT or STOP_MARKET'],
    [{ entry: { type: 'STOP' } }, 'entry.type: must be one of MARKET, LIMIT, STOP_MARKET, got "STOP"'],
    [{ entry: { type: 'LIMIT' } }, 'entry.price: missing; a LIMIT entry needs it'],
    [{ entry: { type: 'STOP_MARKET' } }, 'entry.stopPrice: missing; a STOP_MARKET entry needs it'],
    [{ takeProfit: undefined }, 'takeProfit: missing; must hold price or percent'],
    [{ stopLoss: undefined }, 'stopLoss: missing; must hold price or percent'],
    [{ takeProfit: {} }, 'takeProfit: needs either price or percent'],
    [{ stopLoss: { price: 95, percent: 1 } }, 'stopLoss: needs either price or percent'],
    [{ stopLoss: { percent: 100 } }, 'stopLoss.percent: must be below 100, got 100'],
    [{ stopLoss: { price: 95, limitPrice: 0 } }, 'stopLoss.limitPrice: must be a decimal above 0, got 0'],
    [
      { takeProfit: { price: 0.001 } },
      'takeProfit.price: must be at least 0.01, the tick size of BTCUSDT, got 0.001',
    ],
  ])('refuses %j', (changes, problem) => {
    expect(problems('BRACKET', changes)).toEqual([problem]);
  });

  it('of a SELL may not aim below zero', () => {
    const falling = { ...FUTURES, side: 'SELL', stopLoss: { percent: 150 }, takeProfit: { percent: 100 } };
    expect(problems('BRACKET', falling)).toEqual(['takeProfit.percent: must be below 100, got 100']);
  });

  it('is warned of a price that its entry has no use for', () => {
    expect(warnings('BRACKET', { entry: { type: 'MARKET', price: '100' } })).toEqual([
      'entry.price: has no effect with a MARKET entry',
    ]);
  });

  // proves: bot ALGO bracket sides
  it.each([
    ['BUY', '95', '90', ['takeProfit 95 must be above the entry 100 for a BUY']],
    ['BUY', '110', '102', ['stopLoss 102 must be below the entry 100 for a BUY']],
    [
      'BUY',
      '100',
      '100',
      [
        'takeProfit 100 must be above the entry 100 for a BUY',
        'stopLoss 100 must be below the entry 100 for a BUY',
      ],
    ],
    ['BUY', '100.01', '99.99', []],
    ['SELL', '105', '110', ['takeProfit 105 must be below the entry 100 for a SELL']],
    ['SELL', '90', '95', ['stopLoss 95 must be above the entry 100 for a SELL']],
    ['SELL', '99.99', '100.01', []],
  ])('%s with takeProfit %s and stopLoss %s', (side, target, stop, expected) => {
    const prices = { takeProfit: { price: target }, stopLoss: { price: stop } };
    const limit = { ...FUTURES, side, ...prices, entry: { type: 'LIMIT', price: '100' } };
    expect(problems('BRACKET', limit)).toEqual(expected);
    expect(problems('BRACKET', { ...limit, entry: { type: 'STOP_MARKET', stopPrice: 100 } })).toEqual(
      expected,
    );
    expect(compile('BRACKET', limit).settings).not.toBeNull();
  });

  it('has target and stop on different sides when its entry shows later', () => {
    const market = { entry: { type: 'MARKET' }, takeProfit: { price: '95' }, stopLoss: { price: '102' } };
    expect(problems('BRACKET', market)).toEqual(['takeProfit 95 must be above the stopLoss 102 for a BUY']);
    expect(problems('BRACKET', { ...market, stopLoss: { percent: 1 } })).toEqual([]);
  });
});

// proves: bot ALGO tpsl side
describe('tpsl', () => {
  it('has its target on the good side of its stop', () => {
    const pair = (target: number, stop: number) => ({
      takeProfit: { price: target },
      stopLoss: { price: stop },
    });
    expect(problems('TPSL', pair(105, 95))).toEqual([]);
    expect(problems('TPSL', pair(95, 105))).toEqual([
      'takeProfit 95 must be above the stopLoss 105 for a SELL exit',
    ]);
    expect(problems('TPSL', { ...FUTURES, side: 'BUY', ...pair(105, 95) })).toEqual([
      'takeProfit 105 must be below the stopLoss 95 for a BUY exit',
    ]);
  });
});

// proves: bot ALGO settings
describe('twap', () => {
  it.each([
    [10, 1, 10],
    [7, 2, 3],
    [3, 5, 1],
    [60, 60, 1],
  ])('of %i minutes with a timeFrame of %i has %i slices', (duration, timeFrame, slices) => {
    expect(algo('TWAP', { duration, timeFrame }).twap).toEqual({
      duration: duration * 60_000,
      interval: timeFrame * 60_000,
      slices,
      limitOffset: null,
      priceLimit: null,
      jitter: 0n,
    });
  });

  it('takes what is given', () => {
    expect(algo('TWAP', { limitOffset: 0.3, priceLimit: '1810', jitter: '50' }).twap).toMatchObject({
      limitOffset: dec('0.3'),
      priceLimit: dec('1810'),
      jitter: dec('50'),
    });
  });

  it.each([
    [{ duration: undefined }, 'duration: missing; a twap needs its minutes'],
    [{ duration: 0 }, 'duration: must be an integer from 1 to 525600, got 0'],
    [{ limitOffset: 0 }, 'limitOffset: must be a decimal above 0 and below 100, got 0'],
    [{ priceLimit: -1 }, 'priceLimit: must be a decimal above 0, got -1'],
    [{ jitter: 51 }, 'jitter: must be a decimal from 0 to 50, got 51'],
  ])('refuses %j', (changes, problem) => {
    expect(problems('TWAP', changes)).toEqual([problem]);
  });

  // proves: bot ALGO twap minimum
  it('says how many slices a deposit is enough for', () => {
    const small = (value: string, rest = {}) => ({
      quantity: undefined,
      deposit: { value, asset: 'USDT', ...rest },
      duration: 20,
    });
    expect(problems('TWAP', small('82'))).toEqual([
      'twap: 20 slices of 4.10 USDT are below the exchange minimum of 10 USDT; use at most 8',
    ]);
    expect(problems('TWAP', small('9'))).toEqual([
      'twap: 20 slices of 0.45 USDT are below the exchange minimum of 10 USDT; even all together are',
    ]);
    expect(problems('TWAP', small('200'))).toEqual([]);
    expect(problems('TWAP', small('82', { strategy: 'percent' }))).toEqual([]);
    const futures = (leverage?: number) => ({ ...small('82', { leverage }), exchange: 'paper-futures' });
    expect(problems('TWAP', futures(3))).toEqual([]);
    expect(problems('TWAP', futures(2))).toEqual([
      'twap: 20 slices of 8.20 USDT are below the exchange minimum of 10 USDT; use at most 16',
    ]);
    expect(problems('TWAP', futures())).toEqual([]);
  });

  it('says the same of any amount, for the checks at a start', () => {
    const rules = world().instrument('paper-spot', 'BTCUSDT');
    if (!rules) throw new Error('no rules');
    expect(slicesBelowMinimum(4, dec('40'), rules)).toBeNull();
    expect(slicesBelowMinimum(5, dec('40'), rules)).toEqual({
      belowMinimum: true,
      path: 'twap',
      message: '5 slices of 8.00 USDT are below the exchange minimum of 10 USDT; use at most 4',
    });
  });
});
