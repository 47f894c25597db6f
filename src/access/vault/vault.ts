/**
 * The vault (money-at-risk.md 2): secrets of connections, sealed in the store under a random data key, which
 * is wrapped by a key from the passphrase. A locked vault opens nothing. It never shows, logs or returns a
 * passphrase or the data key, and fills every Buffer that it holds or is given with zeros after use.
 */
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { Row } from '../../domain/rows.ts';
import type { SealedSecret, SecretUse, StoredVault, VaultKey } from '../../domain/vault.ts';
import { BackOff } from './back-off.ts';
import { COST, type Cost, type Derive, deriveKey, SALT_BYTES } from './derive.ts';
import { composed, passphraseProblem } from './passphrase.ts';
import { boundToCost, boundToUse, FORMAT, isUse, readKey, readSecret } from './records.ts';
import { fromText, KEY_BYTES, NONCE_BYTES, sealBytes, toText, unsealBytes } from './sealing.ts';

export type { SecretUse } from '../../domain/vault.ts';

export type VaultState = 'none' | 'locked' | 'open';

/** A secret that was asked for, which the caller fills with zeros after use; or why there is none. */
export type Opened =
  | { readonly ok: true; readonly secret: Buffer }
  | { readonly ok: false; readonly why: 'locked' | 'absent' | 'damaged' }
  /** The secret was sealed for another use: the configuration has changed since. */
  | { readonly ok: false; readonly why: 'other use'; readonly sealedFor: SecretUse };

export interface VaultPorts {
  /** What is stored now: the vault keeps no copy, so a failed store leaves nothing behind. */
  readonly stored: () => StoredVault;
  /** Resolves once the rows are durable; rejects when they could not be stored. */
  readonly store: (rows: Row[]) => Promise<void>;
  /** The monotonic clock, ms. */
  readonly monotonic: () => number;
  readonly randomBytes: (size: number) => Buffer;
  /** Replaces Argon2id and its cost in tests. */
  readonly derive?: Derive;
  readonly cost?: Cost;
}

/** Longest secret, bytes: an RSA key as PEM is far shorter. */
export const MOST_SECRET_BYTES = 16_384;
/** Most callers that may wait with a passphrase. */
const MOST_WAITING = 8;

const LOCKED = 'the vault is locked';
const NONE = 'there is no vault yet: outcry vault init makes one';
const DAMAGED = "the vault's key in the store is damaged: put the database back from a copy, or connect anew";
const UNSTORED = 'could not be stored; try again';

