/**
 * The form in which a passphrase of the vault is typed, and the confirmation of locking. Pure. What is typed
 * is drawn as stars and is gone when the form closes.
 */
import type { DeskState } from '../../desk/console/protocol.ts';
import { question } from '../dialogs/question.ts';
import type { ConfirmDialog } from '../state/ui.ts';

export type VaultAsk = 'init' | 'unlock' | 'change';
export type VaultField = 'old' | 'passphrase' | 'again';

export interface VaultForm {
  readonly kind: 'vault-form';
  readonly what: VaultAsk;
  readonly values: Readonly<Record<VaultField, string>>;
  readonly focus: VaultField | 'review';
  /** A request is under way. */
  readonly busy: boolean;
  /** The problem of the last attempt. */
  readonly refusal: string | null;
}

/** Longest passphrase that a field takes, in characters. */
export const PASSPHRASE_LENGTH = 1_024;

const FIELDS: Readonly<Record<VaultAsk, readonly VaultField[]>> = {
  init: ['passphrase', 'again'],
  unlock: ['passphrase'],
  change: ['old', 'passphrase', 'again'],
};

const EMPTY: VaultForm['values'] = { old: '', passphrase: '', again: '' };

export function vaultFields(what: VaultAsk): readonly VaultField[] {
  return FIELDS[what];
}

export function newVaultForm(what: VaultAsk): VaultForm {
  return { kind: 'vault-form', what, ...emptied(what), busy: false, refusal: null };
}

/** Clears all fields and puts the focus on the first one. */
export function emptied(what: VaultAsk): Pick<VaultForm, 'values' | 'focus'> {
  return { values: EMPTY, focus: FIELDS[what][0] ?? 'passphrase' };
}

/** Tells whether the last field has the focus, so that Enter ends the form. */
export function isLastField({ what, focus }: VaultForm): boolean {
  return FIELDS[what].at(-1) === focus;
}

/** Returns the problem that the form itself can see; the desk checks the rest. */
export function vaultFormProblem({ what, values }: VaultForm): string | null {
  if (FIELDS[what].some((field) => values[field] === '')) return 'a field is still empty';
  if (what !== 'unlock' && values.passphrase !== values.again)
    return 'the two new ones are not the same: type them again';
  return null;
}

/** Removes control characters from a passphrase, such as a paste's line end; changes nothing else. */
export function passphraseText(text: string): string {
  return text.replace(/\p{Cc}+/gu, '').slice(0, PASSPHRASE_LENGTH);
}

export function confirmVaultLock(state: DeskState): ConfirmDialog {
  const { connections } = state.vault;
  return question(state, {
    title: 'Lock the vault',
    rows: [
      { name: 'in it', value: connections.length > 0 ? connections.join(', ') : 'nothing' },
      { name: 'answers', value: '503 SERVICE_UNAVAILABLE to orders of these connections', tone: 'warn' },
      { name: 'bots', value: 'on them wait, and so do stops that this desk holds', tone: 'warn' },
      { name: 'go on', value: 'paper accounts, the API, the consoles' },
    ],
    next: 'They wait until somebody unlocks it, at a console or with outcry vault unlock.',
    verb: 'lock the vault',
    action: { type: 'vault-lock' },
  });
}

declare module '../state/ui.ts' {
  interface Dialogs {
    readonly vault: VaultForm;
  }
  interface Actions {
    readonly vault: { readonly type: 'vault-lock' };
  }
}
