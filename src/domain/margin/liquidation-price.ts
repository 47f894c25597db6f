/**
 * The price at which margin balance and maintenance margin are equal. Binance FAQ
 * b3c689c1f50a44cabb3a84e663b81d93 ("How to Calculate Liquidation Price of USDT-M Futures Contracts"), solved
 * for one symbol with the prices of all others unchanged:
 *
 *   LP = (WB - TMM + UPNL + cumB + cumL + cumS - side x B x EPB - L x EPL + S x EPS)
 *        / (B x MMRB + L x MMRL + S x MMRS - side x B - L + S)
 *
 * WB is the cross wallet (isolated: the position's own, TMM = UPNL = 0). The rate and the amount must be those
 * of the tier in which the position is at exactly that price, so the formula is tried for every interval
 * between two tier limits. Pure.
 */
import { type Dec, div, mul, ZERO } from '../decimal.ts';
import { abs, type Open } from './position.ts';
import { type Tiers, tierAt } from './tiers.ts';

/** One tier's numbers for one leg. */
export interface Leg extends Open {
  readonly rate: Dec;
  readonly cumulative: Dec;
}

/**
 * Computes the formula; null where it gives no price (denominator zero, or not above zero: shown as "--" by
 * the exchange).
 */
export function liquidationPriceOf(walletPlusOthers: Dec, legs: readonly Leg[]): Dec | null {
  let numerator = walletPlusOthers;
  let denominator = ZERO;
  for (const leg of legs) {
    numerator += leg.cumulative - leg.cost;
    denominator += mul(abs(leg.amount), leg.rate) - leg.amount;
  }
  if (denominator === ZERO) return null;
  const price = div(numerator, denominator);
  return price > ZERO ? price : null;
}

/**
 * Returns the liquidation price nearest to the mark, of the legs of one symbol (one leg; both sides in hedge
 * mode when crossed). `walletPlusOthers`: WB - TMM + UPNL.
 */
export function liquidationPrice(
  walletPlusOthers: Dec,
  positions: readonly Open[],
  tiers: Tiers,
  mark: Dec,
): Dec | null {
  const open = positions.filter((position) => position.amount !== ZERO);
  if (open.length === 0) return null;
  let nearest: Dec | null = null;
  const edges = limits(open, tiers);
  for (let n = 0; n <= edges.length; n++) {
    const low = edges[n - 1] ?? ZERO;
    const high = edges[n] ?? null;
    const inside = high === null ? low + low + 1n : low + (high - low) / 2n;
    const legs = open.map((position) => {
      const { rate, cumulative } = tierAt(tiers, mul(abs(position.amount), inside));
      return { ...position, rate, cumulative };
    });
    const price = liquidationPriceOf(walletPlusOthers, legs);
    if (price === null || price < low || (high !== null && price > high)) continue;
    if (nearest === null || abs(price - mark) < abs(nearest - mark)) nearest = price;
  }
  return nearest;
}

/** Returns the prices at which one of the legs changes its tier, ascending. */
function limits(positions: readonly Open[], tiers: Tiers): Dec[] {
  const prices = positions.flatMap(({ amount }) =>
    tiers.slice(0, -1).map((tier) => div(tier.cap, abs(amount))),
  );
  return [...new Set(prices)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
