/** A vault that is opened and locked by a test: keeps what is sealed as rows of the store, and is as strict about its use. */
import type { ConnectionVault } from '../../../src/desk/connections/stage.ts';
import { recentSince } from '../../../src/desk/core/desk-core.ts';
import { type Outcome, ok, refuse } from '../../../src/domain/errors.ts';
import type { Row } from '../../../src/domain/rows.ts';
import type { SecretUse } from '../../../src/domain/vault.ts';
import type { Store } from '../../../src/store/store.ts';

interface Sealed {
  readonly use: SecretUse;
  readonly bytes: string;
}

const PREFIX = 'test-sealed ';
/** What is stored is not the secret. */
const MASK = 0x5a;

export class TestVault implements ConnectionVault {
  state: ConnectionVault['state'];
  /** Given out, to see them end. */
  readonly given: Buffer[] = [];
  readonly #store: Store;
  readonly #listeners = new Set<() => void>();

  constructor(store: Store, state: ConnectionVault['state'] = 'open') {
    this.#store = store;
    this.state = state;
  }

  set(state: ConnectionVault['state']): void {
    this.state = state;
    for (const listener of this.#listeners) listener();
  }

  seal(use: SecretUse, secret: Buffer): Outcome<Row[]> {
    const bytes = masked(secret).toString('base64');
    secret.fill(0);
    if (this.state !== 'open') return refuse('SERVICE_UNAVAILABLE', 'the vault is locked');
    return ok([{ kind: 'meta', name: `${PREFIX}${use.connection} ${use.field}`, value: { use, bytes } }]);
  }

  open(connection: string, field: string, use: SecretUse): ReturnType<ConnectionVault['open']> {
    const sealed = this.#sealed(connection).find((one) => one.use.field === field);
    if (!sealed) return { ok: false, why: 'absent' };
    if (this.state !== 'open') return { ok: false, why: 'locked' };
    if (JSON.stringify(sealed.use) !== JSON.stringify(use))
      return { ok: false, why: 'other use', sealedFor: sealed.use };
    const secret = masked(Buffer.from(sealed.bytes, 'base64'));
    this.given.push(secret);
    return { ok: true, secret };
  }

  sealedFor(connection: string): SecretUse | null {
    return this.#sealed(connection)[0]?.use ?? null;
  }

  connections(): string[] {
    return [...new Set(this.#all().map(({ use }) => use.connection))].sort();
  }

  reseal(connection: string, from: readonly string[], to: readonly string[]): Outcome<Row[]> {
    if (this.state !== 'open') return refuse('SERVICE_UNAVAILABLE', 'the vault is locked');
    const rows: Row[] = [];
    for (const { use, bytes } of this.#sealed(connection)) {
      if (use.origins.join() !== from.join()) return refuse('CONFLICT', 'look again');
      const name = `${PREFIX}${connection} ${use.field}`;
      rows.push({ kind: 'meta', name, value: { use: { ...use, origins: to }, bytes } });
    }
    return ok(rows);
  }

  forget(connection: string): Row[] {
    return this.#sealed(connection).map(({ use }) => ({
      kind: 'meta',
      name: `${PREFIX}${connection} ${use.field}`,
      value: null,
    }));
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #sealed(connection: string): Sealed[] {
    return this.#all().filter(({ use }) => use.connection === connection);
  }

  #all(): Sealed[] {
    const { meta } = this.#store.load(recentSince(Number.MAX_SAFE_INTEGER));
    return [...meta].flatMap(([name, value]) => (name.startsWith(PREFIX) ? [value as Sealed] : []));
  }
}

function masked(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => byte ^ MASK));
}
