import { createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Vault } from '../../../src/access/vault/vault.ts';
import type { Row } from '../../../src/domain/rows.ts';
import type { SealedSecret, VaultKey } from '../../../src/domain/vault.ts';
import { temporaryFolder } from '../../store/support.ts';
import { bytes, GOOD, OTHER, opened, openVault, sealed, USE, vaultRig } from './rig.ts';

const refused = (code: string, text: string) => ({
  ok: false,
  error: expect.objectContaining({ code, message: expect.stringContaining(text) }),
});

describe('a vault', () => {
  it('is made once, locked and opened', async () => {
    const rig = vaultRig();
    const { vault } = rig;
    expect(vault.state).toBe('none');
    expect(await vault.unlock(bytes(GOOD))).toEqual(refused('NOT_FOUND', 'outcry vault init'));
    expect(vault.seal(USE, bytes('s'))).toEqual(refused('SERVICE_UNAVAILABLE', 'no vault yet'));
    expect(await vault.init(bytes(GOOD))).toEqual({ ok: true, data: null });
    expect(vault.state).toBe('open');
    expect(await vault.init(bytes(OTHER))).toEqual(refused('CONFLICT', 'outcry vault change'));
    sealed(rig, USE, 'the secret');
    vault.lock();
    expect(vault.state).toBe('locked');
    expect(opened(rig, USE)).toBe('locked');
    expect(vault.seal(USE, bytes('s'))).toEqual(refused('SERVICE_UNAVAILABLE', 'the vault is locked'));
    expect(vault.reseal('binance', USE.origins, [])).toEqual(refused('SERVICE_UNAVAILABLE', 'locked'));
    expect(await vault.unlock(bytes(GOOD))).toEqual({ ok: true, data: null });
    expect(opened(rig, USE)).toBe('secret the secret');
  });

  it('is locked after a restart, and what is in it is known', async () => {
    const rig = await openVault({ apiKey: 'k', secret: 's' });
    rig.restart();
    expect(rig.vault.state).toBe('locked');
    expect(rig.vault.connections()).toEqual(['binance']);
    expect(rig.vault.fieldsOf('binance')).toEqual(['apiKey', 'secret']);
    expect(rig.vault.sealedFor('binance')).toEqual({ ...USE, field: 'apiKey' });
    expect(rig.vault.sealedFor('other')).toBeNull();
    await rig.vault.unlock(bytes(GOOD));
    expect(opened(rig, USE)).toBe('secret s');
    expect(opened(rig, { ...USE, field: 'passphrase' })).toBe('absent');
  });

  it('derives with Argon2id at a cost that is stored', async () => {
    const cost = { memory: 64, passes: 2, lanes: 2 };
    const rig = vaultRig();
    const ports = {
      stored: () => rig.store.vault(),
      store: async (rows: Row[]) => rig.store.commit(rows),
      monotonic: () => 0,
      randomBytes,
      cost,
    };
    await new Vault(ports).init(bytes(GOOD));
    expect(rig.store.vault().key?.doc).toMatchObject(cost);
    // The cost is another one by now: the stored cost counts.
    const later = new Vault({ ...ports, cost: { ...cost, passes: 3 } });
    expect(await later.unlock(bytes(GOOD))).toEqual({ ok: true, data: null });
    const made = await openVault();
    expect(made.store.vault().key?.doc).toMatchObject({ memory: 65_536, passes: 3, lanes: 4 });
  });

  it('opens with the same letters, however they were typed', async () => {
    const rig = vaultRig();
    await rig.vault.init(bytes('gru\u0308ne A\u0308pfel essen'));
    for (const text of ['grüne Äpfel essen', 'gru\u0308ne A\u0308pfel essen']) {
      rig.vault.lock();
      const given = bytes(text);
      expect((await rig.vault.unlock(given)).ok).toBe(true);
      expect(isGone(given)).toBe(true);
    }
  });

  it('takes away what is forgotten, also while locked', async () => {
    const rig = await openVault({ apiKey: 'k', secret: 's' });
    sealed(rig, { ...USE, connection: 'other' }, 'stays');
    rig.vault.lock();
    rig.commit(rig.vault.forget('binance'));
    expect(rig.vault.connections()).toEqual(['other']);
    await rig.vault.unlock(bytes(GOOD));
    expect(opened(rig, USE)).toBe('absent');
    expect(opened(rig, { ...USE, connection: 'other' })).toBe('secret stays');
  });

  it('has nothing of what could not be stored', async () => {
    const rig = vaultRig();
    rig.onStore = () => {
      throw new Error('full');
    };
    expect(await rig.vault.init(bytes(GOOD))).toEqual(refused('SERVICE_UNAVAILABLE', 'could not be stored'));
    expect(rig.vault.state).toBe('none');
    expect(rig.held.every(isGone)).toBe(false); // salt and nonce are no secrets
    const made = await openVault();
    made.vault.seal(USE, bytes('never stored'));
    expect(opened(made, USE)).toBe('absent');
  });

  it('tells who listens of every change', async () => {
    const rig = vaultRig();
    const told: string[] = [];
    const stop = rig.vault.onChanged(() => told.push(`${rig.vault.state} ${rig.vault.waitMs}`));
    await rig.vault.init(bytes(GOOD));
    rig.vault.lock();
    rig.vault.lock();
    await rig.vault.unlock(bytes(OTHER));
    rig.now = 1_000;
    await rig.vault.unlock(bytes(GOOD));
    stop();
    rig.vault.lock();
    expect(told).toEqual(['open 0', 'locked 0', 'locked 1000', 'open 0']);
  });

  it('refuses names, secrets and addresses without bounds, and clears the secret', async () => {
    const { vault } = await openVault();
    const long = 'x'.repeat(257);
    for (const use of [
      { ...USE, connection: long },
      { ...USE, field: '' },
      { ...USE, origins: [long] },
      { ...USE, origins: Array.from({ length: 65 }, (_, i) => `https://${i}`) },
    ]) {
      const secret = bytes('secret');
      expect(vault.seal(use, secret)).toEqual(refused('INVALID_REQUEST', 'too long'));
      expect(isGone(secret)).toBe(true);
    }
    expect(vault.seal(USE, Buffer.alloc(0))).toEqual(refused('INVALID_REQUEST', '1 to 16384 bytes'));
    expect(vault.seal(USE, Buffer.alloc(16_385))).toEqual(refused('INVALID_REQUEST', '1 to 16384 bytes'));
    expect(vault.seal(USE, Buffer.alloc(16_384, 1)).ok).toBe(true);
  });
});

