/**
 * Commands of the vault: make or open it, change its passphrase, lock it after a question. A passphrase that
 * was sent is removed from the form.
 */

import { ask, openDialog, patchDialog, type Session, say, tell, wholeDesk } from '../app/session.ts';
import { topDialog } from '../state/ui.ts';
import { counted } from '../ui/format.ts';
import {
  confirmVaultLock,
  emptied,
  newVaultForm,
  type VaultForm,
  vaultFields,
  vaultFormProblem,
} from './vault-form.ts';

/** Opens the form that makes the vault, or unlocks it. */
export function openVault(session: Session): void {
  const vault = wholeDesk(session)?.vault;
  if (!vault) return;
  if (vault.state === 'open') say(session, 'the vault is open already');
  else openDialog(session, newVaultForm(vault.state === 'none' ? 'init' : 'unlock'));
}

export function changePassphrase(session: Session): void {
  const vault = wholeDesk(session)?.vault;
  if (!vault) return;
  if (vault.state === 'none') say(session, 'there is no vault yet', 'warn');
  else openDialog(session, newVaultForm('change'));
}

export function lockVault(session: Session): void {
  const state = wholeDesk(session);
  if (!state) return;
  if (state.vault.state === 'open') openDialog(session, confirmVaultLock(state));
  else
    say(
      session,
      state.vault.state === 'none' ? 'there is no vault yet' : 'the vault is locked already',
      'warn',
    );
}

/** Sends the passphrase once and empties the form, so that it is typed again after a refusal. */
export async function submitVault(session: Session): Promise<void> {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'vault-form' || form.busy) return;
  const problem = vaultFormProblem(form);
  if (problem !== null) {
    const missing = vaultFields(form.what).find((field) => form.values[field] === '');
    // A missing field gets the focus; if the two new ones differ, both are typed again.
    const next = missing === undefined ? emptied(form.what) : { focus: missing };
    patchDialog(session, 'vault-form', () => ({ ...next, refusal: problem }));
    return;
  }
  patchDialog(session, 'vault-form', () => ({ ...emptied(form.what), busy: true, refusal: null }));
  const outcome = await sent(session, form);
  if (outcome?.ok) {
    session.ui.setState(({ dialogs }) => ({ dialogs: dialogs.filter(({ kind }) => kind !== 'vault-form') }));
    tell(session, doneWords(form, outcome.data), 'ok');
    return;
  }
  const refusal = outcome?.error.message ?? 'no answer';
  patchDialog(session, 'vault-form', () => ({ busy: false, refusal }));
}

function sent(session: Session, { what, values: { old, passphrase } }: VaultForm) {
  if (what === 'change') return ask(session, 'vault.change', { old, passphrase });
  return ask(session, what === 'init' ? 'vault.init' : 'vault.unlock', { passphrase });
}

function doneWords({ what }: VaultForm, data: { readonly copies: readonly string[] } | null): string {
  if (what === 'unlock') return 'the vault is open';
  if (what === 'init') return 'the vault is made and open: without its passphrase what is in it is lost';
  const copies = data?.copies.length ?? 0;
  const old =
    copies > 0
      ? `; ${counted(copies, 'older copy', 'older copies')} of the database open with the old one`
      : '';
  return `the vault opens with the new passphrase${old}`;
}
