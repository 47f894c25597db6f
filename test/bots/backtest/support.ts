/** Candles and bots for the tests of the backtest: small and fixed, or drawn at random. */
import fc from 'fast-check';
import { type BacktestOptions, runBacktest } from '../../../src/bots/backtest/backtest.ts';
import type { BacktestResult } from '../../../src/bots/backtest/result.ts';
import type { BotGiven } from '../../../src/bots/backtest/session.ts';
import { type CandleTable, tableOfCandles } from '../../../src/bots/market/candle-table.ts';
import type { MarketRules } from '../../../src/bots/settings/compiled.ts';
import { dec } from '../../../src/domain/decimal.ts';
import type { Candle } from '../../../src/domain/rows.ts';

export const M = 60_000;
/** Start of a full hour. */
export const T = Date.UTC(2025, 1, 3);
export const SYMBOL = 'BTCUSDT';

export function rules(given: Partial<MarketRules> = {}): MarketRules {
  return {
    symbol: SYMBOL,
    base: 'BTC',
    quote: 'USDT',
    kind: 'spot',
    tick: dec('0.1'),
    step: dec('0.001'),
    minQty: dec('0.001'),
    minNotional: dec('5'),
    makerRate: dec('0.001'),
    takerRate: dec('0.001'),
    maxLeverage: 125,
    ...given,
  };
}

/** One account, `paper`, on which the symbol trades under these rules. */
export function world(one: MarketRules = rules()): BacktestOptions['world'] {
  return {
    accounts: new Map([['paper', { kind: one.kind, hedge: false }]]),
    instrument: (_exchange, symbol) => (symbol === one.symbol ? one : null),
    symbols: () => [one.symbol],
    targets: [],
  };
}

/** Rows of open, high, low, close from `start` on, a minute each; null leaves a gap. Volume 8. */
export function table(
  rows: readonly (readonly [number, number, number, number] | null)[],
  { start = T, frameMs = M, volume = '8', symbol = SYMBOL } = {},
): CandleTable {
  const candles: Candle[] = [];
  for (const [i, row] of rows.entries()) {
    if (!row) continue;
    const [open, high, low, close] = row.map(String) as [string, string, string, string];
    candles.push({ time: start + i * frameMs, open, high, low, close, volume });
  }
  return tableOfCandles(symbol, frameMs, candles);
}

export const PAIR = { exchange: 'paper', symbol: { base: 'BTC', quote: 'USDT' } };
export const DEPOSIT = { value: '1000', asset: 'USDT' };

export function squeeze(settings: Record<string, unknown> = {}, options?: Record<string, unknown>): BotGiven {
  const own = { timeFrame: M, price: { percent: { buy: '1', sell: '1' } } };
  return { type: 'SQUEEZE', settings: { ...PAIR, deposit: DEPOSIT, ...own, ...settings }, options };
}

/** Returns the result, or throws an error that says why there is none. */
export function played(
  options: Omit<BacktestOptions, 'world'> & { world?: BacktestOptions['world'] },
): BacktestResult {
  const outcome = runBacktest({ world: world(), ...options });
  if (!outcome.ok) throw new Error(outcome.text);
  return outcome.result;
}

/** Fills in short: `BUY 1 at 99.5 maker`. */
export function fills({ trades }: BacktestResult): string[] {
  return trades.map(
    ({ side, qty, price, maker }) => `${side} ${qty} at ${price}${maker ? ' maker' : ' taker'}`,
  );
}

// --- at random ---

/** A random walk around 100 in steps of 0.1 with sharp drops and rises, and a gap here and there. */
export const walks = fc
  .record({
    seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    rows: fc.integer({ min: 20, max: 260 }),
    size: fc.constantFrom(2, 5, 12),
    gaps: fc.boolean(),
  })
  .map(({ seed, rows, size, gaps }) => {
    let state = seed;
    const next = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    const step = (most: number) => Math.round((next() * 2 - 1) * most);
    let price = 1_000;
    return Array.from({ length: rows }, () => {
      if (gaps && next() < 0.03) return null;
      const jump = next() < 0.05 ? 8 : 1;
      const open = Math.max(200, price + (next() < 0.3 ? step(size) : 0));
      const close = Math.max(200, open + step(size * jump));
      const high = Math.max(open, close) + Math.round(next() * size * jump);
      const low = Math.max(150, Math.min(open, close) - Math.round(next() * size * jump));
      price = close;
      return [open / 10, high / 10, low / 10, close / 10] as const;
    });
  });

