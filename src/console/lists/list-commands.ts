/** Filter, sort and marks of every list, and going to a row from elsewhere. Changes nothing on the desk. */
import type { Run } from '../app/feature.ts';
import { deskInView, type Session, say } from '../app/session.ts';
import { type ListId, placeOf, type ScreenId, type UiState } from '../state/ui.ts';
import { selectedIndex } from './cursor.ts';
import {
  endedFilter,
  hasPane,
  inDetail,
  listInView,
  nextSorted,
  reversed,
  rowsOf,
  startedFilter,
  toggledMark,
  withList,
  withMarks,
} from './list-views.ts';

type ListCommand<L extends ListId> = `${L}.${'filter' | 'sort' | 'reverse'}`;

/** `orders.filter`, `orders.sort`, `orders.reverse` and those of the other lists. */
export function listCommands<L extends ListId>(list: L): Readonly<Record<ListCommand<L>, Run>> {
  return {
    [`${list}.filter`]: (session: Session) => session.ui.setState((ui) => startedFilter(ui, list)),
    [`${list}.sort`]: (session: Session) => sorted(session, list, nextSorted),
    [`${list}.reverse`]: (session: Session) => sorted(session, list, reversed),
  } as Record<ListCommand<L>, Run>;
}

type MarkCommand<L extends ListId> = `${L}.${'mark' | 'mark-all' | 'unmark'}`;

/**
 * `orders.mark`, `orders.mark-all`, `orders.unmark` and those of the other lists whose rows can be marked.
 */
export function markCommands<L extends ListId>(list: L): Readonly<Record<MarkCommand<L>, Run>> {
  return {
    [`${list}.mark`]: (session: Session) => markRow(session, list),
    [`${list}.mark-all`]: (session: Session) => markShown(session, list),
    [`${list}.unmark`]: (session: Session) => session.ui.setState((ui) => withMarks(ui, list, [])),
  } as Record<MarkCommand<L>, Run>;
}

function markRow(session: Session, list: ListId): void {
  const state = deskInView(session);
  const ui = session.ui.getState();
  const rows = state ? rowsOf(state, ui, list) : [];
  const id = rows[selectedIndex(rows, ui[list].selection)]?.id;
  if (!state || id === undefined) return;
  if (!ui.parts.places[list].list?.marks?.(state, id))
    say(session, 'there is nothing to be done to it', 'warn');
  else session.ui.setState(toggledMark(ui, list, id));
}

function markShown(session: Session, list: ListId): void {
  const state = deskInView(session);
  if (!state) return;
  session.ui.setState((ui) => {
    const kind = ui.parts.places[list].list;
    const ids = rowsOf(state, ui, list).flatMap(({ id }) => (kind?.marks?.(state, id) ? [id] : []));
    return withMarks(ui, list, [...new Set([...ui[list].marked, ...ids])]);
  });
}

/** Changes the sort order and names it in a message: the column may not be in view. */
function sorted(session: Session, list: ListId, change: (ui: UiState, list: ListId) => UiState): void {
  session.ui.setState((ui) => change(held(session, ui, list), list));
  const { sort, reverse } = session.ui.getState()[list];
  say(session, `sorted by ${sort}${reverse ? ', the other way round' : ''}`);
}

/**
 * Fixes the selection to the row under the cursor, so that sorting anew, also by changing prices, does not
 * move the cursor to another row.
 */
function held(session: Session, ui: UiState, list: ListId): UiState {
  const state = deskInView(session);
  const rows = state ? rowsOf(state, ui, list) : [];
  const index = selectedIndex(rows, ui[list].selection);
  const id = rows[index]?.id;
  return id === undefined ? ui : withList(ui, list, { selection: { id, index } });
}

/** Ends the filter of the screen in view. */
export function endFilter(session: Session, keep: boolean): void {
  const ui = session.ui.getState();
  const list = listInView(ui);
  if (list === null) ui.parts.places[placeOf(ui)].field?.done(session, keep);
  else session.ui.setState(endedFilter(ui, list, keep));
}

/** Selects a row in its list and shows that list; a filter that hides the row is cleared. */
export function showRow<Id extends Exclude<ListId & ScreenId, 'orders'>>(
  session: Session,
  list: Id,
  id: string,
  more: Partial<UiState[Id]> = {},
): void {
  const state = deskInView(session);
  if (!state) return;
  session.ui.setState((ui) => {
    const hidden = !rowsOf(state, ui, list).some((row) => row.id === id);
    const selected = withList(ui, list, {
      ...(hidden ? { filter: '' } : {}),
      selection: { id, index: ui[list].selection.index },
      ...more,
    } as Partial<UiState[Id]>);
    return { ...selected, screen: list };
  });
}

/**
 * Opens the detail of the selected row; false when there is no row or the keyboard is in the detail already.
 */
export function openDetail(session: Session, list: ListId): boolean {
  const state = deskInView(session);
  const ui = session.ui.getState();
  const view = ui[list];
  const rows = state ? rowsOf(state, ui, list) : [];
  const row = rows[selectedIndex(rows, view.selection)];
  if (!row || !hasPane(view) || inDetail(view)) return false;
  const selection = { ...view.selection, id: row.id };
  session.ui.setState(
    withList(ui, list, { selection, detailOpen: true, detailOffset: 0 } as Partial<UiState[ListId]>),
  );
  return true;
}
