/** The only place that does what a confirmation asks about, after its `y`. Features provide the actions. */

import { closeDialog, patchDialog, type Session, say } from '../app/session.ts';
import { type Action, type Dialog, topDialog } from '../state/ui.ts';
import { hasWord } from './question.ts';
import { formUnder } from './settle.ts';

/** Closes the top dialog. If its word was already typed, says that nothing was done. */
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
  // Every item of the action has been removed meanwhile.
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
