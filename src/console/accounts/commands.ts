/** Commands of the Accounts screen: forms and confirmations; `account-actions.ts` makes the changes. */

import { ask, openDialog, patchDialog, type Session, say, tell, wholeDesk } from '../app/session.ts';
import { topDialog } from '../state/ui.ts';
import {
  confirmAccount,
  confirmLift,
  confirmReset,
  confirmRights,
  isAsked,
} from './account-confirmations.ts';
import {
  type AccountAsk,
  accountFields,
  newAccountForm,
  readAccountForm,
  withAccountValue,
} from './account-forms.ts';
import type { AccountsView } from './account-list.ts';
import { askAddresses, tryConnection } from './connect.ts';
import { confirmMakeKey } from './connect-form.ts';
import { confirmTakeOver } from './identity-lines.ts';
import { selectedAccount } from './selected.ts';

function patch(session: Session, change: Partial<AccountsView>): void {
  session.ui.setState(({ accounts }) => ({ accounts: { ...accounts, ...change } }));
}

/** Returns the selected account's id if it is a paper account; otherwise says why not and returns null. */
function paperAccount(session: Session): string | null {
  const account = selectedAccount(session);
  if (account?.paper) return account.id;
  say(session, account ? `${account.id} is no paper exchange` : 'no account is selected', 'warn');
  return null;
}

export function askAccount(session: Session, what: AccountAsk): void {
  const state = wholeDesk(session);
  if (!state) return;
  if (what === 'speed' && state.clock.live) {
    const text = 'this market runs with the clock: start with --speed, or on a replay, to change it';
    say(session, text, 'warn');
    return;
  }
  const exchange =
    what === 'speed' ? '' : what === 'guards' ? selectedAccount(session)?.id : paperAccount(session);
  if (exchange != null) openDialog(session, newAccountForm(what, exchange, state));
}

export function resetAccount(session: Session): void {
  const state = wholeDesk(session);
  const exchange = paperAccount(session);
  if (state && exchange !== null) openDialog(session, confirmReset(state, exchange));
}

/** Asks an owner first about another desk that trades the selected account, then about its key's rights. */
export function askOwner(session: Session): void {
  const state = wholeDesk(session);
  const account = selectedAccount(session);
  if (!state || !account) return;
  const takeOver = confirmTakeOver(state, account);
  if (takeOver) openDialog(session, takeOver);
  else if (account.shut)
    say(session, `${account.id} is another account than it was: choose another name`, 'warn');
  else if (account.connection?.state === 'closed') void askAddresses(session, account.connection.name);
  else if (account.unconfirmed) openDialog(session, confirmRights(state, account.id, account.unconfirmed));
  else say(session, `nothing of ${account.id} is to be confirmed`, 'warn');
}

/** Asks whether to lift the loss limit that the selected account has reached. */
export function askLift(session: Session): void {
  const state = wholeDesk(session);
  const account = selectedAccount(session);
  if (!state || !account) return;
  if (account.guards?.meters?.loss?.reachedAt != null) openDialog(session, confirmLift(state, account.id));
  else say(session, `no loss limit of ${account.id} is reached`, 'warn');
}

/** Reconciles the selected account with its exchange. Changes nothing at the exchange. */
export async function compareNow(session: Session): Promise<void> {
  const account = selectedAccount(session);
  if (!account || session.ui.getState().accounts.comparing !== null) return;
  patch(session, { comparing: account.id });
  const outcome = await ask(session, 'exchange.reconcile', { exchange: account.id });
  patch(session, { comparing: null });
  if (!outcome) return;
  if (!outcome.ok) tell(session, `refused: ${outcome.error.message}`, 'danger');
  else if (outcome.data.whole) tell(session, `${account.id}: the same as the exchange`, 'ok');
  else tell(session, `${account.id}: a question failed, so that something may differ`, 'warn');
}

/** Moves the field in focus to its next choice. */
export function chooseInAccount(session: Session, by: number): void {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'account-form') return;
  const choices = accountFields(form).find(({ id }) => id === form.focus)?.choices;
  if (!choices) return;
  const at = choices.indexOf(form.values[form.focus] ?? '') + by;
  const next = choices[(at + choices.length) % choices.length] ?? '';
  patchDialog(session, 'account-form', (now) => withAccountValue(now, now.focus, next));
}

/** Opens the confirmation, or moves the focus to the first problem. */
export function reviewAccount(session: Session): void {
  const state = wholeDesk(session);
  const form = topDialog(session.ui.getState());
  if (!state || form?.kind !== 'account-form') return;
  const read = readAccountForm(form, state);
  if ('problem' in read) {
    const { field, message } = read.problem;
    patchDialog(session, 'account-form', () => ({ focus: field }));
    say(session, `${accountFields(form).find(({ id }) => id === field)?.label ?? field}: ${message}`, 'warn');
    return;
  }
  const { action } = read;
  if (action.type === 'connect') {
    void tryConnection(session, action);
    return;
  }
  if (action.type === 'make-key') openDialog(session, confirmMakeKey(state, action));
  if (isAsked(action)) openDialog(session, confirmAccount(state, action));
}
