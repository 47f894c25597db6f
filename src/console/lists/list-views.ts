/** How filter, sort and detail pane of a list change, in one way for all lists. Pure. */

import type { DeskState } from '../../desk/console/protocol.ts';
import { type ListId, placeOf, type Selection, type UiState } from '../state/ui.ts';
import { selectedIndex } from './cursor.ts';
import type { ListView, PaneView } from './rows.ts';

/** The ids of all lists. */
export function listIds({ parts }: Pick<UiState, 'parts'>): readonly ListId[] {
  return Object.values(parts.places).flatMap(({ id, list }) => (list ? [id as ListId] : []));
}

/** The rows of a list, as selections know them. */
export function rowsOf(state: DeskState, ui: UiState, list: ListId): readonly { readonly id: string }[] {
  return ui.parts.places[list].list?.rows(state, ui) ?? [];
}

/** The sort keys of a list, the usual one first. */
function sortsOf({ parts }: Pick<UiState, 'parts'>, list: ListId): readonly string[] {
  return parts.places[list].list?.sorts ?? [];
}

/** Any of the lists; not all have a pane, and the pane of the accounts is always open. */
type AnyList = ListView<string> & Partial<PaneView>;

/** The list in view; null on a screen without one. */
export function listInView(ui: UiState): ListId | null {
  const place = placeOf(ui);
  return ui.parts.places[place].list ? (place as ListId) : null;
}

export function withList<Id extends ListId>(ui: UiState, list: Id, change: Partial<UiState[Id]>): UiState {
  return { ...ui, [list]: { ...ui[list], ...change } };
}

// --- cursor ---

/**
 * Follows the selected row by id, so that rows that come and go above it do not put another one under a
 * pending key. `seen`: the id that was selected and present last; a row that has never been present is still
 * awaited.
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

/**
 * The selection after its row has moved to another group of rows: the row now at its place or before it, if
 * that is of the same group, else whatever is at its place. Null: the row has not moved. `group`: the row's
 * group when it was last looked at.
 */
export function selectionAfterMove(
  rows: readonly { readonly id: string }[],
  { id, index }: Selection,
  group: string,
  groupOf: (id: string) => string,
): Selection | null {
  if (id === null || groupOf(id) === group) return null;
  const beside = [rows[index], rows[index - 1]].find((row) => row && groupOf(row.id) === group);
  const at = beside ? rows.indexOf(beside) : Math.min(index, rows.length - 1);
  const row = rows[at];
  return row ? { id: row.id, index: at } : null;
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

/** `keep`: the filter stays in force. */
export function endedFilter(ui: UiState, list: ListId, keep: boolean): UiState {
  return withList(ui, list, keep ? { filtering: false } : { filtering: false, filter: '' });
}

/** Number of rows that the filter takes above the table. */
export function filterRows({ filter, filtering }: Pick<AnyList, 'filter' | 'filtering'>): number {
  return filtering || filter !== '' ? 1 : 0;
}

// --- sort ---

export function nextSorted(ui: UiState, list: ListId): UiState {
  const sorts = sortsOf(ui, list);
  const sort = sorts[(sorts.indexOf(ui[list].sort) + 1) % sorts.length];
  return withList(ui, list, { sort } as Partial<UiState[ListId]>);
}

/** Whether the list is in its default sort order. */
export function isUsualOrder(
  sorts: readonly string[],
  { sort, reverse }: Pick<AnyList, 'sort' | 'reverse'>,
): boolean {
  return sort === sorts[0] && !reverse;
}

export function reversed(ui: UiState, list: ListId): UiState {
  return withList(ui, list, { reverse: !ui[list].reverse });
}

// --- marks ---

/** The marked rows that still exist, also those that a filter hides. */
export function markedIn(state: DeskState, ui: UiState, list: ListId): readonly string[] {
  const { list: kind } = ui.parts.places[list];
  return kind?.marks ? ui[list].marked.filter((id) => kind.marks?.(state, id)) : [];
}

/** The rows that a command acts on: the marked ones, or without marks the one under the cursor. */
export function chosenIn(state: DeskState, ui: UiState, list: ListId): readonly string[] {
  const marked = markedIn(state, ui, list);
  if (marked.length > 0) return marked;
  const rows = rowsOf(state, ui, list);
  const row = rows[selectedIndex(rows, ui[list].selection)];
  return row ? [row.id] : [];
}

/** Marks a row, or removes its mark. */
export function toggledMark(ui: UiState, list: ListId, id: string): UiState {
  const { marked } = ui[list];
  const next = marked.includes(id) ? marked.filter((one) => one !== id) : [...marked, id];
  return withMarks(ui, list, next);
}

export function withMarks(ui: UiState, list: ListId, marked: readonly string[]): UiState {
  return withList(ui, list, { marked } as Partial<UiState[ListId]>);
}

// --- pane ---

export function hasPane(view: AnyList): view is AnyList & Pick<PaneView, 'pane' | 'detailOffset'> {
  return view.pane !== undefined;
}

/** Whether the keyboard is in the detail. */
export function inDetail({ pane }: AnyList): boolean {
  return pane === 'detail';
}

/** Moves the keyboard from the list to its detail and back, where there is a detail. */
export function otherPane(ui: UiState, list: ListId): UiState {
  const view: AnyList = ui[list];
  if (!hasPane(view) || view.detailOpen === false) return ui;
  return withList(ui, list, { pane: view.pane === 'list' ? 'detail' : 'list' });
}

/** The state when another screen is shown: the keyboard is in no filter and in no detail. */
export function leftLists(ui: UiState): UiState {
  let next = ui;
  for (const list of listIds(ui)) {
    const view: AnyList = ui[list];
    if (view.filtering) next = endedFilter(next, list, true);
    if (inDetail(view)) next = withList(next, list, { pane: 'list' });
  }
  return next;
}

/** Leaves the innermost of pane, detail, marks and filter; null when there is none. */
export function steppedBack(ui: UiState, list: ListId): UiState | null {
  const view: AnyList = ui[list];
  if (inDetail(view)) return withList(ui, list, { pane: 'list' });
  if (view.detailOpen) return withList(ui, list, { detailOpen: false });
  if (view.marked.length > 0) return withMarks(ui, list, []);
  return view.filter === '' ? null : withList(ui, list, { filter: '' });
}

/**
 * A scroll offset moved by `by`, at most `last`. The end stays the end, also for lines that have not arrived
 * yet.
 */
export function scrolled(offset: number, by: number, last: number): number {
  if (by === Number.POSITIVE_INFINITY) return by;
  const most = Math.max(0, last);
  return Math.min(Math.max(Math.min(offset, most) + by, 0), most);
}
