/** What works only while this desk runs, for a person about to stop it (money-at-risk, section 7). Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { isOpen } from '../trading/orders.ts';
import { coverOf, openPositions } from '../trading/positions.ts';
import { counted } from '../ui/format.ts';

const NAMED = 3;

/**
 * Returns lines such as `2 held orders do nothing then: BTCUSDT, ETHUSDT` and
 * `1 position has no stop at the exchange: BTCUSDT`; empty if nothing depends on this desk.
 */
export function heldHere(state: Pick<DeskState, 'orders' | 'futures'>): readonly string[] {
  const held = Object.values(state.orders).filter((order) => order.held && isOpen(order));
  const bare = openPositions(state).filter(
    (row) => coverOf(row).cover === 'NO' || coverOf(row).cover === 'desk',
  );
  const parts: string[] = [];
  if (held.length > 0)
    parts.push(`${counted(held.length, 'held order does', 'held orders do')} nothing then: ${namesOf(held)}`);
  if (bare.length > 0)
    parts.push(
      `${counted(bare.length, 'position has', 'positions have')} no stop at the exchange: ${namesOf(bare)}`,
    );
  return parts;
}

function namesOf(all: readonly { readonly symbol: string }[]): string {
  const names = [...new Set(all.map(({ symbol }) => symbol))];
  return [...names.slice(0, NAMED), ...(names.length > NAMED ? ['…'] : [])].join(', ');
}
