/** What the table of each screen holds right now and which row is selected, for commands and components alike. */

import type { DeskState, PriceView } from '../../desk/protocol.ts';
import type { AccessKey } from '../../domain/access-key.ts';
import type { OrderView } from '../../domain/order.ts';
import type { UiState } from '../state/ui.ts';
import { orderRows, selectedIndex } from './order-list.ts';
import { type PositionRow, shownPositions } from './positions.ts';

type OrdersView = UiState['orders'];

let lastOrders: { key: readonly unknown[]; rows: readonly OrderView[] } | null = null;

/** Rows of the Orders screen; the last answer is kept because keys and frames ask for the same one. */
export function shownOrders(state: Pick<DeskState, 'orders'>, view: OrdersView): readonly OrderView[] {
  const { filter, sort, reverse, all, closed } = view;
  const key = [state.orders, filter, sort, reverse, all, closed];
  if (lastOrders?.key.every((part, index) => part === key[index])) return lastOrders.rows;
  const rows = orderRows(state.orders, { filter, sort, reverse, closed: all ? closed : null });
  lastOrders = { key, rows };
  return rows;
}

export function selectedOrder(state: Pick<DeskState, 'orders'>, view: OrdersView): OrderView | null {
  const rows = shownOrders(state, view);
  return rows[selectedIndex(rows, view.selection)] ?? null;
}

export function selectedPosition(
  state: Pick<DeskState, 'futures'>,
  ui: Pick<UiState, 'positions'>,
): PositionRow | null {
  const rows = shownPositions(state);
  return rows[selectedIndex(rows, ui.positions.selection)] ?? null;
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

/** Working keys first, then revoked ones; newest first. */
export function shownKeys(state: Pick<DeskState, 'keys'>): readonly AccessKey[] {
  return [...state.keys].sort(
    (a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null) || b.createdAt - a.createdAt,
  );
}

export function selectedKey(state: Pick<DeskState, 'keys'>, ui: Pick<UiState, 'keys'>): AccessKey | null {
  const rows = shownKeys(state);
  return rows[selectedIndex(rows, ui.keys.selection)] ?? null;
}
