/**
 * The part of a futures account's free margin that can be a deposit: an entry also costs its fee and its
 * opening loss. Pure.
 */
import { type Dec, div, mul, ONE, ZERO } from '../../domain/decimal.ts';
import type { CompiledSettings, MarketRules } from './compiled.ts';

const HUNDRED = 100n * ONE;

/**
 * The largest budget whose entry `available` still covers; on spot all of it. `leverage`: notional for each
 * unit of margin.
 */
export function largestBudget(
  available: Dec,
  { buy, short }: Pick<CompiledSettings, 'buy' | 'short'>,
  { kind, takerRate }: MarketRules,
  leverage: Dec,
): Dec {
  if (kind !== 'futures') return available;
  // A LIMIT that is worse than the market loses the difference when it opens, as a share of its own price,
  // which sizes it.
  const offset = buy?.type === 'LIMIT' ? buy.worsePercent : ZERO;
  const loss = div(offset, short ? HUNDRED - offset : HUNDRED + offset);
  return div(available, ONE + mul(leverage, takerRate + loss));
}
