/** The form of a new key: its fields, the settings it asks for, and the field of each problem. Pure. */
import type { KeyField, KeyProblem, KeySettings } from '../../domain/access-key.ts';
import type { Tier } from '../../domain/actor.ts';

export type KeyMode = 'generate' | 'paste';

/** The fields of the form, one line each; every exchange account has a line of its own. */
export type KeyFieldId =
  | 'label'
  | 'publicKey'
  | 'tier'
  | 'addresses'
  | 'ipText'
  | 'accounts'
  | `account:${string}`
  | 'review';

export interface KeyDraft {
  readonly label: string;
  readonly publicKey: string;
  readonly tier: Tier;
  /** Whether there is an address list. */
  readonly addresses: 'any' | 'listed';
  /** The entries of the address list as typed, separated by blanks or commas. */
  readonly ipText: string;
  /** Whether the key is limited to chosen accounts. */
  readonly accounts: 'all' | 'chosen';
  readonly chosen: readonly string[];
}

export const EMPTY_KEY: KeyDraft = {
  label: '',
  publicKey: '',
  tier: 'read',
  addresses: 'any',
  ipText: '',
  accounts: 'all',
  chosen: [],
};

/** What each tier lets a program do, in plain words. */
export const TIER_WORDS: Readonly<Record<Tier, string>> = {
  read: 'sees orders, balances, positions and bots',
  trade: 'reads; changes orders, leverage, margin, bots',
  full: 'may do everything the API offers',
};

/** The fields that apply, in their order. */
export function keyFields(
  mode: KeyMode,
  draft: KeyDraft,
  accounts: readonly string[],
): readonly KeyFieldId[] {
  return [
    'label',
    'tier',
    ...(mode === 'paste' ? (['publicKey'] as const) : []),
    'addresses',
    ...(draft.addresses === 'listed' ? (['ipText'] as const) : []),
    'accounts',
    ...(draft.accounts === 'chosen' ? accounts.map((id) => `account:${id}` as const) : []),
    'review',
  ];
}

/** Returns the account of a form's line; null if the line is no account's. */
export function accountOf(field: KeyFieldId): string | null {
  return field.startsWith('account:') ? field.slice('account:'.length) : null;
}

/** Splits a typed address list into its entries. */
export function ipEntries(text: string): readonly string[] {
  return text.split(/[\s,;]+/).filter((entry) => entry !== '');
}

export function keySettings(draft: KeyDraft): KeySettings {
  return {
    label: draft.label.trim(),
    tier: draft.tier,
    ipList: draft.addresses === 'any' ? null : ipEntries(draft.ipText),
    allowedExchanges: draft.accounts === 'all' ? null : draft.chosen,
  };
}

/** Restores the line ends of a PEM text, which are lost when it is pasted into a one-line field. */
export function readPublicKey(text: string): string {
  const pem = /-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----/.exec(text);
  if (!pem) return text.trim();
  const body = (pem[1] ?? '').replace(/\s+/g, '');
  return `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`;
}

const PLACE: Readonly<Record<KeyField, KeyFieldId>> = {
  label: 'label',
  publicKey: 'publicKey',
  tier: 'tier',
  ipList: 'ipText',
  allowedExchanges: 'accounts',
  keys: 'review',
};

/** Returns the field in which a problem is corrected; the review if there is no such field. */
export function placeOf({ field }: KeyProblem): KeyFieldId {
  return PLACE[field];
}

/** Adds one account to the choice, or removes it; keeps the order of `accounts`. */
export function toggled(
  chosen: readonly string[],
  id: string,
  accounts: readonly string[],
): readonly string[] {
  return accounts.filter((entry) => (entry === id) !== chosen.includes(entry));
}

/** Returns the problems that are shown: those of empty fields only after the review was asked for. */
export function shownProblems(
  draft: KeyDraft,
  problems: readonly KeyProblem[],
  tried: boolean,
): readonly KeyProblem[] {
  const begun: Readonly<Record<KeyField, boolean>> = {
    label: draft.label !== '',
    publicKey: draft.publicKey !== '',
    tier: true,
    ipList: draft.ipText !== '',
    allowedExchanges: draft.chosen.length > 0,
    keys: true,
  };
  return problems.filter(({ field }) => tried || begun[field]);
}

/** The form of a new key: generated here, or registered with the public half of a key. */
export interface KeyForm {
  readonly kind: 'key-form';
  readonly mode: KeyMode;
  readonly draft: KeyDraft;
  readonly field: KeyFieldId;
  /** The desk's problems with the draft `checked`. */
  readonly problems: readonly KeyProblem[];
  /** The draft that was checked last; null before the first response. */
  readonly checked: KeyDraft | null;
  /** The review was asked for: problems of empty fields are shown, too. */
  readonly tried: boolean;
  /** The refusal of the last attempt. */
  readonly refusal: string | null;
}

export type KeyAction =
  | { readonly type: 'generate'; readonly settings: KeySettings }
  | { readonly type: 'register'; readonly settings: KeySettings; readonly publicKey: string }
  | { readonly type: 'revoke'; readonly id: string }
  | { readonly type: 'revoke-marked'; readonly ids: readonly string[] };

declare module '../state/ui.ts' {
  interface Dialogs {
    readonly keys: KeyForm;
  }
  interface Actions {
    readonly keys: KeyAction;
  }
}
