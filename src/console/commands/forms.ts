/** Moving through a form and changing its choices; Enter goes on to the next field or to the review, never further. */
import type { Tier } from '../../domain/actor.ts';
import { accountFields, dustFields } from '../model/account-forms.ts';
import { muteRows } from '../model/alert-mutes.ts';
import { accountOf, type KeyFieldId, keyFields, toggled } from '../model/key-draft.ts';
import { LAB_FIELDS, type LabField } from '../model/key-lab.ts';
import { PANIC_PARTS } from '../model/panic.ts';
import { positionChoices, positionFields } from '../model/position-orders.ts';
import { ticketAccounts, ticketFields } from '../model/ticket-draft.ts';
import { isLastField, vaultFields } from '../model/vault-form.ts';
import { deskState, patchDialog, type Session } from '../session.ts';
import { activeField, withField } from '../state/text-fields.ts';
import { type Dialog, type KeyForm, topDialog } from '../state/ui.ts';
import { chooseInAccount, reviewAccount } from './accounts.ts';
import { toggleMute } from './alerts.ts';
import { botFieldIds, chooseInBot, reviewRule, reviewStop, saveTag } from './bot-forms.ts';
import { chooseInLab, judgeLab } from './key-lab.ts';
import { reviewKey } from './keys.ts';
import { reviewMaintenance } from './maintenance.ts';
import { readBotFile, reviewBot } from './new-bot.ts';
import { reviewPanic, togglePart } from './panic.ts';
import { reviewDust } from './portfolio.ts';
import { reviewPosition } from './positions.ts';
import { reviewSplit } from './split.ts';
import { reviewTicket } from './ticket.ts';
import { submitVault } from './vault.ts';

const NO_ALERTS = { alerts: [], bots: {}, mutes: { bots: [], targets: [] } };
const TIERS: readonly Tier[] = ['read', 'trade', 'full'];

function fieldIds(session: Session, dialog: Dialog): readonly string[] {
  switch (dialog.kind) {
    case 'ticket':
      return [...ticketFields(dialog.draft, ticketAccounts(deskState(session))).map((f) => f.id), 'review'];
    case 'split':
      return ['text', 'review'];
    case 'position-form':
      return positionFields(dialog.what);
    case 'key-form':
      return keyFields(dialog.mode, dialog.draft, accountIds(session));
    case 'maintenance-form':
      return ['message', 'review'];
    case 'vault-form':
      return [...vaultFields(dialog.what), 'review'];
    case 'account-form':
      return [...accountFields(dialog).map(({ id }) => id), 'review'];
    case 'dust-form':
      return dustFields(dialog);
    case 'lab-form':
      return LAB_FIELDS;
    case 'panic':
      return [...PANIC_PARTS, 'review'];
    case 'alert-mute':
      return muteRows(deskState(session) ?? NO_ALERTS).map(({ key }) => key);
    default:
      return botFieldIds(dialog);
  }
}

function focused(dialog: Dialog): string {
  if (dialog.kind === 'ticket' || dialog.kind === 'key-form') return dialog.field;
  return 'focus' in dialog ? dialog.focus : '';
}

function accountIds(session: Session): readonly string[] {
  return (deskState(session)?.accounts ?? []).map(({ id }) => id);
}

