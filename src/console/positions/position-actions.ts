/** What the confirmed dialogs of the Positions screen do on the desk. Called by `confirm.ts` only. */
import type { Feature } from '../app/feature.ts';
import { ask, deskState, refused, tell } from '../app/session.ts';
import { settle } from '../dialogs/settle.ts';
import { placeOrder } from '../orders/order-actions.ts';
import { closedBy } from '../trading/positions.ts';

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
} satisfies Feature['actions'];
