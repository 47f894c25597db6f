/** Commands of the Keys screen. The private key never comes through here: the desk writes it to a file. */
import { confirmKey, confirmRevoke } from '../model/confirmations.ts';
import { selectedKey } from '../model/lists.ts';
import { deskState, openDialog, patchDialog, type Session, say } from '../session.ts';
import { topDialog } from '../state/ui.ts';

export function openKeyForm(session: Session, mode: 'generate' | 'paste'): void {
  openDialog(session, {
    kind: 'key-form',
    mode,
    label: '',
    tier: 'read',
    publicKey: '',
    field: 'label',
    problem: null,
  });
}

/** A pasted PEM has lost its line ends to the one-line field: they are put back. */
export function readPublicKey(text: string): string {
  const pem = /-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----/.exec(text);
  if (!pem) return text.trim();
  const body = (pem[1] ?? '').replace(/\s+/g, '');
  return `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`;
}

export function reviewKey(session: Session): void {
  const state = deskState(session);
  const dialog = topDialog(session.ui.getState());
  if (!state || dialog?.kind !== 'key-form') return;
  const { mode, tier } = dialog;
  const label = dialog.label.trim();
  const publicKey = readPublicKey(dialog.publicKey);
  if (label === '') {
    patchDialog(session, 'key-form', () => ({ field: 'label', problem: 'a key needs a label' }));
  } else if (mode === 'paste' && !publicKey.startsWith('-----') && publicKey.length !== 43) {
    const problem =
      publicKey === ''
        ? 'paste the public key'
        : `a public key has 43 characters, this has ${publicKey.length}`;
    patchDialog(session, 'key-form', () => ({ field: 'publicKey', problem }));
  } else {
    const action =
      mode === 'generate'
        ? ({ type: 'generate', label, tier } as const)
        : ({ type: 'register', label, tier, publicKey } as const);
    openDialog(session, confirmKey(state, action, session.now()));
  }
}

function current(session: Session) {
  const state = deskState(session);
  const key = state ? selectedKey(state, session.ui.getState()) : null;
  return state && key ? { state, key } : null;
}

export function revokeKey(session: Session): void {
  const chosen = current(session);
  if (!chosen) return;
  if (chosen.key.revokedAt !== null) say(session, 'this key is already revoked', 'warn');
  else openDialog(session, confirmRevoke(chosen.state, chosen.key, session.now()));
}

export function copyKeyId(session: Session): void {
  const chosen = current(session);
  if (!chosen) return;
  session.copy(chosen.key.id);
  say(session, `copied ${chosen.key.id}`);
}
