/**
 * All API keys, active and revoked: adding, revoking, and records of their use (specification, "Keys and
 * permissions"). Pure state: it returns the rows to store, the desk commits them. Keys are replaced, never
 * changed in place, so a row handed out stays as it was. Every key belongs to one user, and no user finds
 * another's keys.
 *
 * Counts of use and refusals are exact in memory and are stored only now and then, as rows that go with the
 * next commit: no request forces one. After a crash counting goes on from the last stored row and may have
 * lost the few requests since; a clean stop stores what is missing (`unstored`).
 */
import {
  type AccessKey,
  countOne,
  type KeyProblem,
  type KeyRefusal,
  type KeySettings,
  UNUSED_KEY,
} from '../domain/access-key.ts';
import { OWNER } from '../domain/actor.ts';
import { type ErrorCode, type Outcome, ok, refuse } from '../domain/errors.ts';
import type { Row } from '../domain/rows.ts';
import { checkPublicKey } from './key-form.ts';
import { cleanIpList, cleanLabel, cleanShield, publicKeyProblems, settingsProblems } from './key-settings.ts';

/** Shortest time between two rows of a key's use from one address. */
const USE_ROW_EVERY_MS = 10_000;
/** The same when the address changes: where a key is used from is worth knowing after a crash. */
const MOVE_ROW_EVERY_MS = 1_000;

/** Fields that a row stored by an older version lacks. */
const OLDER = { ...UNUSED_KEY, ipList: null, allowedExchanges: null };

export interface NewKey extends KeySettings {
  /** The owner of the key; left out: the desk's owner (S27). */
  readonly user?: string;
}

export interface KeyOrigin {
  /** Ids of the user's exchange accounts; a shield names some of them. */
  readonly accounts?: readonly string[];
  /** Name of the private key's file, for a key generated here. */
  readonly file?: string;
}

export interface KeyChange {
  readonly key: AccessKey;
  readonly rows: Row[];
}

export class KeyRegistry {
  readonly #keys = new Map<string, AccessKey>();
  /** When each key's use was last returned as a row, and from which address. */
  readonly #stored = new Map<string, { readonly at: number; readonly from: string }>();
  /** Keys with use that no row has yet. */
  readonly #unstored = new Set<string>();

  /**
   * `before`: the registry that this one replaces; its knowledge of the keys' use counts, whatever was
   * stored.
   */
  constructor(stored: Iterable<AccessKey> = [], before?: KeyRegistry) {
    for (const row of stored) {
      const known = before ? before.#keys.get(row.id) : undefined;
      if (!known) {
        this.#keys.set(row.id, { ...OLDER, ...row });
        continue;
      }
      const { lastUsedAt, lastUsedFrom, counts, lastRefusal } = known;
      this.#keys.set(row.id, { ...OLDER, ...row, lastUsedAt, lastUsedFrom, counts, lastRefusal });
      this.#unstored.add(row.id);
    }
  }

