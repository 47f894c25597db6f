/** The check of a planned entry against the exchange's minimum (strategies.md 1, "Rounding"). Pure. */
import { type Dec, div, fixed, floorTo, maxDec, mul, str, ZERO } from '../../domain/decimal.ts';
import type { MarketRules, Problem } from '../settings/compiled.ts';
import { takesSmallExits } from '../settings/market-rules.ts';

/**
 * Returns the problem of an entry that spends `budget` at `price`, divided over `size` orders, or null.
 * `label` is the strategy's name for the level.
 */
export function entryProblem(
  label: string,
  budget: Dec,
  price: Dec,
  rules: MarketRules,
  size = 1,
): Problem | null {
  const quantity = floorTo(div(budget, price), rules.step);
  return quantityProblem(label, floorTo(quantity / BigInt(size), rules.step), price, rules);
}

/** Least quantity of one order; exits that the exchange takes at any value have no minimum notional. */
export function leastQty(role: 'entry' | 'exit', price: Dec, rules: MarketRules): Dec {
  const { minQty, minNotional, step } = rules;
  if (price <= ZERO || (role === 'exit' && takesSmallExits(rules))) return minQty;
  const least = floorTo(div(minNotional, price), step);
  return maxDec(minQty, mul(least, price) < minNotional ? least + step : least);
}

export function quantityProblem(label: string, qty: Dec, price: Dec, rules: MarketRules): Problem | null {
  const notional = mul(qty, price);
  if (notional < rules.minNotional) {
    return {
      belowMinimum: true,
      path: '',
      message: `${label}: order of ${fixed(notional, 2)} ${rules.quote} is below the exchange minimum of ${str(rules.minNotional)} ${rules.quote}`,
    };
  }
  if (qty >= rules.minQty) return null;
  return {
    belowMinimum: true,
    path: '',
    message: `${label}: order of ${str(qty)} ${rules.base} is below the exchange minimum of ${str(rules.minQty)} ${rules.base}`,
  };
}
