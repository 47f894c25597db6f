import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SealedSecret, SecretUse, VaultKey } from '../../../src/domain/vault.ts';
import { bytes, GOOD, opened, openVault, sealed, USE, type VaultRig } from './rig.ts';

const name = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
const use: fc.Arbitrary<SecretUse> = fc.record({
  connection: name,
  venue: name,
  environment: name,
  field: name,
  origins: fc.array(fc.webUrl(), { maxLength: 5 }),
});
const secret = fc
  .string({ minLength: 1, maxLength: 200, unit: 'binary' })
  .filter((text) => text.isWellFormed());

/** The store's copy of the only secret, as the row that would put it there. */
function storedSecret(rig: VaultRig, of: SecretUse): SealedSecret {
  const row = rig.store
    .vault()
    .secrets.find((one) => one.connection === of.connection && one.field === of.field);
  const doc = row?.doc as SealedSecret;
  return { ...doc, use: { ...doc.use, connection: of.connection, field: of.field } };
}

function flipped(text: string, at: number, bit: number): string {
  const index = at % text.length;
  const code = text.charCodeAt(index) ^ (1 << bit);
  return text.slice(0, index) + String.fromCharCode(code) + text.slice(index + 1);
}

describe('a sealed secret', () => {
  it('opens for its own use, addresses in any order, and for no other', async () => {
    const rig = await openVault();
    fc.assert(
      fc.property(use, use, secret, (own, other, text) => {
        sealed(rig, own, text);
        const found = rig.vault.open(own.connection, own.field, {
          ...own,
          origins: [...own.origins].reverse(),
        });
        expect(found.ok && found.secret.toString()).toBe(text);
        for (const part of ['venue', 'environment', 'origins', 'connection', 'field'] as const) {
          const changed = { ...own, [part]: other[part] };
          const isSame =
            JSON.stringify([changed, [...changed.origins].sort()]) ===
            JSON.stringify([{ ...own, [part]: own[part] }, [...own.origins].sort()]);
          if (isSame) continue;
          expect(rig.vault.open(own.connection, own.field, changed)).toMatchObject({
            ok: false,
            why: 'other use',
          });
        }
        rig.commit(rig.vault.forget(own.connection));
      }),
      { numRuns: 200 },
    );
  });

  it('does not open with any bit of any stored field flipped', async () => {
    const rig = await openVault();
    const text = fc.constantFrom('nonce', 'sealed', 'venue', 'environment', 'origins');
    fc.assert(
      fc.property(secret, text, fc.nat(), fc.integer({ min: 0, max: 6 }), (plain, part, at, bit) => {
        sealed(rig, USE, plain);
        const row = storedSecret(rig, USE);
        const changed: SealedSecret =
          part === 'nonce' || part === 'sealed'
            ? { ...row, [part]: flipped(row[part], at, bit) }
            : part === 'origins'
              ? { ...row, use: { ...row.use, origins: row.use.origins.map((one) => flipped(one, at, bit)) } }
              : { ...row, use: { ...row.use, [part]: flipped(row.use[part as 'venue'], at, bit) } };
        rig.commit([{ kind: 'vault-secret', secret: changed }]);
        // The secret is asked for under its own use, and under the use that the changed row claims.
        const inClear = part === 'nonce' || part === 'sealed';
        expect(rig.vault.open('binance', 'secret', changed.use)).toEqual({ ok: false, why: 'damaged' });
        if (inClear) expect(opened(rig, USE)).toBe('damaged');
        else expect(rig.vault.reseal('binance', changed.use.origins, []).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('of one place is worth nothing in another', async () => {
    const rig = await openVault({ apiKey: 'a', secret: 'b' });
    const elsewhere = { ...USE, connection: 'okx' };
    sealed(rig, elsewhere, 'c');
    const all = [{ ...USE, field: 'apiKey' }, USE, elsewhere];
    const rows = all.map((one) => storedSecret(rig, one));
    for (const [from, row] of rows.entries())
      for (const [to, place] of all.entries()) {
        if (from === to) continue;
        rig.commit([{ kind: 'vault-secret', secret: { ...row, use: place } }]);
        expect(opened(rig, place)).toBe('damaged');
        rig.commit([{ kind: 'vault-secret', secret: rows[to] as SealedSecret }]);
      }
    expect(all.map((one) => opened(rig, one))).toEqual(['secret a', 'secret b', 'secret c']);
  });

  it('never has its text in what is stored, and never the same bytes twice', async () => {
    const rig = await openVault();
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.string({ minLength: 12, maxLength: 60 }), (text) => {
        const rows = rig.vault.seal(USE, bytes(text));
        if (!rows.ok) throw new Error(rows.error.message);
        const stored = JSON.stringify(rows.data);
        for (const form of ['utf8', 'base64', 'hex'] as const)
          expect(stored).not.toContain(Buffer.from(text).toString(form).slice(0, 12));
        expect(seen.has(stored)).toBe(false);
        seen.add(stored);
      }),
    );
  });
});

describe('a document of the store that is not as it was written', () => {
  const documents = fc.oneof(
    fc.json().map((text) => JSON.parse(text) as unknown),
    fc.constant(null),
  );

  it('is damaged, and nothing else', async () => {
    const rig = await openVault({ secret: 's' });
    fc.assert(
      fc.property(documents, (doc) => {
        const vault = rig.store.vault();
        const row = { connection: 'binance', field: 'secret', doc };
        vaultOn(rig, { ...vault, secrets: [row] });
        expect(opened(rig, USE)).toBe('damaged');
        expect(rig.vault.sealedFor('binance')).toBeNull();
      }),
    );
  });

  it('as the key opens nothing, costs nothing and is not counted', async () => {
    const rig = await openVault();
    const key = rig.store.vault().key?.doc as VaultKey;
    const damaged: unknown[] = [
      null,
      [],
      { ...key, format: 2 },
      { ...key, memory: 4 * 1024 * 1024 },
      { ...key, memory: 31 },
      { ...key, memory: '65536' },
      { ...key, passes: 1_000 },
      { ...key, passes: 0 },
      { ...key, lanes: 1_000 },
      { ...key, lanes: 1.5 },
      { ...key, salt: '' },
      { ...key, salt: 'AAAA' },
      { ...key, wrapped: 'x'.repeat(300) },
      { ...key, nonce: 7 },
    ];
    rig.vault.lock();
    for (const doc of damaged) {
      const { all } = rig.deriving;
      vaultOn(rig, { key: { doc }, secrets: [] });
      expect(await rig.vault.unlock(bytes(GOOD))).toMatchObject({
        ok: false,
        error: { code: 'INTERNAL_ERROR' },
      });
      expect(rig.deriving.all).toBe(all);
      expect(rig.vault.waitMs).toBe(0);
    }
  });

  it('as a key with any bit flipped does not open', async () => {
    const rig = await openVault();
    const key = rig.store.vault().key?.doc as VaultKey;
    rig.vault.lock();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('salt', 'nonce', 'wrapped', 'memory', 'passes', 'lanes'),
        fc.nat(),
        fc.integer({ min: 0, max: 6 }),
        async (part, at, bit) => {
          const before = key[part as 'salt'] as string | number;
          const after = typeof before === 'number' ? before ^ (1 << bit) : flipped(before, at, bit);
          vaultOn(rig, { key: { doc: { ...key, [part]: after } }, secrets: [] });
          rig.now += 60_000;
          expect((await rig.vault.unlock(bytes(GOOD))).ok).toBe(false);
          expect(rig.vault.state).toBe('locked');
        },
      ),
      { numRuns: 300 },
    );
    vaultOn(rig, { key: { doc: key }, secrets: [] });
    rig.now += 60_000;
    expect((await rig.vault.unlock(bytes(GOOD))).ok).toBe(true);
  });
});

/** A new vault whose store holds this. */
function vaultOn(rig: VaultRig, stored: ReturnType<VaultRig['store']['vault']>): void {
  rig.store.vault = () => stored;
}
