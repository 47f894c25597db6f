/**
 * The amount of one asset in a wallet and its cost, at average cost. Exact: what leaves and what stays add
 * up. Pure.
 */
import { type Dec, ZERO } from '../../domain/decimal.ts';
import { mulDiv } from '../../domain/margin/fill.ts';
import { abs } from '../../domain/margin/position.ts';

/**
 * An amount of an asset, or a position: quantity and cost both positive, or both negative when more is owed
 * than owned.
 */
export interface Holding {
  amount: Dec;
  /** Cost in dollars; for a position in its quote asset. */
  cost: Dec;
  /** Fees in dollars that were paid for the quantity held: they are in no balance and in no cost. */
  fees: Dec;
}

/** The closed part of a movement. */
export interface Closed {
  readonly qty: Dec;
  /** Cost of the closed part, never negative for an asset that was bought. */
  readonly cost: Dec;
  /** Proceeds of the closed part beyond its cost. */
  readonly realised: Dec;
  /** The closed part's share of the fees. */
  readonly fees: Dec;
}

export function newHolding(): Holding {
  return { amount: ZERO, cost: ZERO, fees: ZERO };
}

/**
 * Adds `qty` (negative: removes) for `value`, of the same sign. Afterwards the cost has changed by exactly
 * value + realised, however shares were rounded.
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
