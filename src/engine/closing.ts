/**
 * Decides which orders of a futures account can only shrink a position, even when the position is not known.
 * Pure.
 */
import type { CreateOrder } from '../schemas/order.ts';
import type { AccountMemory } from './memory.ts';

/**
 * Returns whether the order is reduceOnly, closePosition, or on the closing side of hedge mode, also while
 * the mode itself is not read yet; never on spot.
 */
export function isClosing(
  { futures, unread }: AccountMemory,
  { side, positionSide = 'BOTH', reduceOnly, closePosition }: Partial<CreateOrder>,
): boolean {
  if (!futures) return false;
  if (reduceOnly === true || closePosition === true) return true;
  if (positionSide === 'BOTH' || !(futures.hedge || unread.has('settings'))) return false;
  return (positionSide === 'LONG') === (side === 'SELL');
}
