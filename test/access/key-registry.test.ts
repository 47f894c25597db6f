/** Adding and revoking keys, the record of their use, the separation of users; and the tiers. */
import { describe, expect, it } from 'vitest';
import { KeyRegistry } from '../../src/access/key-registry.ts';
import { ROUTE_TIERS, tierAllows, tierProblem } from '../../src/access/tiers.ts';
import { type AccessKey, requestsToday } from '../../src/domain/access-key.ts';
import type { Tier } from '../../src/domain/actor.ts';
import { codeOf, DAY_MS, KEYS, keyText, NOW } from './some-keys.ts';
import { BAD_KEYS } from './vectors.ts';

describe('key registry', () => {
  it('registers a key with everything off that the settings do not say', () => {
    const outcome = new KeyRegistry().register({ label: '  My bot ', tier: 'trade' }, keyText(0), NOW);
    const key: AccessKey = {
      id: keyText(0),
      user: 'owner',
      label: 'My bot',
      tier: 'trade',
      ipList: null,
      allowedExchanges: null,
      file: null,
      createdAt: NOW,
      revokedAt: null,
      lastUsedAt: null,
      lastUsedFrom: null,
      counts: { day: 0, today: 0, total: 0 },
      lastRefusal: null,
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

  // proves: D44
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

  // proves: rule key-count, limit active-keys, S44
  it('frees a label and a place with a revocation', () => {
    const registry = new KeyRegistry();
    for (let i = 0; i < 10; i++) registry.register({ label: `k${i}`, tier: 'read' }, keyText(i), NOW + i);
    expect(registry.settingsProblem({ label: 'new', tier: 'read' })?.error.message).toContain(
      '10 keys are active',
    );
    registry.revoke(keyText(3), NOW);
    expect(registry.register({ label: 'k3', tier: 'read' }, keyText(11), NOW).ok).toBe(true);
  });

  // proves: S27
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

  it('gives a row at most every ten seconds, from another address every second', () => {
    const registry = new KeyRegistry();
    registry.register({ label: 'a', tier: 'read' }, keyText(0), NOW);
    const touch = (from: string, at: number) => registry.touch(keyText(0), from, NOW + at) !== null;
    expect(touch('a', 0)).toBe(true);
    expect(touch('a', 9_999)).toBe(false);
    expect(touch('a', 10_000)).toBe(true);
    // Two machines that use a key by turns do not cause a row for every request.
    expect([touch('b', 10_001), touch('a', 10_500), touch('b', 10_999)]).toEqual([false, false, false]);
    expect([touch('b', 11_000), touch('b', 20_999), touch('b', 21_000)]).toEqual([true, false, true]);
    expect(registry.active(keyText(0))).toMatchObject({ lastUsedAt: NOW + 21_000, counts: { total: 9 } });
  });

  it('gives a row as often when the clock was set back', () => {
    const registry = new KeyRegistry();
    registry.register({ label: 'a', tier: 'read' }, keyText(0), NOW);
    const touch = (at: number) => registry.touch(keyText(0), 'a', NOW + at) !== null;
    expect([touch(0), touch(-9_999), touch(-3_600_000), touch(-3_590_001), touch(-3_590_000)]).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  it('gives at most one row for a thousand requests of a second', () => {
    const registry = new KeyRegistry();
    registry.register({ label: 'a', tier: 'read' }, keyText(0), NOW);
    const rows = Array.from({ length: 1_000 }, (_, at) =>
      at % 3 === 0
        ? registry.refused(keyText(0), 'RATE_LIMITED', `10.0.0.${at % 7}`, NOW + at)
        : registry.touch(keyText(0), `10.0.0.${at % 7}`, NOW + at),
    ).filter((row) => row !== null);
    expect(rows).toHaveLength(1);
    expect(registry.active(keyText(0))?.counts.total).toBe(666);
  });

  it('counts requests of the UTC day anew after midnight, and goes on counting in all', () => {
    const registry = new KeyRegistry();
    const midnight = Math.ceil(NOW / DAY_MS) * DAY_MS;
    registry.register({ label: 'a', tier: 'read' }, keyText(0), NOW);
    const shown = (now: number) => {
      const key = registry.find(keyText(0), 'owner') as AccessKey;
      return [requestsToday(key, now), key.counts.total];
    };
    expect(shown(NOW)).toEqual([0, 0]);
    for (const at of [midnight - 2, midnight - 1]) registry.touch(keyText(0), '::1', at);
    expect(shown(midnight - 1)).toEqual([2, 2]);
    // No request has come in yet: yesterday's count is not shown as today's.
    expect(shown(midnight)).toEqual([0, 2]);
    registry.touch(keyText(0), '::1', midnight);
    expect(shown(midnight)).toEqual([1, 3]);
  });

  it('keeps the last refusal apart from the use', () => {
    const registry = new KeyRegistry();
    registry.register({ label: 'a', tier: 'read' }, keyText(0), NOW);
    registry.refused(keyText(0), 'IP_NOT_WHITELISTED', '203.0.113.9', NOW + 5);
    expect(registry.active(keyText(0))).toMatchObject({
      lastUsedAt: null,
      counts: { total: 0 },
      lastRefusal: { code: 'IP_NOT_WHITELISTED', at: NOW + 5, from: '203.0.113.9' },
    });
    registry.revoke(keyText(0), NOW + 6);
    expect(registry.refused(keyText(0), 'FORBIDDEN', '::1', NOW + 7)).toBeNull();
    expect(registry.refused(keyText(1), 'FORBIDDEN', '::1', NOW + 7)).toBeNull();
  });

  it('loaded again has what the store says of a key, and what the one before knew of its use', () => {
    const before = new KeyRegistry();
    for (const n of [0, 1, 2]) before.register({ label: `k${n}`, tier: 'read' }, keyText(n), NOW);
    const stored = before.list();
    before.touch(keyText(0), '::1', NOW + 1);
    before.refused(keyText(0), 'FORBIDDEN', '::1', NOW + 2);
    // One revocation is stored; the revocation of another key has failed.
    before.revoke(keyText(1), NOW + 3);
    const rows = stored.map((key) => (key.id === keyText(2) ? { ...key, revokedAt: NOW + 4 } : key));
    const again = new KeyRegistry(rows, before);
    expect([0, 1, 2].map((n) => again.active(keyText(n)) !== null)).toEqual([true, true, false]);
    expect(again.active(keyText(0))).toMatchObject({
      lastUsedAt: NOW + 1,
      lastUsedFrom: '::1',
      counts: { total: 1 },
      lastRefusal: { code: 'FORBIDDEN', at: NOW + 2 },
    });
    // A clean end stores that. Keys that the previous registry did not know are taken as their rows have
    // them.
    expect(again.unstored()).toHaveLength(3);
    expect(again.unstored()).toEqual([]);
    const fresh = new KeyRegistry(rows, new KeyRegistry());
    expect(fresh.active(keyText(0))).toMatchObject({ lastUsedAt: null, lastRefusal: null });
  });

  it('takes rows of an older version, which know nothing of counts, files and refusals', () => {
    const older = {
      id: keyText(0),
      user: 'owner',
      label: 'old',
      tier: 'trade',
      ipList: null,
      allowedExchanges: null,
      createdAt: NOW,
      revokedAt: null,
      lastUsedAt: NOW + 1,
      lastUsedFrom: '::1',
    } as unknown as AccessKey;
    const registry = new KeyRegistry([older]);
    expect(registry.active(keyText(0))).toEqual({
      ...older,
      file: null,
      counts: { day: 0, today: 0, total: 0 },
      lastRefusal: null,
    });
    registry.touch(keyText(0), '::1', NOW + 2);
    expect(registry.active(keyText(0))?.counts).toEqual({
      day: Math.floor(NOW / DAY_MS),
      today: 1,
      total: 1,
    });
  });
});

describe('two users', () => {
  // proves: S27, S44, rule key-count
  it('see and end nothing of each other, and each have ten keys and every label', () => {
    const registry = new KeyRegistry();
    for (let i = 0; i < 20; i++) {
      const user = i < 10 ? 'owner' : 'second';
      expect(registry.register({ label: `k${i % 10}`, tier: 'read', user }, keyText(i), NOW + i).ok).toBe(
        true,
      );
    }
    expect(codeOf(registry.register({ label: 'x', tier: 'read', user: 'second' }, keyText(20), NOW))).toBe(
      'CONFLICT',
    );
    expect(registry.list('owner').map(({ id }) => id)).toEqual(KEYS.slice(0, 10));
    expect(registry.list('second').map(({ id }) => id)).toEqual(KEYS.slice(10, 20));
    expect(registry.list('third')).toEqual([]);
    expect(registry.find(keyText(0), 'second')).toBeNull();
    expect(codeOf(registry.revoke(keyText(0), NOW, 'second'))).toBe('NOT_FOUND');
    expect(registry.active(keyText(0))).not.toBeNull();
    const words = (outcome: ReturnType<KeyRegistry['register']>) => (outcome.ok ? '' : outcome.error.message);
    registry.revoke(keyText(19), NOW, 'second');
    const tried = registry.register({ label: 'mine', tier: 'read', user: 'second' }, keyText(3), NOW);
    expect(words(tried)).not.toContain('k3');
  });
});

describe('tiers', () => {
  // proves: rule tier-read, rule tier-trade, rule tier-full
  it('contain each other: read, trade, full', () => {
    const tiers: Tier[] = ['read', 'trade', 'full'];
    expect(tiers.map((tier) => tiers.map((needed) => tierAllows(tier, needed)))).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
  });

  // proves: rule reads-for-read-keys, rule writes-for-trade-keys
  it('ask read for reads and trade for writes', () => {
    for (const [route, tier] of Object.entries(ROUTE_TIERS)) {
      if (route.includes('/server/') || route === 'GET /openapi.json') expect(tier).toBeNull();
      else expect(tier).toBe(route.startsWith('GET ') ? 'read' : 'trade');
    }
  });

  // proves: rule reads-for-read-keys, rule writes-for-trade-keys
  it('name every route of the specification but those of bots', () => {
    expect(
      Object.keys(ROUTE_TIERS)
        .filter((route) => !route.includes('/bots'))
        .toSorted(),
    ).toEqual(
      [
        'GET /openapi.json',
        'GET /server/time',
        'GET /server/status',
        'GET /server/version',
        'GET /ping',
        'GET /exchange/supported',
        'GET /exchange/hedge-mode',
        'POST /exchange/hedge-mode',
        'GET /orders',
        'POST /orders',
        'DELETE /orders',
        'DELETE /orders/{id}',
        'POST /orders/{id}/split',
        'GET /orders/trades',
        'GET /portfolio',
        'GET /portfolio/positions',
        'GET /portfolio/position/leverage',
        'POST /portfolio/position/leverage',
        'GET /portfolio/margin-mode',
        'POST /portfolio/margin-mode',
        'POST /portfolio/position/margin-type',
        'GET /portfolio/leverage-brackets',
        'GET /portfolio/dust',
        'POST /portfolio/dust/convert',
      ].toSorted(),
    );
  });

  it('say what is missing', () => {
    expect(tierProblem('read', 'trade')).toBe("this key's tier is read; the endpoint needs trade");
    expect(tierProblem('full', 'trade')).toBeNull();
  });
});
