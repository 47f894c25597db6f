/**
 * The emulator's symbols, and their rows in `instruments-info` and `risk-limit`. The figures are in the range
 * of the real ones and were written for these tests; the shape is that of market/instrument.mdx and
 * market/risk-limit.mdx.
 */
import type { TradedSymbol } from '../kit/market.ts';

export interface SymbolSpec extends TradedSymbol {
  /** `Trading`, `PreLaunch`, `Delivering`, `Closed`. */
  readonly status?: string;
  readonly minQty: string;
  /** Largest quantity of a limit order. */
  readonly maxQty: string;
  readonly maxMarketQty: string;
  /** Smallest notional, in quote. */
  readonly minNotional: string;
  /** Spot: step of an amount in quote. */
  readonly quoteStep?: string;
  readonly contractType?: string;
  readonly maxLeverage?: string;
  readonly settle?: string;
  /** Largest relative distance of a limit price from the mark. */
  readonly priceLimitRatio: string;
}

const spot = (
  base: string,
  quote: string,
  price: string,
  tick: string,
  step: string,
  more: Partial<SymbolSpec> = {},
): SymbolSpec => ({
  symbol: base + quote,
  base,
  quote,
  price,
  tick,
  step,
  minQty: step,
  maxQty: '9000000',
  maxMarketQty: '500000',
  minNotional: '5',
  quoteStep: '0.0000001',
  priceLimitRatio: '0.05',
  ...more,
});

export const SPOT_SYMBOLS: readonly SymbolSpec[] = [
  spot('BTC', 'USDT', '60000', '0.1', '0.000001', { maxQty: '83', maxMarketQty: '41.5', minQty: '0.000011' }),
  spot('ETH', 'USDT', '2500', '0.01', '0.00001', { maxQty: '2000', maxMarketQty: '1000' }),
  spot('SOL', 'USDT', '150', '0.01', '0.001'),
  spot('ADA', 'USDT', '0.4', '0.0001', '0.01'),
  spot('DOGE', 'USDT', '0.1', '0.00001', '0.1'),
  spot('MNT', 'USDT', '0.6', '0.0001', '0.01'),
  spot('ETH', 'BTC', '0.0416', '0.000001', '0.00001', { minNotional: '0.0001', quoteStep: '0.00000001' }),
  spot('BTC', 'USDC', '60010', '0.1', '0.000001', { maxQty: '83', maxMarketQty: '41.5' }),
  spot('USDC', 'USDT', '0.9998', '0.0001', '0.01'),
];

const linear = (
  base: string,
  quote: string,
  price: string,
  tick: string,
  step: string,
  more: Partial<SymbolSpec> = {},
): SymbolSpec => ({
  ...spot(base, quote, price, tick, step),
  maxQty: '1000000',
  maxMarketQty: '200000',
  contractType: 'LinearPerpetual',
  maxLeverage: '50.00',
  settle: quote,
  ...more,
});

export const LINEAR_SYMBOLS: readonly SymbolSpec[] = [
  linear('BTC', 'USDT', '60020', '0.10', '0.001', {
    maxQty: '1190.000',
    maxMarketQty: '500.000',
    maxLeverage: '100.00',
  }),
  linear('ETH', 'USDT', '2501', '0.01', '0.01', {
    maxQty: '7240.00',
    maxMarketQty: '3620.00',
    maxLeverage: '100.00',
  }),
  linear('SOL', 'USDT', '150.1', '0.010', '0.1'),
  linear('ADA', 'USDT', '0.4001', '0.0001', '1'),
  linear('DOGE', 'USDT', '0.10002', '0.00001', '1'),
  linear('1000PEPE', 'USDT', '0.0121', '0.0000001', '100', { maxLeverage: '25.00' }),
  linear('SHIB1000', 'USDT', '0.0141', '0.000001', '10', { maxLeverage: '25.00' }),
  linear('BTC', 'USDC', '60015', '0.1', '0.001', { symbol: 'BTCPERP' }),
  linear('BTC', 'USDT', '60500', '0.1', '0.001', {
    symbol: 'BTCUSDT-26MAR27',
    contractType: 'LinearFutures',
  }),
];