/** `enter` on the review button opens the confirmation. */
export function moveField(session: Session, by: number, enter = false): void {
  const dialog = topDialog(session.ui.getState());
  if (!dialog) return;
  if (enter && dialog.kind === 'bot-form' && dialog.focus === 'file' && dialog.file.trim() !== '') {
    void readBotFile(session);
    return;
  }
  if (enter && dialog.kind === 'vault-form' && isLastField(dialog)) {
    void submitVault(session);
    return;
  }
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
  else if (dialog.kind === 'key-form')
    patchDialog(session, 'key-form', () => ({ field: next as KeyFieldId }));
  else if (dialog.kind === 'lab-form') patchDialog(session, 'lab-form', () => ({ focus: next as LabField }));
  else if (dialog.kind === 'account-form') patchDialog(session, 'account-form', () => ({ focus: next }));
  else if (dialog.kind === 'dust-form') patchDialog(session, 'dust-form', () => ({ focus: next }));
  else if (dialog.kind === 'position-form')
    patchDialog(session, 'position-form', () => ({ focus: next as typeof dialog.focus }));
  else if (dialog.kind === 'split')
    patchDialog(session, 'split', () => ({ focus: next as 'text' | 'review' }));
  else if (dialog.kind === 'maintenance-form')
    patchDialog(session, 'maintenance-form', () => ({ focus: next as 'message' | 'review' }));
  else if (dialog.kind === 'vault-form')
    patchDialog(session, 'vault-form', () => ({ focus: next as typeof dialog.focus }));
  else if (dialog.kind === 'alert-mute') patchDialog(session, 'alert-mute', () => ({ focus: next }));
  else if (dialog.kind === 'panic')
    patchDialog(session, 'panic', () => ({ focus: next as typeof dialog.focus }));
  else if (dialog.kind === 'bot-form')
    patchDialog(session, 'bot-form', () => ({ focus: next as typeof dialog.focus }));
  else if (dialog.kind === 'bot-stop')
    patchDialog(session, 'bot-stop', () => ({ focus: next as typeof dialog.focus }));
  else if (dialog.kind === 'bot-rule')
    patchDialog(session, 'bot-rule', () => ({ focus: next as typeof dialog.focus }));
  else if (dialog.kind === 'bot-tag')
    patchDialog(session, 'bot-tag', () => ({ focus: next as typeof dialog.focus }));
}

export function choose(session: Session, by: number): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind === 'key-form') {
    const draft = chooseInKey(dialog, by, accountIds(session));
    if (!draft) return;
    patchDialog(session, 'key-form', () => ({ draft, refusal: null }));
    session.fieldChanged('key');
  } else if (dialog?.kind === 'lab-form') {
    chooseInLab(session, by);
  } else if (dialog?.kind === 'account-form' || dialog?.kind === 'dust-form') {
    chooseInAccount(session, by);
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
  } else if (dialog?.kind === 'alert-mute') void toggleMute(session);
  else if (dialog?.kind === 'panic') togglePart(session);
  else chooseInBot(session, by);
}

/** The draft after a choice; null where there is nothing to choose. */
function chooseInKey(
  { field, draft }: KeyForm,
  by: number,
  accounts: readonly string[],
): KeyForm['draft'] | null {
  if (field === 'tier') {
    const tier = TIERS[(TIERS.indexOf(draft.tier) + by + TIERS.length) % TIERS.length] ?? 'read';
    return { ...draft, tier };
  }
  if (field === 'addresses') return { ...draft, addresses: draft.addresses === 'any' ? 'listed' : 'any' };
  if (field === 'accounts') return { ...draft, accounts: draft.accounts === 'all' ? 'chosen' : 'all' };
  const account = accountOf(field);
  return account === null ? null : { ...draft, chosen: toggled(draft.chosen, account, accounts) };
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
      void reviewSplit(session);
      return;
    case 'position-form':
      void reviewPosition(session);
      return;
    case 'maintenance-form':
      reviewMaintenance(session);
      return;
    case 'vault-form':
      void submitVault(session);
      return;
    case 'panic':
      reviewPanic(session);
      return;
    case 'key-form':
      void reviewKey(session);
      return;
    case 'lab-form':
      void judgeLab(session);
      return;
    case 'account-form':
      reviewAccount(session);
      return;
    case 'dust-form':
      reviewDust(session);
      return;
    case 'bot-form':
      void reviewBot(session);
      return;
    case 'bot-stop':
      reviewStop(session);
      return;
    case 'bot-rule':
      reviewRule(session);
      return;
    case 'bot-tag':
      void saveTag(session);
  }
}
