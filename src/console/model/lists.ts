/** What the table of each screen holds right now and which row is selected, for commands and components alike. */
import type { DeskState, PriceView } from '../../desk/console/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import type { ListId } from '../state/list-views.ts';
import type { OrdersView, UiState } from '../state/ui.ts';
import { shownAccounts } from './account-list.ts';
import { shownAlerts } from './alert-list.ts';
import { shownBots } from './bot-list.ts';
import { shownKeys } from './key-list.ts';
import { orderRows, selectedIndex } from './order-list.ts';
import { shownBalances } from './portfolio-list.ts';
import { type PositionRow, type PositionsView, shownPositions } from './positions.ts';
import { lastAnswer } from './rows.ts';
import { shownTrades } from './trade-list.ts';

/** The rows of any list, as selections know them. */
export function listRows(state: DeskState, ui: UiState, list: ListId): readonly { readonly id: string }[] {
  switch (list) {
    case 'orders':
      return shownOrders(state, ui.orders);
    case 'trades':
      return shownTrades(ui.trades);
    case 'bots':
      return shownBots(state, ui.bots);
    case 'portfolio':
      return shownBalances(state, ui.portfolio);
    case 'positions':
      return shownPositions(state, ui.positions);
    case 'keys':
      return shownKeys(state, ui.keys);
    case 'accounts':
      return shownAccounts(state, ui.accounts);
    case 'alerts':
      return shownAlerts(state, ui.alerts);
  }
}

const lastOrders = lastAnswer<readonly OrderView[]>();

/** Rows of the Orders screen. */
export function shownOrders(state: Pick<DeskState, 'orders'>, view: OrdersView): readonly OrderView[] {
  const { filter, sort, reverse, all, closed } = view;
  return lastOrders([state.orders, filter, sort, reverse, all, closed], () =>
    orderRows(state.orders, { filter, sort, reverse, closed: all ? closed : null }),
  );
}

export function selectedOrder(state: Pick<DeskState, 'orders'>, view: OrdersView): OrderView | null {
  const rows = shownOrders(state, view);
  return rows[selectedIndex(rows, view.selection)] ?? null;
}

export function selectedPosition(state: Pick<DeskState, 'futures'>, view: PositionsView): PositionRow | null {
  const rows = shownPositions(state, view);
  return rows[selectedIndex(rows, view.selection)] ?? null;
}

/** The watchlist, in the order in which the desk names its instruments. */
export function shownPrices(state: Pick<DeskState, 'instruments' | 'prices'>): readonly PriceView[] {
  const symbols = new Set(state.instruments.map((entry) => entry.symbol));
  for (const symbol of Object.keys(state.prices).sort()) symbols.add(symbol);
  return [...symbols].flatMap((symbol) => state.prices[symbol] ?? []);
}

/** Symbol under the cursor of the watchlist, if there is one. */
export function selectedSymbol(state: DeskState, ui: UiState): string | undefined {
  const rows = watchRows(state);
  return rows[selectedIndex(rows, ui.watch)]?.id;
}

/** The watchlist's rows as selections know them. */
export function watchRows(state: DeskState): readonly { readonly id: string }[] {
  return shownPrices(state).map(({ symbol }) => ({ id: symbol }));
}