export class Vault {
  readonly #ports: VaultPorts;
  readonly #backOff: BackOff;
  readonly #listeners = new Set<() => void>();
  #dataKey: Buffer | null = null;
  #made = false;
  /** Counts the locks: an opening that began before a lock does not open the vault after it. */
  #locks = 0;
  #waiting = 0;
  /** What was stored at the end; null: the vault has not ended. */
  #last: StoredVault | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ports: VaultPorts) {
    this.#ports = ports;
    this.#backOff = new BackOff(ports.monotonic);
  }

  get state(): VaultState {
    if (this.#dataKey) return 'open';
    this.#made ||= this.#stored().key !== null;
    return this.#made ? 'locked' : 'none';
  }

  /** Time until the next passphrase may be tried, ms; 0: at once. */
  get waitMs(): number {
    return this.#backOff.waitMs;
  }

  /** Makes the vault and leaves it open. `avoid`: names that are not accepted as passphrase. */
  init(given: Buffer, avoid: readonly string[] = []): Promise<Outcome<null>> {
    const locks = this.#locks;
    return this.#inTurn([given], async (passphrase) => {
      if (this.#stored().key)
        return refuse('CONFLICT', 'there is a vault already: outcry vault change sets another passphrase');
      const problem = passphraseProblem(passphrase, avoid);
      if (problem !== null) return refuse('INVALID_REQUEST', problem);
      const dataKey = this.#ports.randomBytes(KEY_BYTES);
      let isStored = false;
      try {
        isStored = await this.#store([{ kind: 'vault-key', key: await this.#wrap(dataKey, passphrase) }]);
      } finally {
        if (!isStored) dataKey.fill(0);
      }
      if (!isStored) return refuse('SERVICE_UNAVAILABLE', `the vault ${UNSTORED}`);
      this.#openWith(dataKey, locks);
      return ok(null);
    });
  }

  unlock(given: Buffer): Promise<Outcome<null>> {
    const locks = this.#locks;
    return this.#inTurn([given], async (passphrase) => {
      const opened = await this.#unwrap(passphrase);
      if (!opened.ok) return opened;
      if (this.#openWith(opened.data, locks)) return ok(null);
      return refuse('CONFLICT', 'the vault was locked while it was being opened; unlock it again');
    });
  }

  /** Locks at once; an unlocking under way does not open the vault any more. */
  lock(): void {
    this.#locks += 1;
    const dataKey = this.#dataKey;
    this.#dataKey = null;
    dataKey?.fill(0);
    if (dataKey) this.#changed();
  }

  /** Locks for good: the store is about to be closed, and its last content is kept. */
  end(): void {
    this.lock();
    try {
      this.#last = this.#stored();
    } catch {
      // The store cannot be read any more: the vault counts as empty.
      this.#last = { key: null, secrets: [] };
    }
  }

  /** Wraps the data key under a new passphrase; the secrets and the state stay as they are. */
  change(givenOld: Buffer, given: Buffer, avoid: readonly string[] = []): Promise<Outcome<null>> {
    return this.#inTurn([givenOld, given], async (old, passphrase) => {
      const problem = passphraseProblem(passphrase, avoid);
      if (problem !== null) return refuse('INVALID_REQUEST', `new passphrase: ${problem}`);
      const opened = await this.#unwrap(old);
      if (!opened.ok) return opened;
      if (old.equals(passphrase)) {
        opened.data.fill(0);
        return refuse('INVALID_REQUEST', 'the new passphrase is the old one; use another one');
      }
      const key = await this.#wrap(opened.data, passphrase).finally(() => opened.data.fill(0));
      if (await this.#store([{ kind: 'vault-key', key }])) return ok(null);
      return refuse('SERVICE_UNAVAILABLE', `the new passphrase ${UNSTORED}; until then the old one holds`);
    });
  }

  /** Returns rows for the caller to commit; 503 while locked. Fills `secret` with zeros, sealed or not. */
  seal(use: SecretUse, secret: Buffer): Outcome<Row[]> {
    try {
      if (!this.#dataKey) return this.#closed();
      if (!isUse(use))
        return refuse('INVALID_REQUEST', 'the connection has names or addresses that are too long');
      if (secret.length === 0 || secret.length > MOST_SECRET_BYTES)
        return refuse('INVALID_REQUEST', `${use.field}: takes 1 to ${MOST_SECRET_BYTES} bytes`);
      return ok([this.#sealed(this.#dataKey, use, secret)]);
    } finally {
      secret.fill(0);
    }
  }

  /** Opens a secret. The caller owns it and fills it with zeros. */
  open(connection: string, field: string, use: SecretUse): Opened {
    const row = this.#ports
      .stored()
      .secrets.find((one) => one.connection === connection && one.field === field);
    if (!row) return { ok: false, why: 'absent' };
    if (!this.#dataKey) return { ok: false, why: 'locked' };
    const record = readSecret(row);
    if (!record) return { ok: false, why: 'damaged' };
    const secret = unsealed(this.#dataKey, record, use);
    if (secret) return { ok: true, secret };
    const other = unsealed(this.#dataKey, record, record.use);
    other?.fill(0);
    return other ? { ok: false, why: 'other use', sealedFor: record.use } : { ok: false, why: 'damaged' };
  }

  /**
   * Returns what the first of the connection's secrets was sealed for, to show what has changed; null: there
   * is none. It can be trusted only if that secret opens.
   */
  sealedFor(connection: string): SecretUse | null {
    return this.#records(connection).find((record) => record !== null)?.use ?? null;
  }

  /** Returns the connection's sealed fields. */
  fieldsOf(connection: string): string[] {
    return this.#stored().secrets.flatMap((row) => (row.connection === connection ? [row.field] : []));
  }

  /** Returns the connections with sealed secrets, sorted. */
  connections(): string[] {
    return [...new Set(this.#stored().secrets.map(({ connection }) => connection))].sort();
  }

  /**
   * Returns rows that seal the connection's secrets for other addresses. `from`: the addresses that the owner
   * was shown; refused when the secrets are sealed for others.
   */
  reseal(connection: string, from: readonly string[], to: readonly string[]): Outcome<Row[]> {
    const dataKey = this.#dataKey;
    if (!dataKey) return this.#closed();
    const rows: Row[] = [];
    for (const record of this.#records(connection)) {
      const secret = record && unsealed(dataKey, record, record.use);
      if (!secret) return refuse('CONFLICT', `a secret of ${connection} is damaged; connect it anew`);
      const use = { ...record.use, origins: to };
      const isShown = boundToUse({ ...use, origins: from }) === boundToUse(record.use);
      if (isShown && isUse(use)) rows.push(this.#sealed(dataKey, use, secret));
      secret.fill(0);
      if (!isShown)
        return refuse('CONFLICT', `the addresses of ${connection} have changed meanwhile; look again`);
      if (!isUse(use))
        return refuse('INVALID_REQUEST', `the addresses of ${connection} are too many or too long`);
    }
    return rows.length > 0 ? ok(rows) : refuse('NOT_FOUND', `nothing of ${connection} is in the vault`);
  }

  /** Returns rows that remove all secrets of a connection; also while locked. */
  forget(connection: string): Row[] {
    return [{ kind: 'vault-forget', connection }];
  }

  /** Registers a listener for each change of `state` and `waitMs`. Returns a function that removes it. */
  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #stored(): StoredVault {
    return this.#last ?? this.#ports.stored();
  }

  #records(connection: string): (SealedSecret | null)[] {
    const rows = this.#stored().secrets.filter((row) => row.connection === connection);
    return rows.map(readSecret);
  }

  #sealed(dataKey: Buffer, given: SecretUse, secret: Buffer): Row {
    const use = { ...given, origins: [...given.origins].sort() };
    const nonce = this.#ports.randomBytes(NONCE_BYTES);
    const sealed = toText(sealBytes(dataKey, nonce, secret, boundToUse(use)));
    return { kind: 'vault-secret', secret: { format: FORMAT, use, nonce: toText(nonce), sealed } };
  }

  #closed(): ReturnType<typeof refuse> {
    return refuse('SERVICE_UNAVAILABLE', this.state === 'none' ? NONE : LOCKED);
  }

  /**
   * Runs one use of a passphrase at a time; each given passphrase is filled with zeros, whatever the outcome.
   */
  async #inTurn(
    given: readonly Buffer[],
    work: (...passphrases: Buffer[]) => Promise<Outcome<null>>,
  ): Promise<Outcome<null>> {
    const passphrases = given.map(composed);
    try {
      if (this.#waiting >= MOST_WAITING)
        return refuse('SERVICE_UNAVAILABLE', 'others are at the vault already; try again');
      this.#waiting += 1;
      const mine = this.#turn
        .then(() => work(...passphrases))
        .finally(() => {
          this.#waiting -= 1;
        });
      this.#turn = mine.catch(() => {});
      return await mine;
    } finally {
      for (const buffer of [...given, ...passphrases]) buffer.fill(0);
    }
  }

  /**
   * Unwraps the data key. The wait is checked when the turn has come: a caller queued behind a wrong
   * passphrase waits as well.
   */
  async #unwrap(passphrase: Buffer): Promise<Outcome<Buffer>> {
    const { key: row } = this.#stored();
    if (!row) return refuse('NOT_FOUND', NONE);
    const { waitMs } = this;
    if (waitMs > 0) return tooSoon(waitMs);
    const key = readKey(row.doc);
    const salt = key && fromText(key.salt);
    const nonce = key && fromText(key.nonce);
    const wrapped = key && fromText(key.wrapped);
    if (!salt || !nonce || !wrapped || salt.length !== SALT_BYTES) return refuse('INTERNAL_ERROR', DAMAGED);
    const wrapping = await this.#derive(passphrase, salt, key);
    const dataKey = unsealBytes(wrapping, nonce, wrapped, boundToCost(key, key.salt));
    wrapping.fill(0);
    if (dataKey?.length === KEY_BYTES) return ok(dataKey);
    this.#backOff.failed();
    this.#changed();
    return refuse(
      'FORBIDDEN',
      `the passphrase is wrong; the next one is looked at in ${seconds(this.waitMs)} s`,
    );
  }

  async #wrap(dataKey: Buffer, passphrase: Buffer): Promise<VaultKey> {
    const { memory, passes, lanes } = this.#ports.cost ?? COST;
    const salt = this.#ports.randomBytes(SALT_BYTES);
    const nonce = this.#ports.randomBytes(NONCE_BYTES);
    const cost = { memory, passes, lanes };
    const wrapping = await this.#derive(passphrase, salt, cost);
    const wrapped = sealBytes(wrapping, nonce, dataKey, boundToCost(cost, toText(salt)));
    wrapping.fill(0);
    return { format: FORMAT, ...cost, salt: toText(salt), nonce: toText(nonce), wrapped: toText(wrapped) };
  }

  #derive(passphrase: Buffer, salt: Buffer, cost: Cost): Promise<Buffer> {
    return (this.#ports.derive ?? deriveKey)(passphrase, salt, cost);
  }

  async #store(rows: Row[]): Promise<boolean> {
    try {
      await this.#ports.store(rows);
      return true;
    } catch {
      return false;
    }
  }

  /** Opens the vault. False: it was locked meanwhile, and stays locked. */
  #openWith(dataKey: Buffer, locks: number): boolean {
    const isWanted = locks === this.#locks;
    if (isWanted && !this.#dataKey) this.#dataKey = dataKey;
    else dataKey.fill(0);
    this.#changed();
    return isWanted;
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

function unsealed(dataKey: Buffer, { nonce, sealed }: SealedSecret, use: SecretUse): Buffer | null {
  const once = fromText(nonce);
  const bytes = fromText(sealed);
  return once && bytes && unsealBytes(dataKey, once, bytes, boundToUse(use));
}

function tooSoon(waitMs: number): ReturnType<typeof refuse> {
  const retryAfterS = seconds(waitMs);
  const message = `after wrong passphrases the vault waits: try again in ${retryAfterS} s`;
  return { ok: false, error: { code: 'RATE_LIMITED', message, retryAfterS } };
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
