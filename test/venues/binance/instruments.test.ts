import { describe, expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import { readBrackets } from '../../../src/venues/binance/brackets.ts';
import { readFuturesInstruments, readSpotInstruments } from '../../../src/venues/binance/instruments.ts';

import { withShared } from '../../support/shared-data.ts';

type Row = Record<string, unknown>;

/** A symbol's row; `filters` replaces filters, so that a test can spoil one. */
function spotRow(change: Row = {}, filters: Row[] = []): Row {
  const own: Row[] = [
    {
      filterType: 'PRICE_FILTER',
      minPrice: '0.01000000',
      maxPrice: '1000000.00000000',
      tickSize: '0.01000000',
    },
    { filterType: 'LOT_SIZE', minQty: '0.00001000', maxQty: '9000.00000000', stepSize: '0.00001000' },
    { filterType: 'ICEBERG_PARTS', limit: 100 },
    { filterType: 'MARKET_LOT_SIZE', minQty: '0.00000000', maxQty: '76.50000000', stepSize: '0.00000000' },
    {
      filterType: 'TRAILING_DELTA',
      minTrailingAboveDelta: 10,
      maxTrailingAboveDelta: 2_000,
      minTrailingBelowDelta: 20,
      maxTrailingBelowDelta: 1_500,
    },
    {
      filterType: 'PERCENT_PRICE_BY_SIDE',
      bidMultiplierUp: '5',
      bidMultiplierDown: '0.2',
      askMultiplierUp: '4',
      askMultiplierDown: '0.5',
      avgPriceMins: 5,
    },
    { filterType: 'NOTIONAL', minNotional: '5.00000000', maxNotional: '9000000.00000000', avgPriceMins: 5 },
    { filterType: 'MAX_NUM_ORDERS', maxNumOrders: 150 },
    { filterType: 'NEVER_HEARD_OF', size: { deep: true } },
  ];
  const kept = own.filter(({ filterType }) => !filters.some((one) => one.filterType === filterType));
  return {
    symbol: 'BTCUSDT',
    status: 'TRADING',
    baseAsset: 'BTC',
    quoteAsset: 'USDT',
    orderTypes: ['LIMIT', 'MARKET', 'STOP_LOSS'],
    icebergAllowed: true,
    isSpotTradingAllowed: true,
    permissionSets: [['SPOT', 'MARGIN']],
    filters: [...kept, ...filters.filter((one) => one.gone !== true)],
    ...change,
  };
}

function contractRow(change: Row = {}): Row {
  return {
    symbol: 'BTCUSDT',
    contractType: 'PERPETUAL',
    deliveryDate: 4_133_404_802_000,
    status: 'TRADING',
    baseAsset: 'BTC',
    quoteAsset: 'USDT',
    marginAsset: 'USDT',
    pricePrecision: 2,
    orderTypes: ['LIMIT', 'TRAILING_STOP_MARKET'],
    filters: [
      { filterType: 'PRICE_FILTER', minPrice: '556.80', maxPrice: '4529764', tickSize: '0.10' },
      { filterType: 'LOT_SIZE', minQty: '0.001', maxQty: '1000', stepSize: '0.001' },
      { filterType: 'MARKET_LOT_SIZE', minQty: '0.001', maxQty: '120', stepSize: '0.001' },
      { filterType: 'MAX_NUM_ORDERS', limit: 200 },
      { filterType: 'MIN_NOTIONAL', notional: '50' },
      {
        filterType: 'PERCENT_PRICE',
        multiplierUp: '1.0500',
        multiplierDown: '0.9500',
        multiplierDecimal: '4',
      },
      { filterType: 'POSITION_RISK_CONTROL' },
    ],
    ...change,
  };
}

const listOf = (...symbols: unknown[]) => JSON.stringify({ serverTime: 1, rateLimits: [], symbols });
const spot = (...rows: unknown[]) => {
  const answer = readSpotInstruments(listOf(...rows), 'mine-spot');
  if (!answer.ok) throw new Error(answer.problem);
  return answer.value;
};
const futures = (...rows: unknown[]) => {
  const answer = readFuturesInstruments(listOf(...rows), 'mine-futures');
  if (!answer.ok) throw new Error(answer.problem);
  return answer.value;
};

describe('instruments of Binance spot', () => {
  it('have the filters of the exchange, without the zeros at their ends', () => {
    expect(spot(spotRow()).instruments).toEqual([
      {
        exchange: 'mine-spot',
        symbol: 'BTCUSDT',
        base: 'BTC',
        quote: 'USDT',
        kind: 'spot',
        tickSize: '0.01',
        minPrice: '0.01',
        maxPrice: '1000000',
        stepSize: '0.00001',
        minQty: '0.00001',
        maxQty: '9000',
        marketMaxQty: '76.5',
        minNotional: '5',
        maxNotional: '9000000',
        percentDown: '0.2',
        percentUp: '5',
        trailingMinBps: 20,
        trailingMaxBps: 1_500,
        maxOrders: 150,
        maxIcebergParts: 100,
        orderTypes: ['LIMIT', 'MARKET', 'STOP_LOSS'],
      },
    ]);
  });

  it('have the band and the notional of the older filters where the newer ones are left out', () => {
    const [one] = spot(
      spotRow({}, [
        { filterType: 'PERCENT_PRICE_BY_SIDE', gone: true },
        { filterType: 'NOTIONAL', gone: true },
        { filterType: 'PERCENT_PRICE', multiplierUp: '1.3', multiplierDown: '0.70' },
        { filterType: 'MIN_NOTIONAL', minNotional: '10.0', applyToMarket: true },
      ]),
    ).instruments;
    expect(one).toMatchObject({
      percentDown: '0.7',
      percentUp: '1.3',
      minNotional: '10',
      maxNotional: '0',
    });
  });

  it('take no icebergs where the symbol allows none', () => {
    expect(spot(spotRow({ icebergAllowed: false })).instruments[0]?.maxIcebergParts).toBe(0);
  });

  it.each([
    ['HALT', 'halted'],
    ['BREAK', 'in a break'],
    ['CANCEL_ONLY', 'cancel-only'],
  ])('say why %s takes no entries', (status, halt) => {
    expect(spot(spotRow({ status })).instruments[0]?.halt).toBe(halt);
  });

  it('are those that an account can trade: what is not listed yet or for nobody is left out without a word', () => {
    expect(
      spot(
        spotRow({ symbol: 'A', status: 'PRE_TRADING' }),
        spotRow({ symbol: 'B', isSpotTradingAllowed: false }),
        spotRow({ symbol: 'C', status: 'BREAK', permissionSets: [] }),
      ),
    ).toMatchObject({ instruments: [], problems: [] });
  });

  it('may be called in any letters', () => {
    const { instruments, problems } = spot(spotRow({ symbol: '币安人生USDT', baseAsset: '币安人生' }));
    expect(problems).toEqual([]);
    expect(instruments[0]).toMatchObject({ symbol: '币安人生USDT', base: '币安人生', quote: 'USDT' });
    expect(instruments[0]).not.toHaveProperty('multiplier');
  });

  it('are left out each with a sentence where they cannot be read, and the others stay', () => {
    const tick = { filterType: 'PRICE_FILTER', minPrice: '0', maxPrice: '1', tickSize: '0.00' };
    const { instruments, problems } = spot(
      spotRow({ symbol: 'GOOD' }),
      spotRow({ symbol: 'STATUS', status: 'DREAMING' }),
      spotRow({ symbol: 'STATUS2', status: 'DREAMING' }),
      spotRow({ symbol: 'NOTICK' }, [tick]),
      spotRow({ symbol: 'NOLOT' }, [{ filterType: 'LOT_SIZE', gone: true }]),
      spotRow({ symbol: 'LONG' }, [{ ...tick, tickSize: `0.${'1'.repeat(38)}` }]),
      spotRow({ symbol: 'with space' }),
      spotRow({ symbol: 'evil\u001b[31m' }),
      spotRow({ symbol: 'NOTYPES', orderTypes: 'LIMIT' }),
      spotRow({ symbol: 'GOOD' }),
      'BTCUSDT',
      null,
    );
    expect(instruments.map(({ symbol }) => symbol)).toEqual(['GOOD']);
    expect(problems).toMatchInlineSnapshot(`
      [
        "STATUS, STATUS2: has the status DREAMING, which is not known here",
        "NOTICK: has no tick size",
        "NOLOT: has no filter LOT_SIZE",
        "LONG: has a filter PRICE_FILTER that cannot be read",
        "with space: has a name that cannot be taken (U+0020 is none of them)",
        "evil␛[31m: has a name that cannot be taken (U+001B is none of them)",
        "NOTYPES: is unreadable, orderTypes must be array",
        "GOOD: is named twice, the second is left out",
        "a symbol without a name, a symbol without a name: is unreadable, it must be object",
      ]
    `);
  });
});

describe('instruments of Binance futures', () => {
  it('have the filters of the contract, and no band: that of the exchange holds for one side by the mark price', () => {
    expect(futures(contractRow()).instruments).toEqual([
      {
        exchange: 'mine-futures',
        symbol: 'BTCUSDT',
        base: 'BTC',
        quote: 'USDT',
        kind: 'futures',
        tickSize: '0.1',
        minPrice: '556.8',
        maxPrice: '4529764',
        stepSize: '0.001',
        minQty: '0.001',
        maxQty: '1000',
        marketMaxQty: '120',
        minNotional: '50',
        maxNotional: '0',
        percentDown: '0',
        percentUp: '1000000',
        trailingMinBps: 10,
        trailingMaxBps: 2_000,
        maxOrders: 200,
        maxIcebergParts: 0,
        orderTypes: ['LIMIT', 'TRAILING_STOP_MARKET'],
      },
    ]);
  });

  it('are perpetual contracts in USDT and USDC: what is neither is left out without a word', () => {
    const { instruments, problems } = futures(
      contractRow({ symbol: 'BTCUSDC', quoteAsset: 'USDC', marginAsset: 'USDC' }),
      contractRow({ symbol: 'TSLAUSDT', baseAsset: 'TSLA', contractType: 'TRADIFI_PERPETUAL' }),
      contractRow({ symbol: 'BTCUSDT_260327', contractType: 'CURRENT_QUARTER' }),
      contractRow({ symbol: 'ETHBTC', quoteAsset: 'BTC', marginAsset: 'BTC', contractType: 'NEW_KIND' }),
      contractRow({ symbol: 'BTCUSDT', marginAsset: 'BFUSD' }),
      contractRow({ symbol: 'OLDUSDT', status: 'SETTLING' }),
      contractRow({ symbol: 'NEWUSDT', status: 'PENDING_TRADING', contractType: '' }),
    );
    expect(instruments.map(({ symbol }) => symbol)).toEqual(['BTCUSDC', 'TSLAUSDT']);
    expect(problems).toEqual([]);
  });

  it('say what is announced and what is halted', () => {
    const [ends, halted, only] = futures(
      contractRow({ symbol: 'A', deliveryDate: 1_790_000_000_000 }),
      contractRow({ symbol: 'B', status: 'TRADING_HALT' }),
      contractRow({ symbol: 'C', status: 'TRADING_CANCEL_ONLY' }),
    ).instruments;
    expect([ends?.endsAt, halted?.endsAt]).toEqual([1_790_000_000_000, undefined]);
    expect([ends?.halt, halted?.halt, only?.halt]).toEqual([undefined, 'halted', 'cancel-only']);
  });

  it.each<[string, halt: string | null | undefined]>([
    ['TRADING', undefined],
    ['TRADING_HALT', 'halted'],
    ['TRADING_CANCEL_ONLY', 'cancel-only'],
    ['PRE_SETTLE', 'halted'],
    ['PRE_DELIVERING', 'halted'],
    ['DELIVERING', 'halted'],
    ['PENDING_TRADING', null],
    ['DELIVERED', null],
    ['SETTLING', null],
    ['CLOSE', null],
  ])('in status %s are traded, halted, or none of ours', (status, halt) => {
    const { instruments, problems } = futures(contractRow({ status }));
    expect([instruments.map((one) => one.halt), problems]).toEqual([halt === null ? [] : [halt], []]);
  });

  it('end where that is announced: the date of none, and zero, are no end', () => {
    const NONE = Date.UTC(2100, 0);
    const ends = (deliveryDate: number | undefined) =>
      futures(contractRow({ deliveryDate })).instruments[0]?.endsAt;
    expect([0, 1, NONE - 1, NONE, NONE + 1, undefined].map(ends)).toEqual([
      ...[undefined, 1, NONE - 1, undefined, undefined, undefined],
    ]);
  });

  it('have bounds of their own, and where a filter is missing or says zero those of all', () => {
    const of = (more: Row[], without: string[] = []) => {
      const names = [...without, ...more.map(({ filterType }) => filterType)];
      const kept = (contractRow().filters as Row[]).filter(({ filterType }) => !names.includes(filterType));
      return futures(contractRow({ filters: [...kept, ...more] })).instruments[0];
    };
    const market = (maxQty: string) =>
      of([{ filterType: 'MARKET_LOT_SIZE', minQty: '0', maxQty, stepSize: '0' }]);
    expect(['0', '0.5', '1000', '2000'].map((maxQty) => market(maxQty)?.marketMaxQty)).toEqual([
      ...['1000', '0.5', '1000', '1000'],
    ]);
    expect(of([], ['MARKET_LOT_SIZE'])?.marketMaxQty).toBe('1000');
    expect([
      of([{ filterType: 'MAX_NUM_ORDERS', limit: 7 }])?.maxOrders,
      of([], ['MAX_NUM_ORDERS'])?.maxOrders,
    ]).toEqual([7, 200]);
    expect([
      of([{ filterType: 'MIN_NOTIONAL', notional: '5.50' }])?.minNotional,
      of([], ['MIN_NOTIONAL'])?.minNotional,
    ]).toEqual(['5.5', '0']);
  });

  it('come with the limits and the time of the exchange, where it tells them', () => {
    const limit = { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 300 };
    const read = (more: object) => {
      const answer = readFuturesInstruments(JSON.stringify({ symbols: [], ...more }), 'x');
      return answer.ok ? [answer.value.rateLimits, answer.value.serverTime] : answer.problem;
    };
    expect([read({}), read({ rateLimits: [limit], serverTime: 5 })]).toEqual([
      [[], null],
      [[limit], 5],
    ]);
    expect(read({ rateLimits: [{ ...limit, intervalNum: 0 }] })).toEqual(expect.any(String));
  });

  it.each([
    ['1000SHIB', '1000'],
    ['1000000MOG', '1000000'],
    ['1MBABYDOGE', '1000000'],
    ['1INCH', undefined],
    ['1000', undefined],
    ['100X', undefined],
  ])('know how many coins a unit of %s is', (baseAsset, multiplier) => {
    expect(futures(contractRow({ baseAsset })).instruments[0]?.multiplier).toBe(multiplier);
  });

  it('name what is new to them', () => {
    expect(futures(contractRow({ contractType: 'ETERNAL' })).problems).toEqual([
      'BTCUSDT: has the contract type ETERNAL, which is not known here',
    ]);
  });
});

describe('an answer that is none', () => {
  it.each([
    ['HTML', '<html>403</html>'],
    ['an error', '{"code":-1003,"msg":"Too many requests"}'],
    ['no list', '{"symbols":{}}'],
    ['more than 5,000 symbols', listOf(...Array.from({ length: 5_001 }, () => 0))],
    ['too deep', `{"symbols":[${'['.repeat(40)}${']'.repeat(40)}]}`],
  ])('is unreadable as a whole: %s', (_, text) => {
    expect(readSpotInstruments(text, 'a').ok).toBe(false);
    expect(readFuturesInstruments(text, 'a').ok).toBe(false);
  });
});

const MARKETS = 'markets';

describe('recorded answers', () => {
  it(
    'of spot are read to the last symbol',
    withShared(`${MARKETS}/binance-spot-exchangeInfo.json`, 39, (text) => {
      const answer = readSpotInstruments(text, 'x');
      const { symbols } = JSON.parse(text) as {
        symbols: { symbol: string; baseAsset: string; quoteAsset: string }[];
      };
      expect(answer.ok && answer.value.problems).toEqual([]);
      expect(answer.ok && answer.value.instruments.map(({ symbol }) => symbol)).toEqual(
        symbols.map(({ symbol }) => symbol),
      );
      expect(answer.ok && answer.value.rateLimits.map(({ limit }) => limit)).toEqual([
        6_000, 50, 160_000, 61_000,
      ]);
      for (const one of answer.ok ? answer.value.instruments : [])
        expect(dec(one.minQty) > 0n && dec(one.tickSize) > 0n && dec(one.marketMaxQty) > 0n).toBe(true);
    }),
  );

  it.each([
    ['binance-usdm-exchangeInfo.json', 26],
    ['binance-usdm-exchangeInfo-production-2022.json', 6],
  ])('of futures are read to the last contract: %s', async (file, count) => {
    await withShared(`${MARKETS}/${file}`, count, (text) => {
      const answer = readFuturesInstruments(text, 'x');
      expect(answer.ok && answer.value.problems).toEqual([]);
      expect(answer.ok && answer.value.instruments.length).toBe(count);
      const shib = answer.ok && answer.value.instruments.find(({ symbol }) => symbol === '1000SHIBUSDT');
      if (shib) expect(shib).toMatchObject({ base: '1000SHIB', multiplier: '1000' });
    })();
  });

  it(
    'of brackets are read to the last symbol',
    withShared(`${MARKETS}/binance-usdm-leverageBracket.json`, 12, (text) => {
      const answer = readBrackets(text);
      expect(answer.ok && answer.value.size).toBe(12);
      expect(answer.ok && answer.value.get('BTCUSDT')?.[1]).toEqual({
        initialLeverage: 100,
        notionalFloor: '50000',
        notionalCap: '600000',
        maintenanceMarginRate: '0.005',
        cumulative: '50',
      });
    }),
  );
});

describe('leverage brackets', () => {
  const bracket = (notionalFloor: number, notionalCap: number) => ({
    bracket: 1,
    initialLeverage: 20,
    notionalFloor,
    notionalCap,
    maintMarginRatio: 0.01,
    cum: 0,
  });

  it('are the same whether an answer is a list or one object, the lowest first', () => {
    const one = { symbol: 'BTCUSDT', brackets: [bracket(5_000, 9.223372036854776e18), bracket(0, 5_000)] };
    const answer = readBrackets(JSON.stringify(one));
    expect(readBrackets(JSON.stringify([one]))).toEqual(answer);
    expect(
      answer.ok && answer.value.get('BTCUSDT')?.map((row) => [row.notionalFloor, row.notionalCap]),
    ).toEqual([
      ['0', '5000'],
      ['5000', '9223372036854776000'],
    ]);
  });

  it('are left out where a figure is no plain decimal', () => {
    const answer = readBrackets(
      JSON.stringify([{ symbol: 'BTCUSDT', brackets: [{ ...bracket(0, 1), maintMarginRatio: 1e-9 }] }]),
    );
    expect(answer.ok && answer.value.size).toBe(0);
  });
});
