/**
 * The symbol under the cursor of the watchlist, which counts as the symbol in view for other screens. Pure.
 */
import type { DeskState, PriceView } from '../../desk/console/protocol.ts';
import { marketKey } from '../../domain/exchange.ts';
import { byCodePoint } from '../../domain/market-name.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { memoizeLast } from '../lists/rows.ts';
import type { UiState } from '../state/ui.ts';
import { keyOfMarket, type Prices } from './prices.ts';
import { listInView, type Watchlists } from './watchlists.ts';

/** Prices of all symbols, in the order of the desk's instruments; without delisted ones. */
export function shownPrices(state: Prices & Pick<DeskState, 'instruments'>): readonly PriceView[] {
  const { accounts, instruments, prices } = state;
  return lastShown([accounts, instruments, prices], () => pricesInOrder(state));
}

/** Cached: several parts of a frame ask for them. */
const lastShown = memoizeLast<readonly PriceView[]>();

function pricesInOrder({
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

/** Prices of the list in view: all symbols, or those of the operator's own list. */
export function watchedPrices(
  state: Prices & Pick<DeskState, 'instruments'>,
  watchlists: Watchlists,
): readonly PriceView[] {
  const list = listInView(watchlists);
  return list ? list.keys.flatMap((key) => state.prices[key] ?? []) : shownPrices(state);
}

/** The price under the cursor of the watchlist; undefined without one. */
export function selectedPrice(state: DeskState, ui: UiState): PriceView | undefined {
  const prices = watchedPrices(state, ui.watchlists);
  return prices[selectedIndex(prices.map(asRow), ui.watch)];
}

/** A row of the watchlist with the id that selections use: its `marketKey`. */
export function asRow({ market, symbol }: PriceView): { readonly id: string } {
  return { id: marketKey(market, symbol) };
}