const text = (min: number, max: number) =>
  fc.integer({ min: min * 10, max: max * 10 }).map((n) => String(n / 10));
const maybe = <V>(arbitrary: fc.Arbitrary<V>) => fc.option(arbitrary, { nil: undefined });
const seldom = <V>(arbitrary: fc.Arbitrary<V>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 8 }, { arbitrary, weight: 1 });
const frames = fc.constantFrom(M, 3 * M, 5 * M, 15 * M);
const line = (price: fc.Arbitrary<string>) =>
  fc.tuple(price, price).map(([a, b]) => ({ [T]: Number(a), [T + 100 * M]: Number(b) }));
const edges = fc.constantFrom('open', 'close', 'high', 'low', 'hl2', 'oc2', 'hlc3', 'ohlc4');

const stops = fc.oneof(
  fc.record({
    strategy: fc.constant('price_percent_buy'),
    trigger: fc.record({
      type: fc.constantFrom('kline', 'exchange'),
      value: text(0.5, 4),
      closed: maybe(fc.boolean()),
      timeFrame: maybe(frames),
      edge: maybe(edges),
    }),
    complete: maybe(fc.boolean()),
    snoozeDuration: maybe(fc.constantFrom(0, M, 20 * M)),
    maxStops: maybe(fc.integer({ min: 1, max: 5 })),
    order: maybe(fc.constantFrom({ type: 'MARKET' }, { type: 'LIMIT' })),
  }),
  fc.record({
    strategy: fc.constantFrom('trailing', 'breakeven'),
    trigger: fc.record({
      type: fc.constantFrom('kline', 'exchange'),
      value: text(0.2, 3),
      closed: maybe(fc.boolean()),
      edge: maybe(edges),
    }),
    complete: maybe(fc.boolean()),
  }),
  fc.record({
    strategy: fc.constant('price'),
    trigger: fc.record({
      type: fc.constant('kline'),
      value: line(text(85, 99)),
      closed: maybe(fc.boolean()),
    }),
    complete: fc.constant(true),
  }),
  fc.record({
    strategy: fc.constant('timeout_buy'),
    trigger: fc.record({
      type: fc.constant('timeout'),
      value: fc.constantFrom('45000', '600000', '3600001'),
    }),
    complete: maybe(fc.boolean()),
    snoozeDuration: maybe(fc.constantFrom(0, 20 * M)),
  }),
  fc.record({
    strategy: fc.constant('fixed'),
    trigger: fc.record({ type: fc.constantFrom('kline', 'exchange'), value: text(85, 99) }),
  }),
);
const orders = fc.record({
  buy: maybe(fc.constantFrom({ type: 'MARKET' }, { type: 'LIMIT', price: 0.5 }, { size: 3 })),
  sell: maybe(
    fc.constantFrom(
      { type: 'MARKET' },
      { type: 'LIMIT', price: 0.5 },
      { size: 2 },
      { priceStrategy: 'dynamic' },
      { priceStrategy: 'trailing' },
    ),
  ),
});
const filters = fc.constantFrom(
  { price: { minVal: '98' } },
  { market: { rsi: { period: 5, timeFrame: M, max: 60 } } },
  { volume: { minVal: '1000' } },
);
const ranges = fc.constantFrom(
  { type: 'price', min: '95', max: '101' },
  { type: 'kline_percent', min: '-1' },
  { type: 'scaled_price', min: '-3', max: '3' },
);

const common = {
  deposit: fc.constantFrom(
    DEPOSIT,
    { value: '20', asset: 'USDT', strategy: 'percent' },
    { ...DEPOSIT, allocate: 'auto' },
  ),
  stop: maybe(fc.array(stops, { minLength: 1, maxLength: 3 })),
  orders: maybe(orders),
  onetime: maybe(fc.boolean()),
  profitAsset: maybe(fc.constantFrom('quote', 'base')),
  timeout: maybe(fc.constantFrom({ type: 'ttl', value: 30 * M }, { type: 'ttl', value: 90 * M + 1 })),
  filters: seldom(filters),
  range: seldom(ranges),
  startTrigger: seldom(line(text(98, 102)).map((trend) => ({ trend, direction: 'both' }))),
};
const restarts = maybe(
  fc.record({ restart: fc.boolean(), restartDelay: fc.constantFrom(1_000, 10 * M), reuse: fc.boolean() }),
);

