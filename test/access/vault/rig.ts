/**
 * A vault on a real store, with a clock that is set by hand, a cheap derivation, and a record of every Buffer
 * that it made or was given.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type SecretUse, Vault } from '../../../src/access/vault/vault.ts';
import type { Row } from '../../../src/domain/rows.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';

export const GOOD = 'correct horse battery';
export const OTHER = 'staple correct horse';

export const USE: SecretUse = {
  connection: 'binance',
  venue: 'binance',
  environment: 'live',
  field: 'secret',
  origins: ['https://api.binance.com', 'wss://stream.binance.com:9443'],
};

export function vaultRig(file = ':memory:') {
  const store = openSqliteStore(file);
  const rig = {
    store,
    now: 0,
    /** Derivations under way now, the most at the same time, and in all. */
    deriving: { now: 0, most: 0, all: 0 },
    /** The vault's derived keys and random bytes. */
    held: [] as Buffer[],
    /** Called while a key is derived, and before rows are stored. */
    onDerive: () => {},
    onStore: (_rows: readonly Row[]) => {},
    vault: null as unknown as Vault,
    commit: (rows: readonly Row[]) => store.commit(rows),
    /** Starts a new process on the same store. */
    restart: () => {
      rig.vault = make();
    },
  };
  const make = () =>
    new Vault({
      stored: () => store.vault(),
      store: async (rows) => {
        rig.onStore(rows);
        store.commit(rows);
      },
      monotonic: () => rig.now,
      randomBytes: (size) => {
        const bytes = randomBytes(size);
        // The first byte distinguishes it from a buffer of zeros.
        bytes[0] = 1;
        rig.held.push(bytes);
        return bytes;
      },
      derive: async (passphrase, salt) => {
        const { deriving } = rig;
        deriving.all += 1;
        deriving.now += 1;
        deriving.most = Math.max(deriving.most, deriving.now);
        await new Promise(setImmediate);
        rig.onDerive();
        const key = createHash('sha256').update(passphrase).update(salt).digest();
        rig.held.push(key);
        deriving.now -= 1;
        return key;
      },
    });
  rig.restart();
  return rig;
}

export type VaultRig = ReturnType<typeof vaultRig>;

export function bytes(text: string): Buffer {
  const buffer = Buffer.alloc(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}

/** An open vault with `secrets`, by field, sealed for the use. */
export async function openVault(secrets: Readonly<Record<string, string>> = {}, file?: string) {
  const rig = vaultRig(file);
  const made = await rig.vault.init(bytes(GOOD));
  if (!made.ok) throw new Error(made.error.message);
  for (const [field, secret] of Object.entries(secrets)) sealed(rig, { ...USE, field }, secret);
  return rig;
}

export function sealed(rig: VaultRig, use: SecretUse, secret: string): void {
  const rows = rig.vault.seal(use, bytes(secret));
  if (!rows.ok) throw new Error(rows.error.message);
  rig.commit(rows.data);
}

/** Returns the secret, or why there is none. */
export function opened(rig: VaultRig, use: SecretUse): string {
  const found = rig.vault.open(use.connection, use.field, use);
  return found.ok ? `secret ${found.secret.toString()}` : found.why;
}