describe('a secret whose use has changed', () => {
  const moved = { ...USE, origins: ['https://elsewhere.example'] };

  it('stays shut until an owner confirms what was shown', async () => {
    const rig = await openVault({ apiKey: 'k', secret: 's' });
    expect(rig.vault.open('binance', 'secret', moved)).toEqual({
      ok: false,
      why: 'other use',
      sealedFor: USE,
    });
    expect(rig.vault.reseal('binance', ['https://seen.example'], moved.origins)).toEqual(
      refused('CONFLICT', 'changed meanwhile'),
    );
    expect(opened(rig, moved)).toBe('other use');
    const rows = rig.vault.reseal('binance', [...USE.origins].reverse(), moved.origins);
    if (!rows.ok) throw new Error(rows.error.message);
    rig.commit(rows.data);
    expect(opened(rig, moved)).toBe('secret s');
    expect(opened(rig, { ...moved, field: 'apiKey' })).toBe('secret k');
    expect(opened(rig, USE)).toBe('other use');
  });

  it('is not resealed when nothing is there, or a part of it is damaged', async () => {
    const rig = await openVault({ apiKey: 'k', secret: 's' });
    expect(rig.vault.reseal('other', [], [])).toEqual(refused('NOT_FOUND', 'nothing of other'));
    const [row] = rig.vault.forget('binance');
    const kept = rig.store.vault().secrets;
    if (!row) throw new Error('no row');
    rig.commit([row]);
    const doc = kept[0]?.doc as { format: number; nonce: string; sealed: string };
    rig.commit([
      { kind: 'vault-secret', secret: { ...doc, use: USE } },
      { kind: 'vault-secret', secret: { ...doc, use: { ...USE, field: 'apiKey' } } },
    ]);
    expect(rig.vault.reseal('binance', USE.origins, moved.origins)).toEqual(refused('CONFLICT', 'damaged'));
  });
});

