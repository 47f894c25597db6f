/**
 * The symbols of the embedded paper exchange: 20 large USDT pairs with the spot filters of a real venue, and
 * the parameters of the synthetic feed for them (start price, daily volatility, turnover). Symbols of a CSV
 * folder that are not in the table get filters derived from their prices. Plain data; reads nothing.
 */
import type { Instrument } from '../domain/instrument.ts';
import { byCodePoint } from '../domain/market-name.ts';
import { FeedError } from './feed.ts';
import { decimalsOf, unitOf } from './scaled.ts';

/** One pair of the table. Prices, quantities: decimal strings. */
export interface MarketSpec {
  readonly symbol: string;
  readonly base: string;
  readonly tickSize: string;
  readonly maxPrice: string;
  readonly stepSize: string;
  readonly maxQty: string;
  readonly marketMaxQty: string;
  /** The synthetic feed's first price. */
  readonly startPrice: string;
  /** Standard deviation of a day's log return, 0.024 = 2.4 %. */
  readonly dailyVolatility: number;
  /** Correlation with the common market factor, 0 to 1. */
  readonly correlation: number;
  /** Mean turnover of a day in USDT. */
  readonly dailyTurnover: number;
}

/** Filters that all spot pairs share. */
const SPOT_LIMITS = {
  minNotional: '5',
  maxNotional: '9000000',
  percentDown: '0.2',
  percentUp: '5',
  trailingMinBps: 10,
  trailingMaxBps: 2_000,
  maxOrders: 200,
  maxIcebergParts: 100,
} as const;
export const QUOTE = 'USDT';

// base, tick, highest price, step, largest quantity, largest MARKET quantity, start, volatility, correlation, turnover
type TableRow = readonly [string, string, string, string, string, string, string, number, number, number];
const TABLE: readonly TableRow[] = [
  ['BTC', '0.01', '1000000', '0.00001', '9000', '129.84957', '97250', 0.024, 0.92, 2.4e9],
  ['ETH', '0.01', '1000000', '0.0001', '9000', '3125.7526', '3280', 0.033, 0.88, 1.4e9],
  ['BNB', '0.1', '100000', '0.001', '900000', '4883.522', '668.4', 0.027, 0.75, 2.5e8],
  ['SOL', '0.01', '10000', '0.001', '90000', '64306.319', '214.6', 0.044, 0.8, 9e8],
  ['XRP', '0.0001', '10000', '1', '9222449', '4886361', '2.4135', 0.045, 0.68, 8e8],
  ['DOGE', '0.00001', '1000', '1', '9000000', '9000000', '0.32815', 0.05, 0.76, 5e8],
  ['ADA', '0.0001', '1000', '0.1', '900000', '900000', '0.9642', 0.047, 0.76, 2.5e8],
  ['TRX', '0.0001', '1000', '0.1', '9000000', '6926732.6', '0.2461', 0.026, 0.55, 8e7],
  ['AVAX', '0.01', '10000', '0.01', '90000', '40749.41', '36.42', 0.05, 0.8, 1.2e8],
  ['LINK', '0.01', '10000', '0.01', '90000', '79751.87', '22.35', 0.047, 0.76, 1.5e8],
  ['DOT', '0.001', '10000', '0.01', '90000', '90000', '6.418', 0.045, 0.78, 8e7],
  ['LTC', '0.01', '100000', '0.001', '90000', '16571.044', '118.65', 0.042, 0.72, 1.2e8],
  ['BCH', '0.1', '100000', '0.001', '90000', '1700.607', '436.2', 0.043, 0.7, 4e7],
  ['UNI', '0.001', '10000', '0.01', '90000', '58302.41', '12.884', 0.052, 0.72, 7e7],
  ['ATOM', '0.001', '10000', '0.01', '90000', '84879.08', '6.352', 0.045, 0.76, 3e7],
  ['XLM', '0.0001', '1000', '1', '9000000', '3502136', '0.4187', 0.049, 0.64, 9e7],
  ['NEAR', '0.001', '1000', '0.1', '900000', '206314.9', '5.036', 0.053, 0.77, 9e7],
  ['SUI', '0.0001', '1000', '0.1', '92141578', '1688552.3', '3.9418', 0.058, 0.7, 3e8],
  ['AAVE', '0.01', '100000', '0.001', '900000', '4754.515', '318.24', 0.051, 0.7, 8e7],
  ['SHIB', '0.00000001', '1', '1', '46116860414', '46116860414', '0.00002034', 0.046, 0.74, 1.1e8],
];

