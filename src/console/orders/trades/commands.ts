/** Commands of the trades view: pages from the store, and going to an order. Changes nothing on the desk. */

import { ask, deskState, type Session, say } from '../../app/session.ts';
import { chosenTrade, FIRST_TRADES, type TradeRow, type TradesView, withNewest } from './trade-list.ts';

const PAGE = 100;

function patch(session: Session, change: Partial<TradesView>): void {
  session.ui.setState(({ trades }) => ({ trades: { ...trades, ...change } }));
}

export function selectedTrade(session: Session): TradeRow | null {
  const { trades } = session.ui.getState();
  return chosenTrade(trades, deskState(session)?.instruments);
}

/** Opens or closes the trades. They are read again the next time, since they may be outdated by then. */
export function toggleTrades(session: Session): void {
  const { trades, orders } = session.ui.getState();
  if (trades.open) {
    closeTrades(session);
    return;
  }
  session.ui.setState({
    trades: { ...FIRST_TRADES, open: true, sort: trades.sort, reverse: trades.reverse },
    orders: { ...orders, pane: 'list', filtering: false },
  });
  void loadTrades(session);
}

export function closeTrades(session: Session): void {
  patch(session, { open: false, filtering: false, trades: [], next: undefined });
}

/** The query for a page: for the one account shown, else for all. */
function pageOf(only: string | null, next: string | null | undefined) {
  return { limit: PAGE, ...(next ? { before: next } : {}), ...(only === null ? {} : { exchange: only }) };
}

/** Reads the next page, unless a request is in progress or there is none. */
export async function loadTrades(session: Session): Promise<void> {
  const { trades: was, only } = session.ui.getState();
  const { next, loading, open } = was;
  if (!open || loading || next === null) return;
  patch(session, { loading: true });
  const page = await ask(session, 'trades.page', pageOf(only, next));
  session.ui.setState(({ trades, only: now }) => {
    // Another account was chosen: its own trades are being read.
    if (now !== only) return {};
    if (!page || !trades.open || trades.next !== next)
      return { trades: { ...trades, loading: false, failed: page === null } };
    const more = { trades: [...trades.trades, ...page.trades], next: page.next };
    return { trades: { ...trades, ...more, loading: false, failed: false } };
  });
}

/** Reads the newest trades and puts them before those already read. */
export async function refreshTrades(session: Session): Promise<void> {
  const { trades: was, only } = session.ui.getState();
  if (!was.open || was.next === undefined) return;
  const page = await ask(session, 'trades.page', pageOf(only, null));
  if (!page) return;
  session.ui.setState(({ trades, only: now }) =>
    trades.open && now === only ? { trades: { ...trades, ...withNewest(trades, page) } } : {},
  );
}

/** Reads the trades from the newest on again. */
export function reloadTrades(session: Session): void {
  patch(session, { trades: [], next: undefined, loading: false, failed: false });
  void loadTrades(session);
}

export function copyTradeOrder(session: Session): void {
  const trade = selectedTrade(session);
  if (!trade) return;
  session.copy(trade.orderId);
  say(session, `copied ${trade.orderId}`);
}

/** The order of the selected trade, if it is still among the recent ones. */
export function orderOfTrade(session: Session): string | null {
  const trade = selectedTrade(session);
  if (!trade) return null;
  if (deskState(session)?.orders[trade.orderId]) return trade.orderId;
  say(session, `order ${trade.orderId} is not a recent one; a on Orders lists all ever`, 'warn');
  return null;
}
