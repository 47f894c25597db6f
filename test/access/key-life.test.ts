/**
 * The life of keys against a plain model: registered, generated, used, refused and revoked, across stops and
 * crashes.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateKeyFile } from '../../src/access/key-files.ts';
import { KeyRegistry } from '../../src/access/key-registry.ts';
import { MAX_ACTIVE_KEYS } from '../../src/access/key-settings.ts';
import { type AccessKey, requestsToday } from '../../src/domain/access-key.ts';
import type { Tier } from '../../src/domain/actor.ts';
import type { Row } from '../../src/domain/rows.ts';
import { codeOf, DAY_MS, keyText, NOW } from './some-keys.ts';

/**
 * A key of the model: the rules of D44 and D45 with plain values. After a crash, only the use in the last
 * stored row is left.
 */
interface Entry {
  readonly id: string;
  readonly user: string;
  readonly label: string;
  readonly tier: Tier;
  readonly limits: Limits;
  readonly file: string | null;
  revoked: boolean;
  use: Use;
  stored: Use;
}
interface Use {
  readonly at: number | null;
  readonly from: string | null;
  /** Times of all uses. */
  readonly all: readonly number[];
  readonly refused: string | null;
}
interface Limits {
  readonly ipList: readonly string[] | null;
  readonly allowedExchanges: readonly string[] | null;
}
interface Model {
  now: number;
  readonly entries: Entry[];
}
interface Real {
  registry: KeyRegistry;
  /** The content of a store: the last row of each key. */
  readonly stored: Map<string, AccessKey>;
  readonly folder: string;
}

const UNUSED: Use = { at: null, from: null, all: [], refused: null };
const ACCOUNTS = ['paper-spot', 'paper-futures'];

function store(model: Model, real: Real, rows: readonly (Row | null)[]): void {
  for (const row of rows) {
    if (row?.kind !== 'key') continue;
    real.stored.set(row.key.id, row.key);
    const entry = model.entries.find(({ id }) => id === row.key.id);
    if (entry) entry.stored = entry.use;
  }
}

interface Wanted extends Limits {
  readonly user: string;
  readonly label: string;
  readonly tier: Tier;
}

/** Whether the model expects a registration to succeed. */
function mayRegister(model: Model, wanted: Wanted): boolean {
  const mine = model.entries.filter((entry) => entry.user === wanted.user && !entry.revoked);
  return mine.length < MAX_ACTIVE_KEYS && !mine.some((entry) => entry.label === wanted.label);
}

function added(
  model: Model,
  { user, label, tier, ipList, allowedExchanges }: Wanted,
  id: string,
  file: string | null,
) {
  const limits = { ipList, allowedExchanges };
  const unused = { revoked: false, use: UNUSED, stored: UNUSED };
  model.entries.push({ id, user, label, tier, limits, file, ...unused });
}

class Register implements fc.Command<Model, Real> {
  readonly n: number;
  readonly wanted: Wanted;

  constructor(n: number, wanted: Wanted) {
    this.n = n;
    this.wanted = wanted;
  }

  check = () => true;

  run(model: Model, real: Real): void {
    const id = keyText(this.n);
    const right = mayRegister(model, this.wanted) && !model.entries.some((entry) => entry.id === id);
    const outcome = real.registry.register(this.wanted, id, model.now, { accounts: ACCOUNTS });
    expect(codeOf(outcome)).toBe(right ? 'ok' : 'CONFLICT');
    if (!outcome.ok) return;
    added(model, this.wanted, id, null);
    store(model, real, outcome.data.rows);
  }

  toString = () => `register(${this.n}, ${JSON.stringify(this.wanted)})`;
}

/** Generates a key as the desk does: the settings first, then the file, then the key. */
class Generate implements fc.Command<Model, Real> {
  readonly wanted: Wanted;

  constructor(wanted: Wanted) {
    this.wanted = wanted;
  }

  check = () => true;

  run(model: Model, real: Real): void {
    const problem = real.registry.settingsProblem(this.wanted, ACCOUNTS);
    expect(problem === null).toBe(mayRegister(model, this.wanted));
    if (problem) return;
    const { path, publicKey } = generateKeyFile({ dir: real.folder, label: this.wanted.label, randomBytes });
    const file = basename(path);
    expect(model.entries.map((entry) => entry.file)).not.toContain(file);
    const outcome = real.registry.register(this.wanted, publicKey, model.now, { accounts: ACCOUNTS, file });
    expect(codeOf(outcome)).toBe('ok');
    if (!outcome.ok) return;
    added(model, this.wanted, publicKey, file);
    store(model, real, outcome.data.rows);
  }

  toString = () => `generate(${JSON.stringify(this.wanted)})`;
}

/** Revokes one of the model's keys, or one that is not registered. */
class Revoke implements fc.Command<Model, Real> {
  readonly n: number;
  readonly user: string | undefined;

  constructor(n: number, user: string | undefined) {
    this.n = n;
    this.user = user;
  }

  check = () => true;

  run(model: Model, real: Real): void {
    const entry = model.entries[this.n];
    const mine = entry && (this.user === undefined || entry.user === this.user);
    const outcome = real.registry.revoke(entry?.id ?? keyText(24), model.now, this.user);
    expect(codeOf(outcome)).toBe(!mine ? 'NOT_FOUND' : entry.revoked ? 'CONFLICT' : 'ok');
    if (!outcome.ok || !entry) return;
    entry.revoked = true;
    store(model, real, outcome.data.rows);
  }

  toString = () => `revoke(${this.n}, ${this.user})`;
}

