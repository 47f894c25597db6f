/** Cursors of lists, and of the parts of the Overview, hold on to their row by its id. Changes nothing on the desk. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { listRows } from '../model/lists.ts';
import { type OverviewPart, partRows } from '../model/overview-parts.ts';
import { deskState, type Session } from '../session.ts';
import { heldAt, type ListId, listInView, withList } from '../state/list-views.ts';
import type { Selection, UiState } from '../state/ui.ts';
import { overviewCursor, withCursorOf } from './overview.ts';

/** The cursor in view. */
interface Cursor {
  readonly name: ListId | `overview ${OverviewPart}`;
  readonly rows: readonly { readonly id: string }[];
  readonly selection: Selection;
  readonly moved: (ui: UiState, selection: Selection) => UiState;
}

/** From now on the cursor in view holds on to its row; gives what ends that. */
export function holdCursors(session: Session): () => void {
  /** Of each cursor the selected id that was among its rows. */
  const seen = new Map<Cursor['name'], string>();
  const hold = (): void => {
    const state = deskState(session);
    const ui = session.ui.getState();
    const cursor = state && cursorInView(session, state, ui);
    if (!cursor) return;
    const { name, rows, moved } = cursor;
    const selection = heldAt(rows, cursor.selection, seen.get(name) ?? null);
    const { id } = selection;
    if (id !== null && rows.some((row) => row.id === id)) seen.set(name, id);
    if (selection !== cursor.selection) session.ui.setState(moved(ui, selection));
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
  if (ui.screen === 'overview') {
    const { part, selection } = overviewCursor(session);
    const moved: Cursor['moved'] = (now, to) => ({ ...now, ...withCursorOf(now, part, to) });
    return { name: `overview ${part}`, rows: partRows(state, part), selection, moved };
  }
  const list = listInView(ui);
  if (list === null || ui[list].filtering) return null;
  const { selection } = ui[list];
  const moved: Cursor['moved'] = (now, to) => withList(now, list, { selection: to });
  return { name: list, rows: listRows(state, ui, list), selection, moved };
}

/** Another cursor is in view, or what it stands on may have changed. */
function isOther(ui: UiState, before: UiState): boolean {
  if (ui.screen === 'overview')
    return ui.screen !== before.screen || ui.overview !== before.overview || ui.watch !== before.watch;
  const list = listInView(ui);
  return list !== null && (list !== listInView(before) || ui[list] !== before[list]);
}
