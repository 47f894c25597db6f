/**
 * Formulas of one linear position, each with its source. Pure. A position is its signed size and its signed cost (sum of
 * price x size over what is open): the entry price is their quotient and never stored, so nothing is lost by averaging.
 */
import { type Dec, dec, mul, roundTo, ZERO } from '../../../domain/decimal.ts';

/** USDT has eight decimals at the exchange; what does not come out exactly is rounded to them, halves away from zero. */
export const MONEY_UNIT = dec('0.00000001');
/** Averages (entry, break-even, liquidation price) are shown with twelve decimals. */
const PRICE_UNIT = dec('0.000000000001');

/** Size and cost; both positive long, both negative short. */
export interface Open {
  readonly amount: Dec;
  readonly cost: Dec;
}

export function abs(value: Dec): Dec {
  return value < ZERO ? -value : value;
}

export function money(value: Dec): Dec {
  return roundTo(value, MONEY_UNIT);
}

/** `a x b / c` with one rounding only, cut toward zero at 30 places. */
export function mulDiv(a: Dec, b: Dec, c: Dec): Dec {
  return (a * b) / c;
}

/** A quotient of two amounts as a price to show. */
export function priceOf(numerator: Dec, size: Dec): Dec {
  return size === ZERO ? ZERO : roundTo((numerator * dec('1')) / size, PRICE_UNIT);
}

/** Position notional = size x mark price (Binance, "Leverage & Margin"); never negative. */
export function notional(amount: Dec, price: Dec): Dec {
  return abs(mul(amount, price));
}

/** Unrealised PnL = size x direction x (mark price - entry price) (Binance FAQ 3a55a23768cb416fb404f06ffedde4b2). */
export function unrealised(position: Open, mark: Dec): Dec {
  return mul(position.amount, mark) - position.cost;
}

/** Average of the open fills, weighted by size. */
export function entryPrice(position: Open): Dec {
  return priceOf(position.cost, position.amount);
}

/**
 * Break-even price = (total cost - total gained) / size held (Binance FAQ 8a2bc34f411b414888fb10a2db851a9b), with the fees
 * and the funding paid since the position opened among the costs. The fee of closing is not known yet and not in it.
 */
export function breakEvenPrice(
  position: Open & { readonly realized: Dec; readonly fees: Dec; readonly funding: Dec },
): Dec {
  return priceOf(position.cost - position.realized + position.fees - position.funding, position.amount);
}

/** Funding received (negative: paid) = - size x mark x rate: at a rate above zero longs pay shorts (Binance FAQ 360033525031). */
export function fundingOf(amount: Dec, mark: Dec, rate: Dec): Dec {
  return money(-mul(mul(amount, mark), rate));
}

/** What an execution does to a position. */
export interface Applied {
  /** Part of the quantity that closed, and that opened. */
  readonly closed: Dec;
  readonly opened: Dec;
  /** Null when nothing closed. */
  readonly pnl: Dec | null;
  readonly after: Open;
}

/**
 * An execution of `qty` (positive buys, negative sells) at `price`: closes first, what is left opens the other way.
 * Realised PnL = size closed x (price - entry) (same FAQ as unrealised); the cost that leaves is rounded to eight decimals
 * and the rest stays, so over all closing fills the PnL is exactly proceeds - cost however they were split.
 */
export function applyFill(position: Open, qty: Dec, price: Dec): Applied {
  const { amount, cost } = position;
  const against = amount !== ZERO && amount > ZERO !== qty > ZERO;
  const size = abs(qty);
  const closed = against ? (size < abs(amount) ? size : abs(amount)) : ZERO;
  const opened = size - closed;
  const sign = qty > ZERO ? 1n : -1n;
  if (closed === ZERO) {
    return { closed, opened, pnl: null, after: { amount: amount + qty, cost: cost + mul(qty, price) } };
  }
  const leaving = closed === abs(amount) ? cost : money(mulDiv(cost, closed, abs(amount)));
  const pnl = -sign * mul(closed, price) - leaving;
  const after = {
    amount: amount + qty,
    cost: cost - leaving + sign * mul(opened, price),
  };
  return { closed, opened, pnl, after };
}
