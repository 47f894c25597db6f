import { createHash } from 'node:crypto';
import { getPublicKey, hashes } from '@noble/ed25519';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyRegistry, MAX_ACTIVE_KEYS } from '../../src/access/key-registry.ts';
import { ROUTE_TIERS, tierAllows, tierProblem } from '../../src/access/tiers.ts';
import type { AccessKey } from '../../src/domain/access-key.ts';
import type { Tier } from '../../src/domain/actor.ts';
import type { Row } from '../../src/domain/rows.ts';
import { BAD_KEYS } from './vectors.ts';

hashes.sha512 = (message) => new Uint8Array(createHash('sha512').update(message).digest());
const KEYS = Array.from({ length: 24 }, (_, i) =>
  Buffer.from(getPublicKey(new Uint8Array(32).fill(i + 1))).toString('base64url'),
);
const keyText = (i: number) => KEYS[i] as string;
const NOW = 1_760_000_000_000;

function codeOf(outcome: { ok: true } | { ok: false; error: { code: string } }): string {
  return outcome.ok ? 'ok' : outcome.error.code;
}

/** The rules of D44 with plain arrays. */
interface Entry {
  readonly id: string;
  readonly user: string;
  readonly label: string;
  revoked: boolean;
  usedAt: number | null;
}
interface Model {
  now: number;
  readonly entries: Entry[];
}
interface Real {
  registry: KeyRegistry;
  /** What a store would hold: the last row of each key. */
  readonly stored: Map<string, AccessKey>;
}

function store(real: Real, rows: readonly (Row | null)[]): void {
  for (const row of rows) if (row?.kind === 'key') real.stored.set(row.key.id, row.key);
}

class Register implements fc.Command<Model, Real> {
  readonly n: number;
  readonly user: string;
  readonly label: string;

  constructor(n: number, user: string, label: string) {
    this.n = n;
    this.user = user;
    this.label = label;
  }

  check = () => true;

  run(model: Model, real: Real): void {
    const id = keyText(this.n);
    const mine = model.entries.filter((entry) => entry.user === this.user && !entry.revoked);
    const right =
      mine.length < MAX_ACTIVE_KEYS &&
      !mine.some((entry) => entry.label === this.label) &&
      !model.entries.some((entry) => entry.id === id);
    const outcome = real.registry.register(
      { label: this.label, tier: 'read', user: this.user },
      id,
      model.now,
    );
    expect(codeOf(outcome)).toBe(right ? 'ok' : 'CONFLICT');
    if (!outcome.ok) return;
    store(real, outcome.data.rows);
    model.entries.push({ id, user: this.user, label: this.label, revoked: false, usedAt: null });
  }

  toString = () => `register(${this.n}, ${this.user}, ${this.label})`;
}

class Revoke implements fc.Command<Model, Real> {
  readonly n: number;

  constructor(n: number) {
    this.n = n;
  }

  check = () => true;

  run(model: Model, real: Real): void {
    const entry = model.entries.find(({ id }) => id === keyText(this.n));
    const outcome = real.registry.revoke(keyText(this.n), model.now);
    expect(codeOf(outcome)).toBe(!entry ? 'NOT_FOUND' : entry.revoked ? 'CONFLICT' : 'ok');
    if (outcome.ok) store(real, outcome.data.rows);
    if (entry) entry.revoked = true;
  }

  toString = () => `revoke(${this.n})`;
}

class Use implements fc.Command<Model, Real> {
  readonly n: number;
  readonly waitMs: number;

  constructor(n: number, waitMs: number) {
    this.n = n;
    this.waitMs = waitMs;
  }

  check = () => true;

  run(model: Model, real: Real): void {
    model.now += this.waitMs;
    const entry = model.entries.find(({ id }) => id === keyText(this.n));
    const row = real.registry.touch(keyText(this.n), '127.0.0.1', model.now);
    store(real, [row]);
    if (entry && !entry.revoked) {
      entry.usedAt = model.now;
      const storedUse = real.stored.get(entry.id)?.lastUsedAt ?? 0;
      expect(model.now - storedUse).toBeLessThan(10_000);
    } else {
      expect(row).toBeNull();
    }
  }

  toString = () => `use(${this.n}, ${this.waitMs})`;
}

class Restart implements fc.Command<Model, Real> {
  check = () => true;

  run(model: Model, real: Real): void {
    real.registry = new KeyRegistry(real.stored.values());
    for (const entry of model.entries) entry.usedAt = real.stored.get(entry.id)?.lastUsedAt ?? null;
  }

  toString = () => 'restart';
}

/** At the end of a run; the commands check their own outcomes. */
function agree(model: Model, real: Real): void {
  for (const entry of model.entries) {
    const active = real.registry.active(entry.id);
    expect(active !== null).toBe(!entry.revoked);
    if (active)
      expect([active.user, active.label, active.lastUsedAt]).toEqual([entry.user, entry.label, entry.usedAt]);
  }
  for (const user of ['owner', 'second']) {
    const listed = real.registry.list(user).map((key) => key.id);
    expect(listed.toSorted()).toEqual(
      model.entries
        .filter((e) => e.user === user)
        .map((e) => e.id)
        .toSorted(),
    );
  }
}