const squeezes = fc.record({
  ...common,
  timeFrame: frames,
  price: fc.record({ percent: fc.record({ buy: text(0.1, 2), sell: text(0.1, 2) }) }),
  trailing: maybe(fc.boolean()),
  trailingEdge: maybe(edges),
  trailingSell: maybe(fc.boolean()),
  trailingPart: maybe(fc.boolean()),
  oncePerTimeFrame: maybe(fc.boolean()),
  trailingRules: seldom(
    fc.constantFrom(
      [{ type: 'dump_filter', maxChange: 1, timeout: 90_000 }],
      [{ type: 'pump_filter', maxChange: 1, count: 3 }],
    ),
  ),
});

const NAMES = ['0.236', '0.382', '0.500', '0.618', '0.786'];
const fibos = fc
  .record({
    ...common,
    strategy: maybe(fc.constantFrom('fixed', 'auto')),
    low: text(88, 96),
    high: text(99, 104),
    names: fc.subarray(NAMES, { minLength: 1 }),
    trailing: maybe(fc.boolean()),
    trailingFrom: maybe(fc.constantFrom(T - M, T + 50 * M)),
    trailingMaxChange: maybe(fc.constantFrom(0.3, 1)),
    buyOnly: maybe(fc.boolean()),
    waitFullSell: maybe(fc.boolean()),
    crossChannelSell: maybe(fc.boolean()),
    mergeChannels: maybe(fc.boolean()),
    green: maybe(fc.constantFrom(0.5, 1)),
    sell: maybe(fc.constantFrom({ from: 'entry', percent: 1 }, { from: 'price', percent: 2 })),
  })
  .map(({ low, high, names, sell, ...rest }) => ({
    ...rest,
    channels: [
      { name: '0', depositePercent: '0', fiboPrice: low },
      ...names.map((name, i) => ({
        name,
        depositePercent: i === 0 ? String(100 - 10 * (names.length - 1)) : '10',
        ...(sell && { sell }),
      })),
      { name: '1', depositePercent: '0', fiboPrice: high },
    ],
  }));

const channelFields = {
  ...common,
  timeFrame: maybe(frames),
  startBuy: maybe(fc.boolean()),
  trailUp: maybe(fc.boolean()),
  stopAbove: maybe(text(103, 110)),
  stopBelow: maybe(text(85, 95)),
  sellOnExit: maybe(fc.boolean()),
};
const grids = fc
  .record({
    ...channelFields,
    low: text(88, 97),
    high: text(100, 106),
    count: fc.integer({ min: 2, max: 12 }),
    geometric: fc.boolean(),
  })
  .map(({ low, high, count, geometric, ...rest }) => ({
    ...rest,
    flavor: 'GRID',
    grid: { low, high, count, spacing: geometric ? 'geometric' : 'arithmetic' },
  }));
const levels = fc
  .record({
    ...channelFields,
    cells: fc.array(fc.tuple(text(92, 99), text(1, 5)), { minLength: 1, maxLength: 5 }),
  })
  .map(({ cells, ...rest }) => ({
    ...rest,
    flavor: 'LEVELS',
    levels: cells.map(([buy, above]) => ({
      buy,
      sell: String(Number((Number(buy) + Number(above)).toFixed(1))),
    })),
  }));
const scales = fc
  .record({
    ...common,
    timeFrame: maybe(frames),
    orders: fc.integer({ min: 1, max: 5 }),
    step: text(0.3, 2),
    sizeScale: fc.constantFrom('1', '1.5'),
    takeProfit: text(0.3, 2),
    entryPrice: maybe(text(95, 100)),
  })
  .map(({ orders: count, step, sizeScale, takeProfit, ...rest }) => ({
    ...rest,
    flavor: 'SCALE',
    scale: { orders: count, step, sizeScale, takeProfit },
  }));

const intradays = fc.record({
  ...common,
  trend: line(text(96, 101)),
  mode: fc.constantFrom('bounce', 'breakout'),
  retest: maybe(fc.boolean()),
  maxEntries: maybe(fc.integer({ min: 1, max: 4 })),
  breakevenAfter: maybe(fc.constant(1)),
  takeProfits: fc.constantFrom(
    [{ percent: '1', size: '100' }],
    [
      { percent: '0.5', size: '50' },
      { percent: '2', size: '50' },
    ],
  ),
});

