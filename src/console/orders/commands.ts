/**
 * Commands of the Orders screen. What can lose money opens a dialog here and is carried out only in
 * `confirm.ts`.
 */
import type { DeskState } from '../../desk/console/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import {
  ask,
  closeDialog,
  deskState,
  lookAlsoAt,
  openDialog,
  patchDialog,
  type Session,
  say,
  wholeDesk,
} from '../app/session.ts';
import { keyOf } from '../input/overrides.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { markedIn } from '../lists/list-views.ts';
import { topDialog } from '../state/ui.ts';
import { isOpen, statusWord } from '../trading/orders.ts';
import { counted } from '../ui/format.ts';
import { problemWords } from '../ui/labels.ts';
import { again } from './again.ts';
import { type BulkKeys, confirmCancelAll, toggledBulk } from './cancel-all.ts';
import { confirmCancel, confirmPlace } from './confirmations.ts';
import { bracketAt } from './exits/bracket.ts';
import { confirmExitsOff } from './exits/exits.ts';
import { listedOrders, selectedOrder, shownOrders } from './order-list.ts';
import type { OrdersView } from './orders-view.ts';
import { checkOrder, notHere } from './ticket/commands.ts';

const PAGE = 100;

function patchOrders(session: Session, change: Partial<OrdersView>): void {
  session.ui.setState((ui) => ({ orders: { ...ui.orders, ...change } }));
}

function current(session: Session) {
  const state = deskState(session);
  const order = state ? selectedOrder(state, session.ui.getState().orders) : null;
  return state && order ? { state, order } : null;
}

/** Cancels the marked orders, after a word is typed; without marks the one under the cursor. */
export function cancelOrder(session: Session): void {
  const state = deskState(session);
  if (!state) return;
  const marked = markedIn(state, session.ui.getState(), 'orders');
  if (marked.length > 0) {
    const orders = marked.flatMap((id) => state.orders[id] ?? []);
    cancelAll(session, state, orders, `none: the ${counted(orders.length, 'order')} marked`);
    return;
  }
  const order = current(session)?.order;
  const bracket = order && bracketAt(state, order);
  if (!order) say(session, 'nothing to cancel: no order is selected', 'warn');
  else if (bracket) openDialog(session, confirmExitsOff(state, bracket));
  else if (!isOpen(order)) say(session, `${order.symbol} ${statusWord(order)}: nothing to cancel`, 'warn');
  else if (order.cancelPending && !order.splitting)
    say(session, 'a cancel of this order is already under way', 'warn');
  else openDialog(session, confirmCancel(state, order));
}

export function cancelShown(session: Session): void {
  const state = deskState(session);
  if (!state) return;
  const ui = session.ui.getState();
  cancelAll(session, state, listedOrders(state, ui.orders), ui.orders.filter);
}

function cancelAll(session: Session, state: DeskState, listed: readonly OrderView[], filter: string): void {
  const orders = listed.filter((order) => isOpen(order) && (!order.cancelPending || order.splitting));
  if (orders.length === 0) say(session, 'no open order is shown', 'warn');
  else {
    const bulk = { filter, stops: false, bots: false };
    openDialog(session, confirmCancelAll(state, orders, bulk, bulkKeys(session)));
  }
}

/** The keys that choose the groups left out. */
function bulkKeys({ bindings }: Session): BulkKeys {
  return { stops: keyOf(bindings, 'cancel-all.stops'), bots: keyOf(bindings, 'cancel-all.bots') };
}

/** Includes protective stops or the orders of running bots, or leaves them out. */
export function toggleBulk(session: Session, part: 'stops' | 'bots'): void {
  const state = deskState(session);
  const asked = topDialog(session.ui.getState());
  if (!state || asked?.kind !== 'confirm' || asked.busy) return;
  const anew = toggledBulk(state, asked, part, bulkKeys(session));
  if (anew) patchDialog(session, 'confirm', () => ({ ...anew, remark: undefined }));
}

/** Opens a review to place the last cancelled order again. */
export async function placeAgain(session: Session): Promise<void> {
  const state = deskState(session);
  const { cancelled } = session.ui.getState();
  const last = cancelled.at(-1);
  if (!state) return;
  if (!last) {
    say(session, 'nothing was cancelled from this terminal', 'warn');
    return;
  }
  const { only } = session.ui.getState();
  if (only !== null && last.exchange !== only) {
    say(session, notHere(last.exchange, only), 'warn');
    return;
  }
  const now = state.orders[last.id] ?? last;
  if (isOpen(now)) {
    say(session, `${now.symbol} is not cancelled yet`, 'warn');
    return;
  }
  const { order, problem } = again(now, state.clock.market);
  if (problem !== null) {
    session.ui.setState({ cancelled: cancelled.slice(0, -1) });
    say(session, problem, 'warn');
    return;
  }
  const check = await checkOrder(session, order);
  const [first] = check?.problems ?? [];
  if (!check || session.ui.getState().dialogs.length > 0) return;
  if (first) say(session, problemWords(first), 'warn');
  else {
    const asked = confirmPlace(state, order, check);
    const action = { ...asked.action, again: last.id } as const;
    openDialog(session, { ...asked, title: 'Place it again', action });
  }
}

