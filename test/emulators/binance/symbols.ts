/**
 * The emulator's symbols, and their rows in `exchangeInfo`. The figures are in the range of the real ones and
 * were written for these tests; the shape of the rows is that of binance-spot-api-docs filters.md and USD-M
 * "Exchange Information".
 */
import type { Kind } from './wire.ts';

export interface SymbolSpec {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  /** Price at the start. */
  readonly price: string;
  readonly tick: string;
  readonly step: string;
  readonly maxQty: string;
  readonly marketMaxQty: string;
  readonly minNotional: string;
  /** `TRADING`, `BREAK`, `HALT`; futures `SETTLING`. */
  readonly status?: string;
  /** Spot: whether it accepts STOP_LOSS and TAKE_PROFIT, market orders behind a trigger. */
  readonly stopMarket?: boolean;
  readonly maxNumOrders?: number;
  readonly maxNumAlgoOrders?: number;
  /** Spot: how often an order may be amended. */
  readonly maxAmends?: number;
  readonly contractType?: string;
  readonly maxLeverage?: number;
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
  maxQty: '9000000.00000000',
  marketMaxQty: '500000.00000000',
  minNotional: '5.00000000',
  ...more,
});

export const SPOT_SYMBOLS: readonly SymbolSpec[] = [
  spot('BTC', 'USDT', '60000', '0.01', '0.00001', { maxQty: '9000', marketMaxQty: '120' }),
  spot('ETH', 'USDT', '2500', '0.01', '0.0001', { maxQty: '9000', marketMaxQty: '2000' }),
  spot('BNB', 'USDT', '600', '0.01', '0.001'),
  spot('SOL', 'USDT', '150', '0.01', '0.001'),
  spot('ADA', 'USDT', '0.4', '0.0001', '0.1', { stopMarket: true }),
  spot('DOGE', 'USDT', '0.1', '0.00001', '1'),
  spot('ETH', 'BTC', '0.0416', '0.00001', '0.0001', { minNotional: '0.0001' }),
  spot('BTC', 'USDC', '60010', '0.01', '0.00001', { maxQty: '9000', marketMaxQty: '120' }),
  spot('USDC', 'USDT', '0.9998', '0.0001', '1'),
  spot('币安人生', 'USDT', '0.12', '0.0001', '0.1'),
];

const perpetual = (
  base: string,
  quote: string,
  price: string,
  tick: string,
  step: string,
  more: Partial<SymbolSpec> = {},
): SymbolSpec => ({
  ...spot(base, quote, price, tick, step),
  maxQty: '1000000',
  marketMaxQty: '120000',
  minNotional: '5',
  contractType: 'PERPETUAL',
  maxLeverage: 75,
  ...more,
});

export const FUTURES_SYMBOLS: readonly SymbolSpec[] = [
  perpetual('BTC', 'USDT', '60020', '0.10', '0.001', {
    maxQty: '1000',
    marketMaxQty: '120',
    minNotional: '50',
    maxLeverage: 125,
  }),
  perpetual('ETH', 'USDT', '2501', '0.01', '0.001', {
    maxQty: '10000',
    marketMaxQty: '2000',
    minNotional: '20',
    maxLeverage: 100,
  }),
  perpetual('BNB', 'USDT', '600.2', '0.010', '0.01'),
  perpetual('SOL', 'USDT', '150.1', '0.0100', '0.01'),
  perpetual('ADA', 'USDT', '0.4001', '0.00010', '1'),
  perpetual('DOGE', 'USDT', '0.10002', '0.000010', '1'),
  perpetual('1000SHIB', 'USDT', '0.0141', '0.000001', '1', { maxLeverage: 50 }),
  perpetual('BTC', 'USDC', '60015', '0.1', '0.001', { minNotional: '50', maxLeverage: 100 }),
  perpetual('BTC', 'USDT', '60500', '0.1', '0.001', {
    symbol: 'BTCUSDT_270326',
    contractType: 'CURRENT_QUARTER',
  }),
];

/** Decimals of a step: `0.0100` has 2. */
export function placesOf(step: string): number {
  return (step.replace(/0+$/, '').split('.')[1] ?? '').length;
}

const eight = (text: string): string => {
  const [whole, fraction = ''] = text.split('.');
  return `${whole}.${fraction.padEnd(8, '0').slice(0, 8)}`;
};

/** The row of a symbol in `exchangeInfo`. */
export function infoRow(kind: Kind, s: SymbolSpec): Record<string, unknown> {
  return kind === 'spot' ? spotRow(s) : futuresRow(s);
}

