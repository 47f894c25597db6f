/** What a wallet has of one asset and what that has cost, at average cost. Exact: what leaves and what stays add up. Pure. */
import { type Dec, ZERO } from '../../domain/decimal.ts';
import { mulDiv } from '../../domain/margin/fill.ts';
import { abs } from '../../domain/margin/position.ts';

/** Of an asset, or of a position: both positive, or both negative where more is owed than there is. */
export interface Holding {
  amount: Dec;
  /** In dollars; of a position in its quote asset. */
  cost: Dec;
  /** Fees in dollars that were paid for what is held: in no balance and in no cost. */
  fees: Dec;
}

/** What a movement has closed of it. */
export interface Closed {
  readonly qty: Dec;
  /** What the closed part has cost, never negative for an asset that was bought. */
  readonly cost: Dec;
  /** What the closed part has brought beyond its cost. */
  readonly realised: Dec;
  /** Its share of the fees that were paid for it. */
  readonly fees: Dec;
}

export function newHolding(): Holding {
  return { amount: ZERO, cost: ZERO, fees: ZERO };
}

/**
 * `qty` more of it (negative: less) for `value`, of the same sign. Afterwards the cost has changed by exactly value + realised, however
 * shares were rounded.
 */
export function moveHolding(holding: Holding, qty: Dec, value: Dec): Closed {
  const { amount, cost, fees } = holding;
  const against = amount !== ZERO && qty !== ZERO && amount > ZERO !== qty > ZERO;
  if (!against) {
    holding.amount += qty;
    holding.cost += value;
    return { qty: ZERO, cost: ZERO, realised: ZERO, fees: ZERO };
  }
  const size = abs(qty);
  const held = abs(amount);
  const closed = size < held ? size : held;
  const closedValue = closed === size ? value : mulDiv(value, closed, size);
  const leaving = closed === held ? cost : mulDiv(cost, closed, held);
  const paid = closed === held ? fees : mulDiv(fees, closed, held);
  const realised = -closedValue - leaving;
  holding.amount += qty;
  holding.cost += value + realised;
  holding.fees -= paid;
  return { qty: closed, cost: leaving, realised, fees: paid };
}
