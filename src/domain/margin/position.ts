/**
 * Formulas of one open linear position, each with its source. Pure. A position is its signed size and its
 * signed cost (sum of price x size over the open part): the entry price is their quotient and never stored,
 * so averaging loses nothing.
 */
import { type Dec, dec, mul, ONE, roundTo, ZERO } from '../decimal.ts';

/** USDT has eight decimals at the exchange; other results are rounded to them, halves away from zero. */
export const MONEY_UNIT = dec('0.00000001');
/** Averages (entry, break-even, liquidation price) are shown with twelve decimals. */
const PRICE_UNIT = dec('0.000000000001');

/** Size and cost; both positive: long, both negative: short. */
export interface Open {
  readonly amount: Dec;
  readonly cost: Dec;
}

/** Returns the absolute value. */
export function abs(value: Dec): Dec {
  return value < ZERO ? -value : value;
}

/** Rounds an amount of the margin asset as it is booked and shown. */
export function money(value: Dec): Dec {
  return roundTo(value, MONEY_UNIT);
}

/** Returns a quotient of two amounts as a price to show. */
export function priceOf(numerator: Dec, size: Dec): Dec {
  return size === ZERO ? ZERO : roundTo((numerator * ONE) / size, PRICE_UNIT);
}

/** Returns the position notional = size x mark price (Binance, "Leverage & Margin"); never negative. */
export function notional(amount: Dec, price: Dec): Dec {
  return abs(mul(amount, price));
}

/**
 * Returns the unrealised PnL = size x direction x (mark price - entry price) (Binance FAQ
 * 3a55a23768cb416fb404f06ffedde4b2).
 */
export function unrealised(position: Open, mark: Dec): Dec {
  return mul(position.amount, mark) - position.cost;
}

/** Returns the average price of the open fills, weighted by size. */
export function entryPrice(position: Open): Dec {
  return priceOf(position.cost, position.amount);
}
