/**
 * All API keys, active and revoked, and the rules for adding and revoking them (D44; specification, "Keys and
 * permissions"). Pure state: it returns the rows to store, the desk commits them. Keys are replaced, never changed in
 * place, so a row handed out stays as it was.
 */
import type { AccessKey } from '../domain/access-key.ts';
import { OWNER, type Tier } from '../domain/actor.ts';
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import type { Row } from '../domain/rows.ts';
import { checkPublicKey } from './key-form.ts';

/** Specification, "Keys and permissions". */
export const MAX_ACTIVE_KEYS = 10;
const LABEL_LENGTH = 50;
/** "Last used" is stored at most this often per key and address; in memory it is exact. */
const TOUCH_ROW_EVERY_MS = 10_000;
/** No control, format, private-use, unpaired or separator characters: a label is shown in terminals. */
const LABEL_FORM = /^[^\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+$/u;

export interface NewKey {
  readonly label: string;
  readonly tier: Tier;
  /** Default: the desk's owner (S27). */
  readonly user?: string;
}

export interface KeyChange {
  readonly key: AccessKey;
  readonly rows: Row[];
}

export class KeyRegistry {
  readonly #keys = new Map<string, AccessKey>();
  /** When each key's use was last given out as a row. */
  readonly #storedUse = new Map<string, number>();

  constructor(stored: Iterable<AccessKey> = []) {
    for (const key of stored) this.#keys.set(key.id, { ...key });
  }

  /** Adds a key. `publicKeyText`: 43 characters or a public-key PEM. */
  register(settings: NewKey, publicKeyText: string, now: number): Outcome<KeyChange> {
    const user = settings.user ?? OWNER;
    const problem = this.settingsProblem(settings);
    if (problem) return problem;
    const form = checkPublicKey(publicKeyText);
    if ('problem' in form) return refuse('INVALID_REQUEST', form.problem);
    const existing = this.#keys.get(form.id);
    if (existing) return refuse('CONFLICT', existingWords(existing, user));
    const key: AccessKey = {
      id: form.id,
      user,
      label: cleanLabel(settings.label),
      tier: settings.tier,
      ipList: null,
      allowedExchanges: null,
      createdAt: now,
      revokedAt: null,
      lastUsedAt: null,
      lastUsedFrom: null,
    };
    return ok(this.#put(key));
  }

  /** The refusal a registration with these settings would get whatever its key; ask before generating a key file. */
  settingsProblem(settings: NewKey): ReturnType<typeof refuse> | null {
    const label = cleanLabel(settings.label);
    const length = [...label].length;
    if (length === 0) return refuse('INVALID_REQUEST', 'label: give the key a name of 1 to 50 characters');
    if (length > LABEL_LENGTH) {
      return refuse('INVALID_REQUEST', `label: ${length} characters; at most ${LABEL_LENGTH}`);
    }
    if (!LABEL_FORM.test(label)) {
      return refuse('INVALID_REQUEST', 'label: has invisible or control characters; use printable ones');
    }
    const active = this.list(settings.user ?? OWNER).filter((key) => key.revokedAt === null);
    if (active.length >= MAX_ACTIVE_KEYS) {
      return refuse('CONFLICT', `${MAX_ACTIVE_KEYS} keys are active, which is the most; revoke one first`);
    }
    if (active.some((key) => key.label === label)) {
      return refuse('CONFLICT', `label: an active key is already called ${label}; choose another name`);
    }
    return null;
  }

  /** Ends a key for good, at once. With `user`, only a key of that user. */
  revoke(id: string, now: number, user?: string): Outcome<KeyChange> {
    const key = this.#keys.get(id);
    if (!key || (user !== undefined && key.user !== user)) {
      return refuse('NOT_FOUND', `no key ${id.slice(0, 8)} is registered`);
    }
    if (key.revokedAt !== null) return refuse('CONFLICT', `the key ${key.label} was revoked already`);
    this.#storedUse.delete(id);
    return ok(this.#put({ ...key, revokedAt: now }));
  }

  /** The key while it may sign; null when unknown or revoked. */
  active(id: string): AccessKey | null {
    const key = this.#keys.get(id);
    return key && key.revokedAt === null ? key : null;
  }

  /** A user's keys, revoked ones too, oldest first. */
  list(user: string = OWNER): AccessKey[] {
    return [...this.#keys.values()]
      .filter((key) => key.user === user)
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  /**
   * Notes the use of an active key. The row, when there is one, may ride along with the next commit; null when the
   * last one is recent enough or the key is not active.
   */
  touch(id: string, from: string, now: number): Row | null {
    const key = this.active(id);
    if (!key) return null;
    const used: AccessKey = { ...key, lastUsedAt: now, lastUsedFrom: from };
    this.#keys.set(id, used);
    const stored = this.#storedUse.get(id);
    if (stored !== undefined && Math.abs(now - stored) < TOUCH_ROW_EVERY_MS && key.lastUsedFrom === from) {
      return null;
    }
    this.#storedUse.set(id, now);
    return { kind: 'key', key: used };
  }

  #put(key: AccessKey): KeyChange {
    this.#keys.set(key.id, key);
    return { key, rows: [{ kind: 'key', key }] };
  }
}

/** One form per label, so that two that look alike are alike. */
function cleanLabel(label: string): string {
  return label.trim().normalize('NFC');
}

function existingWords(existing: AccessKey, user: string): string {
  if (existing.user !== user) return 'this public key belongs to another user; generate a new one';
  if (existing.revokedAt !== null) {
    return `this public key was revoked (it was called ${existing.label}) and stays so; generate a new one`;
  }
  return `this public key is registered already, as ${existing.label}`;
}