function spotRow(s: SymbolSpec): Record<string, unknown> {
  const stops = s.stopMarket
    ? ['STOP_LOSS', 'STOP_LOSS_LIMIT', 'TAKE_PROFIT', 'TAKE_PROFIT_LIMIT']
    : ['STOP_LOSS_LIMIT', 'TAKE_PROFIT_LIMIT'];
  return {
    symbol: s.symbol,
    status: s.status ?? 'TRADING',
    baseAsset: s.base,
    baseAssetPrecision: 8,
    quoteAsset: s.quote,
    quotePrecision: 8,
    quoteAssetPrecision: 8,
    baseCommissionPrecision: 8,
    quoteCommissionPrecision: 8,
    orderTypes: ['LIMIT', 'LIMIT_MAKER', 'MARKET', ...stops],
    icebergAllowed: true,
    ocoAllowed: true,
    otoAllowed: true,
    opoAllowed: true,
    quoteOrderQtyMarketAllowed: true,
    allowTrailingStop: true,
    cancelReplaceAllowed: true,
    amendAllowed: true,
    pegInstructionsAllowed: false,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    filters: [
      {
        filterType: 'PRICE_FILTER',
        minPrice: eight(s.tick),
        maxPrice: '1000000.00000000',
        tickSize: eight(s.tick),
      },
      { filterType: 'LOT_SIZE', minQty: eight(s.step), maxQty: eight(s.maxQty), stepSize: eight(s.step) },
      { filterType: 'ICEBERG_PARTS', limit: 100 },
      {
        filterType: 'MARKET_LOT_SIZE',
        minQty: '0.00000000',
        maxQty: eight(s.marketMaxQty),
        stepSize: '0.00000000',
      },
      {
        filterType: 'TRAILING_DELTA',
        minTrailingAboveDelta: 10,
        maxTrailingAboveDelta: 2000,
        minTrailingBelowDelta: 10,
        maxTrailingBelowDelta: 2000,
      },
      {
        filterType: 'PERCENT_PRICE_BY_SIDE',
        bidMultiplierUp: '5',
        bidMultiplierDown: '0.2',
        askMultiplierUp: '5',
        askMultiplierDown: '0.2',
        avgPriceMins: 5,
      },
      {
        filterType: 'NOTIONAL',
        minNotional: eight(s.minNotional),
        applyMinToMarket: true,
        maxNotional: '9000000.00000000',
        applyMaxToMarket: false,
        avgPriceMins: 5,
      },
      { filterType: 'MAX_NUM_ORDERS', maxNumOrders: s.maxNumOrders ?? 200 },
      { filterType: 'MAX_NUM_ORDER_LISTS', maxNumOrderLists: 20 },
      { filterType: 'MAX_NUM_ALGO_ORDERS', maxNumAlgoOrders: s.maxNumAlgoOrders ?? 5 },
      { filterType: 'MAX_NUM_ORDER_AMENDS', maxNumOrderAmends: s.maxAmends ?? 10 },
    ],
    permissions: [],
    permissionSets: [['SPOT']],
    defaultSelfTradePreventionMode: 'EXPIRE_MAKER',
    allowedSelfTradePreventionModes: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'],
  };
}

function futuresRow(s: SymbolSpec): Record<string, unknown> {
  return {
    symbol: s.symbol,
    pair: s.base + s.quote,
    contractType: s.contractType,
    deliveryDate: s.contractType === 'PERPETUAL' ? 4_133_404_800_000 : 1_806_048_000_000,
    onboardDate: 1_569_398_400_000,
    status: s.status ?? 'TRADING',
    maintMarginPercent: '2.5000',
    requiredMarginPercent: '5.0000',
    baseAsset: s.base,
    quoteAsset: s.quote,
    marginAsset: s.quote,
    pricePrecision: placesOf(s.tick) + 1,
    quantityPrecision: placesOf(s.step),
    baseAssetPrecision: 8,
    quotePrecision: 8,
    underlyingType: 'COIN',
    underlyingSubType: ['PoW'],
    settlePlan: 0,
    triggerProtect: '0.0500',
    liquidationFee: '0.012500',
    marketTakeBound: '0.05',
    maxMoveOrderLimit: 10_000,
    filters: [
      { filterType: 'PRICE_FILTER', maxPrice: '4529764', minPrice: s.tick, tickSize: s.tick },
      { filterType: 'LOT_SIZE', maxQty: s.maxQty, minQty: s.step, stepSize: s.step },
      { filterType: 'MARKET_LOT_SIZE', maxQty: s.marketMaxQty, minQty: s.step, stepSize: s.step },
      { filterType: 'MAX_NUM_ORDERS', limit: s.maxNumOrders ?? 200 },
      { filterType: 'MIN_NOTIONAL', notional: s.minNotional },
      {
        filterType: 'PERCENT_PRICE',
        multiplierUp: '1.0500',
        multiplierDown: '0.9500',
        multiplierDecimal: '4',
      },
      { filterType: 'POSITION_RISK_CONTROL', positionControlSide: 'NONE', endTime: 0 },
    ],
    orderTypes: [
      'LIMIT',
      'MARKET',
      'STOP',
      'STOP_MARKET',
      'TAKE_PROFIT',
      'TAKE_PROFIT_MARKET',
      'TRAILING_STOP_MARKET',
    ],
    timeInForce: ['GTC', 'IOC', 'FOK', 'GTX', 'GTD', 'RPI'],
    permissionSets: ['GRID', 'COPY'],
  };
}
