/** Moving around: screens, panes, selections, scrolling. Changes nothing on the desk. */
import { shownAccounts } from '../model/account-list.ts';
import { shownAlerts } from '../model/alert-list.ts';
import { selectedBot, shownBots } from '../model/bot-list.ts';
import { keyDetailLines } from '../model/key-detail.ts';
import { selectedKey, selectedOrder, selectedPosition, shownKeys, shownOrders } from '../model/lists.ts';
import { isOpen, moved, selectedIndex } from '../model/order-list.ts';
import { shownBalances } from '../model/portfolio-list.ts';
import { positionDetailLines } from '../model/position-detail.ts';
import { shownPositions } from '../model/positions.ts';
import { shownTrades } from '../model/trade-list.ts';
import { closeDialog, deskState, patchDialog, type Session, say } from '../session.ts';
import { type ScreenId, topDialog } from '../state/ui.ts';
import { scrollAccount } from './accounts.ts';
import { openAlert } from './alerts.ts';
import { scrollBot } from './bot-detail.ts';
import { showBot } from './bots.ts';
import { leaveLog, moveLog, openLog } from './log.ts';
import { loadClosed, loadDetail } from './orders.ts';
import { moveOverview, nextPart, openOverview } from './overview.ts';
import { closeTrades, loadTrades, orderOfTrade } from './trades.ts';

export function showScreen(session: Session, screen: ScreenId): void {
  session.ui.setState((ui) => ({
    screen,
    orders: { ...ui.orders, pane: 'list', filtering: false },
    bots: { ...ui.bots, pane: 'list', filtering: false },
    positions: { ...ui.positions, pane: 'list' },
    keys: { ...ui.keys, pane: 'list' },
    trades: { ...ui.trades, filtering: false },
    portfolio: { ...ui.portfolio, filtering: false },
    accounts: { ...ui.accounts, pane: 'list', filtering: false },
  }));
}

export function nextPane(session: Session): void {
  const { screen, orders, bots, positions, keys } = session.ui.getState();
  if (screen === 'overview') {
    nextPart(session, 1);
    return;
  }
  if (screen === 'bots' && bots.detailOpen) {
    session.ui.setState({ bots: { ...bots, pane: bots.pane === 'list' ? 'detail' : 'list' } });
    return;
  }
  if (screen === 'positions' && positions.detailOpen) {
    session.ui.setState({
      positions: { ...positions, pane: positions.pane === 'list' ? 'detail' : 'list' },
    });
    return;
  }
  if (screen === 'accounts') {
    const { accounts } = session.ui.getState();
    session.ui.setState({ accounts: { ...accounts, pane: accounts.pane === 'list' ? 'detail' : 'list' } });
    return;
  }
  if (screen === 'keys' && keys.detailOpen) {
    session.ui.setState({ keys: { ...keys, pane: keys.pane === 'list' ? 'detail' : 'list' } });
    return;
  }
  if (screen !== 'orders' || !orders.detailOpen) return;
  session.ui.setState({ orders: { ...orders, pane: orders.pane === 'list' ? 'detail' : 'list' } });
}

