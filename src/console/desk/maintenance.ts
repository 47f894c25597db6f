/** The maintenance switch: on after a form for the message, off after a question. `confirm.ts` does it. */

import { openDialog, type Session, wholeDesk } from '../app/session.ts';
import { topDialog } from '../state/ui.ts';
import { confirmMaintenance } from './maintenance-form.ts';

export function switchMaintenance(session: Session): void {
  const state = wholeDesk(session);
  if (!state) return;
  if (state.maintenance === null)
    openDialog(session, { kind: 'maintenance-form', message: '', focus: 'message' });
  else openDialog(session, confirmMaintenance(state, null));
}

export function reviewMaintenance(session: Session): void {
  const state = wholeDesk(session);
  const form = topDialog(session.ui.getState());
  if (!state || form?.kind !== 'maintenance-form') return;
  openDialog(session, confirmMaintenance(state, form.message.trim()));
}
