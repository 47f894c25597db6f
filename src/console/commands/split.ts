/** From the split form to its confirmation. */
import { confirmSplit } from '../model/confirmations.ts';
import { deskState, openDialog, type Session, say } from '../session.ts';
import { topDialog } from '../state/ui.ts';

export function reviewSplit(session: Session): void {
  const state = deskState(session);
  const dialog = topDialog(session.ui.getState());
  if (!state || dialog?.kind !== 'split') return;
  const problem = dialog.problem ?? dialog.preview?.problems[0];
  if (dialog.text.trim() === '') say(session, 'write at least two prices', 'warn');
  else if (problem) say(session, problem, 'warn');
  else if (dialog.stale || !dialog.preview) say(session, 'still checking; press again');
  else {
    const order = state.orders[dialog.order.id] ?? dialog.order;
    openDialog(session, confirmSplit(state, order, dialog.prices, dialog.preview.remaining, session.now()));
  }
}
