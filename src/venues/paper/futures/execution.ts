/**
 * Books executions and money movements into wallet and positions. Makes no decisions; no wallet ever ends
 * below zero.
 */
import { type Dec, ZERO } from '../../../domain/decimal.ts';
import { crossWallet } from '../../../domain/margin/account.ts';
import {
  type Applied,
  applyFill,
  isolatedMargin,
  isolatedShare,
  mulDiv,
} from '../../../domain/margin/fill.ts';
import { abs, money } from '../../../domain/margin/position.ts';
import type { PositionSide } from '../../../schemas/order.ts';
import { type FuturesState, MARGIN_ASSET, type Position } from './futures-state.ts';

/** One execution: `qty` positive buys, negative sells. */
export interface Execution {
  readonly symbol: string;
  readonly positionSide: PositionSide;
  readonly qty: Dec;
  readonly price: Dec;
}

/**
 * Books one execution with its fee and returns what it realised. Isolated: a closing part returns its share
 * of the position's margin to the cross wallet, an opening part takes margin from it; the insurance fund
 * bears a loss beyond the position's margin. The fee is paid from the cross wallet.
 */
export function settleFill(state: FuturesState, fill: Execution, fee: Dec): Applied {
  const position = state.positionFor(fill.symbol, fill.positionSide);
  const before = abs(position.amount);
  const applied = applyFill(position, fill.qty, fill.price);
  const isolated = state.isolated(fill.symbol);
  if (applied.pnl !== null) {
    state.amounts.realized += applied.pnl;
    state.amounts.wallet += applied.pnl;
    if (isolated) releaseShare(state, position, applied, before);
  }
  Object.assign(position, applied.after);
  book(state, position, applied, fee, abs(fill.qty));
  if (isolated && applied.opened > ZERO) {
    position.isolated += isolatedMargin(state.setting(fill.symbol).leverage, applied.opened, fill.price);
  }
  state.amounts.fees += fee;
  state.amounts.wallet -= fee;
  coverCross(state);
  state.touch(position);
  return applied;
}

/** Updates what a position has earned and since when: starts anew when an execution reverses the position. */
function book(state: FuturesState, position: Position, applied: Applied, fee: Dec, size: Dec): void {
  const turned = applied.closed > ZERO && applied.opened > ZERO;
  if (turned) {
    position.realized = ZERO;
    position.funding = ZERO;
    position.fees = money(mulDiv(fee, applied.opened, size));
    position.fundedAt = state.time;
  } else {
    position.realized += applied.pnl ?? ZERO;
    position.fees += fee;
  }
}

function releaseShare(state: FuturesState, position: Position, applied: Applied, before: Dec): void {
  const share = isolatedShare(position.isolated, applied.closed, before);
  position.isolated -= share;
  const missing = -(share + (applied.pnl ?? ZERO));
  if (missing <= ZERO) return;
  const rest = position.isolated < missing ? position.isolated : missing;
  position.isolated -= rest;
  cover(state, missing - rest);
}

/**
 * Books a funding payment into or out of the margin that backs the position. `at`: the time that it is due,
 * under which it is entered: the account may have known no price since, or may learn of it later.
 */
export function settleFunding(state: FuturesState, position: Position, received: Dec, at: number): void {
  position.funding += received;
  state.amounts.funding += received;
  state.amounts.wallet += received;
  const { symbol } = position;
  state.entries.note({ kind: 'funding', asset: MARGIN_ASSET, amount: received, symbol, time: at });
  if (state.isolated(symbol)) {
    position.isolated += received;
    if (position.isolated < ZERO) {
      cover(state, -position.isolated);
      position.isolated = ZERO;
    }
  }
  coverCross(state);
  state.touch(position);
}

/** The insurance fund pays a loss beyond the margin into the wallet. */
export function cover(state: FuturesState, amount: Dec): void {
  if (amount <= ZERO) return;
  state.amounts.wallet += amount;
  state.amounts.covered += amount;
  state.entries.note({ kind: 'insurance', asset: MARGIN_ASSET, amount });
  state.amounts.insurance -= amount;
}

export function coverCross(state: FuturesState): void {
  cover(state, -crossWallet(state));
}
