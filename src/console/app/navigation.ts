/**
 * Moving through screens, panes, selections and scrolled texts. Features add what is special to a place.
 * Changes nothing on the desk.
 */

import { noticeEnd } from '../dialogs/notice.ts';
import { moved } from '../lists/cursor.ts';
import {
  hasPane,
  leftLists,
  listInView,
  otherPane,
  rowsOf,
  scrolled,
  steppedBack,
  withList,
} from '../lists/list-views.ts';
import { bodyRows, placeOf, type ScreenId, SPOKEN_ROWS, topDialog, type UiState } from '../state/ui.ts';
import { steppedTo } from '../state/visits.ts';
import type { PlaceKind } from './feature.ts';
import { deskInView, patchDialog, type Session, say } from './session.ts';

function placeInView(ui: UiState): PlaceKind {
  return ui.parts.places[placeOf(ui)];
}

export function showScreen(session: Session, screen: ScreenId): void {
  session.ui.setState((ui) => ({ ...leftLists(ui), screen }));
}

/** Steps through the history of visited screens. */
export function stepScreen(session: Session, by: -1 | 1): void {
  const step = steppedTo(session.ui.getState().visits, by);
  if (step) session.ui.setState((ui) => ({ ...leftLists(ui), ...step }));
  else say(session, by < 0 ? 'there was no screen before' : 'there is no screen to go forward to');
}

/** Goes to the previous screen; a second call comes back. */
export function lastScreen(session: Session): void {
  const { list, at } = session.ui.getState().visits;
  const screen = list[at - 1];
  if (screen) showScreen(session, screen);
}

export function nextPane(session: Session): void {
  const ui = session.ui.getState();
  const list = listInView(ui);
  placeInView(ui).nextPane?.(session);
  if (list !== null) session.ui.setState(otherPane(ui, list));
}

/** Moves the selection of the screen in view; infinite: to the end. */
export function move(session: Session, by: number): void {
  const state = deskInView(session);
  const ui = session.ui.getState();
  const list = listInView(ui);
  if (!state) return;
  const place = placeInView(ui);
  place.move?.(session, by);
  if (list === null) return;
  const rows = rowsOf(state, ui, list);
  const selection = moved(rows, ui[list].selection, by);
  session.ui.setState(withList(ui, list, { selection, ...(hasPane(ui[list]) ? { detailOffset: 0 } : {}) }));
  place.moved?.(session, rows, selection);
}

/** Moves the cursor of the list in view to one of its rows. */
export function moveTo(session: Session, id: string): void {
  const state = deskInView(session);
  const ui = session.ui.getState();
  const list = listInView(ui);
  if (!state || list === null) return;
  const rows = rowsOf(state, ui, list);
  const index = rows.findIndex((row) => row.id === id);
  if (index < 0) return;
  const selection = { id, index };
  const pane = hasPane(ui[list]) ? ({ detailOffset: 0, pane: 'list' } as const) : {};
  session.ui.setState(withList(ui, list, { selection, ...pane }));
  placeInView(ui).moved?.(session, rows, selection);
}

export function open(session: Session): void {
  if (deskInView(session)) placeInView(session.ui.getState()).open?.(session);
}

/** Leaves the innermost mode; never the console. */
export function back(session: Session): void {
  const ui = session.ui.getState();
  const place = placeInView(ui);
  const list = listInView(ui);
  if (place.back?.(session) || list === null) return;
  const left = steppedBack(ui, list);
  if (left) session.ui.setState(left);
  else place.leave?.(session);
}

export function scrollDetail(session: Session, by: number): void {
  const ui = session.ui.getState();
  const list = listInView(ui);
  const place = placeInView(ui);
  if (place.scroll) place.scroll(session, by);
  else if (list !== null && hasPane(ui[list])) {
    const detailOffset = scrolled(ui[list].detailOffset, by, place.lastOffset?.(session) ?? 0);
    session.ui.setState(withList(ui, list, { detailOffset }));
  }
}

/** Scrolls the notice, at most to its end. */
export function scrollNotice(session: Session, by: number): void {
  const ui = session.ui.getState();
  const dialog = topDialog(ui);
  if (dialog?.kind !== 'notice') return;
  const end = noticeEnd(dialog, ui.columns, session.plain ? SPOKEN_ROWS : bodyRows(ui));
  patchDialog(session, 'notice', ({ offset }) => ({ offset: Math.min(Math.max(0, offset + by), end) }));
}
