/** What executions, fees and funding do to a linear position, each formula with its source; what it is worth: `domain/margin`. Pure. */
import { type Dec, mul, ZERO } from '../../../domain/decimal.ts';
import { abs, money, type Open, priceOf } from '../../../domain/margin/position.ts';

/** `a x b / c` with one rounding only, cut toward zero at 30 places. */
export function mulDiv(a: Dec, b: Dec, c: Dec): Dec {
  return (a * b) / c;
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
