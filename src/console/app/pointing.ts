/**
 * The mouse: the wheel scrolls, a press selects a row or a tab. It does not answer questions or press
 * buttons, and does nothing on the desk.
 */
import type { MouseEvent } from '../input/mouse.ts';
import { inDetail, listInView } from '../lists/list-views.ts';
import { type ScreenName, screensOf, tooSmall, topDialog } from '../state/ui.ts';
import { cellWidth } from '../ui/clean.ts';
import type { Line } from '../ui/line.ts';
import { tabLine } from './Frame.tsx';
import { move, moveTo, scrollDetail, scrollNotice, showScreen } from './navigation.ts';
import { type Session, wholeDesk } from './session.ts';

/** Rows per notch of the wheel. */
const NOTCH = 3;
const TABS_ROW = 2;

export function pointed(session: Session, event: MouseEvent): void {
  const state = wholeDesk(session);
  const ui = session.ui.getState();
  if (!state || session.desk.getState().lost !== null || tooSmall(ui)) return;
  if (event.kind === 'wheel') {
    turned(session, event.by * NOTCH);
    return;
  }
  if (topDialog(ui)) return;
  if (event.row === TABS_ROW) {
    const screens = screensOf(ui);
    const badges = screens.map(({ id }) => ui.parts.places[id].badge?.(state) ?? 0);
    const tab = tabAt(tabLine(screens, ui.screen, badges, ui.columns), screens, event.column);
    if (tab) showScreen(session, tab.id);
    return;
  }
  const id = session.inView.rowAt(event.column, event.row);
  if (id !== null) moveTo(session, id);
}

function turned(session: Session, by: number): void {
  const ui = session.ui.getState();
  const dialog = topDialog(ui);
  const list = listInView(ui);
  if (dialog) {
    if (dialog.kind === 'notice') scrollNotice(session, by);
  } else if (list !== null && inDetail(ui[list])) scrollDetail(session, by);
  else move(session, by);
}

/** Returns the tab under a column (from 1); each tab begins with its digit between blanks. */
export function tabAt(line: Line, screens: readonly ScreenName[], column: number): ScreenName | null {
  let from = 1;
  let tab: ScreenName | null = null;
  for (const { text } of line) {
    tab = screens.find(({ digit }) => text.startsWith(` ${digit} `)) ?? tab;
    from += cellWidth(text);
    if (column < from) return tab;
  }
  return null;
}