/** Decimals of a step: `0.010` has 2. */
export function placesOf(step: string): number {
  return (step.replace(/0+$/, '').split('.')[1] ?? '').length;
}

/** Decimals as written: `0.010` has 3. */
export function writtenPlaces(step: string): number {
  return (step.split('.')[1] ?? '').length;
}

export function spotRow(s: SymbolSpec): Record<string, unknown> {
  return {
    symbolId: 9,
    symbol: s.symbol,
    baseCoin: s.base,
    quoteCoin: s.quote,
    innovation: '0',
    status: s.status ?? 'Trading',
    marginTrading: 'utaOnly',
    stTag: '0',
    lotSizeFilter: {
      basePrecision: s.step,
      quotePrecision: s.quoteStep,
      minOrderQty: s.minQty,
      maxOrderQty: s.maxQty,
      minOrderAmt: s.minNotional,
      maxOrderAmt: '8000000',
      maxLimitOrderQty: s.maxQty,
      maxMarketOrderQty: s.maxMarketQty,
      postOnlyMaxLimitOrderSize: s.maxQty,
    },
    priceFilter: { tickSize: s.tick },
    riskParameters: { priceLimitRatioX: s.priceLimitRatio, priceLimitRatioY: s.priceLimitRatio },
    symbolType: '',
  };
}

export function linearRow(s: SymbolSpec): Record<string, unknown> {
  const isPerpetual = s.contractType === 'LinearPerpetual';
  return {
    symbol: s.symbol,
    symbolId: 5,
    contractType: s.contractType,
    status: s.status ?? 'Trading',
    baseCoin: s.base,
    quoteCoin: s.quote,
    launchTime: '1585526400000',
    deliveryTime: isPerpetual ? '0' : '1806048000000',
    deliveryFeeRate: isPerpetual ? '' : '0',
    priceScale: String(writtenPlaces(s.tick)),
    leverageFilter: { minLeverage: '1', maxLeverage: s.maxLeverage, leverageStep: '0.01' },
    priceFilter: { minPrice: s.tick, maxPrice: '1999999.80', tickSize: s.tick },
    lotSizeFilter: {
      maxOrderQty: s.maxQty,
      minOrderQty: s.minQty,
      qtyStep: s.step,
      postOnlyMaxOrderQty: s.maxQty,
      maxMktOrderQty: s.maxMarketQty,
      minNotionalValue: s.minNotional,
    },
    unifiedMarginTrade: true,
    fundingInterval: 480,
    settleCoin: s.settle,
    copyTrading: 'both',
    upperFundingRate: '0.00375',
    lowerFundingRate: '-0.00375',
    isPreListing: false,
    preListingInfo: null,
    riskParameters: { priceLimitRatioX: s.priceLimitRatio, priceLimitRatioY: s.priceLimitRatio },
    symbolType: '',
  };
}

export interface Tier {
  readonly id: number;
  /** Largest value of the position, in the settle coin. */
  readonly limit: string;
  /** Maintenance margin rate. */
  readonly rate: string;
  readonly maxLeverage: string;
  readonly deduction: string;
}

/** Three tiers; the deduction makes the maintenance margin continuous. */
export function tiersOf(s: SymbolSpec): Tier[] {
  return [
    { id: 1, limit: '2000000', rate: '0.005', maxLeverage: s.maxLeverage ?? '50.00', deduction: '' },
    { id: 2, limit: '20000000', rate: '0.01', maxLeverage: '20.00', deduction: '10000' },
    { id: 3, limit: '200000000', rate: '0.025', maxLeverage: '5.00', deduction: '310000' },
  ];
}
