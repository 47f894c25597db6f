/** The form of a new key while it is filled in: its fields, the settings it asks for, and where each problem belongs. Pure. */
import type { KeyField, KeyProblem, KeySettings } from '../../domain/access-key.ts';
import type { Tier } from '../../domain/actor.ts';

export type KeyMode = 'generate' | 'paste';

/** One line each; an exchange account has a line of its own to be chosen in. */
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
  /** Whether there is an address list at all. */
  readonly addresses: 'any' | 'listed';
  /** Its entries as typed, apart by blanks or commas. */
  readonly ipText: string;
  /** Whether there is a shield at all. */
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

/** What a tier lets a program do, for people. */
export const TIER_WORDS: Readonly<Record<Tier, string>> = {
  read: 'sees orders, balances, positions and bots',
  trade: 'reads; changes orders, leverage, margin, bots',
  full: 'may do everything the API offers',
};

/** The fields that apply, in order. */
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

/** The account that a line of the form is about. */
export function accountOf(field: KeyFieldId): string | null {
  return field.startsWith('account:') ? field.slice('account:'.length) : null;
}

/** The entries of an address list as typed. */
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

/** A pasted PEM has lost its line ends to the one-line field: they are put back. */
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

/** The field in which a problem is put right; the review for what no field can. */
export function placeOf({ field }: KeyProblem): KeyFieldId {
  return PLACE[field];
}

/** A choice of one account taken or given back, in the order of `accounts`. */
export function toggled(
  chosen: readonly string[],
  id: string,
  accounts: readonly string[],
): readonly string[] {
  return accounts.filter((entry) => (entry === id) !== chosen.includes(entry));
}

/** What is told while it is typed: not of fields that are still empty, unless the review was asked for. */
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

/** A key to be generated here, or the public half of one to be registered. */
export interface KeyForm {
  readonly kind: 'key-form';
  readonly mode: KeyMode;
  readonly draft: KeyDraft;
  readonly field: KeyFieldId;
  /** The desk's word on `checked`. */
  readonly problems: readonly KeyProblem[];
  /** The draft that was judged last; null before the first answer. */
  readonly checked: KeyDraft | null;
  /** The review was asked for: empty fields are told of, too. */
  readonly tried: boolean;
  /** Refusal of the last attempt. */
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
