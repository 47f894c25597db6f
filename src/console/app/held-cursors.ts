/** Keeps cursors of lists and of other places on their row by its id. Changes nothing on the desk. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { hasPane, heldAt, listInView, rowsOf, selectionAfterMove, withList } from '../lists/list-views.ts';
import { placeOf, type UiState } from '../state/ui.ts';
import type { Cursor } from './feature.ts';
import { deskInView, type Session } from './session.ts';

/** Starts to keep the cursor in view on its row; returns the function that ends that. */
export function holdCursors(session: Session): () => void {
  /** By cursor: the selected id that was last among the rows. */
  const seen = new Map<Cursor['name'], string>();
  /** By cursor: the row and the group in which it was. */
  const groups = new Map<Cursor['name'], readonly [id: string, group: string]>();
  const hold = (): void => {
    const state = deskInView(session);
    const ui = session.ui.getState();
    const cursor = state && cursorInView(session, state, ui);
    if (!cursor) return;
    const { name, rows } = cursor;
    const { groupOf } = cursor;
    const [was, group] = groups.get(name) ?? [null, ''];
    const left =
      groupOf && was === cursor.selection.id
        ? selectionAfterMove(rows, cursor.selection, group, groupOf)
        : null;
    const selection = left ?? heldAt(rows, cursor.selection, seen.get(name) ?? null);
    const { id } = selection;
    if (id !== null && rows.some((row) => row.id === id)) {
      seen.set(name, id);
      if (groupOf) groups.set(name, [id, groupOf(id)]);
    }
    if (selection !== cursor.selection) session.ui.setState(cursor.moved(ui, selection));
  };
  const ends = [
    session.desk.subscribe(({ state }, { state: before }) => {
      if (state !== before) hold();
    }),
    session.ui.subscribe((ui, before) => {
      if (isOther(ui, before)) hold();
    }),
  ];
  hold();
  return () => {
    for (const end of ends) end();
  };
}

/**
 * Returns the cursor in view; null if there is none, or while a filter is typed: a row that the filter hides
 * gets the cursor back when the filter is removed.
 */
function cursorInView(session: Session, state: DeskState, ui: UiState): Cursor | null {
  const place = ui.parts.places[placeOf(ui)];
  if (place.cursor) return place.cursor(session, state, ui);
  const list = listInView(ui);
  if (list === null || ui[list].filtering) return null;
  const { selection } = ui[list];
  const moved: Cursor['moved'] = (now, to) => withList(now, list, { selection: to });
  const { group } = place.list ?? {};
  // While the detail is open, the cursor follows the row that the person looks at.
  const follows = hasPane(ui[list]) && ui[list].detailOpen === true;
  const groupOf = group && !follows ? { groupOf: (id: string) => group(state, id) } : {};
  return { name: list, rows: rowsOf(state, ui, list), selection, moved, ...groupOf };
}

/** Tells whether another cursor is in view, or the row under it may have changed. */
function isOther(ui: UiState, before: UiState): boolean {
  const place = ui.parts.places[placeOf(ui)];
  if (place.isOtherCursor) return ui.screen !== before.screen || place.isOtherCursor(ui, before);
  const list = listInView(ui);
  return list !== null && (list !== listInView(before) || ui[list] !== before[list]);
}