/** The table in its order, which is also the order of ticks with the same time. */
export const MARKETS: readonly MarketSpec[] = TABLE.map((row) => ({
  symbol: row[0] + QUOTE,
  base: row[0],
  tickSize: row[1],
  maxPrice: row[2],
  stepSize: row[3],
  maxQty: row[4],
  marketMaxQty: row[5],
  startPrice: row[6],
  dailyVolatility: row[7],
  correlation: row[8],
  dailyTurnover: row[9],
}));

const BY_SYMBOL = new Map(MARKETS.map((market, rank) => [market.symbol, { market, rank }]));

/** Compares symbols in the order used everywhere: the table's, then the others by name. */
export function compareSymbols(a: string, b: string): number {
  const rankA = BY_SYMBOL.get(a)?.rank ?? MARKETS.length;
  const rankB = BY_SYMBOL.get(b)?.rank ?? MARKETS.length;
  return rankA - rankB || byCodePoint(a, b);
}

/** Returns some prices of a symbol, decimal strings; empty when there are none. */
export type PriceSample = (symbol: string) => readonly string[];

/**
 * Returns spot instruments for `symbols` on the account `exchange`. The tick is as fine as the sample's
 * prices when those have more decimals than the table, so that a recorded price always lies on it. Throws
 * FeedError for a symbol not quoted in USDT.
 */
export function spotInstruments(
  symbols: readonly string[],
  exchange: string,
  sample: PriceSample = () => [],
): Instrument[] {
  return symbols.map((symbol) => {
    const prices = sample(symbol);
    const known = BY_SYMBOL.get(symbol)?.market;
    const spec = known ? finerTick(known, prices) : derivedFilters(symbol, prices);
    return {
      exchange,
      symbol,
      base: spec.base,
      quote: QUOTE,
      kind: 'spot',
      tickSize: spec.tickSize,
      minPrice: spec.tickSize,
      maxPrice: spec.maxPrice,
      stepSize: spec.stepSize,
      minQty: spec.stepSize,
      maxQty: spec.maxQty,
      marketMaxQty: spec.marketMaxQty,
      ...SPOT_LIMITS,
    };
  });
}

export type Filters = Pick<
  MarketSpec,
  'base' | 'tickSize' | 'maxPrice' | 'stepSize' | 'maxQty' | 'marketMaxQty'
>;

/** Returns the market's filters, with a tick as fine as the sample's prices where those are finer. */
export function finerTick(market: Filters, prices: readonly string[]): Filters {
  const decimals = mostDecimals(prices);
  return decimals > decimalsOf(market.tickSize) ? { ...market, tickSize: unitOf(decimals) } : market;
}

/**
 * Derives filters for an unknown symbol: a step is worth about one USDT or less, the largest order about 10^8
 * times that, as real venues set it.
 */
export function derivedFilters(symbol: string, prices: readonly string[]): Filters {
  if (!symbol.endsWith(QUOTE) || symbol.length === QUOTE.length) {
    throw new FeedError(
      `${symbol} cannot be traded here: only symbols quoted in USDT (names ending in USDT) can`,
    );
  }
  const highest = prices.reduce((most, price) => Math.max(most, Number(price)), 0) || 1;
  const magnitude = Math.floor(Math.log10(highest)) + 1;
  const large = (exponent: number) => `9${'0'.repeat(Math.max(0, exponent - magnitude))}`;
  return {
    base: symbol.slice(0, -QUOTE.length),
    tickSize: unitOf(prices.length > 0 ? mostDecimals(prices) : 8),
    maxPrice: `1${'0'.repeat(Math.max(0, magnitude + 1))}`,
    stepSize: unitOf(Math.min(8, Math.max(0, magnitude))),
    maxQty: large(8),
    marketMaxQty: large(6),
  };
}

function mostDecimals(prices: readonly string[]): number {
  return prices.reduce((most, price) => Math.max(most, decimalsOf(price)), 0);
}
