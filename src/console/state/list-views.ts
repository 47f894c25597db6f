/**
 * The lists that are filtered and sorted: one table of what each is sorted by, and the one way in which filter, sort and
 * detail pane of all of them change. Pure.
 */
import { ACCOUNT_SORTS } from '../model/account-list.ts';
import { ALERT_SORTS } from '../model/alert-list.ts';
import { BOT_SORTS } from '../model/bot-forms.ts';
import { KEY_SORTS } from '../model/key-list.ts';
import { selectedIndex } from '../model/order-list.ts';
import { PORTFOLIO_SORTS } from '../model/portfolio-list.ts';
import { POSITION_SORTS } from '../model/positions.ts';
import type { ListView, PaneView } from '../model/rows.ts';
import { TRADE_SORTS } from '../model/trade-list.ts';
import { type Place, placeOf, type Selection, SORT_KEYS, type UiState } from './ui.ts';

/** Each list with its sorts, the usual one first. */
export const LIST_SORTS = {
  orders: SORT_KEYS,
  trades: TRADE_SORTS,
  bots: BOT_SORTS,
  portfolio: PORTFOLIO_SORTS,
  positions: POSITION_SORTS,
  keys: KEY_SORTS,
  accounts: ACCOUNT_SORTS,
  alerts: ALERT_SORTS,
} as const satisfies Partial<Record<Place, readonly string[]>>;

export type ListId = keyof typeof LIST_SORTS;
export const LIST_IDS = Object.keys(LIST_SORTS) as readonly ListId[];

/** Any of the lists; not all have a pane, and that of the accounts is always open. */
type AnyList = ListView<string> & Partial<PaneView>;

/** The list in view; null on a screen without one. */
export function listInView(ui: UiState): ListId | null {
  const place = placeOf(ui);
  return LIST_IDS.find((list) => list === place) ?? null;
}

export function withList<Id extends ListId>(ui: UiState, list: Id, change: Partial<UiState[Id]>): UiState {
  return { ...ui, [list]: { ...ui[list], ...change } };
}

// --- cursor ---

/**
 * The selection that holds on to its row by id, so that rows that come and go above it do not put another one under a
 * pending key. `seen`: the id that was last among the rows; one that never was is still awaited.
 */
export function heldAt(
  rows: readonly { readonly id: string }[],
  selection: Selection,
  seen: string | null,
): Selection {
  const index = selectedIndex(rows, selection);
  const id = rows[index]?.id;
  if (id === undefined || (id === selection.id && index === selection.index)) return selection;
  const awaited = id !== selection.id && selection.id !== null && selection.id !== seen;
  return awaited ? selection : { id, index };
}

// --- filter ---

/** The filter of the list in view while it has the keyboard. */
export function activeFilter(ui: UiState): { readonly list: ListId; readonly text: string } | null {
  const list = listInView(ui);
  return list !== null && ui[list].filtering ? { list, text: ui[list].filter } : null;
}

export function startedFilter(ui: UiState, list: ListId): UiState {
  return withList(ui, list, { filtering: true, ...(hasPane(ui[list]) ? { pane: 'list' } : {}) });
}

/** `keep`: it stays in force. */
export function endedFilter(ui: UiState, list: ListId, keep: boolean): UiState {
  return withList(ui, list, keep ? { filtering: false } : { filtering: false, filter: '' });
}

/** Rows that the filter takes above the table. */
export function filterRows({ filter, filtering }: Pick<AnyList, 'filter' | 'filtering'>): number {
  return filtering || filter !== '' ? 1 : 0;
}

// --- sort ---

export function nextSorted(ui: UiState, list: ListId): UiState {
  const sorts: readonly string[] = LIST_SORTS[list];
  const sort = sorts[(sorts.indexOf(ui[list].sort) + 1) % sorts.length];
  return withList(ui, list, { sort } as Partial<UiState[ListId]>);
}

/** The list stands in the order that it has at first. */
export function isUsualOrder(list: ListId, { sort, reverse }: Pick<AnyList, 'sort' | 'reverse'>): boolean {
  return sort === LIST_SORTS[list][0] && !reverse;
}

export function reversed(ui: UiState, list: ListId): UiState {
  return withList(ui, list, { reverse: !ui[list].reverse });
}

// --- pane ---

export function hasPane(view: AnyList): view is AnyList & Pick<PaneView, 'pane' | 'detailOffset'> {
  return view.pane !== undefined;
}

/** The keyboard is in the detail. */
export function inDetail({ pane }: AnyList): boolean {
  return pane === 'detail';
}

/** The keyboard goes from the list to its detail and back, where there is one. */
export function otherPane(ui: UiState, list: ListId): UiState {
  const view: AnyList = ui[list];
  if (!hasPane(view) || view.detailOpen === false) return ui;
  return withList(ui, list, { pane: view.pane === 'list' ? 'detail' : 'list' });
}

/** Another screen is looked at: the keyboard is in no filter and in no detail. */
export function leftLists(ui: UiState): UiState {
  let next = ui;
  for (const list of LIST_IDS) {
    const view: AnyList = ui[list];
    if (view.filtering) next = endedFilter(next, list, true);
    if (inDetail(view)) next = withList(next, list, { pane: 'list' });
  }
  return next;
}

/** The innermost of pane, detail and filter is left; null when there is none. */
export function steppedBack(ui: UiState, list: ListId): UiState | null {
  const view: AnyList = ui[list];
  if (inDetail(view)) return withList(ui, list, { pane: 'list' });
  if (view.detailOpen) return withList(ui, list, { detailOpen: false });
  return view.filter === '' ? null : withList(ui, list, { filter: '' });
}

/** An offset further on, of at most `last`. The end stays the end, also of lines that are still on their way. */
export function scrolled(offset: number, by: number, last: number): number {
  if (by === Number.POSITIVE_INFINITY) return by;
  const most = Math.max(0, last);
  return Math.min(Math.max(Math.min(offset, most) + by, 0), most);
}
