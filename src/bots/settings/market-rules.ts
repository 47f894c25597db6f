/** What a bot knows of a symbol, as it is at this moment. Pure. */
import type { MarketRules } from './compiled.ts';

/**
 * A copy that does not change any more, for a worker or with other values. Rules of a live symbol are getters of a class: a
 * spread or a structured clone would leave them out.
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

/** Whether the exchange takes an exit that is worth less than its least order. Where it does not, such lots are dust. */
export function takesSmallExits({ kind, takesSmallExits }: MarketRules): boolean {
  return takesSmallExits ?? kind === 'futures';
}