/** Shows or hides the parts of the entry with exits under the cursor. */
export function toggleExits(session: Session): void {
  const state = deskState(session);
  if (!state) return;
  const { orders } = session.ui.getState();
  const rows = shownOrders(state, orders);
  const row = rows[selectedIndex(rows, orders.selection)];
  const bracket = row && bracketAt(state, row);
  if (!bracket) {
    say(session, 'it has no exits of its own');
    return;
  }
  const { bot, head } = bracket;
  const isOpened = orders.opened.includes(bot);
  const opened = isOpened ? orders.opened.filter((one) => one !== bot) : [...orders.opened, bot];
  const at = rows.findIndex(({ id }) => id === head.id);
  patchOrders(session, { opened, ...(isOpened ? { selection: { id: head.id, index: at } } : {}) });
}

export function splitOrder(session: Session): void {
  const order = current(session)?.order;
  const problem = order ? notSplittable(order) : 'nothing to split: no order is selected';
  if (!order || problem !== null) {
    say(session, problem ?? '', 'warn');
    return;
  }
  openDialog(session, {
    kind: 'split',
    order,
    text: '',
    focus: 'text',
    prices: [],
    problem: null,
    preview: null,
    stale: false,
  });
}

/** Why an order cannot be split whatever the prices (engine.md, S36); null when it can. */
function notSplittable(order: OrderView): string | null {
  if (order.unresolved && isOpen(order)) return 'not to be split while its outcome is unknown';
  if (order.splitting) return 'it is being split already';
  if (order.cancelPending && isOpen(order)) return 'not to be split: it is being cancelled';
  if (order.type === 'LIMIT' && order.status === 'OPENED') return null;
  return `only a resting LIMIT order can be split; this is ${order.type}, ${order.status}`;
}

export function toggleAll(session: Session): void {
  const all = !session.ui.getState().orders.all;
  patchOrders(session, { all, closed: [], next: undefined, loading: false });
  if (all) void loadClosed(session);
}

/** Reads the closed orders from the newest on again, when another account is chosen. */
export function reloadClosed(session: Session): void {
  if (!session.ui.getState().orders.all) return;
  patchOrders(session, { closed: [], next: undefined, loading: false });
  void loadClosed(session);
}

/** Reads the next page of closed orders, unless a request is in progress or there is none. */
export async function loadClosed(session: Session): Promise<void> {
  const { only } = session.ui.getState();
  const { next, loading } = session.ui.getState().orders;
  if (loading || next === null) return;
  patchOrders(session, { loading: true });
  const page = await ask(session, 'orders.closed', {
    limit: PAGE,
    ...(next ? { before: next } : {}),
    ...(only === null ? {} : { exchange: only }),
  });
  session.ui.setState(({ orders, only: now }) => {
    // Another page has arrived meanwhile, or the list was restarted: this response is outdated.
    if (orders.next !== next || now !== only) return {};
    if (!page || !orders.all) return { orders: { ...orders, loading: false } };
    const closed = [...orders.closed, ...page.orders];
    return { orders: { ...orders, loading: false, closed, next: page.next } };
  });
}

/** Reads events and fills of the selected order; a response for an order no longer selected is dropped. */
export async function loadDetail(session: Session): Promise<void> {
  const chosen = current(session);
  if (!chosen) return;
  const { id } = chosen.order;
  const detail = await ask(session, 'orders.detail', { id });
  if (current(session)?.order.id === id) patchOrders(session, { detail });
}

export function copyOrderId(session: Session): void {
  const chosen = current(session);
  if (!chosen) return;
  session.copy(chosen.order.id);
  say(session, `copied ${chosen.order.id}`);
}

// --- from elsewhere ---

/** Goes from a log line to the order it is about. */
export function showOrder(session: Session): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'notice' || dialog.orderId === undefined) return;
  const id = dialog.orderId;
  closeDialog(session);
  goToOrder(session, id);
}

/** Shows the Orders screen with this order selected and its detail open. */
export function goToOrder(session: Session, id: string): void {
  const order = wholeDesk(session)?.orders[id];
  if (!order) {
    say(session, `order ${id} is not a recent one; a on Orders lists all ever`, 'warn');
    return;
  }
  lookAlsoAt(session, order.exchange);
  session.ui.setState((ui) => ({
    screen: 'orders',
    trades: { ...ui.trades, open: false },
    orders: {
      ...ui.orders,
      filter: '',
      pane: 'list',
      selection: { id, index: 0 },
      detailOpen: true,
      detailOffset: 0,
    },
  }));
  void loadDetail(session);
}

export function showUnresolved(session: Session): void {
  const state = wholeDesk(session);
  if (!state) return;
  const order = Object.values(state.orders).find((entry) => entry.unresolved && isOpen(entry));
  if (!order) {
    say(session, 'no unresolved orders');
    return;
  }
  lookAlsoAt(session, order.exchange);
  session.ui.setState((ui) => ({
    screen: 'orders',
    trades: { ...ui.trades, open: false },
    orders: { ...ui.orders, filter: '', pane: 'list', selection: { id: order.id, index: 0 } },
  }));
}
