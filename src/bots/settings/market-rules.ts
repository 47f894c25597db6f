/** Facts about a symbol as they are at this moment. Pure. */
import type { MarketRules } from './compiled.ts';

/**
 * Makes a copy that does not change any more, for a worker or with other values. Rules of a live symbol are
 * getters of a class: a spread or a structured clone would leave them out.
 */
export function fixedRules(rules: MarketRules, changes: Partial<MarketRules> = {}): MarketRules {
  const { symbol, base, quote, kind, tick, step, minQty, minNotional, makerRate, takerRate, maxLeverage } =
    rules;
  return {
    symbol,
    base,
    quote,
    kind,
    tick,
    step,
    minQty,
    minNotional,
    makerRate,
    takerRate,
    maxLeverage,
    takesSmallExits: takesSmallExits(rules),
    ...changes,
  };
}

/**
 * Tells whether the exchange takes an exit below its minimum order value. Where it does not, such lots are
 * dust.
 */
export function takesSmallExits({ kind, takesSmallExits }: MarketRules): boolean {
  return takesSmallExits ?? kind === 'futures';
}
