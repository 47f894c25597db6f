/** The only place from which what a confirmation asks about is done: after `y` in it. What that is, each feature says itself. */

import { closeDialog, patchDialog, type Session, say } from '../app/session.ts';
import { type Action, type Dialog, topDialog } from '../state/ui.ts';
import { hasWord } from './question.ts';
import { formUnder } from './settle.ts';

/** Closes the dialog in front. Who has typed the word is told that nothing came of it. */
export function closeUndone(session: Session): void {
  const dialog = topDialog(session.ui.getState());
  closeDialog(session);
  if (dialog?.kind === 'confirm' && !dialog.busy && dialog.word !== undefined && hasWord(dialog))
    say(session, 'nothing was done', 'warn');
}

export function confirmYes(session: Session): void {
  const ui = session.ui.getState();
  const dialog = topDialog(ui);
  if (dialog?.kind !== 'confirm' || dialog.busy || !hasWord(dialog)) return;
  const { action } = dialog;
  // Everything that it was about has been taken out of it.
  if ('ids' in action && action.ids.length === 0) return;
  const form = formUnder(ui, action);
  patchDialog(session, 'confirm', () => ({ busy: true }));
  perform(session, action, form);
}

function perform<T extends Action['type']>(
  session: Session,
  action: Extract<Action, { type: T }>,
  form: Dialog | null,
): void {
  void session.ui.getState().parts.actions[action.type as T](session, action, form);
}
