/** Carries out the confirmed dialogs of the Orders screen. Called by `confirm.ts` only. */
import type { Outcome } from '../../domain/errors.ts';
import type { OrderView } from '../../domain/order.ts';
import type { CreateOrder } from '../../schemas/order.ts';
import type { Feature } from '../app/feature.ts';
import { ask, deskState, openDialog, refused, type Session, tell } from '../app/session.ts';
import { settle } from '../dialogs/settle.ts';
import { keyOf } from '../input/overrides.ts';
import { resultNotice } from '../lists/still-table.ts';
import type { Action, Dialog } from '../state/ui.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { statusWord } from '../trading/orders.ts';
import { counted, exact, onStep } from '../ui/format.ts';
import { CANCELLED_KEPT } from './again.ts';
import { orderWords, profitWords } from './order-words.ts';
import { answered, sending } from './ticket/drafts.ts';

export const ORDER_ACTIONS = {
  place: (session, action, form) => placeOrder(session, action, form),
  async cancel(session, action) {
    const order = deskState(session)?.orders[action.id];
    const outcome = await ask(session, 'orders.cancel', { exchange: action.exchange, id: action.id });
    settle(session, action, null, null);
    if (refused(session, outcome) !== null || !outcome?.ok) return;
    const { symbol, cancelPending, status } = outcome.data;
    remember(session, order ? [order] : []);
    const once = `${keyOf(session.bindings, 'order.again')} places it again`;
    tell(session, `${symbol} ${cancelPending ? 'cancel wanted' : status}; ${once}`, 'ok');
  },
  async split(session, action, form) {
    const { exchange, id, prices } = action;
    const outcome = await ask(session, 'orders.split', { exchange, id, prices });
    const problem = refused(session, outcome);
    settle(session, action, form, problem);
    if (outcome?.ok) tell(session, `split into ${counted(outcome.data.length, 'order')}`, 'ok');
  },
  'cancel-all': cancelAll,
} satisfies Feature['actions'];

/** Remembers cancelled orders, so that they can be placed again. */
function remember(session: Session, orders: readonly OrderView[]): void {
  session.ui.setState(({ cancelled }) => {
    const known = cancelled.filter(({ id }) => !orders.some((order) => order.id === id));
    return { cancelled: [...known, ...orders].slice(-CANCELLED_KEPT) };
  });
}

/** Sends the order of a confirmed dialog, and reports the outcome. */
export async function placeOrder(
  session: Session,
  action: Action & { readonly order: CreateOrder },
  form: Dialog | null,
): Promise<void> {
  sending(session, form);
  const outcome = await ask(session, 'orders.place', action.order);
  const problem = refused(session, outcome);
  settle(session, action, form, problem);
  answered(session, form, outcome?.ok === true);
  if (!outcome?.ok) return;
  const { id, unresolved } = outcome.data;
  tell(session, placedWords(session, outcome.data), unresolved ? 'warn' : 'ok');
  if (outcome.data.isContract && statusWord(outcome.data) === 'FILLED')
    void tellProfit(session, outcome.data);
  const again = 'again' in action ? action.again : undefined;
  session.ui.setState(({ orders, cancelled }) => ({
    orders: { ...orders, selection: { id, index: 0 }, account: action.order.exchange },
    cancelled: cancelled.filter((one) => one.id !== again),
  }));
}

/** The outcome of placing an order, in words: `BUY 0.2 BTCUSDT: FILLED at 97,234.63 · id`. */
function placedWords(session: Session, order: OrderView): string {
  const { side, origQty, symbol, id, unresolved, fillPrice } = order;
  const tick = instrumentOf(deskState(session)?.instruments ?? [], order)?.tickSize;
  const word = statusWord(order);
  const at = word === 'FILLED' && fillPrice !== null ? ` at ${onStep(fillPrice, tick)}` : '';
  const what = unresolved ? 'unresolved, the desk is asking the exchange' : `${word}${at}`;
  return `${side} ${exact(origQty)} ${symbol}: ${what} · ${id}`;
}

/** Adds the realised profit to the message once the desk has sent it; an order that only opens has none. */
async function tellProfit(session: Session, order: OrderView): Promise<void> {
  const before = session.ui.getState().message;
  const detail = await session.client.call('orders.detail', { id: order.id }).catch(() => null);
  const words = detail && profitWords(detail.fills);
  // Another message may have been shown meanwhile.
  if (!words || session.ui.getState().message !== before) return;
  tell(session, `${placedWords(session, order).replace(` · ${order.id}`, '')} · ${words}`, 'ok');
}

async function cancelAll(session: Session, action: Extract<Action, { type: 'cancel-all' }>): Promise<void> {
  // Words taken before the request: a cancelled order may be gone from the list when the response arrives.
  const orders = deskState(session)?.orders ?? {};
  const names = new Map(action.ids.map((id) => [id, orders[id] ? orderWords(orders[id]) : '']));
  const results = await ask(session, 'orders.cancelAll', { ids: action.ids });
  settle(session, action, null, null);
  if (!results) return;
  const gone = results.filter(({ outcome }) => outcome.ok).map(({ id }) => id);
  const done = gone.length;
  remember(session, gone.flatMap((id) => orders[id] ?? []).reverse());
  const all = counted(action.ids.length, 'order');
  tell(session, `${done} of ${all}: cancelled or cancel wanted`, done < results.length ? 'warn' : 'ok');
  openDialog(session, {
    kind: 'notice',
    title: `Cancelled ${done} of ${all}`,
    offset: 0,
    ...resultNotice(
      'order',
      action.ids.map((id) => {
        const outcome = results.find((result) => result.id === id)?.outcome;
        return { id, name: names.get(id) ?? '', ...cancelWords(outcome) };
      }),
    ),
  });
}

/**
 * The outcome of cancelling one of several orders; an order missing from the response had ended by itself.
 */
function cancelWords(outcome: Outcome<OrderView> | undefined): { good: boolean; text: string } {
  if (!outcome) return { good: true, text: 'had ended' };
  if (!outcome.ok) return { good: false, text: outcome.error.message };
  return {
    good: true,
    text: outcome.data.cancelPending ? 'cancel wanted' : outcome.data.status.toLowerCase(),
  };
}
