/**
 * Cancelling all shown orders: a key adds or leaves out only orders that were shown, in their present state.
 */
import { describe, expect, it } from 'vitest';
import { confirmCancelAll, toggledBulk } from '../../../src/console/orders/cancel-all.ts';
import { isProtective } from '../../../src/console/orders/consequences.ts';
import type { ConfirmDialog } from '../../../src/console/state/ui.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import { deskState } from '../support/some-desk.ts';
import { order } from '../support/some-orders.ts';

const KEYS = { stops: 's', bots: 'b' };
const STOP = { side: 'SELL', type: 'STOP_MARKET', stopPrice: '50000' } as const;

function stateOf(...orders: readonly OrderView[]) {
  const state = deskState();
  return { ...state, orders: Object.fromEntries(orders.map((one) => [one.id, one])) };
}

function idsOf(dialog: ConfirmDialog | null): readonly string[] {
  return dialog?.action.type === 'cancel-all' ? dialog.action.ids : ['no question'];
}

describe('protective stops, left out at first', () => {
  const limit = order('limit', {});
  const stop = order('stop', STOP);
  const other = order('other', { symbol: 'ETHUSDT' });
  const otherStop = order('other stop', STOP);
  const state = stateOf(limit, stop, other, otherStop);
  const shown = [limit, stop];
  const asked = confirmCancelAll(state, shown, { filter: 'btc', stops: false, bots: false }, KEYS);

  it('come with their key and go with it, and orders that were not shown never come', () => {
    expect(isProtective(state, stop)).toBe(true);
    expect(idsOf(asked)).toEqual(['limit']);
    const all = toggledBulk(state, asked, 'stops', KEYS);
    expect(idsOf(all)).toEqual(['limit', 'stop']);
    expect(all?.word).toBe('cancel 2');
    expect(idsOf(all && toggledBulk(state, all, 'stops', KEYS))).toEqual(['limit']);
  });

  it('and what has ended meanwhile goes', () => {
    const later = stateOf({ ...limit, status: 'CLOSED' }, stop, other, otherStop);
    expect(idsOf(toggledBulk(later, asked, 'stops', KEYS))).toEqual(['stop']);
    expect(idsOf(toggledBulk(stateOf(other), asked, 'stops', KEYS))).toEqual([]);
  });

  it('a question that is no such one has nothing to choose', () => {
    const { bulk: _, ...plain } = asked;
    expect(toggledBulk(state, plain as ConfirmDialog, 'stops', KEYS)).toBeNull();
  });
});
