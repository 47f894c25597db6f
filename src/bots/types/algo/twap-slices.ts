/** Checks that the slices of a twap are large enough for the exchange (strategies.md 7, "twap"). Pure. */
import { type Dec, decOfInt, div, fixed, mul, str } from '../../../domain/decimal.ts';
import type { Deposit, MarketRules, Problem } from '../../settings/compiled.ts';

/**
 * Checks a fixed deposit, which needs no price; null when the slices are large enough, or when only the start
 * can tell.
 */
export function slicesProblem(slices: number, deposit: Deposit, rules: MarketRules | null): Problem | null {
  if (!rules || deposit.strategy !== 'fixed') return null;
  if (rules.kind === 'spot') return slicesBelowMinimum(slices, deposit.value, rules);
  // On futures the deposit is margin, and a leverage that is not given is known only at the start.
  if (deposit.leverage === null) return null;
  return slicesBelowMinimum(slices, mul(deposit.value, decOfInt(deposit.leverage)), rules);
}

/** `notional`: notional of all slices together, in the quote asset. */
export function slicesBelowMinimum(slices: number, notional: Dec, rules: MarketRules): Problem | null {
  const { minNotional, quote } = rules;
  const each = div(notional, decOfInt(slices));
  if (each >= minNotional) return null;
  const most = notional / minNotional;
  const instead = most > 0n ? `use at most ${most}` : 'even all together are';
  return {
    belowMinimum: true,
    path: 'twap',
    message: `${slices} slices of ${fixed(each, 2)} ${quote} are below the exchange minimum of ${str(minNotional)} ${quote}; ${instead}`,
  };
}