describe('another passphrase', () => {
  it('takes the place of the old one, and nothing else changes', async () => {
    const rig = await openVault({ secret: 's' });
    const before = rig.store.vault().secrets;
    expect(await rig.vault.change(bytes(GOOD), bytes(OTHER))).toEqual({ ok: true, data: null });
    expect(rig.store.vault().secrets).toEqual(before);
    expect(rig.vault.state).toBe('open');
    rig.vault.lock();
    expect(await rig.vault.unlock(bytes(GOOD))).toEqual(refused('FORBIDDEN', 'wrong'));
    rig.now = 1_000;
    await rig.vault.unlock(bytes(OTHER));
    expect(opened(rig, USE)).toBe('secret s');
  });

  it('leaves a locked vault locked', async () => {
    const rig = await openVault();
    rig.vault.lock();
    expect((await rig.vault.change(bytes(GOOD), bytes(OTHER))).ok).toBe(true);
    expect(rig.vault.state).toBe('locked');
  });

  it('needs the old one, and is another', async () => {
    const rig = await openVault();
    expect(await rig.vault.change(bytes(OTHER), bytes(OTHER))).toEqual(refused('FORBIDDEN', 'wrong'));
    rig.now = 1_000;
    expect(await rig.vault.change(bytes(GOOD), bytes(GOOD))).toEqual(
      refused('INVALID_REQUEST', 'the old one'),
    );
    expect(await rig.vault.change(bytes(GOOD), bytes('short'))).toEqual(
      refused('INVALID_REQUEST', 'new passphrase: the passphrase has 5 characters'),
    );
  });

  it.each(['before', 'after'])('after a kill right %s the commit is one of the two', async (when) => {
    const rig = await openVault({ secret: 's' });
    rig.onStore = (rows) => {
      if (when === 'after') rig.commit(rows);
      throw new Error('killed');
    };
    expect(await rig.vault.change(bytes(GOOD), bytes(OTHER))).toEqual(
      refused('SERVICE_UNAVAILABLE', 'could not be stored'),
    );
    rig.restart();
    const holds = when === 'after' ? OTHER : GOOD;
    expect((await rig.vault.unlock(bytes(holds === GOOD ? OTHER : GOOD))).ok).toBe(false);
    rig.now = 1_000;
    expect(await rig.vault.unlock(bytes(holds))).toEqual({ ok: true, data: null });
    expect(opened(rig, USE)).toBe('secret s');
  });

  it('leaves nothing on disk that the old one opens', async () => {
    const file = join(temporaryFolder(), 'outcry.db');
    const rig = await openVault({ secret: 's' }, file);
    const old = rig.store.vault().key?.doc as VaultKey;
    const [first] = rig.store.vault().secrets.map(({ doc }) => doc as SealedSecret);
    const sealedThen = first?.sealed ?? 'nothing';
    const onDisk = () => ['', '-wal'].map((end) => readFileSync(file + end, 'latin1')).join('');
    expect(onDisk()).toContain(old.wrapped);
    await rig.vault.change(bytes(GOOD), bytes(OTHER));
    expect(onDisk()).not.toContain(old.wrapped);
    expect(onDisk()).toContain(sealedThen);
    rig.commit(rig.vault.forget('binance'));
    expect(onDisk()).not.toContain(sealedThen);
    rig.store.close();
  });
});