/** Moves the selection of the screen in view; infinite = to the end. */
export function move(session: Session, by: number): void {
  const state = deskState(session);
  const ui = session.ui.getState();
  if (!state) return;
  switch (ui.screen) {
    case 'overview':
      moveOverview(session, by);
      return;
    case 'orders': {
      if (ui.trades.open) {
        moveTrades(session, by);
        return;
      }
      const rows = shownOrders(state, ui.orders);
      const selection = moved(rows, ui.orders.selection, by);
      session.ui.setState({ orders: { ...ui.orders, selection, detailOffset: 0 } });
      if (ui.orders.detailOpen) void loadDetail(session);
      if (ui.orders.all && selection.index > rows.length - 30) void loadClosed(session);
      return;
    }
    case 'bots': {
      const selection = moved(shownBots(state, ui.bots), ui.bots.selection, by);
      session.ui.setState({ bots: { ...ui.bots, selection, detailOffset: 0, cursor: null } });
      return;
    }
    case 'alerts': {
      const selection = moved(shownAlerts(state), ui.alerts.selection, by);
      session.ui.setState({ alerts: { ...ui.alerts, selection } });
      return;
    }
    case 'portfolio': {
      const selection = moved(shownBalances(state, ui.portfolio), ui.portfolio.selection, by);
      session.ui.setState({ portfolio: { ...ui.portfolio, selection } });
      return;
    }
    case 'accounts': {
      const selection = moved(shownAccounts(state, ui.accounts), ui.accounts.selection, by);
      session.ui.setState({ accounts: { ...ui.accounts, selection, detailOffset: 0 } });
      return;
    }
    case 'positions': {
      const selection = moved(shownPositions(state), ui.positions.selection, by);
      session.ui.setState({ positions: { ...ui.positions, selection, detailOffset: 0 } });
      return;
    }
    case 'keys': {
      const selection = moved(shownKeys(state), ui.keys.selection, by);
      session.ui.setState({ keys: { ...ui.keys, selection, detailOffset: 0 } });
      return;
    }
    case 'log':
      moveLog(session, by);
      return;
  }
}

export function open(session: Session): void {
  const state = deskState(session);
  const ui = session.ui.getState();
  if (!state) return;
  if (ui.screen === 'overview') {
    openOverview(session);
  } else if (ui.screen === 'orders' && ui.trades.open) {
    const id = orderOfTrade(session);
    if (id === null) return;
    closeTrades(session);
    goToOrder(session, id);
  } else if (ui.screen === 'orders') {
    if (ui.orders.pane === 'detail') return;
    const order = selectedOrder(state, ui.orders);
    if (!order) return;
    const selection = { ...ui.orders.selection, id: order.id };
    session.ui.setState({ orders: { ...ui.orders, selection, detailOpen: true, detailOffset: 0 } });
    void loadDetail(session);
  } else if (ui.screen === 'bots') {
    const bot = selectedBot(state, ui.bots);
    if (bot && ui.bots.pane === 'list') showBot(session, bot.id);
  } else if (ui.screen === 'alerts') {
    openAlert(session);
  } else if (ui.screen === 'positions') {
    const position = selectedPosition(state, ui);
    if (!position || ui.positions.pane === 'detail') return;
    const selection = { ...ui.positions.selection, id: position.id };
    session.ui.setState({ positions: { ...ui.positions, selection, detailOpen: true, detailOffset: 0 } });
  } else if (ui.screen === 'portfolio') {
    openBalance(session);
  } else if (ui.screen === 'accounts') {
    session.ui.setState({ accounts: { ...ui.accounts, pane: 'detail' } });
  } else if (ui.screen === 'keys') {
    const key = selectedKey(state, ui);
    if (!key || ui.keys.pane === 'detail') return;
    const selection = { ...ui.keys.selection, id: key.id };
    session.ui.setState({ keys: { ...ui.keys, selection, detailOpen: true, detailOffset: 0 } });
  } else if (ui.screen === 'log') {
    openLog(session);
  }
}

