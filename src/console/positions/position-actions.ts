/** Carries out the confirmed dialogs of the Positions screen. Called by `confirm.ts` only. */
import type { Outcome } from '../../domain/errors.ts';
import type { OrderView } from '../../domain/order.ts';
import type { Feature } from '../app/feature.ts';
import { ask, deskState, openDialog, refused, tell, wholeDesk } from '../app/session.ts';
import { settle } from '../dialogs/settle.ts';
import { type ItemResult, resultNotice } from '../lists/still-table.ts';
import { placeOrder } from '../orders/order-actions.ts';
import { closedBy, isLong, openPositions, type PositionRow, sizeOf } from '../trading/positions.ts';
import { counted, exact } from '../ui/format.ts';
import { closeAtMarket } from './position-orders.ts';

export const POSITION_ACTIONS = {
  async futures(session, action, form) {
    const { exchange, setting, done } = action;
    const outcome = await ask(session, 'futures.set', { exchange, setting });
    const problem = refused(session, outcome);
    settle(session, action, form, problem);
    if (problem === null) tell(session, done, 'ok');
  },
  async reverse(session, action, form) {
    const state = deskState(session);
    const now = state && closedBy(state, action.order);
    if (now?.amount === action.amount) {
      await placeOrder(session, action, form);
      return;
    }
    settle(session, action, form, null);
    tell(session, `the position of ${action.order.symbol} has changed meanwhile: nothing was done`, 'warn');
  },
  async 'close-marked'(session, action) {
    // Names taken before the first close: a position that has closed meanwhile cannot be named any more.
    const names = new Map(
      openPositions(wholeDesk(session) ?? NONE).map((one) => [one.id, positionWords(one)]),
    );
    const results: ItemResult[] = [];
    for (const { id, long } of action.positions) {
      const position = openPositions(wholeDesk(session) ?? NONE).find((one) => one.id === id);
      const name = names.get(id) ?? '';
      if (position && isLong(position) !== long) {
        results.push({ id, name, good: false, text: 'it has turned meanwhile: nothing was done' });
        continue;
      }
      const outcome = position && (await ask(session, 'orders.place', closeAtMarket(position)));
      results.push({ id, name, ...closeWords(position !== undefined, outcome) });
    }
    settle(session, action, null, null);
    const done = results.filter(({ good }) => good).length;
    const all = counted(results.length, 'position');
    tell(session, `${done} of ${all}: closed, or being closed`, done < results.length ? 'danger' : 'ok');
    openDialog(session, {
      kind: 'notice',
      title: `Closed ${done} of ${all}`,
      offset: 0,
      ...resultNotice('position', results),
    });
  },
} satisfies Feature['actions'];

const NONE = { futures: {} };

function positionWords(position: PositionRow): string {
  return `${isLong(position) ? 'LONG' : 'SHORT'} ${exact(sizeOf(position))} ${position.symbol} ${position.exchange}`;
}

/** The outcome of closing one of several positions. */
function closeWords(
  isThere: boolean,
  outcome: Outcome<OrderView> | null | undefined,
): Pick<ItemResult, 'good' | 'text'> {
  if (!isThere) return { good: true, text: 'had gone' };
  if (!outcome) return { good: false, text: 'no answer' };
  if (!outcome.ok) return { good: false, text: outcome.error.message };
  const { unresolved, status } = outcome.data;
  if (unresolved) return { good: false, text: 'not known yet: the desk asks the exchange' };
  return { good: true, text: status.toLowerCase() };
}
