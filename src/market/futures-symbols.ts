/**
 * The contracts of the embedded paper futures exchange: perpetual contracts on the same pairs as spot, with
 * the filters of a real venue (Binance USDT-M), typed in again. Symbols of a CSV folder that are not in the
 * table get filters derived from their prices. Plain data; reads nothing.
 */
import type { Instrument } from '../domain/instrument.ts';
import { decimalsOf } from './scaled.ts';
import { derivedFilters, type Filters, finerTick, MARKETS, type PriceSample, QUOTE } from './symbols.ts';

/**
 * Filters that all contracts share. The price bounds are wide on purpose: the exchange's own rule (a BUY at
 * most 5 % above the mark, a SELL at most 5 % below, nothing on the other side) does not fit into an
 * instrument and is checked by the venue.
 */
const FUTURES_LIMITS = {
  maxNotional: '0',
  percentDown: '0.05',
  percentUp: '5',
  trailingMinBps: 10,
  trailingMaxBps: 1_000,
  maxOrders: 200,
  maxIcebergParts: 0,
} as const;

// base, tick, highest price, step, largest quantity, largest MARKET quantity, smallest notional
type TableRow = readonly [string, string, string, string, string, string, string];
const TABLE: readonly TableRow[] = [
  ['BTC', '0.1', '809484', '0.001', '1000', '120', '100'],
  ['ETH', '0.01', '306177', '0.001', '10000', '2000', '20'],
  ['BNB', '0.01', '100000', '0.01', '10000', '1500', '5'],
  ['SOL', '0.01', '6857', '0.01', '1000000', '6000', '5'],
  ['XRP', '0.0001', '100000', '0.1', '1000000', '500000', '5'],
  ['DOGE', '0.00001', '30', '1', '10000000', '2500000', '5'],
  ['ADA', '0.0001', '20000', '1', '10000000', '1000000', '5'],
  ['TRX', '0.00001', '20000', '1', '10000000', '5000000', '5'],
  ['AVAX', '0.001', '2403', '1', '10000000', '50000', '5'],
  ['LINK', '0.001', '100000', '0.01', '100000', '30000', '5'],
  ['DOT', '0.001', '2398', '0.1', '1000000', '100000', '5'],
  ['LTC', '0.01', '100000', '0.001', '10000', '5000', '5'],
  ['BCH', '0.01', '100000', '0.001', '10000', '1500', '5'],
  ['UNI', '0.001', '2684', '1', '10000000', '50000', '5'],
  ['ATOM', '0.001', '100000', '0.01', '100000', '50000', '5'],
  ['XLM', '0.00001', '20000', '1', '10000000', '1000000', '5'],
  ['NEAR', '0.001', '1000', '1', '10000000', '200000', '5'],
  ['SUI', '0.0001', '2000', '0.1', '10000000', '500000', '5'],
  ['AAVE', '0.01', '100000', '0.1', '10000', '2000', '5'],
  ['SHIB', '0.00000001', '2', '1000', '10000000000', '5000000000', '5'],
];

const BY_SYMBOL = new Map(TABLE.map((row) => [row[0] + QUOTE, row]));

/**
 * Returns contracts for `symbols` on the account `exchange`. One feed moves both accounts: where the spot
 * tick is finer than the contract's (BTC: 0.01 against 0.1) the contract has the finer one, so that every
 * price of the feed lies on it. Throws FeedError for a symbol not quoted in USDT.
 */
export function futuresInstruments(
  symbols: readonly string[],
  exchange: string,
  sample: PriceSample = () => [],
): Instrument[] {
  return symbols.map((symbol) => {
    const row = BY_SYMBOL.get(symbol);
    const spec = row ? contractFilters(row, sample(symbol)) : derivedFilters(symbol, sample(symbol));
    return {
      exchange,
      symbol,
      base: spec.base,
      quote: QUOTE,
      kind: 'futures',
      tickSize: spec.tickSize,
      minPrice: spec.tickSize,
      maxPrice: spec.maxPrice,
      stepSize: spec.stepSize,
      minQty: spec.stepSize,
      maxQty: spec.maxQty,
      marketMaxQty: spec.marketMaxQty,
      minNotional: row?.[6] ?? '5',
      ...FUTURES_LIMITS,
    };
  });
}

function contractFilters(row: TableRow, prices: readonly string[]): Filters {
  const [base, tickSize, maxPrice, stepSize, maxQty, marketMaxQty] = row;
  const spot = MARKETS.find((market) => market.base === base);
  const finer = spot && decimalsOf(spot.tickSize) > decimalsOf(tickSize) ? spot.tickSize : tickSize;
  return finerTick({ base, tickSize: finer, maxPrice, stepSize, maxQty, marketMaxQty }, prices);
}