function moveTrades(session: Session, by: number): void {
  const { trades } = session.ui.getState();
  const rows = shownTrades(trades);
  const selection = moved(rows, trades.selection, by);
  session.ui.setState({ trades: { ...trades, selection } });
  if (selection.index > rows.length - 30) void loadTrades(session);
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
  const { screen, orders, bots, positions, keys, trades } = session.ui.getState();
  if (screen === 'orders' && trades.open) {
    if (trades.filter !== '') session.ui.setState({ trades: { ...trades, filter: '' } });
    else closeTrades(session);
  } else if (screen === 'orders') {
    if (orders.pane === 'detail') session.ui.setState({ orders: { ...orders, pane: 'list' } });
    else if (orders.detailOpen)
      session.ui.setState({ orders: { ...orders, detailOpen: false, detail: null } });
    else if (orders.filter !== '') session.ui.setState({ orders: { ...orders, filter: '' } });
    else if (orders.all) session.ui.setState({ orders: { ...orders, all: false } });
  } else if (screen === 'bots') {
    if (bots.pane === 'detail' && bots.cursor !== null)
      session.ui.setState({ bots: { ...bots, cursor: null } });
    else if (bots.pane === 'detail') session.ui.setState({ bots: { ...bots, pane: 'list' } });
    else if (bots.detailOpen) session.ui.setState({ bots: { ...bots, detailOpen: false } });
    else if (bots.marked.length > 0) session.ui.setState({ bots: { ...bots, marked: [] } });
    else if (bots.filter !== '') session.ui.setState({ bots: { ...bots, filter: '' } });
  } else if (screen === 'positions') {
    if (positions.pane === 'detail') session.ui.setState({ positions: { ...positions, pane: 'list' } });
    else if (positions.detailOpen) session.ui.setState({ positions: { ...positions, detailOpen: false } });
  } else if (screen === 'portfolio') {
    const { portfolio } = session.ui.getState();
    if (portfolio.filter !== '') session.ui.setState({ portfolio: { ...portfolio, filter: '' } });
  } else if (screen === 'accounts') {
    const { accounts } = session.ui.getState();
    if (accounts.pane === 'detail') session.ui.setState({ accounts: { ...accounts, pane: 'list' } });
    else if (accounts.filter !== '') session.ui.setState({ accounts: { ...accounts, filter: '' } });
  } else if (screen === 'keys') {
    if (keys.pane === 'detail') session.ui.setState({ keys: { ...keys, pane: 'list' } });
    else if (keys.detailOpen) session.ui.setState({ keys: { ...keys, detailOpen: false } });
  } else if (screen === 'log') leaveLog(session);
}

/** The lines of the position in the detail pane. */
function openPositionLines(session: Session): readonly unknown[] {
  const state = deskState(session);
  const ui = session.ui.getState();
  const position = state ? selectedPosition(state, ui) : null;
  if (!state || !position) return [];
  const brackets = ui.positions.brackets[`${position.exchange} ${position.symbol}`];
  return positionDetailLines(position, state, brackets, session.wall(), ui.columns);
}

/** The lines of the key in the detail pane. */
function openKeyLines(session: Session): readonly unknown[] {
  const state = deskState(session);
  const { keys, columns } = session.ui.getState();
  const key = state ? selectedKey(state, { keys }) : null;
  return key ? keyDetailLines(key, keys.example, session.wall(), columns) : [];
}

export function scrollDetail(session: Session, by: number): void {
  const { screen, orders, positions, keys } = session.ui.getState();
  if (screen === 'bots') {
    scrollBot(session, by);
    return;
  }
  if (screen === 'accounts') {
    scrollAccount(session, by);
    return;
  }
  if (screen === 'keys') {
    const lines = openKeyLines(session).length;
    const offset = Math.min(Math.max(keys.detailOffset + by, 0), Math.max(0, lines - 1));
    session.ui.setState({ keys: { ...keys, detailOffset: offset } });
    return;
  }
  if (screen === 'positions') {
    const lines = openPositionLines(session).length;
    const offset = Math.min(Math.max(positions.detailOffset + by, 0), Math.max(0, lines - 1));
    session.ui.setState({ positions: { ...positions, detailOffset: offset } });
    return;
  }
  const { detail } = orders;
  const lines = detail ? detail.events.length + detail.fills.length + 12 : 0;
  const detailOffset = Math.min(Math.max(orders.detailOffset + by, 0), lines);
  session.ui.setState({ orders: { ...orders, detailOffset } });
}

export function scrollNotice(session: Session, by: number): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'notice') return;
  patchDialog(session, 'notice', ({ offset }) => ({ offset: Math.min(Math.max(0, offset + by), 200) }));
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
