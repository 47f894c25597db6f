/**
 * Funding at 00:00, 08:00 and 16:00 UTC of market time: who holds a position at such a moment pays or receives
 * position notional at mark x rate (Binance FAQ 360033525031). One payment is one step.
 */

import { markOf } from '../../../domain/margin/account.ts';
import { settleFunding } from './execution.ts';
import type { FuturesState, Position } from './futures-state.ts';
import { fundingOf } from './position-math.ts';

export const FUNDING_INTERVAL_MS = 8 * 3_600_000;
/** A longer gap in market time is another market (a replay after a live feed), not a time of holding. */
const LONGEST_GAP_MS = 7 * 24 * 3_600_000;

/** The first funding moment after `time`. */
export function nextFunding(time: number): number {
  return (Math.floor(time / FUNDING_INTERVAL_MS) + 1) * FUNDING_INTERVAL_MS;
}

/** The position whose payment comes next at or before `now`; null: none is due. */
export function dueFunding(state: FuturesState, now: number): Position | null {
  let due: Position | null = null;
  for (const position of state.positions.values()) {
    const at = nextFunding(position.fundedAt);
    if (at > now) continue;
    const first = due === null ? Number.POSITIVE_INFINITY : nextFunding(due.fundedAt);
    if (at < first || (at === first && due && key(position) < key(due))) due = position;
  }
  return due;
}

/** Pays one position's next due moment at the mark as it stands; the tick that passed the moment has not moved it yet. */
export function payFunding(state: FuturesState, position: Position, now: number): void {
  if (now - position.fundedAt > LONGEST_GAP_MS) {
    position.fundedAt = now;
    state.touch(position);
    return;
  }
  position.fundedAt = nextFunding(position.fundedAt);
  const mark = markOf(state, position);
  settleFunding(state, position, fundingOf(position.amount, mark, state.options.fundingRate));
}

function key(position: Position): string {
  return `${position.symbol} ${position.side}`;
}
