/** The check of a planned entry against the exchange's minimum (strategies.md 1, "Rounding"). Pure. */
import { type Dec, div, fixed, floorTo, mul, str } from '../../domain/decimal.ts';
import type { MarketRules, Problem } from '../settings/compiled.ts';

/** The problem of an entry that spends `budget` at `price`, or null. `label` is the strategy's own word for the level. */
export function entryProblem(label: string, budget: Dec, price: Dec, rules: MarketRules): Problem | null {
  return quantityProblem(label, floorTo(div(budget, price), rules.step), price, rules);
}

export function quantityProblem(label: string, qty: Dec, price: Dec, rules: MarketRules): Problem | null {
  const notional = mul(qty, price);
  if (notional < rules.minNotional) {
    return {
      path: '',
      message: `${label}: order of ${fixed(notional, 2)} ${rules.quote} is below the exchange minimum of ${str(rules.minNotional)} ${rules.quote}`,
    };
  }
  if (qty >= rules.minQty) return null;
  return {
    path: '',
    message: `${label}: order of ${str(qty)} ${rules.base} is below the exchange minimum of ${str(rules.minQty)} ${rules.base}`,
  };
}
