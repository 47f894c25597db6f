/** Moving around: screens, panes, selections, scrolling. Changes nothing on the desk. */
import { accountLines } from '../model/account-list.ts';
import { selectedBot } from '../model/bot-list.ts';
import { keyDetailLines } from '../model/key-detail.ts';
import { selectedKey } from '../model/key-list.ts';
import { listRows, selectedPosition } from '../model/lists.ts';
import { noticeEnd } from '../model/notice.ts';
import { isOpen, moved, selectedIndex } from '../model/order-list.ts';
import { shownBalances } from '../model/portfolio-list.ts';
import { positionDetailLines } from '../model/position-detail.ts';
import { closeDialog, deskState, patchDialog, type Session, say } from '../session.ts';
import {
  hasPane,
  inDetail,
  type ListId,
  leftLists,
  listInView,
  otherPane,
  scrolled,
  steppedBack,
  withList,
} from '../state/list-views.ts';
import { bodyRows, type ScreenId, SPOKEN_ROWS, topDialog } from '../state/ui.ts';
import { steppedTo } from '../state/visits.ts';
import { selectedAccount } from './accounts.ts';
import { openAlert } from './alerts.ts';
import { scrollBot } from './bot-detail.ts';
import { showBot } from './bots.ts';
import { leaveLog, moveLog, openLog } from './log.ts';
import { loadClosed, loadDetail } from './orders.ts';
import { moveOverview, nextPart, openOverview } from './overview.ts';
import { closeTrades, loadTrades, orderOfTrade } from './trades.ts';

/** Rows before the end of what is here at which the next page is read. */
const AHEAD = 30;

export function showScreen(session: Session, screen: ScreenId): void {
  session.ui.setState((ui) => ({ ...leftLists(ui), screen }));
}

/** Through the screens that were looked at. */
export function stepScreen(session: Session, by: -1 | 1): void {
  const step = steppedTo(session.ui.getState().visits, by);
  if (step) session.ui.setState((ui) => ({ ...leftLists(ui), ...step }));
  else say(session, by < 0 ? 'there was no screen before' : 'there is no screen to go forward to');
}

/** To the screen before this one; once more, and back again. */
export function lastScreen(session: Session): void {
  const { list, at } = session.ui.getState().visits;
  const screen = list[at - 1];
  if (screen) showScreen(session, screen);
}

export function nextPane(session: Session): void {
  const ui = session.ui.getState();
  const list = listInView(ui);
  if (ui.screen === 'overview') nextPart(session, 1);
  else if (list !== null) session.ui.setState(otherPane(ui, list));
}

/** Moves the selection of the screen in view; infinite = to the end. */
export function move(session: Session, by: number): void {
  const state = deskState(session);
  const ui = session.ui.getState();
  const list = listInView(ui);
  if (!state) return;
  if (ui.screen === 'overview') moveOverview(session, by);
  if (ui.screen === 'log') moveLog(session, by);
  if (list === null) return;
  const rows = listRows(state, ui, list);
  const selection = moved(rows, ui[list].selection, by);
  session.ui.setState(
    withList(ui, list, {
      selection,
      ...(hasPane(ui[list]) ? { detailOffset: 0 } : {}),
      ...(list === 'bots' ? { cursor: null } : {}),
    }),
  );
  const nearEnd = selection.index > rows.length - AHEAD;
  if (list === 'trades' && nearEnd) void loadTrades(session);
  if (list === 'orders' && ui.orders.detailOpen) void loadDetail(session);
  if (list === 'orders' && ui.orders.all && nearEnd) void loadClosed(session);
}

export function open(session: Session): void {
  const state = deskState(session);
  const ui = session.ui.getState();
  if (!state) return;
  switch (listInView(ui)) {
    case 'orders':
      if (openDetail(session, 'orders')) void loadDetail(session);
      return;
    case 'positions':
      openDetail(session, 'positions');
      return;
    case 'keys':
      openDetail(session, 'keys');
      return;
    case 'trades': {
      const id = orderOfTrade(session);
      if (id === null) return;
      closeTrades(session);
      goToOrder(session, id);
      return;
    }
    case 'bots': {
      const bot = selectedBot(state, ui.bots);
      if (bot && ui.bots.pane === 'list') showBot(session, bot.id);
      return;
    }
    case 'alerts':
      openAlert(session);
      return;
    case 'portfolio':
      openBalance(session);
      return;
    case 'accounts':
      session.ui.setState({ accounts: { ...ui.accounts, pane: 'detail' } });
      return;
    case null:
      if (ui.screen === 'overview') openOverview(session);
      if (ui.screen === 'log') openLog(session);
  }
}