describe('key registry', () => {
  it('follows the life of keys as a plain list does, restarts included', () => {
    const commands = fc.commands(
      [
        fc
          .tuple(fc.nat(23), fc.constantFrom('owner', 'owner', 'second'), fc.constantFrom(...'abcdefghijklm'))
          .map(([n, user, label]) => new Register(n, user, label)),
        fc.nat(23).map((n) => new Revoke(n)),
        fc.tuple(fc.nat(23), fc.nat(15_000)).map(([n, ms]) => new Use(n, ms)),
        fc.constant(new Restart()),
      ],
      { maxCommands: 60, size: '+1' },
    );
    fc.assert(
      fc.property(commands, (list) => {
        const model: Model = { now: NOW, entries: [] };
        const real: Real = { registry: new KeyRegistry(), stored: new Map() };
        fc.modelRun(() => ({ model, real }), list);
        agree(model, real);
      }),
      { numRuns: 200 },
    );
  });

  it('registers a key with everything off that the settings do not say', () => {
    const outcome = new KeyRegistry().register({ label: '  My bot ', tier: 'trade' }, keyText(0), NOW);
    const key: AccessKey = {
      id: keyText(0),
      user: 'owner',
      label: 'My bot',
      tier: 'trade',
      ipList: null,
      allowedExchanges: null,
      createdAt: NOW,
      revokedAt: null,
      lastUsedAt: null,
      lastUsedFrom: null,
    };
    expect(outcome).toEqual({ ok: true, data: { key, rows: [{ kind: 'key', key }] } });
  });

  it.each([
    ['', 'give the key a name'],
    ['   ', 'give the key a name'],
    ['x'.repeat(51), '51 characters'],
    ['a\u001b[31mb', 'invisible or control'],
    ['a\u202eb', 'invisible or control'],
    ['a\nb', 'invisible or control'],
    ['a\u2028b', 'invisible or control'],
    ['a\ud800b', 'invisible or control'],
  ])('refuses the label %j', (label, words) => {
    const outcome = new KeyRegistry().register({ label, tier: 'read' }, keyText(0), NOW);
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'INVALID_REQUEST', message: expect.stringContaining(words) },
    });
  });

  it('counts characters, not code units, and takes two spellings of a label as one', () => {
    const registry = new KeyRegistry();
    expect(registry.register({ label: '\u{1F680}'.repeat(50), tier: 'read' }, keyText(0), NOW).ok).toBe(true);
    expect(registry.register({ label: 'caf\u00e9', tier: 'read' }, keyText(1), NOW).ok).toBe(true);
    expect(codeOf(registry.register({ label: 'cafe\u0301', tier: 'read' }, keyText(2), NOW))).toBe(
      'CONFLICT',
    );
  });

  it('refuses bad keys in words', () => {
    for (const { b64url } of BAD_KEYS) {
      expect(codeOf(new KeyRegistry().register({ label: 'x', tier: 'read' }, b64url, NOW))).toBe(
        'INVALID_REQUEST',
      );
    }
  });

  it('says why a key cannot be registered again', () => {
    const registry = new KeyRegistry();
    const again = (user: string) => {
      const outcome = registry.register({ label: 'again', tier: 'read', user }, keyText(0), NOW);
      return outcome.ok ? 'ok' : outcome.error.message;
    };
    registry.register({ label: 'first', tier: 'read' }, keyText(0), NOW);
    expect(again('owner')).toContain('registered already, as first');
    expect(again('second')).toContain('belongs to another user');
    expect(again('second')).not.toContain('first');
    registry.revoke(keyText(0), NOW);
    expect(again('owner')).toContain('was revoked');
  });

  it('frees a label and a place with a revocation', () => {
    const registry = new KeyRegistry();
    for (let i = 0; i < 10; i++) registry.register({ label: `k${i}`, tier: 'read' }, keyText(i), NOW + i);
    expect(registry.settingsProblem({ label: 'new', tier: 'read' })?.error.message).toContain(
      '10 keys are active',
    );
    registry.revoke(keyText(3), NOW);
    expect(registry.register({ label: 'k3', tier: 'read' }, keyText(11), NOW).ok).toBe(true);
  });

  it('hides the keys of another user', () => {
    const registry = new KeyRegistry();
    registry.register({ label: 'a', tier: 'read', user: 'second' }, keyText(0), NOW);
    expect(codeOf(registry.revoke(keyText(0), NOW, 'owner'))).toBe('NOT_FOUND');
    expect(registry.list()).toEqual([]);
  });

  it('never changes a key that it has handed out', () => {
    const registry = new KeyRegistry();
    registry.register({ label: 'a', tier: 'read' }, keyText(0), NOW);
    const before = registry.active(keyText(0));
    const copy = structuredClone(before);
    registry.touch(keyText(0), '::1', NOW + 1);
    registry.revoke(keyText(0), NOW + 2);
    expect(before).toEqual(copy);
  });

  it('gives a row for a new address at once, else at most every ten seconds', () => {
    const registry = new KeyRegistry();
    registry.register({ label: 'a', tier: 'read' }, keyText(0), NOW);
    const touch = (from: string, at: number) => registry.touch(keyText(0), from, NOW + at) !== null;
    expect([touch('a', 0), touch('a', 1), touch('b', 2), touch('b', 3), touch('b', 10_002)]).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(registry.active(keyText(0))?.lastUsedAt).toBe(NOW + 10_002);
  });
});

describe('tiers', () => {
  it('contain each other: read, trade, full', () => {
    const tiers: Tier[] = ['read', 'trade', 'full'];
    expect(tiers.map((tier) => tiers.map((needed) => tierAllows(tier, needed)))).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
  });

  it('ask read for reads and trade for writes', () => {
    for (const [route, tier] of Object.entries(ROUTE_TIERS)) {
      if (route.includes('/server/')) expect(tier).toBeNull();
      else expect(tier).toBe(route.startsWith('GET ') ? 'read' : 'trade');
    }
  });

  it('say what is missing', () => {
    expect(tierProblem('read', 'trade')).toBe("this key's tier is read; the endpoint needs trade");
    expect(tierProblem('full', 'trade')).toBeNull();
  });
});
