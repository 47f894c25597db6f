/**
 * The shared blocks of settings: deposit, orders, timeout, filters, range, start trigger (strategies.md 2).
 */
import { describe, expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import { compile, compiled, LINE, NOW, problems, STRATEGIES, warnings, world } from './support.ts';

const NEEDS = 'a price line needs two different timestamps with positive prices';

describe('deposit', () => {
  const deposit = (changes: Record<string, unknown>) => ({
    deposit: { value: '1000', asset: 'USDT', ...changes },
  });

  // proves: bot deposit asset
  it('is of the quote asset on spot and of the margin asset on futures', () => {
    const wrong = ['deposit.asset: must be USDT for BTCUSDT on paper-spot'];
    for (const asset of ['BTC', 'usdt', '', 5, undefined]) {
      for (const kind of STRATEGIES) expect(problems(kind, deposit({ asset }))).toEqual(wrong);
    }
    expect(problems('FIBO', { ...deposit({ asset: 'BUSD' }), exchange: 'paper-futures' })).toEqual([
      'deposit.asset: must be USDT for BTCUSDT on paper-futures',
    ]);
  });

  // proves: bot deposit value, bot numbers
  it.each([
    [undefined, 'deposit.value: missing; must be a decimal above 0'],
    ['0', 'deposit.value: must be a decimal above 0, got "0"'],
    ['-5', 'deposit.value: must be a decimal above 0, got "-5"'],
    ['1e3', 'deposit.value: must be a decimal above 0, got "1e3"'],
    [1e-21, 'deposit.value: must be a decimal above 0, got 1e-21'],
    [true, 'deposit.value: must be a decimal above 0, got true'],
    [[1], 'deposit.value: must be a decimal above 0, got an array of 1'],
    [
      1e20,
      'deposit.value: must be a decimal above 0, got 100000000000000000000; a number that long must be text',
    ],
  ])('refuses the value %j', (value, problem) => {
    expect(problems('FIBO', deposit({ value }))).toEqual([problem]);
  });

  // proves: bot deposit value, bot deposit strategy, bot deposit allocate
  it('is a fixed amount that is reserved, unless it says otherwise', () => {
    expect(compiled('FIBO', deposit({ value: 0.1 })).deposit).toEqual({
      value: dec('0.1'),
      asset: 'USDT',
      strategy: 'fixed',
      min: null,
      max: null,
      allocate: 'reserve',
      leverage: null,
    });
    expect(problems('FIBO', deposit({ strategy: 'all', allocate: 'maybe' }))).toEqual([
      'deposit.strategy: must be fixed or percent, got "all"',
      'deposit.allocate: must be one of reserve, auto, no_reserve, got "maybe"',
    ]);
  });

  // proves: bot deposit value
  it('may be a percent of the balance, bounded by min and max', () => {
    const percent = { strategy: 'percent', value: '25', min: 10, max: '500' };
    expect(compiled('FIBO', deposit(percent)).deposit).toMatchObject({
      strategy: 'percent',
      value: dec('25'),
      min: dec('10'),
      max: dec('500'),
    });
    expect(problems('FIBO', deposit({ ...percent, value: 100 }))).toEqual([]);
    expect(problems('FIBO', deposit({ ...percent, min: 500 }))).toEqual([]);
    expect(problems('FIBO', deposit({ ...percent, value: '100.5' }))).toEqual([
      'deposit.value: must be at most 100 percent, got 100.5',
    ]);
    expect(problems('FIBO', deposit({ ...percent, min: '600' }))).toEqual([
      'deposit.min: must not be above max 500, got 600',
    ]);
    expect(warnings('FIBO', deposit({ min: '1' }))).toEqual([
      'deposit.min: has an effect with strategy percent only',
    ]);
  });

  // proves: bot deposit leverage
  it('has a leverage on futures only, up to what the symbol allows', () => {
    expect(problems('FIBO', deposit({ leverage: 3 }))).toEqual([
      'deposit.leverage: is for futures only; paper-spot is spot: leave it out',
    ]);
    expect(problems('FIBO', deposit({ leverage: 'x' }))).toHaveLength(1);
    const futures = (leverage: unknown) => ({ ...deposit({ leverage }), exchange: 'paper-futures' });
    expect(compiled('FIBO', futures(20)).deposit?.leverage).toBe(20);
    expect(problems('FIBO', futures(21))).toEqual([
      'deposit.leverage: must be at most 20 for BTCUSDT on paper-futures, got 21',
    ]);
    expect(compile('FIBO', futures(21)).settings).not.toBeNull();
    for (const leverage of [0, 126, 1.5, '2.5']) {
      expect(problems('FIBO', futures(leverage))).toEqual([
        `deposit.leverage: must be an integer from 1 to 125, got ${JSON.stringify(leverage)}`,
      ]);
    }
  });

  it('is needed by every strategy', () => {
    for (const kind of STRATEGIES) {
      expect(problems(kind, { deposit: undefined })).toEqual(['deposit: missing; must be an object']);
      expect(problems(kind, { deposit: '1000' })).toEqual(['deposit: must be an object, got "1000"']);
    }
  });
});

// proves: bot orders left-out, bot blocks, S43, bot decided size
describe('orders', () => {
  it('go out in the own way of the strategy when left out, as a whole or in part', () => {
    expect(compiled('FIBO')).toMatchObject({ buy: null, sell: null });
    const orders = { buy: { size: 3 }, sell: { priceStrategy: 'dynamic' } };
    expect(compiled('FIBO', { orders })).toMatchObject({
      buy: { type: null, worsePercent: 0n, size: 3 },
      sell: { type: null, worsePercent: 0n, size: 1, priceStrategy: 'dynamic' },
    });
  });

  it('are MARKET, or LIMIT some percent worse', () => {
    const orders = { buy: { type: 'MARKET' }, sell: { type: 'LIMIT', price: 0.3, size: 2 } };
    expect(compiled('SQUEEZE', { orders })).toMatchObject({
      buy: { type: 'MARKET', worsePercent: 0n, size: 1 },
      sell: { type: 'LIMIT', worsePercent: dec('0.3'), size: 2, priceStrategy: null },
    });
    expect(warnings('FIBO', { orders: { buy: { type: 'MARKET', price: '1' } } })).toEqual([
      'orders.buy.price: has an effect with type LIMIT only',
    ]);
  });

  it.each([
    ['buy', { type: 'STOP' }, 'type: must be MARKET or LIMIT, got "STOP"'],
    ['sell', { price: '-1' }, 'price: must be a decimal of at least 0 and below 100, got "-1"'],
    ['sell', { price: '100' }, 'price: must be a decimal of at least 0 and below 100, got "100"'],
    ['buy', { size: 0 }, 'size: must be an integer from 1 to 100, got 0'],
    ['buy', { size: 1.5 }, 'size: must be an integer from 1 to 100, got 1.5'],
    ['sell', { priceStrategy: 'best' }, 'priceStrategy: must be one of fixed, dynamic, trailing, got "best"'],
  ])('refuse %s %j', (side, way, problem) => {
    expect(problems('FIBO', { orders: { [side]: way } })).toEqual([`orders.${side}.${problem}`]);
  });

  it('know a price strategy on the sell side only', () => {
    expect(warnings('FIBO', { orders: { buy: { priceStrategy: 'fixed' } } })).toEqual([
      'orders.buy.priceStrategy: unknown field and ignored',
    ]);
  });
});

// proves: bot timeout others
describe('timeout', () => {
  it('is the shortest ttl', () => {
    expect(compiled('FIBO').ttl).toBeNull();
    expect(compiled('FIBO', { timeout: { type: 'ttl', value: 60_000 } }).ttl).toBe(60_000);
    const several = [
      { type: 'ttl', value: '90000' },
      { type: 'ttl', value: 30_000 },
    ];
    expect(compiled('NOTIFY', { timeout: several }).ttl).toBe(30_000);
    expect(compiled('NOTIFY', { timeout: several.toReversed() }).ttl).toBe(30_000);
  });

  it('ignores every other type in silence', () => {
    const timeout = [{ type: 'idle', value: 'soon' }, { value: 5 }, { type: 'TTL', value: 1 }];
    expect(compiled('FIBO', { timeout }).ttl).toBeNull();
    expect(warnings('FIBO', { timeout })).toEqual([]);
  });

  it.each([
    [{ type: 'ttl' }, 'timeout[0].value: missing; must be the life of a run in ms'],
    [{ type: 'ttl', value: 0 }, 'timeout[0].value: must be an integer of at least 1, got 0'],
    [[{ type: 'ttl', value: '1.5' }], 'timeout[0].value: must be an integer of at least 1, got "1.5"'],
    [5, 'timeout: must be an array of at most 50 entries, got 5'],
    [[5], 'timeout[0]: must be an object, got 5'],
  ])('refuses %j', (timeout, problem) => {
    expect(problems('FIBO', { timeout })).toEqual([problem]);
  });
});

// proves: bot filter form
describe('filters', () => {
  it('are read with their defaults', () => {
    const filters = {
      volume: { minVal: '1000000', percentChange: 20 },
      price: { percentChange: '-5' },
      market: { rsi: { max: 70 }, trend: 'up' },
      blacklist: ['DOGEUSDT'],
    };
    expect(compiled('SQUEEZE', { filters, timeFrame: 300_000 }).filters).toEqual({
      volume: { minVal: dec('1000000'), percentChange: dec('20') },
      price: { minVal: null, percentChange: dec('-5') },
      market: { rsi: { period: 14, timeFrame: 300_000, min: null, max: 70 }, trend: 'up' },
      blacklist: ['DOGEUSDT'],
    });
    expect(compiled('INTRADAY', { filters }).filters?.market?.rsi?.timeFrame).toBe(60_000);
    expect(compiled('NOTIFY', { filters }).filters?.market?.rsi?.timeFrame).toBe(300_000);
    expect(compiled('FIBO').filters).toBeNull();
    expect(compiled('FIBO', { filters: {} }).filters).toEqual({
      volume: null,
      price: null,
      market: null,
      blacklist: [],
    });
  });

  it.each([
    [{ volume: { minVal: '-1' } }, 'volume.minVal: must be a decimal of at least 0, got "-1"'],
    [{ volume: 5 }, 'volume: must be an object, got 5'],
    [{ price: { minVal: 'low' } }, 'price.minVal: must be a decimal of at least 0, got "low"'],
    [
      { price: { percentChange: -101 } },
      'price.percentChange: must be a decimal from -100 to 1000000, got -101',
    ],
    [{ market: { trend: 'sideways' } }, 'market.trend: must be up or down, got "sideways"'],
    [{ market: { rsi: { min: 101 } } }, 'market.rsi.min: must be a decimal from 0 to 100, got 101'],
    [{ market: { rsi: { min: 60, max: 40 } } }, 'market.rsi.min: must not be above max 40, got 60'],
    [
      { market: { rsi: { period: 0, max: 50 } } },
      'market.rsi.period: must be an integer from 1 to 500, got 0',
    ],
    [
      { market: { rsi: { timeFrame: 1_000, max: 50 } } },
      'market.rsi.timeFrame: must be an integer from 60000 to 604800000 in steps of 60000, got 1000',
    ],
    [{ blacklist: 'BTCUSDT' }, 'blacklist: must be an array of at most 5000 entries, got "BTCUSDT"'],
    [
      { blacklist: ['BTCUSDT', 5] },
      'blacklist[1]: must be a name of 1 to 64 letters and numbers and . _ : -, got 5',
    ],
  ])('refuse %j', (filters, problem) => {
    expect(problems('FIBO', { filters })).toEqual([`filters.${problem}`]);
    expect(problems('NOTIFY', { filters })).toEqual([`filters.${problem}`]);
  });

  it('warn of an RSI that always passes', () => {
    expect(warnings('FIBO', { filters: { market: { rsi: {} } } })).toEqual([
      'filters.market.rsi: has neither min nor max and always passes',
    ]);
  });
});

// proves: bot range form
describe('range', () => {
  it('is one or several, all kept', () => {
    expect(compiled('FIBO').ranges).toEqual([]);
    expect(compiled('FIBO', { range: { type: 'price', min: '100', max: 200 } }).ranges).toEqual([
      { type: 'price', min: dec('100'), max: dec('200'), trend: null },
    ]);
    const range = [
      { type: 'kline_percent', min: '-2' },
      { type: 'scaled_price', max: '5' },
      { type: 'trend_percent_price', min: -1, max: 1, trend: LINE },
    ];
    const trend = { t1: 1_700_000_000_000, p1: dec('100'), t2: 1_700_003_600_000, p2: dec('110') };
    expect(compiled('SQUEEZE', { range }).ranges).toEqual([
      { type: 'kline_percent', min: dec('-2'), max: null, trend: null },
      { type: 'scaled_price', min: null, max: dec('5'), trend: null },
      { type: 'trend_percent_price', min: dec('-1'), max: dec('1'), trend },
    ]);
  });

  it.each([
    [{ min: 1 }, 'type: missing; must be one of price, kline_percent, scaled_price, trend_percent_price'],
    [{ type: 'price', min: 2, max: 1 }, 'min: must not be above max 1, got 2'],
    [{ type: 'price', max: 0 }, 'max: must be above 0: no price is below it'],
    [{ type: 'price', min: 'x' }, 'min: must be a decimal, got "x"'],
    [{ type: 'trend_percent_price', min: 1 }, `trend: missing; ${NEEDS}`],
  ])('refuses %j', (range, problem) => {
    expect(problems('FIBO', { range })).toEqual([`range[0].${problem}`]);
    expect(problems('FIBO', { range: [{ type: 'price', min: 1 }, range] })).toEqual([`range[1].${problem}`]);
  });

  it('warns of what has no effect', () => {
    expect(warnings('FIBO', { range: { type: 'price' } })).toEqual([
      'range[0]: has neither min nor max and always passes',
    ]);
    expect(warnings('FIBO', { range: { type: 'price', min: 1, trend: LINE } })).toEqual([
      'range[0].trend: has no effect with type price',
    ]);
  });
});

// proves: bot common startTrigger both
describe('startTrigger', () => {
  it('waits for a line to be crossed, in either direction unless told', () => {
    const trend = { t1: 1_700_000_000_000, p1: dec('100'), t2: 1_700_003_600_000, p2: dec('110') };
    expect(compiled('FIBO').startTrigger).toBeNull();
    expect(compiled('FIBO', { startTrigger: { trend: LINE } }).startTrigger).toEqual({
      trend,
      direction: 'both',
    });
    expect(compiled('TWAP', { startTrigger: { trend: LINE, direction: 'up' } }).startTrigger).toEqual({
      trend,
      direction: 'up',
    });
    expect(problems('FIBO', { startTrigger: { direction: 'left' } })).toEqual([
      `startTrigger.trend: missing; ${NEEDS}`,
      'startTrigger.direction: must be one of up, down, both, got "left"',
    ]);
  });
});

describe('common fields', () => {
  // proves: bot common noticeLevel 2, bot common name, bot common profitAsset quote, bot CHANNEL settings
  it('have their defaults', () => {
    for (const kind of STRATEGIES) {
      expect(compiled(kind)).toMatchObject({
        profitAsset: 'quote',
        onetime: kind === 'FIBO',
        noticeLevel: 2,
        positionSide: 'BOTH',
        marginType: null,
        name: '',
        short: false,
        options: { restart: false, restartDelay: 1_000, reuse: false },
      });
    }
    const given = { profitAsset: 'base', onetime: false, noticeLevel: 0, name: 'mine' };
    expect(compiled('FIBO', given)).toMatchObject(given);
  });

  it.each([
    [{ noticeLevel: 4 }, 'noticeLevel: must be an integer from 0 to 3, got 4'],
    [{ noticeLevel: -1 }, 'noticeLevel: must be an integer from 0 to 3, got -1'],
    [{ profitAsset: 'BTC' }, 'profitAsset: must be quote or base, got "BTC"'],
    [{ onetime: 'yes' }, 'onetime: must be true or false, got "yes"'],
    [{ name: '' }, 'name: must be a text of 1 to 200 characters, got ""'],
    [{ name: 5 }, 'name: must be a text of 1 to 200 characters, got 5'],
  ])('refuse %j', (changes, problem) => {
    expect(problems('FIBO', changes)).toEqual([problem]);
  });

  it('count as left out when they are null', () => {
    const nothing = { name: null, stop: null, orders: { buy: null }, trailingFrom: null, green: null };
    expect(compiled('FIBO', nothing)).toEqual({ ...compiled('FIBO'), buy: null });
    expect(problems('FIBO', { deposit: null })).toEqual(['deposit: missing; must be an object']);
  });

  // proves: bot common short
  it('allow short on futures only', () => {
    for (const kind of STRATEGIES) {
      expect(problems(kind, { short: true })).toContain(
        'short: needs a futures or swap account; paper-spot is spot',
      );
      expect(compiled(kind, { short: true, exchange: 'paper-futures' }).short).toBe(true);
    }
  });

  // proves: bot common positionSide
  it.each([
    ['paper-hedge', false, undefined, 'must be LONG: paper-hedge is in hedge mode'],
    ['paper-hedge', false, 'BOTH', 'must be LONG: paper-hedge is in hedge mode, got BOTH'],
    ['paper-hedge', false, 'SHORT', 'must be LONG: paper-hedge is in hedge mode, got SHORT'],
    ['paper-hedge', false, 'LONG', null],
    ['paper-hedge', true, undefined, 'must be SHORT: paper-hedge is in hedge mode'],
    ['paper-hedge', true, 'SHORT', null],
    ['paper-futures', false, 'BOTH', null],
    ['paper-futures', false, 'LONG', 'LONG needs hedge mode; paper-futures is in one-way mode: leave it out'],
    ['paper-spot', false, 'LONG', 'is for futures only; paper-spot is spot: leave it out'],
    ['paper-spot', false, 'BOTH', null],
    ['paper-spot', false, 'UP', 'must be one of LONG, SHORT, BOTH, got "UP"'],
  ])('on %s with short %s: positionSide %s', (exchange, short, positionSide, problem) => {
    const expected = problem === null ? [] : [`positionSide: ${problem}`];
    expect(problems('FIBO', { exchange, short, positionSide })).toEqual(expected);
  });

  // proves: bot common marginType
  it('allow a margin type on futures only', () => {
    expect(compiled('FIBO', { marginType: 'ISOLATED', exchange: 'paper-futures' }).marginType).toBe(
      'ISOLATED',
    );
    expect(problems('FIBO', { marginType: 'CROSSED' })).toEqual([
      'marginType: is for futures only; paper-spot is spot: leave it out',
    ]);
    expect(problems('FIBO', { marginType: 'cross', exchange: 'paper-futures' })).toEqual([
      'marginType: must be ISOLATED or CROSSED, got "cross"',
    ]);
  });

  // proves: bot common timeFrame
  it.each([[0], [59_999], [90_000], [604_860_000], [-60_000], [60_000.5], ['1m']])(
    'refuse the timeFrame %j',
    (timeFrame) => {
      const rule = 'timeFrame: must be an integer from 60000 to 604800000 in steps of 60000';
      for (const kind of ['FIBO', 'GRID', 'ALARM'] as const) {
        expect(problems(kind, { timeFrame })).toEqual([`${rule}, got ${JSON.stringify(timeFrame)}`]);
      }
    },
  );
});

describe('options', () => {
  // proves: bot options elsewhere, bot options restart-default
  it('are for CHANNEL and SQUEEZE', () => {
    const options = { restart: true, restartDelay: 5_000, reuse: true };
    for (const kind of ['GRID', 'LEVELS', 'SCALE', 'SQUEEZE'] as const) {
      expect(compiled(kind, {}, options).options).toEqual(options);
      expect(compiled(kind, {}, {}).options).toEqual({ restart: false, restartDelay: 1_000, reuse: false });
      expect(compiled(kind, {}, null).options.restart).toBe(false);
    }
  });

  it('are warned of elsewhere', () => {
    for (const kind of ['FIBO', 'INTRADAY', 'ALARM', 'NOTIFY'] as const) {
      expect(compiled(kind, {}, { restart: true, reuse: 5 }).options).toEqual({
        restart: false,
        restartDelay: 1_000,
        reuse: false,
      });
      expect(warnings(kind, {}, { restart: true, reuse: 5 })).toEqual([
        `options.restart: has no effect for ${kind}; it is for CHANNEL and SQUEEZE`,
        `options.reuse: has no effect for ${kind}; it is for CHANNEL and SQUEEZE`,
      ]);
    }
  });

  it('are judged like the settings', () => {
    expect(problems('GRID', {}, { restart: 1, restartDelay: -1, reuse: 'no' })).toEqual([
      'options.restart: must be true or false, got 1',
      'options.restartDelay: must be an integer that is not negative, got -1',
      'options.reuse: must be true or false, got "no"',
    ]);
    expect(problems('GRID', {}, 'restart')).toEqual(['options: must be an object, got "restart"']);
    expect(warnings('GRID', {}, { restrat: true })).toEqual([
      'options.restrat: unknown field; did you mean "restart"?',
    ]);
  });
});

describe('the market of a bot', () => {
  // proves: bot common exchange
  it('is an exchange that is connected', () => {
    const connected = 'connected: paper-spot, paper-futures, paper-hedge';
    expect(problems('FIBO', { exchange: 'binance-spot' })).toEqual([
      `exchange: "binance-spot" is not connected; ${connected}`,
    ]);
    expect(problems('FIBO', { exchange: undefined })).toEqual([`exchange: missing; ${connected}`]);
    expect(problems('FIBO', { exchange: 5 })).toEqual([`exchange: 5 is not connected; ${connected}`]);
  });

  // proves: bot common symbol, bot common ticker
  it('is a pair that is traded there, in the form of the type', () => {
    expect(compiled('FIBO').symbol).toBe('BTCUSDT');
    expect(compiled('BRACKET').symbol).toBe('BTCUSDT');
    expect(compiled('NOTIFY').symbol).toBe('');
    expect(compiled('NOTIFY', { symbol: 'ETHUSDT' }).symbol).toBe('ETHUSDT');
    expect(compiled('FIBO', { symbol: { base: 'XBT', quote: 'USDT' }, ticker: 'BTCUSDT' }).symbol).toBe(
      'BTCUSDT',
    );
    expect(warnings('FIBO', { symbol: { base: 'XBT', quote: 'USDT' }, ticker: 'BTCUSDT' })).toEqual([
      'ticker: BTCUSDT is BTC/USDT, not XBT/USDT; the ticker is used',
    ]);
  });

  it.each([
    ['FIBO', 'BTCUSDT', 'must be an object such as {"base": "BTC", "quote": "USDT"}, got a text'],
    ['FIBO', undefined, 'missing; must be an object'],
    ['FIBO', { base: 'BTC', quote: 'USD' }, '"BTCUSD" is not traded on paper-spot; did you mean BTCUSDT?'],
    ['FIBO', { base: 'btc', quote: 'usdt' }, '"btcusdt" is not traded on paper-spot; did you mean BTCUSDT?'],
    ['FIBO', { base: 'SHIBA', quote: 'EUR' }, '"SHIBAEUR" is not traded on paper-spot; for example BTCUSDT'],
    ['BRACKET', { base: 'BTC', quote: 'USDT' }, 'must be a pair code such as BTCUSDT, got an object'],
    ['BRACKET', 'BTC-USDT', '"BTC-USDT" is not traded on paper-spot; did you mean BTCUSDT?'],
    [
      'BRACKET',
      'ВTCUSDT',
      '"ВTCUSDT" is not traded on paper-spot: В (Cyrillic) is outside A-Z; did you mean BTCUSDT?',
    ],
    [
      'BRACKET',
      'BTC\u200bUSDT',
      'must be a name of 1 to 64 letters and numbers and . _ : - (U+200B is none of them), got "BTC?USDT"',
    ],
    ['NOTIFY', 'BTCUSD', '"BTCUSD" is not traded on paper-spot; did you mean BTCUSDT?'],
  ] as const)('%s refuses the symbol %j', (kind, symbol, problem) => {
    expect(problems(kind, { symbol })).toEqual([`symbol: ${problem}`]);
  });

  it('names the part of the pair that is wrong', () => {
    expect(problems('FIBO', { symbol: { base: 'BTC' } })).toEqual([
      'symbol.quote: missing; must be a name of 1 to 64 letters and numbers and . _ : -',
    ]);
    expect(problems('FIBO', { ticker: 'NOSUCH' })).toEqual([
      'ticker: "NOSUCH" is not traded on paper-spot; for example BTCUSDT',
    ]);
  });

  // proves: bot common type
  it('does not follow a type of its own', () => {
    expect(problems('FIBO', { type: undefined })).toEqual([]);
    expect(problems('FIBO', { type: 'GRID' })).toEqual([
      `type: must be FIBO, the bot's own type, or left out, got "GRID"`,
    ]);
  });

  it('is judged at the time of the market', () => {
    const later = world({ now: NOW + 400 * 86_400_000 });
    expect(problems('FIBO', { trailingFrom: NOW }, undefined, later)).toHaveLength(1);
  });
});