describe('a wrong passphrase', () => {
  it('makes everybody wait 1, 2, 4 .. 60 s', async () => {
    const rig = await openVault();
    rig.vault.lock();
    for (const wait of [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
      expect(await rig.vault.unlock(bytes(OTHER))).toEqual(refused('FORBIDDEN', `in ${wait} s`));
      const { all } = rig.deriving;
      rig.now += wait * 1_000 - 1;
      expect(await rig.vault.unlock(bytes(GOOD))).toMatchObject({
        ok: false,
        error: { code: 'RATE_LIMITED', retryAfterS: 1 },
      });
      expect(await rig.vault.change(bytes(GOOD), bytes(OTHER))).toEqual(refused('RATE_LIMITED', 'in 1 s'));
      // No key was derived for an attempt that came too early.
      expect(rig.deriving.all).toBe(all);
      rig.now += 1;
      expect(rig.vault.waitMs).toBe(0);
    }
    expect((await rig.vault.unlock(bytes(GOOD))).ok).toBe(true);
  });

  it('is not forgotten for a lock or a right one, but after an hour', async () => {
    const rig = await openVault();
    await rig.vault.unlock(bytes(OTHER));
    rig.now += 1_000;
    await rig.vault.unlock(bytes(GOOD));
    rig.vault.lock();
    await rig.vault.unlock(bytes(OTHER));
    expect(rig.vault.waitMs).toBe(2_000);
    rig.vault.lock();
    expect(rig.vault.waitMs).toBe(2_000);
    rig.now += 3_599_999;
    await rig.vault.unlock(bytes(OTHER));
    expect(rig.vault.waitMs).toBe(4_000);
    rig.now += 3_600_000;
    await rig.vault.unlock(bytes(OTHER));
    expect(rig.vault.waitMs).toBe(1_000);
  });

  it('of one of two callers at once is counted before the other is looked at', async () => {
    const rig = await openVault();
    rig.vault.lock();
    const both = await Promise.all([rig.vault.unlock(bytes(OTHER)), rig.vault.unlock(bytes(GOOD))]);
    expect(both).toEqual([refused('FORBIDDEN', 'wrong'), refused('RATE_LIMITED', 'in 1 s')]);
    expect(rig.vault.state).toBe('locked');
  });
});

describe('callers at once', () => {
  it('are looked at one by one, and only so many wait', async () => {
    const rig = await openVault();
    rig.vault.lock();
    const given = Array.from({ length: 10 }, () => bytes(GOOD));
    const came = await Promise.all(given.map((one) => rig.vault.unlock(one)));
    expect(rig.deriving.most).toBe(1);
    expect(came.filter(({ ok }) => ok)).toHaveLength(8);
    expect(came.slice(8)).toEqual([
      refused('SERVICE_UNAVAILABLE', 'others'),
      refused('SERVICE_UNAVAILABLE', 'others'),
    ]);
    expect(given.every(isGone)).toBe(true);
    expect((await rig.vault.unlock(bytes(GOOD))).ok).toBe(true);
  });

  it('make one vault', async () => {
    const rig = vaultRig();
    const came = await Promise.all([rig.vault.init(bytes(GOOD)), rig.vault.init(bytes(OTHER))]);
    expect(came.map(({ ok }) => ok)).toEqual([true, false]);
  });

  it('are all told no by a lock, those too whose turn has not come', async () => {
    const rig = vaultRig();
    await rig.vault.init(bytes(GOOD));
    rig.vault.lock();
    const both = [rig.vault.unlock(bytes(GOOD)), rig.vault.unlock(bytes(GOOD))];
    rig.vault.lock();
    expect((await Promise.all(both)).map(({ ok }) => ok)).toEqual([false, false]);
    expect(rig.vault.state).toBe('locked');
    expect(await rig.vault.unlock(bytes(GOOD))).toMatchObject({ ok: true });
  });

  it.each(['unlock', 'init'] as const)('a lock during %s holds', async (what) => {
    const rig = what === 'init' ? vaultRig() : await openVault();
    rig.vault.lock();
    rig.onDerive = () => rig.vault.lock();
    await rig.vault[what](bytes(GOOD));
    expect(rig.vault.state).toBe('locked');
    expect(rig.held.filter(({ length }) => length === 32).every(isGone)).toBe(true);
  });

  it('go on after one whose derivation failed', async () => {
    const rig = await openVault();
    rig.onDerive = () => {
      throw new Error('no memory');
    };
    // More failures than may wait at once: none keeps its place in the queue.
    for (let n = 0; n < 9; n++) await expect(rig.vault.unlock(bytes(GOOD))).rejects.toThrow('no memory');
    rig.onDerive = () => {};
    expect((await rig.vault.unlock(bytes(GOOD))).ok).toBe(true);
  });
});

describe('no Buffer', () => {
  it('holds a key, a passphrase or a secret when it is done with', async () => {
    const opening = vi.spyOn(
      Object.getPrototypeOf(createDecipheriv('aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12))),
      'update',
    );
    const rig = vaultRig();
    // The second change gives a new passphrase that is too short; the last unlock's passphrase is wrong.
    const given = [GOOD, GOOD, OTHER, OTHER, GOOD, 'short', GOOD, 'grüße an alle hier'].map(bytes);
    const next = () => given[at++] as Buffer;
    let at = 0;
    await rig.vault.init(next());
    await rig.vault.change(next(), next());
    rig.vault.lock();
    await rig.vault.unlock(next());
    await rig.vault.change(next(), next());
    await rig.vault.unlock(next());
    rig.now = 10_000;
    await rig.vault.unlock(next());
    const secret = bytes('the secret');
    const rows = rig.vault.seal(USE, secret);
    if (!rows.ok) throw new Error(rows.error.message);
    rig.commit(rows.data);
    expect(opened(rig, { ...USE, venue: 'okx' })).toBe('other use');
    expect(rig.vault.reseal('binance', USE.origins, ['https://other.example']).ok).toBe(true);
    expect(rig.vault.reseal('binance', ['https://not.shown'], []).ok).toBe(false);
    rig.vault.lock();
    expect(given.every(isGone)).toBe(true);
    expect(isGone(secret)).toBe(true);
    const keys = rig.held.filter(({ length }) => length === 32);
    expect(keys.length).toBeGreaterThan(4);
    expect(keys.every(isGone)).toBe(true);
    const plain = opening.mock.results.map(({ value }) => value as Buffer);
    opening.mockRestore();
    expect(plain.length).toBeGreaterThan(5);
    expect(plain.every(isGone)).toBe(true);
  });
});

function isGone(buffer: Buffer): boolean {
  return buffer.every((byte) => byte === 0);
}