/** The detail of the selected row; false when there is no row or the keyboard is in the detail already. */
function openDetail(session: Session, list: 'orders' | 'positions' | 'keys'): boolean {
  const state = deskState(session);
  const ui = session.ui.getState();
  const view = ui[list];
  const rows = state ? listRows(state, ui, list) : [];
  const row = rows[selectedIndex(rows, view.selection)];
  if (!row || inDetail(view)) return false;
  const selection = { ...view.selection, id: row.id };
  session.ui.setState(withList(ui, list, { selection, detailOpen: true, detailOffset: 0 }));
  return true;
}

/** From a balance to the orders with its asset. */
function openBalance(session: Session): void {
  const state = deskState(session);
  const ui = session.ui.getState();
  if (!state) return;
  const rows = shownBalances(state, ui.portfolio);
  const row = rows[selectedIndex(rows, ui.portfolio.selection)];
  if (!row) return;
  session.ui.setState({
    screen: 'orders',
    trades: { ...ui.trades, open: false },
    orders: { ...ui.orders, filter: row.asset, pane: 'list', selection: { id: null, index: 0 } },
  });
}

/** From a log line to the order it is about. */
export function showOrder(session: Session): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'notice' || dialog.orderId === undefined) return;
  const id = dialog.orderId;
  closeDialog(session);
  goToOrder(session, id);
}

/** Orders with this one selected and its detail open. */
export function goToOrder(session: Session, id: string): void {
  if (!deskState(session)?.orders[id]) {
    say(session, `order ${id} is not a recent one; a on Orders lists all ever`, 'warn');
    return;
  }
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

/** From a notice to the bot it is about. */
export function showNoticeBot(session: Session): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'notice' || dialog.botId === undefined) return;
  closeDialog(session);
  showBot(session, dialog.botId);
}

/** Leaves the innermost mode; never the console. */
export function back(session: Session): void {
  const ui = session.ui.getState();
  const { screen, orders, bots } = ui;
  const list = listInView(ui);
  if (screen === 'log') leaveLog(session);
  if (list === null) return;
  if (list === 'bots' && inDetail(bots) && bots.cursor !== null) {
    session.ui.setState({ bots: { ...bots, cursor: null } });
  } else if (list === 'bots' && !bots.detailOpen && bots.marked.length > 0) {
    session.ui.setState({ bots: { ...bots, marked: [] } });
  } else {
    const left = steppedBack(ui, list);
    const closed = list === 'orders' && left?.orders.detailOpen === false;
    if (left) session.ui.setState(closed ? withList(left, 'orders', { detail: null }) : left);
    else if (list === 'trades') closeTrades(session);
    else if (list === 'orders' && orders.all) session.ui.setState({ orders: { ...orders, all: false } });
  }
}

/** Rows by which the detail of a list can be scrolled. */
function lastOffset(session: Session, list: ListId): number {
  const state = deskState(session);
  const { orders, positions, keys, columns } = session.ui.getState();
  if (!state) return 0;
  switch (list) {
    case 'orders': {
      const { detail } = orders;
      return detail ? detail.events.length + detail.fills.length + 12 : 0;
    }
    case 'positions': {
      const position = selectedPosition(state, positions);
      const brackets = positions.brackets[`${position?.exchange} ${position?.symbol}`];
      const wall = session.wall();
      return position ? positionDetailLines(position, state, brackets, wall, columns).length - 1 : 0;
    }
    case 'keys': {
      const key = selectedKey(state, keys);
      return key ? keyDetailLines(key, keys.example, session.wall(), columns).length - 1 : 0;
    }
    case 'accounts': {
      const account = selectedAccount(session);
      return account ? accountLines(account, state, session.wall(), columns).length - 1 : 0;
    }
    default:
      return 0;
  }
}

export function scrollDetail(session: Session, by: number): void {
  const ui = session.ui.getState();
  const list = listInView(ui);
  if (list === 'bots') scrollBot(session, by);
  else if (list !== null && hasPane(ui[list])) {
    const detailOffset = scrolled(ui[list].detailOffset, by, lastOffset(session, list));
    session.ui.setState(withList(ui, list, { detailOffset }));
  }
}

/** To its end at most. */
export function scrollNotice(session: Session, by: number): void {
  const ui = session.ui.getState();
  const dialog = topDialog(ui);
  if (dialog?.kind !== 'notice') return;
  const end = noticeEnd(dialog, ui.columns, session.plain ? SPOKEN_ROWS : bodyRows(ui));
  patchDialog(session, 'notice', ({ offset }) => ({ offset: Math.min(Math.max(0, offset + by), end) }));
}

export function showUnresolved(session: Session): void {
  const state = deskState(session);
  if (!state) return;
  const order = Object.values(state.orders).find((entry) => entry.unresolved && isOpen(entry));
  if (!order) {
    say(session, 'no unresolved orders');
    return;
  }
  session.ui.setState((ui) => ({
    screen: 'orders',
    trades: { ...ui.trades, open: false },
    orders: { ...ui.orders, filter: '', pane: 'list', selection: { id: order.id, index: 0 } },
  }));
}
