/** The maintenance switch: on by way of a form for what is told, off after a look. Done in `confirm.ts`. */

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
