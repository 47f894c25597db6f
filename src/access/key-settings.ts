/**
 * The rules of a key's registration (specification, "Keys and permissions"; D44, D45). All problems are named
 * at once, field by field, so that a form can show them while it is filled in. The input comes from a
 * terminal over a socket: its types are not trusted. Pure.
 */
import type { AccessKey, KeyProblem, KeySettings } from '../domain/access-key.ts';
import type { Tier } from '../domain/actor.ts';
import { canonicalCidr, ipListProblem, MAX_IP_ENTRIES } from './address.ts';
import { checkPublicKey } from './key-form.ts';

/** Most active keys of a user, and most characters of a label (specification, "Keys and permissions"). */
export const MAX_ACTIVE_KEYS = 10;
const LABEL_LENGTH = 50;
/**
 * A label without control, format, private-use, unpaired or separator characters, since terminals show it.
 */
const LABEL_FORM = /^[^\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+$/u;
const TIERS: readonly Tier[] = ['read', 'trade', 'full'];

/** Where a key is to be registered. */
export interface KeySurroundings {
  /** The user's own active keys. */
  readonly active: readonly AccessKey[];
  /** Ids of the user's exchange accounts. */
  readonly accounts: readonly string[];
}

/** The problems of these settings, whatever the key. */
export function settingsProblems(settings: KeySettings, around: KeySurroundings): KeyProblem[] {
  return [
    ...placeProblems(around.active),
    ...labelProblems(settings.label, around.active),
    ...tierProblems(settings.tier),
    ...ipListProblems(settings.ipList),
    ...exchangeProblems(settings.allowedExchanges, around.accounts),
  ];
}

/** The problems of a pasted public key; `existing` finds a registered key by its id. */
export function publicKeyProblems(
  text: string,
  user: string,
  existing: (id: string) => AccessKey | undefined,
): KeyProblem[] {
  const form = checkPublicKey(typeof text === 'string' ? text : '');
  if ('problem' in form) return [wrong('publicKey', form.problem)];
  const key = existing(form.id);
  return key ? [taken('publicKey', existingWords(key, user))] : [];
}

/** One form for each label, so that labels that look alike are equal. */
export function cleanLabel(label: string): string {
  return label.trim().normalize('NFC');
}

/** An IP list without problems as it is stored: every entry in its canonical form; null: any address. */
export function cleanIpList(list: KeySettings['ipList']): readonly string[] | null {
  if (!list) return null;
  return list.map((text) => {
    const read = canonicalCidr(text.trim());
    if ('problem' in read) throw new Error(`an address that was not judged: ${read.problem}`);
    return read.cidr;
  });
}

/** A shield without problems as it is stored; null: all accounts. */
export function cleanShield(list: KeySettings['allowedExchanges']): readonly string[] | null {
  return list ? [...new Set(list)].sort() : null;
}

function wrong(field: KeyProblem['field'], message: string): KeyProblem {
  return { field, code: 'INVALID_REQUEST', message };
}

function taken(field: KeyProblem['field'], message: string): KeyProblem {
  return { field, code: 'CONFLICT', message };
}

function placeProblems(active: readonly AccessKey[]): KeyProblem[] {
  if (active.length < MAX_ACTIVE_KEYS) return [];
  return [taken('keys', `${MAX_ACTIVE_KEYS} keys are active, which is the most; revoke one first`)];
}

function labelProblems(given: unknown, active: readonly AccessKey[]): KeyProblem[] {
  const label = typeof given === 'string' ? cleanLabel(given) : '';
  const length = [...label].length;
  if (length === 0) return [wrong('label', 'give the key a name of 1 to 50 characters')];
  if (length > LABEL_LENGTH) return [wrong('label', `${length} characters; at most ${LABEL_LENGTH}`)];
  if (!LABEL_FORM.test(label)) {
    return [wrong('label', 'has invisible or control characters; use printable ones')];
  }
  if (active.some((key) => key.label === label)) {
    return [taken('label', `an active key is already called ${label}; choose another name`)];
  }
  return [];
}

function tierProblems(tier: unknown): KeyProblem[] {
  return TIERS.some((known) => known === tier) ? [] : [wrong('tier', `must be one of ${TIERS.join(', ')}`)];
}

function ipListProblems(list: unknown): KeyProblem[] {
  if (list === null || list === undefined) return [];
  if (!isTexts(list)) return [wrong('ipList', 'must be a list of addresses and CIDR ranges')];
  if (list.length === 0 || list.length > MAX_IP_ENTRIES) return [wrong('ipList', ipListProblem(list) ?? '')];
  const seen = new Set<string>();
  return list.flatMap((text, entry) => {
    const read = canonicalCidr(text.trim());
    const again = 'cidr' in read && seen.size === seen.add(read.cidr).size;
    if ('cidr' in read && !again) return [];
    const problem = 'problem' in read ? read.problem : `is on the list already, as ${read.cidr}`;
    return [{ ...wrong('ipList', `${quoted(text.trim())} ${problem}`), entry }];
  });
}

function exchangeProblems(list: unknown, accounts: readonly string[]): KeyProblem[] {
  if (list === null || list === undefined) return [];
  if (!isTexts(list)) return [wrong('allowedExchanges', 'must be a list of exchange accounts')];
  if (list.length === 0) {
    return [wrong('allowedExchanges', 'choose at least one account: with none the key could touch nothing')];
  }
  const unknown = list.find((id) => !accounts.includes(id));
  if (unknown === undefined) return [];
  const known = accounts.length === 0 ? 'there is none yet' : `there are ${accounts.join(', ')}`;
  return [wrong('allowedExchanges', `there is no account ${quoted(unknown)}; ${known}`)];
}

/** Text for a sentence: bounded, and unable to break out of its quotes. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 50 ? `${text.slice(0, 50)}...` : text);
}

function isTexts(list: unknown): list is readonly string[] {
  return Array.isArray(list) && list.every((entry) => typeof entry === 'string');
}

function existingWords(existing: AccessKey, user: string): string {
  if (existing.user !== user) return 'this public key belongs to another user; generate a new one';
  if (existing.revokedAt !== null) {
    return `this public key was revoked (it was called ${existing.label}) and stays so; generate a new one`;
  }
  return `this public key is registered already, as ${existing.label}`;
}
