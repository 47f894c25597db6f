/** Connecting, testing and disconnecting exchanges on Accounts. Every change needs a confirmation. */

import { ask, openDialog, patchDialog, type Session, say, tell, wholeDesk } from '../app/session.ts';
import { topDialog } from '../state/ui.ts';
import {
  type ConnectAction,
  confirmAddresses,
  confirmConnect,
  confirmDisconnect,
  newConnectForm,
  testLines,
} from './connect-form.ts';
import { selectedAccount } from './selected.ts';

/** Opens the form, or says why nothing can be connected. */
export async function openConnect(session: Session): Promise<void> {
  const now = await ask(session, 'connections.list', {});
  if (!now || session.ui.getState().dialogs.length > 0) return;
  if (now.refused !== null) say(session, now.refused, 'warn');
  else if (now.kinds.length === 0) say(session, 'no exchange is built in yet but the paper exchange', 'warn');
  else if (now.vault !== 'open')
    say(session, `its keys need the vault: u ${now.vault === 'none' ? 'makes' : 'unlocks'} it`, 'warn');
  else openDialog(session, newConnectForm(now));
}

/** Tests the connection in the form, and opens the confirmation if the test passed. Stores nothing. */
export async function tryConnection(
  session: Session,
  action: Extract<ConnectAction, { type: 'connect' }>,
): Promise<void> {
  const form = topDialog(session.ui.getState());
  say(session, `trying ${action.request.name} …`);
  const outcome = await ask(session, 'connections.test', action.request);
  const state = wholeDesk(session);
  // If the form was left or changed meanwhile, the result is not wanted any more.
  if (!state || topDialog(session.ui.getState()) !== form) return;
  if (!outcome?.ok) {
    patchDialog(session, 'account-form', () => ({ refusal: outcome?.error.message ?? 'no answer' }));
    return;
  }
  const failed = outcome.data.lines.find(({ level }) => level === 'fail');
  if (outcome.data.passed) openDialog(session, confirmConnect(state, action, outcome.data));
  else {
    patchDialog(session, 'account-form', () => ({ refusal: `${failed?.name}: ${failed?.text}` }));
    const title = `${action.request.name} cannot be connected so`;
    openDialog(session, { kind: 'notice', title, lines: testLines(outcome.data), offset: 0 });
  }
}

/** Returns the name of the selected account's connection; otherwise says why not and returns null. */
function selectedConnection(session: Session): string | null {
  const account = selectedAccount(session);
  if (account?.connection) return account.connection.name;
  say(
    session,
    account ? `${account.id} is an account of this desk itself` : 'no account is selected',
    'warn',
  );
  return null;
}

/** Tests the connection of the selected account. Changes nothing at the exchange. */
export async function testConnected(session: Session): Promise<void> {
  const name = selectedConnection(session);
  if (name === null) return;
  say(session, `trying ${name} …`);
  const outcome = await ask(session, 'connections.test', { name });
  if (!outcome) return;
  if (!outcome.ok) tell(session, `refused: ${outcome.error.message}`, 'danger');
  else if (session.ui.getState().dialogs.length > 0)
    tell(
      session,
      `${name}: ${outcome.data.passed ? 'everything is as it should be' : 'something is wrong'}`,
      outcome.data.passed ? 'ok' : 'danger',
    );
  else
    openDialog(session, {
      kind: 'notice',
      title: `Test of ${name}`,
      lines: testLines(outcome.data),
      offset: 0,
    });
}

export function askDisconnect(session: Session): void {
  const state = wholeDesk(session);
  const name = selectedConnection(session);
  if (state && name !== null) openDialog(session, confirmDisconnect(state, name));
}

/** Asks for a confirmation if the addresses of the connection have changed. */
export async function askAddresses(session: Session, name: string): Promise<void> {
  const now = await ask(session, 'connections.list', {});
  const state = wholeDesk(session);
  const view = now?.connections.find((one) => one.name === name);
  if (!view || !state || session.ui.getState().dialogs.length > 0) return;
  const dialog = confirmAddresses(state, view);
  if (dialog) openDialog(session, dialog);
  else say(session, `${name} is ${view.state}: ${view.why ?? ''}`, 'warn');
}
