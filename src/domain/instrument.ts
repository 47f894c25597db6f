/**
 * A tradable symbol on one exchange account and its filters (Binance exchangeInfo vocabulary). Plain data.
 */
import type { Dec } from './decimal.ts';

/** Filters as the exchange publishes them; prices, quantities and amounts are decimal strings. */
export interface Instrument {
  readonly exchange: string;
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly kind: 'spot' | 'futures';
  readonly tickSize: string;
  readonly minPrice: string;
  readonly maxPrice: string;
  readonly stepSize: string;
  readonly minQty: string;
  readonly maxQty: string;
  /** Largest quantity of one MARKET order. */
  readonly marketMaxQty: string;
  readonly minNotional: string;
  readonly maxNotional: string;
  /** A limit price must lie within last x down .. last x up (PERCENT_PRICE), e.g. '0.2' and '5'. */
  readonly percentDown: string;
  readonly percentUp: string;
  /** Trailing callback limits, basis points. */
  readonly trailingMinBps: number;
  readonly trailingMaxBps: number;
  readonly maxOrders: number;
  readonly maxIcebergParts: number;
  /**
   * The order types that the exchange lists for this symbol, in its own words, for rows of forms that depend
   * on them; left out: not reported.
   */
  readonly orderTypes?: readonly string[];
  /** Number of units of the spot asset in one unit of its base: '1000' for `1000SHIBUSDT`. Left out: one. */
  readonly multiplier?: string;
  /**
   * Why its exchange takes no entries for it at the moment, as the end of `BTCUSDT is ...`; left out: it
   * does.
   */
  readonly halt?: 'halted' | 'in a break' | 'cancel-only';
  /** When its exchange stops trading it, Unix ms; left out: not announced. */
  readonly endsAt?: number;
  /**
   * The exchange does not list it any more: existing orders and positions go on with the numbers last known.
   * Never set by an exchange's own list.
   */
  readonly delisted?: true;
}

/** The numbers of an instrument, parsed once for arithmetic. */
export interface InstrumentNumbers {
  readonly tick: Dec;
  readonly step: Dec;
  readonly minPrice: Dec;
  readonly maxPrice: Dec;
  readonly minQty: Dec;
  readonly maxQty: Dec;
  readonly marketMaxQty: Dec;
  readonly minNotional: Dec;
  readonly maxNotional: Dec;
  readonly percentDown: Dec;
  readonly percentUp: Dec;
}

/**
 * Returns the spot asset of which its base is a multiple: SHIB for `1000SHIB` or `SHIB1000`, a thousand of
 * them.
 */
export function spotAssetOf({ base, multiplier }: Pick<Instrument, 'base' | 'multiplier'>): string {
  if (multiplier === undefined) return base;
  const words = multiplier === '1000000' ? [multiplier, '1M'] : [multiplier];
  for (const word of words) {
    if (base.length <= word.length) continue;
    if (base.startsWith(word)) return base.slice(word.length);
    if (base.endsWith(word)) return base.slice(0, -word.length);
  }
  return base;
}

/** Returns one key for a symbol of one account. */
export function instrumentKey({ exchange, symbol }: Pick<Instrument, 'exchange' | 'symbol'>): string {
  return `${exchange} ${symbol}`;
}
