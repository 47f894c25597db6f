/** What the table of each screen holds right now and which row is selected, for commands and components alike. */
import type { DeskState, PriceView } from '../../desk/console/protocol.ts';
import { marketKey } from '../../domain/exchange.ts';
import { byCodePoint } from '../../domain/market-name.ts';
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
import { keyOfMarket, type Prices } from './prices.ts';
import { lastAnswer } from './rows.ts';
import { shownTrades } from './trade-list.ts';

/** The rows of any list, as selections know them. */
export function listRows(state: DeskState, ui: UiState, list: ListId): readonly { readonly id: string }[] {
  switch (list) {
    case 'orders':
      return shownOrders(state, ui.orders);
    case 'trades':
      return shownTrades(ui.trades, state.instruments);
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
export function shownOrders(
  state: Pick<DeskState, 'orders' | 'instruments'>,
  view: OrdersView,
): readonly OrderView[] {
  const { instruments } = state;
  const { filter, sort, reverse, all, closed } = view;
  return lastOrders([state.orders, instruments, filter, sort, reverse, all, closed], () =>
    orderRows(state.orders, { filter, sort, reverse, closed: all ? closed : null, instruments }),
  );
}

export function selectedOrder(
  state: Pick<DeskState, 'orders' | 'instruments'>,
  view: OrdersView,
): OrderView | null {
  const rows = shownOrders(state, view);
  return rows[selectedIndex(rows, view.selection)] ?? null;
}

export function selectedPosition(
  state: Pick<DeskState, 'futures' | 'instruments'>,
  view: PositionsView,
): PositionRow | null {
  const rows = shownPositions(state, view);
  return rows[selectedIndex(rows, view.selection)] ?? null;
}

/** The watchlist, in the order in which the desk names its instruments; without what is not traded any more. */
export function shownPrices({
  accounts,
  instruments,
  prices,
}: Prices & Pick<DeskState, 'instruments'>): readonly PriceView[] {
  const keyOf = keyOfMarket(accounts);
  const keys = new Set(instruments.filter(({ delisted }) => !delisted).map(keyOf));
  const gone = new Set(instruments.filter(({ delisted }) => delisted).map(keyOf));
  for (const key of Object.keys(prices).sort(byCodePoint)) if (!gone.has(key)) keys.add(key);
  return [...keys].flatMap((key) => prices[key] ?? []);
}

/** What is under the cursor of the watchlist, if there is anything. */
export function selectedPrice(state: DeskState, ui: UiState): PriceView | undefined {
  const prices = shownPrices(state);
  return prices[selectedIndex(prices.map(asRow), ui.watch)];
}

/** A row of the watchlist as selections know it: by its `marketKey`. */
export function asRow({ market, symbol }: PriceView): { readonly id: string } {
  return { id: marketKey(market, symbol) };
}
