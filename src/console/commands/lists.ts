/** Filter and sort of every list, and a row that is gone to from elsewhere. Changes nothing on the desk. */
import type { CommandId } from '../keys/bindings.ts';
import { listRows } from '../model/lists.ts';
import { selectedIndex } from '../model/order-list.ts';
import { deskState, type Session, say } from '../session.ts';
import {
  endedFilter,
  LIST_IDS,
  type ListId,
  listInView,
  nextSorted,
  reversed,
  startedFilter,
  withList,
} from '../state/list-views.ts';
import type { UiState } from '../state/ui.ts';
import { endSearch } from './log.ts';

type Run = (session: Session) => void;
type ListCommand = Extract<CommandId, `${ListId}.${'filter' | 'sort' | 'reverse'}`>;

/** `orders.filter`, `orders.sort`, `orders.reverse` and those of the other lists. */
export const LIST_COMMANDS = Object.fromEntries(
  LIST_IDS.flatMap((list): [string, Run][] => [
    [`${list}.filter`, (session) => session.ui.setState((ui) => startedFilter(ui, list))],
    [`${list}.sort`, (session) => sorted(session, list, nextSorted)],
    [`${list}.reverse`, (session) => sorted(session, list, reversed)],
  ]),
) as Record<ListCommand, Run>;

/** Sorts anew and says how: the column it goes by may not be in view. */
function sorted(session: Session, list: ListId, change: (ui: UiState, list: ListId) => UiState): void {
  session.ui.setState((ui) => change(held(session, ui, list), list));
  const { sort, reverse } = session.ui.getState()[list];
  say(session, `sorted by ${sort}${reverse ? ', the other way round' : ''}`);
}

/** The row under the cursor keeps it when the order changes, also where prices go on changing it. */
function held(session: Session, ui: UiState, list: ListId): UiState {
  const state = deskState(session);
  const rows = state ? listRows(state, ui, list) : [];
  const index = selectedIndex(rows, ui[list].selection);
  const id = rows[index]?.id;
  return id === undefined ? ui : withList(ui, list, { selection: { id, index } });
}

/** Of the screen in view. */
export function endFilter(session: Session, keep: boolean): void {
  const list = listInView(session.ui.getState());
  if (list === null) endSearch(session, keep);
  else session.ui.setState((ui) => endedFilter(ui, list, keep));
}

/** The row selected in its list, which comes into view; a filter that hides it goes. */
export function showRow<Id extends Exclude<ListId, 'orders' | 'trades'>>(
  session: Session,
  list: Id,
  id: string,
  more: Partial<UiState[Id]> = {},
): void {
  const state = deskState(session);
  if (!state) return;
  session.ui.setState((ui) => {
    const hidden = !listRows(state, ui, list).some((row) => row.id === id);
    const selected = withList(ui, list, {
      ...(hidden ? { filter: '' } : {}),
      selection: { id, index: ui[list].selection.index },
      ...more,
    } as Partial<UiState[Id]>);
    return { ...selected, screen: list };
  });
}
