/** What is under the cursor of the watchlist, which other screens take for the symbol looked at. Pure. */
import type { DeskState, PriceView } from '../../desk/console/protocol.ts';
import { marketKey } from '../../domain/exchange.ts';
import { byCodePoint } from '../../domain/market-name.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { lastAnswer } from '../lists/rows.ts';
import type { UiState } from '../state/ui.ts';
import { keyOfMarket, type Prices } from './prices.ts';
import { listInView, type Watchlists } from './watchlists.ts';

/** The watchlist, in the order in which the desk names its instruments; without what is not traded any more. */
export function shownPrices(state: Prices & Pick<DeskState, 'instruments'>): readonly PriceView[] {
  const { accounts, instruments, prices } = state;
  return lastShown([accounts, instruments, prices], () => pricesInOrder(state));
}

/** More than one part of a frame asks. */
const lastShown = lastAnswer<readonly PriceView[]>();

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

/** What the list in view holds: all symbols, or what the operator has put into it. */
export function watchedPrices(
  state: Prices & Pick<DeskState, 'instruments'>,
  watchlists: Watchlists,
): readonly PriceView[] {
  const list = listInView(watchlists);
  return list ? list.keys.flatMap((key) => state.prices[key] ?? []) : shownPrices(state);
}

/** What is under the cursor of the watchlist, if there is anything. */
export function selectedPrice(state: DeskState, ui: UiState): PriceView | undefined {
  const prices = watchedPrices(state, ui.watchlists);
  return prices[selectedIndex(prices.map(asRow), ui.watch)];
}

/** A row of the watchlist as selections know it: by its `marketKey`. */
export function asRow({ market, symbol }: PriceView): { readonly id: string } {
  return { id: marketKey(market, symbol) };
}
