/** Cursors of lists, and those that places have of their own, hold on to their row by its id. Changes nothing on the desk. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { hasPane, heldAt, leftBehind, listInView, rowsOf, withList } from '../lists/list-views.ts';
import { placeOf, type UiState } from '../state/ui.ts';
import type { Cursor } from './feature.ts';
import { deskInView, type Session } from './session.ts';

/** From now on the cursor in view holds on to its row; gives what ends that. */
export function holdCursors(session: Session): () => void {
  /** Of each cursor the selected id that was among its rows. */
  const seen = new Map<Cursor['name'], string>();
  /** Of each cursor the row and the group that it was in. */
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
      groupOf && was === cursor.selection.id ? leftBehind(rows, cursor.selection, group, groupOf) : null;
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

/** Null where there is none, and while a filter is typed: the row that it hides has the cursor again when it goes. */
function cursorInView(session: Session, state: DeskState, ui: UiState): Cursor | null {
  const place = ui.parts.places[placeOf(ui)];
  if (place.cursor) return place.cursor(session, state, ui);
  const list = listInView(ui);
  if (list === null || ui[list].filtering) return null;
  const { selection } = ui[list];
  const moved: Cursor['moved'] = (now, to) => withList(now, list, { selection: to });
  const { group } = place.list ?? {};
  // Whoever has its detail open looks at that one.
  const follows = hasPane(ui[list]) && ui[list].detailOpen === true;
  const groupOf = group && !follows ? { groupOf: (id: string) => group(state, id) } : {};
  return { name: list, rows: rowsOf(state, ui, list), selection, moved, ...groupOf };
}

/** Another cursor is in view, or what it stands on may have changed. */
function isOther(ui: UiState, before: UiState): boolean {
  const place = ui.parts.places[placeOf(ui)];
  if (place.isOtherCursor) return ui.screen !== before.screen || place.isOtherCursor(ui, before);
  const list = listInView(ui);
  return list !== null && (list !== listInView(before) || ui[list] !== before[list]);
}
