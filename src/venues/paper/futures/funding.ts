/**
 * Funding at 00:00, 08:00 and 16:00 UTC of market time, or at the times and rates given by a live market: the
 * holder of a position at such a time pays or receives position notional at mark x rate (Binance FAQ
 * 360033525031). One payment is one step.
 */

import type { Dec } from '../../../domain/decimal.ts';
import { markOf } from '../../../domain/margin/account.ts';
import { settleFunding } from './execution.ts';
import type { FuturesState, Position } from './futures-state.ts';
import { fundingOf } from './position-math.ts';

export const FUNDING_INTERVAL_MS = 8 * 3_600_000;
/**
 * A longer gap in market time means another market (a replay after a live feed), not that a position was
 * held.
 */
const LONGEST_GAP_MS = 7 * 24 * 3_600_000;

/** The first funding time after `time`. */
export function nextFunding(time: number): number {
  return (Math.floor(time / FUNDING_INTERVAL_MS) + 1) * FUNDING_INTERVAL_MS;
}

/** The position with the next payment at or before `now`; null: none is due. */
export function dueFunding(state: FuturesState, now: number): Position | null {
  let due: Position | null = null;
  for (const position of state.positions.values()) {
    const at = nextOf(state, position);
    if (at > now) continue;
    const first = due === null ? Number.POSITIVE_INFINITY : nextOf(state, due);
    if (at < first || (at === first && due && key(position) < key(due))) due = position;
  }
  return due;
}

/**
 * Pays one position's next due funding at the current mark price; the tick that passed the funding time has
 * not changed the mark yet.
 */
export function payFunding(state: FuturesState, position: Position, now: number): void {
  const { funding } = state.bookFor(position.symbol);
  if (state.marksAreTold) {
    if (funding) settle(state, position, funding.at, funding.rate, markOf(state, position));
    return;
  }
  if (now - position.fundedAt > LONGEST_GAP_MS) {
    position.fundedAt = now;
    state.touch(position);
    return;
  }
  const at = nextFunding(position.fundedAt);
  settle(state, position, at, state.options.fundingRate, markOf(state, position));
}

/** Books a past payment for every position in the symbol that has not had it. False: there is none. */
export function payPast(
  state: FuturesState,
  symbol: string,
  { at, rate, mark }: { readonly at: number; readonly rate: Dec; readonly mark: Dec | null },
): boolean {
  const due = state.positionsOf(symbol).filter(({ fundedAt }) => fundedAt < at);
  for (const position of due) settle(state, position, at, rate, mark ?? markOf(state, position));
  return due.length > 0;
}

function settle(state: FuturesState, position: Position, at: number, rate: Dec, mark: Dec): void {
  position.fundedAt = at;
  settleFunding(state, position, fundingOf(position.amount, mark, rate), at);
}

/** The time of a position's next payment; Infinity: not known. */
function nextOf(state: FuturesState, { symbol, fundedAt }: Position): number {
  if (!state.marksAreTold) return nextFunding(fundedAt);
  const { funding } = state.bookFor(symbol);
  return funding && funding.at > fundedAt ? funding.at : Number.POSITIVE_INFINITY;
}

function key(position: Position): string {
  return `${position.symbol} ${position.side}`;
}
