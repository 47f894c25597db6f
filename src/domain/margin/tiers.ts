/**
 * Leverage brackets of a contract as numbers: the tier of a notional, its maintenance margin, the largest
 * notional of a leverage. Pure.
 */
import { type Dec, dec, maxDec, mul, str, ZERO } from '../decimal.ts';
import type { LeverageBracket } from '../position.ts';

/**
 * One tier, read once. `cumulative`: the maintenance amount, `notional * rate - cumulative` is the margin.
 */
export interface Tier {
  readonly leverage: number;
  readonly floor: Dec;
  readonly cap: Dec;
  readonly rate: Dec;
  readonly cumulative: Dec;
}

/** Tiers of a symbol, lowest first; never empty. */
export type Tiers = readonly Tier[];

/** Returns the tier of a notional; beyond the last cap the last tier. */
export function tierAt(tiers: Tiers, notional: Dec): Tier {
  return tiers.find((tier) => notional <= tier.cap) ?? (tiers.at(-1) as Tier);
}

/**
 * Returns the maintenance margin = notional x rate - maintenance amount, both of the notional's tier (Binance
 * FAQ b3c689c1f50a44cabb3a84e663b81d93).
 */
export function maintenanceMargin(tiers: Tiers, notional: Dec): Dec {
  const tier = tierAt(tiers, notional);
  return maxDec(mul(notional, tier.rate) - tier.cumulative, ZERO);
}

/**
 * Returns the largest notional that this leverage may hold: the cap of the highest tier that still allows it;
 * 0 when none does.
 */
export function maxNotional(tiers: Tiers, leverage: number): Dec {
  return tiers.reduce((most, tier) => (tier.leverage >= leverage ? tier.cap : most), ZERO);
}

/** Returns the highest leverage of the symbol. */
export function maxLeverage(tiers: Tiers): number {
  return tiers[0]?.leverage ?? 1;
}

/** Returns tiers in the form of an exchange port. */
export function bracketsOf(tiers: Tiers): LeverageBracket[] {
  return tiers.map((tier) => ({
    initialLeverage: tier.leverage,
    notionalFloor: str(tier.floor),
    notionalCap: str(tier.cap),
    maintenanceMarginRate: str(tier.rate),
    cumulative: str(tier.cumulative),
  }));
}

/** Returns the brackets of an exchange port as numbers. */
export function tiersOfBrackets(brackets: readonly LeverageBracket[]): Tiers {
  return brackets.map((bracket) => ({
    leverage: bracket.initialLeverage,
    floor: dec(bracket.notionalFloor),
    cap: dec(bracket.notionalCap),
    rate: dec(bracket.maintenanceMarginRate),
    cumulative: dec(bracket.cumulative),
  }));
}
