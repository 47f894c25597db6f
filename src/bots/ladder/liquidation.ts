/**
 * The price at which a position's margin equals its maintenance margin, with everything else unchanged:
 * `margin + loss = notional x rate - cumulative`, solved in every tier of the symbol. Pure.
 */
import { type Dec, div, mul, ZERO } from '../../domain/decimal.ts';

/** A leverage bracket of the exchange. */
export interface Tier {
  readonly floor: Dec;
  readonly cap: Dec;
  readonly rate: Dec;
  readonly cumulative: Dec;
}

/** `amount` is negative for a short. Null where no price liquidates the position. */
export function liquidationOf(
  { amount, entry, margin }: { readonly amount: Dec; readonly entry: Dec; readonly margin: Dec },
  tiers: readonly Tier[],
): Dec | null {
  if (amount === ZERO) return null;
  const size = amount < ZERO ? -amount : amount;
  let nearest: Dec | null = null;
  for (const { floor, cap, rate, cumulative } of tiers) {
    const below = mul(size, rate) - amount;
    if (below === ZERO) continue;
    const price = div(margin + cumulative - mul(amount, entry), below);
    const notional = mul(price, size);
    if (price <= ZERO || notional < floor || (notional > cap && cap > ZERO)) continue;
    if (nearest === null || gap(price, entry) < gap(nearest, entry)) nearest = price;
  }
  return nearest;
}

function gap(a: Dec, b: Dec): Dec {
  return a > b ? a - b : b - a;
}