  /** Adds a key. `publicKeyText`: 43 characters or a public-key PEM. */
  register(
    settings: NewKey,
    publicKeyText: string,
    now: number,
    { accounts, file }: KeyOrigin = {},
  ): Outcome<KeyChange> {
    const problem = this.problems(settings, accounts, publicKeyText)[0];
    if (problem) return refusal(problem);
    const form = checkPublicKey(publicKeyText);
    if ('problem' in form) return refuse('INVALID_REQUEST', form.problem);
    const key: AccessKey = {
      id: form.id,
      user: settings.user ?? OWNER,
      label: cleanLabel(settings.label),
      tier: settings.tier,
      ipList: cleanIpList(settings.ipList),
      allowedExchanges: cleanShield(settings.allowedExchanges),
      createdAt: now,
      ...UNUSED_KEY,
      file: file ?? null,
    };
    return ok(this.#put(key));
  }

  /**
   * Returns all problems of a registration; without a public key, only those that do not depend on the key.
   */
  problems(settings: NewKey, accounts: readonly string[] = [], publicKeyText?: string): KeyProblem[] {
    const user = settings.user ?? OWNER;
    const active = this.list(user).filter((key) => key.revokedAt === null);
    return [
      ...settingsProblems(settings, { active, accounts }),
      ...(publicKeyText === undefined
        ? []
        : publicKeyProblems(publicKeyText, user, (id) => this.#keys.get(id))),
    ];
  }

  /** Returns the refusal that these settings would get with any key; ask before generating a key file. */
  settingsProblem(settings: NewKey, accounts: readonly string[] = []): ReturnType<typeof refuse> | null {
    const problem = this.problems(settings, accounts)[0];
    return problem ? refusal(problem) : null;
  }

  /** Revokes a key, at once and for good. With `user`, only a key of that user. */
  revoke(id: string, now: number, user?: string): Outcome<KeyChange> {
    const key = this.#keys.get(id);
    if (!key || (user !== undefined && key.user !== user)) {
      return refuse('NOT_FOUND', `no key ${id.slice(0, 8)} is registered`);
    }
    if (key.revokedAt !== null) return refuse('CONFLICT', `the key ${key.label} was revoked already`);
    this.#stored.delete(id);
    return ok(this.#put({ ...key, revokedAt: now }));
  }

  /** Returns the key if it may sign; null when unknown or revoked. */
  active(id: string): AccessKey | null {
    const key = this.#keys.get(id);
    return key && key.revokedAt === null ? key : null;
  }

  /** Returns a user's key, active or revoked. */
  find(id: string, user: string): AccessKey | null {
    const key = this.#keys.get(id);
    return key && key.user === user ? key : null;
  }

  /** Returns a user's keys, revoked ones too, oldest first. */
  list(user: string = OWNER): AccessKey[] {
    return [...this.#keys.values()]
      .filter((key) => key.user === user)
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  /**
   * Counts one use of an active key. The row, if there is one, may go with the next commit; null when the
   * last row is recent enough or the key is not active.
   */
  touch(id: string, from: string, now: number): Row | null {
    const key = this.active(id);
    if (!key) return null;
    const counts = countOne(key.counts, now);
    return this.#use({ ...key, lastUsedAt: now, lastUsedFrom: from, counts }, from, now);
  }

  /** Notes that a request of an active key was refused; rows as with `touch`. */
  refused(id: string, code: ErrorCode, from: string, now: number): Row | null {
    const key = this.active(id);
    if (!key) return null;
    const lastRefusal: KeyRefusal = { code, at: now, from };
    return this.#use({ ...key, lastRefusal }, from, now);
  }

  /** Returns rows for uses that no row has yet, for a clean end. */
  unstored(): Row[] {
    const ids = [...this.#unstored];
    this.#unstored.clear();
    return ids.flatMap((id) => {
      const key = this.#keys.get(id);
      return key ? [{ kind: 'key' as const, key }] : [];
    });
  }

  #use(key: AccessKey, from: string, now: number): Row | null {
    this.#keys.set(key.id, key);
    this.#unstored.add(key.id);
    const last = this.#stored.get(key.id);
    const wait = last?.from === from ? USE_ROW_EVERY_MS : MOVE_ROW_EVERY_MS;
    if (last && Math.abs(now - last.at) < wait) return null;
    this.#stored.set(key.id, { at: now, from });
    this.#unstored.delete(key.id);
    return { kind: 'key', key };
  }

  #put(key: AccessKey): KeyChange {
    this.#keys.set(key.id, key);
    this.#unstored.delete(key.id);
    return { key, rows: [{ kind: 'key', key }] };
  }
}

function refusal({ field, code, message }: KeyProblem): ReturnType<typeof refuse> {
  return refuse(code, field === 'keys' || field === 'publicKey' ? message : `${field}: ${message}`);
}
