/**
 * Help on the screen in view, and the list of configuration entries that are ignored. Changes nothing on the
 * desk.
 */

import { openDialog, patchDialog, type Session, say } from '../app/session.ts';
import { activeScopes } from '../input/scopes.ts';
import { bodyRows, placeOf, placesOf, topDialog, type UiState } from '../state/ui.ts';
import type { Line } from '../ui/line.ts';
import { helpLines } from './help-lines.ts';

/** Width of the help box in cells: with two columns, and with three where there is room. */
const WIDEST = 96;
const WIDE = 142;

export function openHelp(session: Session): void {
  openDialog(session, { kind: 'help', offset: 0 });
}

/** The help lines of the screen under all dialogs, and the width of the box. */
export function helpOf(session: Session, ui: UiState): { lines: readonly Line[]; width: number } {
  const wide = ui.columns - 4 >= WIDE;
  const width = wide ? WIDE : Math.min(ui.columns - 4, WIDEST);
  const place = placeOf(ui);
  const screen = placesOf(ui).find(({ id }) => id === place) ?? { id: place, title: '' };
  const scopes = activeScopes({ ...ui, dialogs: [] }, 'open');
  const columns = session.plain ? 1 : wide ? 3 : 2;
  return { lines: helpLines(session.bindings, screen, scopes, width - 4, columns), width };
}

/** Scrolls the help, at most to its last line. */
export function scrollHelp(session: Session, by: number): void {
  const ui = session.ui.getState();
  if (session.plain || topDialog(ui)?.kind !== 'help') return;
  const most = Math.max(0, helpOf(session, ui).lines.length - (bodyRows(ui) - 2));
  patchDialog(session, 'help', ({ offset }) => ({ offset: Math.min(Math.max(0, offset + by), most) }));
}

export function showProblems(session: Session): void {
  if (session.problems.length === 0) {
    say(session, 'nothing of the configuration is ignored');
    return;
  }
  const lines = session.problems.flatMap((text, at) => [
    ...(at > 0 ? [{ text: '' }] : []),
    { text, tone: 'warn' as const, words: true },
  ]);
  openDialog(session, { kind: 'notice', title: 'Ignored in the configuration', lines, offset: 0 });
}