class UseIt implements fc.Command<Model, Real> {
  readonly n: number;
  readonly waitMs: number;
  readonly from: string;
  readonly refused: boolean;

  constructor(n: number, waitMs: number, from: string, refused: boolean) {
    this.n = n;
    this.waitMs = waitMs;
    this.from = from;
    this.refused = refused;
  }

  check = () => true;

  run(model: Model, real: Real): void {
    model.now += this.waitMs;
    const { now } = model;
    const entry = model.entries[this.n];
    const id = entry?.id ?? keyText(24);
    const row = this.refused
      ? real.registry.refused(id, 'FORBIDDEN', this.from, now)
      : real.registry.touch(id, this.from, now);
    if (!entry || entry.revoked) {
      expect(row).toBeNull();
      return;
    }
    const { use } = entry;
    entry.use = this.refused
      ? { ...use, refused: this.from }
      : { ...use, at: now, from: this.from, all: [...use.all, now] };
    store(model, real, [row]);
    // The stored row is never more than ten seconds behind.
    const told = entry.stored.at ?? Number.NEGATIVE_INFINITY;
    if (row === null && !this.refused && use.refused === null) expect(now - told).toBeLessThan(10_000);
  }

  toString = () => `${this.refused ? 'refused' : 'use'}(${this.n}, ${this.waitMs}, ${this.from})`;
}

/** A restart. `clean`: uses that no row holds yet are stored first. */
class Restart implements fc.Command<Model, Real> {
  readonly clean: boolean;

  constructor(clean: boolean) {
    this.clean = clean;
  }

  check = () => true;

  run(model: Model, real: Real): void {
    if (this.clean) {
      store(model, real, real.registry.unstored());
      expect(real.registry.unstored()).toEqual([]);
    }
    real.registry = new KeyRegistry([...real.stored.values()].map((key) => structuredClone(key)));
    for (const entry of model.entries) {
      if (this.clean) expect(entry.stored).toEqual(entry.use);
      entry.use = entry.stored;
    }
  }

  toString = () => (this.clean ? 'stop and start' : 'crash and start');
}

/**
 * The store has failed and memory is loaded again: the known uses of keys are not lost, not even by a stop
 * right after.
 */
class Reload implements fc.Command<Model, Real> {
  readonly stops: boolean;

  constructor(stops: boolean) {
    this.stops = stops;
  }

  check = () => true;

  run(model: Model, real: Real): void {
    real.registry = new KeyRegistry(real.stored.values(), real.registry);
    if (this.stops) new Restart(true).run(model, real);
  }

  toString = () => (this.stops ? 'reload, stop and start' : 'reload');
}

/** Compares at the end of a run; the commands check their own outcomes. */
function agree(model: Model, real: Real): void {
  const day = Math.floor(model.now / DAY_MS);
  for (const entry of model.entries) {
    const active = real.registry.active(entry.id);
    expect(active !== null).toBe(!entry.revoked);
    const key = real.registry.find(entry.id, entry.user);
    expect(real.registry.find(entry.id, entry.user === 'owner' ? 'second' : 'owner')).toBeNull();
    expect(key).toMatchObject({
      ...entry.limits,
      user: entry.user,
      label: entry.label,
      tier: entry.tier,
      file: entry.file,
      lastUsedAt: entry.use.at,
      lastUsedFrom: entry.use.from,
    });
    expect(key?.lastRefusal?.from ?? null).toBe(entry.use.refused);
    expect(key?.counts.total).toBe(entry.use.all.length);
    expect(key && requestsToday(key, model.now)).toBe(
      entry.use.all.filter((at) => Math.floor(at / DAY_MS) === day).length,
    );
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

const wanted: fc.Arbitrary<Wanted> = fc.record({
  user: fc.constantFrom('owner', 'owner', 'second'),
  label: fc.constantFrom(...'abcdefghijklm'),
  tier: fc.constantFrom('read', 'trade', 'full'),
  ipList: fc.constantFrom(null, ['10.0.0.0/8'], ['192.0.2.1/32', '2001:db8::/32']),
  allowedExchanges: fc.constantFrom(null, ['paper-spot'], ['paper-futures', 'paper-spot']),
});

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'outcry-keys-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the key registry', () => {
  // proves: limit active-keys, limit ip-list-entries, rule key-count, D44
  it('follows the life of keys as a plain list does, stops, crashes and failed stores included', () => {
    const commands = fc.commands(
      [
        fc.tuple(fc.nat(23), wanted).map(([n, settings]) => new Register(n, settings)),
        wanted.map((settings) => new Generate(settings)),
        fc
          .tuple(fc.nat(23), fc.constantFrom(undefined, 'owner', 'second'))
          .map(([n, user]) => new Revoke(n, user)),
        ...[fc.nat(15_000), fc.nat(15_000), fc.nat(DAY_MS)].map((wait) =>
          fc
            .tuple(fc.nat(5), wait, fc.constantFrom('127.0.0.1', '::1'), fc.boolean())
            .map(([n, ms, from, refused]) => new UseIt(n, ms, from, refused)),
        ),
        fc.boolean().map((clean) => new Restart(clean)),
        fc.boolean().map((stops) => new Reload(stops)),
      ],
      { maxCommands: 60, size: '+1' },
    );
    let run = 0;
    fc.assert(
      fc.property(commands, (list) => {
        const model: Model = { now: NOW, entries: [] };
        const real: Real = {
          registry: new KeyRegistry(),
          stored: new Map(),
          folder: join(folder, `${run++}`),
        };
        mkdirSync(real.folder);
        fc.modelRun(() => ({ model, real }), list);
        agree(model, real);
      }),
      { numRuns: 200 },
    );
  });
});
