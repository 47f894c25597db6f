/** Orders: the list of them, the ticket, splits, and the trades view. */
import type { OrderView } from '../../domain/order.ts';
import type { Feature } from '../app/feature.ts';
import { listCommands, markCommands, openDetail } from '../lists/list-commands.ts';
import { inDetail } from '../lists/list-views.ts';
import { exportFile } from '../trading/export-file.ts';
import { followMarket } from '../trading/follow-market.ts';
import { isOpen } from '../trading/orders.ts';
import { AMEND, AMEND_ACTIONS, openAmend } from './amend/commands.ts';
import {
  cancelOrder,
  cancelShown,
  copyOrderId,
  goToOrder,
  loadClosed,
  loadDetail,
  placeAgain,
  showOrder,
  showUnresolved,
  splitOrder,
  toggleAll,
  toggleBulk,
  toggleExits,
} from './commands.ts';
import { EXITS_ACTIONS } from './exits/actions.ts';
import { PAIR } from './exits/pair.ts';
import { SPLIT, TICKET } from './forms.ts';
import { OrdersScreen } from './OrdersScreen.tsx';
import { ORDER_ACTIONS } from './order-actions.ts';
import { selectedOrder, shownOrders } from './order-list.ts';
import { FIRST_ENTRY, FIRST_ORDERS, SORT_KEYS } from './orders-view.ts';
import { openLast, openSide, openTicket, recheckTicket, showsMarket, stepPrice } from './ticket/commands.ts';
import {
  closeTrades,
  copyTradeOrder,
  loadTrades,
  orderOfTrade,
  reloadTrades,
  toggleTrades,
} from './trades/commands.ts';
import { chosenTrade, FIRST_TRADES, shownTrades, TRADE_SORTS } from './trades/trade-list.ts';

function isOpenOrder(order: OrderView | undefined): boolean {
  return order !== undefined && isOpen(order);
}

/** The next page is read once the cursor is this many rows from the end of the list. */
const AHEAD = 30;

export const ORDERS = {
  state: { orders: FIRST_ORDERS, trades: FIRST_TRADES, entry: FIRST_ENTRY, cancelled: [] },
  forms: { ticket: TICKET, split: SPLIT, amend: AMEND, pair: PAIR },
  actions: { ...ORDER_ACTIONS, ...AMEND_ACTIONS, ...EXITS_ACTIONS },
  memory: [
    {
      name: 'account',
      differs: (ui, before) => ui.orders.account !== before.orders.account,
      kept: ({ orders: { account } }) => account,
      restored: ({ orders }, kept) =>
        typeof kept === 'string' ? { orders: { ...orders, account: kept } } : {},
    },
  ],
  commands: {
    ...listCommands('orders'),
    ...markCommands('orders'),
    ...listCommands('trades'),
    'unresolved.show': showUnresolved,
    'ticket.open': openTicket,
    'ticket.buy': (s) => openSide(s, 'BUY'),
    'ticket.sell': (s) => openSide(s, 'SELL'),
    'ticket.again': openLast,
    'ticket.tick-up': (s) => stepPrice(s, 1),
    'ticket.tick-down': (s) => stepPrice(s, -1),
    'order.amend': openAmend,
    'order.cancel': cancelOrder,
    'order.again': (s) => void placeAgain(s),
    'order.split': splitOrder,
    'order.exits': toggleExits,
    'orders.cancel-all': cancelShown,
    'orders.all': toggleAll,
    'orders.trades': toggleTrades,
    'orders.export': (s) => void exportFile(s, 'orders.export'),
    'trades.export': (s) => void exportFile(s, 'trades.export'),
    'trades.reload': reloadTrades,
    'trade.copy-order': copyTradeOrder,
    'order.copy-id': copyOrderId,
    'cancel-all.stops': (s) => toggleBulk(s, 'stops'),
    'cancel-all.bots': (s) => toggleBulk(s, 'bots'),
    'notice.order': showOrder,
  },
  places: {
    orders: {
      id: 'orders',
      digit: '2',
      title: 'Orders',
      View: OrdersScreen,
      view: ({ trades }) => (trades.open ? 'trades' : null),
      list: {
        sorts: SORT_KEYS,
        rows: (state, { orders }) => shownOrders(state, orders),
        marks: ({ orders }, id) => isOpenOrder(orders[id]),
        group: ({ orders }, id) => (isOpenOrder(orders[id]) ? 'open' : 'ended'),
      },
      market: (state, { orders }) => selectedOrder(state, orders),
      moved(session, rows, { index }) {
        const { orders } = session.ui.getState();
        if (orders.detailOpen) void loadDetail(session);
        if (orders.all && index > rows.length - AHEAD) void loadClosed(session);
      },
      open(session) {
        if (openDetail(session, 'orders')) void loadDetail(session);
      },
      back(session) {
        const { orders } = session.ui.getState();
        if (inDetail(orders) || !orders.detailOpen) return false;
        session.ui.setState({ orders: { ...orders, detailOpen: false, detail: null } });
        return true;
      },
      leave(session) {
        const { orders } = session.ui.getState();
        if (orders.all) session.ui.setState({ orders: { ...orders, all: false } });
      },
      lastOffset(session) {
        const { detail } = session.ui.getState().orders;
        return detail ? detail.events.length + detail.fills.length + 12 : 0;
      },
    },
    trades: {
      id: 'trades',
      of: 'orders',
      title: 'Trades',
      market: ({ instruments }, { trades }) => chosenTrade(trades, instruments),
      list: { sorts: TRADE_SORTS, rows: ({ instruments }, { trades }) => shownTrades(trades, instruments) },
      moved(session, rows, { index }) {
        if (index > rows.length - AHEAD) void loadTrades(session);
      },
      open(session) {
        const id = orderOfTrade(session);
        if (id === null) return;
        closeTrades(session);
        goToOrder(session, id);
      },
      leave: closeTrades,
      show(session) {
        if (!session.ui.getState().trades.open) toggleTrades(session);
      },
    },
  },
  start: (session) => followMarket(session, 'ticket-market', showsMarket, (s) => void recheckTicket(s)),
} satisfies Feature;
