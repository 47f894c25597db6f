/** Moving around: screens, panes, selections, scrolling. Changes nothing on the desk. */
import type { LogLine } from '../../domain/rows.ts';
import { dayTime } from '../format.ts';
import { shownAlerts } from '../model/alert-list.ts';
import { selectedBot, shownBots } from '../model/bot-list.ts';
import { keyDetailLines } from '../model/key-detail.ts';
import {
  logIndex,
  selectedKey,
  selectedOrder,
  selectedPosition,
  selectedSymbol,
  shownKeys,
  shownOrders,
  watchRows,
} from '../model/lists.ts';
import { isOpen, moved } from '../model/order-list.ts';
import { positionDetailLines } from '../model/position-detail.ts';
import { shownPositions } from '../model/positions.ts';
import { closeDialog, deskState, openDialog, patchDialog, type Session, say } from '../session.ts';
import { type ScreenId, topDialog } from '../state/ui.ts';
import { openAlert } from './alerts.ts';
import { scrollBot } from './bot-detail.ts';
import { showBot } from './bots.ts';
import { loadClosed, loadDetail } from './orders.ts';

export function showScreen(session: Session, screen: ScreenId): void {
  session.ui.setState((ui) => ({
    screen,
    orders: { ...ui.orders, pane: 'list', filtering: false },
    bots: { ...ui.bots, pane: 'list', filtering: false },
    positions: { ...ui.positions, pane: 'list' },
    keys: { ...ui.keys, pane: 'list' },
  }));
}

export function nextPane(session: Session): void {
  const { screen, orders, bots, positions, keys } = session.ui.getState();
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
      session.ui.setState({ watch: moved(watchRows(state), ui.watch, by) });
      return;
    case 'orders': {
      const rows = shownOrders(state, ui.orders);
      const selection = moved(rows, ui.orders.selection, by);
      session.ui.setState({ orders: { ...ui.orders, selection, detailOffset: 0 } });
      if (ui.orders.detailOpen) void loadDetail(session);
      if (ui.orders.all && selection.index > rows.length - 30) void loadClosed(session);
      return;
    }
    case 'bots': {
      const selection = moved(shownBots(state, ui.bots), ui.bots.selection, by);
      session.ui.setState({ bots: { ...ui.bots, selection, detailOffset: 0 } });
      return;
    }
    case 'alerts': {
      const selection = moved(shownAlerts(state), ui.alerts.selection, by);
      session.ui.setState({ alerts: { ...ui.alerts, selection } });
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
    case 'log': {
      const last = state.log.length - 1;
      const at = Math.min(Math.max(logIndex(state.log, ui.log.line) + by, 0), Math.max(0, last));
      session.ui.setState({ log: { line: at < last ? (state.log[at] ?? null) : null } });
      return;
    }
  }
}

export function open(session: Session): void {
  const state = deskState(session);
  const ui = session.ui.getState();
  if (!state) return;
  if (ui.screen === 'overview') {
    const symbol = selectedSymbol(state, ui);
    if (symbol === undefined) return;
    session.ui.setState({
      screen: 'orders',
      orders: { ...ui.orders, filter: symbol, pane: 'list', selection: { id: null, index: 0 } },
    });
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
  } else if (ui.screen === 'keys') {
    const key = selectedKey(state, ui);
    if (!key || ui.keys.pane === 'detail') return;
    const selection = { ...ui.keys.selection, id: key.id };
    session.ui.setState({ keys: { ...ui.keys, selection, detailOpen: true, detailOffset: 0 } });
  } else if (ui.screen === 'log') {
    const line = state.log[logIndex(state.log, ui.log.line)];
    if (line) openLogLine(session, line);
  }
}

function openLogLine(session: Session, { at, level, source, text, orderId }: LogLine): void {
  const named = source === 'bot' ? text.split(':')[0] : undefined;
  openDialog(session, {
    kind: 'notice',
    title: `${level}, ${source}`,
    offset: 0,
    orderId,
    botId: named !== undefined && deskState(session)?.bots[named] ? named : undefined,
    lines: [
      { text: `${dayTime(at)} UTC`, tone: 'muted' },
      { text, words: true, tone: level === 'error' ? 'danger' : level === 'warn' ? 'warn' : undefined },
      ...(orderId === undefined ? [] : [{ text: '' }, { text: `order ${orderId}`, tone: 'muted' as const }]),
    ],
  });
}

/** From a log line to the order it is about. */
export function showOrder(session: Session): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'notice' || dialog.orderId === undefined) return;
  const id = dialog.orderId;
  closeDialog(session);
  if (!deskState(session)?.orders[id]) {
    say(session, `order ${id} is not a recent one; a on Orders lists all ever`, 'warn');
    return;
  }
  session.ui.setState((ui) => ({
    screen: 'orders',
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
  const { screen, orders, bots, positions, keys, log } = session.ui.getState();
  if (screen === 'orders') {
    if (orders.pane === 'detail') session.ui.setState({ orders: { ...orders, pane: 'list' } });
    else if (orders.detailOpen)
      session.ui.setState({ orders: { ...orders, detailOpen: false, detail: null } });
    else if (orders.filter !== '') session.ui.setState({ orders: { ...orders, filter: '' } });
    else if (orders.all) session.ui.setState({ orders: { ...orders, all: false } });
  } else if (screen === 'bots') {
    if (bots.pane === 'detail') session.ui.setState({ bots: { ...bots, pane: 'list' } });
    else if (bots.detailOpen) session.ui.setState({ bots: { ...bots, detailOpen: false } });
    else if (bots.marked.length > 0) session.ui.setState({ bots: { ...bots, marked: [] } });
    else if (bots.filter !== '') session.ui.setState({ bots: { ...bots, filter: '' } });
  } else if (screen === 'positions') {
    if (positions.pane === 'detail') session.ui.setState({ positions: { ...positions, pane: 'list' } });
    else if (positions.detailOpen) session.ui.setState({ positions: { ...positions, detailOpen: false } });
  } else if (screen === 'keys') {
    if (keys.pane === 'detail') session.ui.setState({ keys: { ...keys, pane: 'list' } });
    else if (keys.detailOpen) session.ui.setState({ keys: { ...keys, detailOpen: false } });
  } else if (screen === 'log' && log.line) session.ui.setState({ log: { line: null } });
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
  if (dialog?.kind !== 'notice' && dialog?.kind !== 'help') return;
  patchDialog(session, dialog.kind, ({ offset }) => ({ offset: Math.min(Math.max(0, offset + by), 200) }));
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
    orders: { ...ui.orders, filter: '', pane: 'list', selection: { id: order.id, index: 0 } },
  }));
}
