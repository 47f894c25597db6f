/** Copying from the row under the cursor (OSC 52); a message says what was copied. */

import { closeDialog, openDialog, type Session, say } from '../app/session.ts';
import type { CopyDialog } from './copy.ts';
import { copyChoices } from './copy.ts';

/** Largest length of the copied text in that message, in cells. */
const SAID = 50;

export function openCopy(session: Session): void {
  const cells = session.inView.cells().filter(({ text }) => text !== '');
  if (cells.length === 0) say(session, 'there is no row to copy here', 'warn');
  else openDialog(session, { kind: 'copy', cells, focus: '0' });
}

export function copyChosen(session: Session, { cells, focus }: CopyDialog): void {
  const choice = copyChoices(cells)[Number(focus)];
  if (!choice) return;
  session.copy(choice.copied);
  closeDialog(session);
  const short = choice.text.length > SAID ? `${choice.text.slice(0, SAID - 1)}…` : choice.text;
  say(session, `copied ${choice.title}: ${short}`);
}
