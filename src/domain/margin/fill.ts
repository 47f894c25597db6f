/**
 * What an execution does to an open linear position, and the margin it sets aside; each formula with its
 * source. Pure.
 */
import { type Dec, mul, ZERO } from '../decimal.ts';
import { abs, MONEY_UNIT, money, type Open } from './position.ts';

/** Returns `a x b / c` with one rounding only, cut toward zero at 30 places. */
export function mulDiv(a: Dec, b: Dec, c: Dec): Dec {
  return (a * b) / c;
}

/** The result of an execution for a position. */
export interface Applied {
  /** Part of the quantity that closed, and part that opened. */
  readonly closed: Dec;
  readonly opened: Dec;
  /** Null when nothing closed. */
  readonly pnl: Dec | null;
  readonly after: Open;
}

/**
 * Applies an execution of `qty` (positive buys, negative sells) at `price`: it closes first, the rest opens
 * the other way. Realised PnL = size closed x (price - entry) (same FAQ as unrealised); the cost that leaves
 * is rounded to eight decimals and the rest stays, so over all closing fills the PnL is exactly proceeds -
 * cost however they were split.
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

/**
 * Returns the margin that an isolated opening sets aside: notional / leverage, rounded up to eight decimals.
 */
export function isolatedMargin(leverage: number, opened: Dec, price: Dec): Dec {
  const exact = mul(opened, price) / BigInt(leverage);
  const over = exact % MONEY_UNIT;
  return over === ZERO ? exact : exact - over + MONEY_UNIT;
}

/**
 * Returns the share of an isolated position's set-aside margin that a closing part releases. `before`: its
 * size before the fill.
 */
export function isolatedShare(isolated: Dec, closed: Dec, before: Dec): Dec {
  return closed === before ? isolated : money(mulDiv(isolated, closed, before));
}