const CODE = { exchange: 'paper', symbol: SYMBOL };
const algos = fc.oneof(
  fc.record({
    algo: fc.constant('bracket'),
    side: fc.constant('BUY'),
    quantity: fc.constant('2'),
    entry: fc.constantFrom(
      { type: 'MARKET' },
      { type: 'LIMIT', price: '99' },
      { type: 'STOP_MARKET', stopPrice: '101' },
    ),
    takeProfit: fc.record({ percent: text(0.5, 3) }),
    stopLoss: fc.record({ percent: text(0.5, 3) }),
    expire: maybe(fc.constant(30)),
  }),
  fc.record({
    algo: fc.constant('tpsl'),
    side: fc.constant('SELL'),
    quantity: fc.constant('2'),
    takeProfit: fc.record({ percent: text(0.5, 3) }),
    stopLoss: fc.record({ percent: text(0.5, 3) }),
  }),
  fc.record({
    algo: fc.constant('twap'),
    side: fc.constantFrom('BUY', 'SELL'),
    quantity: fc.constant('3'),
    duration: fc.integer({ min: 3, max: 60 }),
    timeFrame: maybe(fc.integer({ min: 1, max: 5 })),
    limitOffset: maybe(fc.constant('0.2')),
    priceLimit: maybe(text(98, 102)),
    jitter: maybe(fc.constant('20')),
  }),
);

const alarms = fc.record({
  range: fc.array(
    fc.record({
      type: fc.constant('price'),
      trend: line(text(97, 103)),
      on: maybe(fc.constantFrom('tick', 'close')),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  rsi: fc.constant([{ period: 5, above: 70 }]),
  repeat: fc.constantFrom('once', 'always'),
  timeFrame: maybe(frames),
});
const notifies = fc.record({
  timeFrame: fc.constantFrom(5 * M, 15 * M),
  conditions: fc.constantFrom(
    [{ type: 'price_change', percent: 0.5 }],
    [
      { type: 'breakout', lookback: 5 },
      { type: 'rsi', period: 5, above: 60 },
    ],
  ),
  match: fc.constantFrom('all', 'any'),
  cooldown: maybe(fc.constant(10 * M)),
});

/** Bots by name, with settings drawn at random. Some of them do not pass the checks of a start. */
export const BOTS: Readonly<Record<string, fc.Arbitrary<BotGiven>>> = {
  SQUEEZE: fc.tuple(squeezes, restarts).map(([settings, options]) => bot('SQUEEZE', settings, options)),
  FIBO: fibos.map((settings) => bot('FIBO', settings)),
  'CHANNEL GRID': fc.tuple(grids, restarts).map(([settings, options]) => bot('CHANNEL', settings, options)),
  'CHANNEL LEVELS': fc
    .tuple(levels, restarts)
    .map(([settings, options]) => bot('CHANNEL', settings, options)),
  'CHANNEL SCALE': fc.tuple(scales, restarts).map(([settings, options]) => bot('CHANNEL', settings, options)),
  INTRADAY: intradays.map((settings) => bot('INTRADAY', settings)),
  ALGO: algos.map((settings) => bot('ALGO', { ...CODE, ...settings })),
  ALARM: alarms.map((settings) => bot('ALARM', settings)),
  NOTIFY: notifies.map((settings) => bot('NOTIFY', { ...CODE, ...settings })),
};

function bot(type: string, settings: object, options?: unknown): BotGiven {
  // JSON drops undefined fields: a field left out is not the same as an undefined one.
  const given = JSON.parse(JSON.stringify({ ...PAIR, ...settings }));
  return { type: type as BotGiven['type'], settings: given, options };
}

/** Kinds of markets: longs on spot; on futures also shorts, with leverage. */
export const markets = fc.constantFrom('spot', 'futures', 'short') as fc.Arbitrary<
  'spot' | 'futures' | 'short'
>;

export function onMarket(given: BotGiven, market: 'spot' | 'futures' | 'short'): BotGiven {
  if (market !== 'short' || ['ALGO', 'ALARM', 'NOTIFY'].includes(given.type)) return given;
  return { ...given, settings: { ...(given.settings as object), short: true } };
}
