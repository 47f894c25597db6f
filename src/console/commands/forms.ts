/** Moving through a form and changing its choices; Enter goes on to the next field or to the review, never further. */

import { positionChoices, positionFields } from '../model/position-orders.ts';
import { ticketAccounts, ticketFields } from '../model/ticket-draft.ts';
import { deskState, patchDialog, type Session } from '../session.ts';
import { activeField, withField } from '../state/text-fields.ts';
import { type Dialog, type FormField, type KeyTier, topDialog } from '../state/ui.ts';
import { reviewKey } from './keys.ts';
import { reviewPosition } from './positions.ts';
import { reviewSplit } from './split.ts';
import { reviewTicket } from './ticket.ts';

const TIERS: readonly KeyTier[] = ['read', 'trade', 'full'];

function fieldIds(session: Session, dialog: Dialog): readonly string[] {
  switch (dialog.kind) {
    case 'ticket':
      return [...ticketFields(dialog.draft, ticketAccounts(deskState(session))).map((f) => f.id), 'review'];
    case 'split':
      return ['text', 'review'];
    case 'position-form':
      return positionFields(dialog.what);
    case 'key-form':
      return dialog.mode === 'generate'
        ? ['label', 'tier', 'review']
        : ['label', 'tier', 'publicKey', 'review'];
    default:
      return [];
  }
}

function focused(dialog: Dialog): string {
  if (dialog.kind === 'ticket' || dialog.kind === 'key-form') return dialog.field;
  return dialog.kind === 'split' || dialog.kind === 'position-form' ? dialog.focus : '';
}

/** `enter` on the review button opens the confirmation. */
export function moveField(session: Session, by: number, enter = false): void {
  const dialog = topDialog(session.ui.getState());
  if (!dialog) return;
  const ids = fieldIds(session, dialog);
  const at = ids.indexOf(focused(dialog));
  if (enter && ids[at] === 'review') {
    reviewForm(session);
    return;
  }
  const next = ids[(at + by + ids.length) % ids.length];
  if (next === undefined) return;
  if (dialog.kind === 'ticket')
    patchDialog(session, 'ticket', () => ({ field: next as typeof dialog.field, whole: next === 'symbol' }));
  else if (dialog.kind === 'key-form') patchDialog(session, 'key-form', () => ({ field: next as FormField }));
  else if (dialog.kind === 'position-form')
    patchDialog(session, 'position-form', () => ({ focus: next as typeof dialog.focus }));
  else if (dialog.kind === 'split')
    patchDialog(session, 'split', () => ({ focus: next as 'text' | 'review' }));
}

export function choose(session: Session, by: number): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind === 'key-form' && dialog.field === 'tier') {
    const tier = TIERS[(TIERS.indexOf(dialog.tier) + by + TIERS.length) % TIERS.length] ?? 'read';
    patchDialog(session, 'key-form', () => ({ tier, problem: null }));
  } else if (dialog?.kind === 'position-form' && dialog.focus === 'value') {
    const choices = positionChoices(dialog.what);
    const at = choices.indexOf(dialog.value) + by;
    const value = choices[(at + choices.length) % choices.length];
    if (value !== undefined) patchDialog(session, 'position-form', () => ({ value, refusal: null }));
  } else if (dialog?.kind === 'ticket' && dialog.field !== 'review') {
    const { field, draft } = dialog;
    const spec = ticketFields(draft, ticketAccounts(deskState(session))).find((entry) => entry.id === field);
    const choices = spec?.choices;
    if (!choices?.length) return;
    const next = choices[(choices.indexOf(draft[field]) + by + choices.length) % choices.length] ?? '';
    patchDialog(session, 'ticket', () => ({
      draft: { ...draft, [field]: next },
      stale: true,
      refusal: null,
    }));
    session.fieldChanged('ticket');
  }
}

export function clearField(session: Session): void {
  const field = activeField(session.ui.getState());
  if (!field) return;
  session.ui.setState((ui) => withField(ui, field.id, ''));
  session.fieldChanged(field.id);
}

export function reviewForm(session: Session): void {
  switch (topDialog(session.ui.getState())?.kind) {
    case 'ticket':
      reviewTicket(session);
      return;
    case 'split':
      reviewSplit(session);
      return;
    case 'position-form':
      reviewPosition(session);
      return;
    case 'key-form':
      reviewKey(session);
  }
}
