/**
 * What a backtest assumes about fills, in the sentences that are shown with every result (strategies.md 1,
 * rule 6).
 */

import { type Dec, str, ZERO } from '../../domain/decimal.ts';
import type { MarketRules } from '../settings/compiled.ts';

/** Assumption that holds for every backtest over candles. */
export const CANDLE_TICKS =
  'Candles are played as four ticks: open, low, high, close where the close is at or above the open, else open, high, low, close; at the open time, 1/4, 1/2 and the last millisecond.';
export const TICK_FILLS =
  'A resting order fills whole, at its limit, at the first tick that reaches it; MARKET orders and triggered stops fill at the price of the tick. Nothing trades between two ticks, there is no queue and no delay.';
const PARTIAL_FILLS =
  'A resting order fills, at its limit, with what the tick has of volume times the participation; MARKET orders and triggered stops fill at the price of the tick. Nothing trades between two ticks, there is no queue and no delay.';
const FUTURES =
  'No funding, no liquidation, and no limit to how far a price may be from the mark: all three are left out.';

/** Returns the assumptions, one sentence or two each. */
export function assumptionsOf(rules: MarketRules, slippage: Dec, participation: Dec | null): string[] {
  const percent = (rate: Dec) => `${str(rate * 100n)} %`;
  const worse = slippage === ZERO ? '' : ` MARKET orders fill ${percent(slippage)} worse.`;
  return [
    CANDLE_TICKS,
    `${participation === null ? TICK_FILLS : PARTIAL_FILLS}${worse}`,
    `Fees: maker ${percent(rules.makerRate)}, taker ${percent(rules.takerRate)}.`,
    ...(rules.kind === 'futures' ? [FUTURES] : []),
  ];
}
