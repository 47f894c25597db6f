/** A small world of three accounts and a valid bot of each type; tests change single fields and compile. */
import { compileBot } from '../../../src/bots/settings/compile.ts';
import type {
  BotType,
  Compiled,
  CompiledSettings,
  MarketRules,
  Problem,
  SettingsWorld,
} from '../../../src/bots/settings/compiled.ts';
import { dec } from '../../../src/domain/decimal.ts';

export const NOW = 1_700_000_000_000;
export const LINE = { '1700000000000': 100, '1700003600000': 110 };
export const LEVEL = { '1700000000000': 100, '1700003600000': '100' };

type Settings = Record<string, unknown>;

function rules(
  base: string,
  quote: string,
  kind: 'spot' | 'futures',
  numbers: Partial<Record<'tick' | 'step' | 'minNotional', string>> = {},
): MarketRules {
  return {
    symbol: base + quote,
    base,
    quote,
    kind,
    tick: dec(numbers.tick ?? '0.01'),
    step: dec(numbers.step ?? '0.00001'),
    minQty: dec(numbers.step ?? '0.00001'),
    minNotional: dec(numbers.minNotional ?? '10'),
    makerRate: dec('0.001'),
    takerRate: dec('0.0015'),
    maxLeverage: kind === 'spot' ? 1 : 20,
  };
}

const INSTRUMENTS: Readonly<Record<string, readonly MarketRules[]>> = {
  'paper-spot': [
    rules('BTC', 'USDT', 'spot'),
    rules('ETH', 'USDT', 'spot'),
    rules('LINK', 'USDT', 'spot', { step: '0.01', minNotional: '5' }),
    rules('ETH', 'BTC', 'spot', { tick: '0.00001' }),
  ],
  'paper-futures': [rules('BTC', 'USDT', 'futures'), rules('ETH', 'USDT', 'futures')],
  'paper-hedge': [rules('BTC', 'USDT', 'futures')],
};

export function world(changes: Partial<SettingsWorld> = {}): SettingsWorld {
  return {
    now: NOW,
    accounts: new Map([
      ['paper-spot', { kind: 'spot', hedge: false }],
      ['paper-futures', { kind: 'futures', hedge: false }],
      ['paper-hedge', { kind: 'futures', hedge: true }],
    ]),
    instrument: (exchange, symbol) =>
      INSTRUMENTS[exchange]?.find((instrument) => instrument.symbol === symbol) ?? null,
    symbols: (exchange) => (INSTRUMENTS[exchange] ?? []).map(({ symbol }) => symbol),
    targets: ['phone'],
    ...changes,
  };
}

const PAIR = { base: 'BTC', quote: 'USDT' };
const DEPOSIT = { value: '1000', asset: 'USDT' };

const VALID: Readonly<Record<string, Settings>> = {
  FIBO: {
    symbol: PAIR,
    deposit: DEPOSIT,
    channels: [
      { name: '0', depositePercent: '50', fiboPrice: '40000' },
      { name: '0.500', depositePercent: '50' },
      { name: '1', depositePercent: '0', fiboPrice: '50000' },
    ],
  },
  GRID: {
    symbol: PAIR,
    deposit: DEPOSIT,
    flavor: 'GRID',
    grid: { low: '40000', high: '50000', count: 5 },
  },
  LEVELS: {
    symbol: PAIR,
    deposit: DEPOSIT,
    flavor: 'LEVELS',
    levels: [
      { buy: '40000', sell: '41000' },
      { buy: '42000', sell: '44000' },
    ],
  },
  SCALE: {
    symbol: PAIR,
    deposit: DEPOSIT,
    flavor: 'SCALE',
    scale: { orders: 3, step: '1', takeProfit: '1' },
  },
  SQUEEZE: {
    symbol: PAIR,
    deposit: DEPOSIT,
    timeFrame: 60_000,
    price: { percent: { buy: '1', sell: '2' } },
  },
  INTRADAY: {
    symbol: PAIR,
    deposit: DEPOSIT,
    mode: 'bounce',
    trend: LINE,
    takeProfits: [
      { percent: '1', size: 60 },
      { percent: '2', size: 40 },
    ],
  },
  BRACKET: {
    symbol: 'BTCUSDT',
    algo: 'bracket',
    side: 'BUY',
    quantity: '0.5',
    entry: { type: 'LIMIT', price: '100' },
    takeProfit: { price: '110' },
    stopLoss: { price: '95' },
  },
  TPSL: {
    symbol: 'BTCUSDT',
    algo: 'tpsl',
    side: 'SELL',
    quantity: '0.5',
    takeProfit: { percent: '2' },
    stopLoss: { percent: '1' },
  },
  TWAP: { symbol: 'BTCUSDT', algo: 'twap', side: 'BUY', quantity: '2', duration: 10 },
  ALARM: { symbol: PAIR, ticker: 'BTCUSDT', range: [{ type: 'price', trend: LINE }] },
  NOTIFY: { timeFrame: 300_000, conditions: [{ type: 'price_change', percent: '2' }] },
};

/** A bot that is valid without changes: a type, or a flavor of CHANNEL or an algo. */
export type Kind =
  | Exclude<BotType, 'CHANNEL' | 'ALGO'>
  | 'GRID'
  | 'LEVELS'
  | 'SCALE'
  | 'BRACKET'
  | 'TPSL'
  | 'TWAP';
export const KINDS = Object.keys(VALID) as Kind[];
/** Kinds that trade by the shared blocks. */
export const STRATEGIES: readonly Kind[] = ['FIBO', 'GRID', 'LEVELS', 'SCALE', 'SQUEEZE', 'INTRADAY'];

export function typeOf(kind: Kind): BotType {
  if (kind === 'GRID' || kind === 'LEVELS' || kind === 'SCALE') return 'CHANNEL';
  return kind === 'BRACKET' || kind === 'TPSL' || kind === 'TWAP' ? 'ALGO' : kind;
}

/** Settings with top-level fields changed; `undefined` leaves one out. */
export function settingsOf(kind: Kind, changes: Settings = {}): Settings {
  const all = { type: typeOf(kind), exchange: 'paper-spot', ...VALID[kind], ...changes };
  return structuredClone(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));
}

export function compile(kind: Kind, changes: Settings = {}, options?: unknown, on = world()): Compiled {
  return compileBot(typeOf(kind), settingsOf(kind, changes), options, on);
}

/** The compiled settings of a valid bot; fails the test with its problems otherwise. */
export function compiled<T extends CompiledSettings = CompiledSettings>(
  kind: Kind,
  changes: Settings = {},
  options?: unknown,
): T {
  const result = compile(kind, changes, options);
  if (!result.ok) throw new Error(texts(result.problems).join('\n'));
  return result.settings as T;
}

export function texts(problems: readonly Problem[]): string[] {
  return problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
}

export function problems(kind: Kind, changes: Settings = {}, options?: unknown, on = world()): string[] {
  const result = compile(kind, changes, options, on);
  return result.ok ? [] : texts(result.problems);
}

export function warnings(kind: Kind, changes: Settings = {}, options?: unknown, on = world()): string[] {
  return texts(compile(kind, changes, options, on).warnings);
}
