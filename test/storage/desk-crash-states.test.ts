/**
 * Layer 4 (borders.md 7) on the whole desk: the power fails at any moment of a busy history. The WAL is cut
 * before every frame, torn within it, has a bit flipped, is written over an older one; a checkpoint stops
 * half way. Each state shows exactly the last whole commit, keeps every promise made until then, holds no
 * partial change, and a desk recovers from it.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { Engine } from '../../src/engine/engine.ts';
import { spotInstruments } from '../../src/market/symbols.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { StoreError } from '../../src/store/store.ts';
import { createPaperVenue, PAPER_SPOT } from '../../src/venues/paper/paper-venue.ts';
import { openTestDesk, temporaryFolder } from '../desk/integration/support.ts';
import { checkedHttp } from '../support/openapi-check.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { type BusyHistory, busyHistory, busyMarket, type Generation } from './busy-history.ts';
import { halfThere, readStored, type Stored } from './checks.ts';
import { Rig, SYMBOL } from './rig.ts';
import { changedPages, damagedAt, halfCheckpoint, lastCommit, overOld } from './wal.ts';

let history: BusyHistory;
let folder: string;
/** For each generation, the state after each commit. */
let shown: Map<number, string>[];
let problems: string[];
let refused = 0;

beforeAll(async () => {
  history = await busyHistory();
  shown = history.generations.map(wholeCommits);
});

/** Opens the state as a start does and checks everything; null when the store refused it with a message. */
function open<T>(
  database: Buffer,
  wal: Buffer,
  look: (db: DatabaseSync) => T,
): { digest: string; seen: T } | null {
  const file = join(folder, 'state.db');
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  writeFileSync(file, database);
  writeFileSync(`${file}-wal`, wal);
  try {
    const store = openSqliteStore(file);
    store.load(0);
    store.loadPaper();
    store.close();
  } catch (error) {
    const sentence = error instanceof StoreError && /^[^\n]{20,}[^.\n]$/.test(error.message);
    if (!sentence) problems.push(`not refused in one sentence: ${error}`);
    refused += 1;
    return null;
  }
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const verdict = db.prepare('PRAGMA integrity_check').get();
    if (verdict?.integrity_check !== 'ok') problems.push(`integrity: ${JSON.stringify(verdict)}`);
    const hash = createHash('sha256');
    for (const table of TABLES) hash.update(JSON.stringify(db.prepare(`SELECT * FROM ${table}`).all()));
    return { digest: hash.digest('hex'), seen: look(db) };
  } finally {
    db.close();
  }
}

const TABLES = ['orders', 'fills', 'events', 'splits', 'idempotency', 'access_keys', 'log', 'meta', 'paper'];

/** Every commit of the generation, opened and checked in full; returns the state that each shows. */
function wholeCommits(generation: Generation): Map<number, string> {
  folder = temporaryFolder();
  problems = [];
  const digests = new Map<number, string>();
  for (const commit of generation.wal.commits) {
    const cut = damagedAt(generation.wal, commit)[0]?.bytes ?? Buffer.alloc(0);
    const state = open(generation.database, cut, readStored);
    if (!state) throw new Error(`a whole commit was refused (${commit} frames)`);
    digests.set(commit, state.digest);
    const add = (texts: readonly string[]) =>
      problems.push(...texts.map((text) => `${commit} frames: ${text}`));
    add(halfThere(state.seen));
    add(brokenPromises(generation, commit, state.seen));
    add(sentAgain());
  }
  expect(problems).toEqual([]);
  expect(new Set(digests.values()).size).toBe(generation.wal.commits.length);
  return digests;
}

function brokenPromises(generation: Generation, frames: number, stored: Stored): string[] {
  const broken: string[] = [];
  for (const promise of generation.promises) {
    const how = promise.frames <= frames ? promise.broken(stored) : null;
    if (how !== null) broken.push(`${promise.name}: ${how}`);
  }
  for (const id of stored.orders.keys()) {
    const key = history.keyOf.get(id);
    if (key !== undefined && !stored.records.has(key))
      broken.push(`${id} is there, its record ${key} is not`);
  }
  stored.log.forEach((text, i) => {
    if (history.log[i] !== text) broken.push(`log line ${i} is "${text}", was "${history.log[i]}"`);
  });
  return broken;
}

/** Loads the folder's state and takes the engine's first step; returns orders that would be sent again. */
function sentAgain(): string[] {
  const store = openSqliteStore(join(folder, 'state.db'));
  try {
    const engine = new Engine();
    const { account, caps } = createPaperVenue({
      instruments: [],
      load: () => new Map(),
      lane: { commit: () => {} },
      clock: new VirtualClock(),
      random: { next: () => 0 },
    });
    engine.memory.addAccount(account, caps, spotInstruments([SYMBOL], PAPER_SPOT.id));
    engine.load(store.load(0));
    const { effects } = engine.start({ wall: history.wall, market: history.wall, mono: 0 });
    return effects.flatMap((e) =>
      e.kind === 'submit' ? [`${e.order.clientId} is sent again at the start`] : [],
    );
  } finally {
    store.close();
  }
}

/** Checks that the state equals the last whole commit within `frames` frames. */
function same(generation: number, frames: number, what: string, database: Buffer, wal: Buffer): void {
  const { wal: whole } = history.generations[generation] as Generation;
  const state = open(database, wal, () => null);
  const wanted = shown[generation]?.get(lastCommit(whole, frames));
  if (state && state.digest !== wanted) problems.push(`frame ${frames}, ${what}: shows something else`);
}

describe.each([0, 1])('generation %i of the write-ahead log', (generation) => {
  it('shows the last whole commit wherever the log ends, tears or has a wrong bit', {
    timeout: 120_000,
  }, () => {
    folder = temporaryFolder();
    problems = [];
    const { database, wal } = history.generations[generation] as Generation;
    for (let n = 0; n <= wal.frames; n++)
      for (const damaged of damagedAt(wal, n)) same(generation, n, damaged.name, database, damaged.bytes);
    expect(problems).toEqual([]);
    expect(refused).toBe(0);
  });

  it('recovers into a quiet desk that agrees with its exchange from every commit, and sends nothing twice', async () => {
    const { database, wal } = history.generations[generation] as Generation;
    const found: string[] = [];
    for (const commit of wal.commits.slice(1)) {
      const { rig, known, db } = recovering(database, damagedAt(wal, commit)[0]?.bytes ?? wal.bytes);
      await rig.up();
      for (const id of rig.sent) if (known.has(id)) found.push(`${commit} frames: ${id} was sent again`);
      found.push(...(await rig.judge()).map((text) => `${commit} frames: ${text}`));
      rig.crash();
      db.close();
    }
    expect(found).toEqual([]);
  });
});

/** A desk that is about to start on this state, and the orders that must not be sent (any more). */
function recovering(database: Buffer, wal: Buffer) {
  folder = temporaryFolder();
  const file = join(folder, 'state.db');
  writeFileSync(file, database);
  writeFileSync(`${file}-wal`, wal);
  const db = openDatabase(file);
  const known = new Set<string>();
  for (const order of readStored(db).orders.values()) if (order.phase !== 'held') known.add(order.id);
  const market = db.prepare("SELECT doc FROM meta WHERE name = 'market'").get() as
    | { doc: string }
    | undefined;
  const feedLabel = market && (JSON.parse(market.doc) as { feed: string }).feed;
  const rig = new Rig({
    db,
    exchange: 'embedded',
    wall: history.wall,
    ...(feedLabel === undefined ? {} : { feedLabel }),
  });
  return { rig, known, db };
}

it('shows the last whole commit when the new log stands half over the old one', () => {
  folder = temporaryFolder();
  problems = [];
  const [first, second] = history.generations;
  for (let n = 0; n <= second.wal.frames; n++)
    same(1, n, 'over the old log', second.database, overOld(second.wal, first.wal.bytes, n));
  expect(problems).toEqual([]);
});

it('shows everything when a checkpoint was cut short after any page', () => {
  folder = temporaryFolder();
  problems = [];
  const [{ database, wal }] = history.generations;
  const pages = changedPages(database, history.checkpointed);
  expect(pages).toBeGreaterThan(10);
  for (let n = 0; n <= pages; n++)
    same(
      0,
      wal.frames,
      `checkpoint of ${n} pages`,
      halfCheckpoint(database, history.checkpointed, n),
      wal.bytes,
    );
  expect(problems).toEqual([]);
});

it('answers every request again with the same bytes, from a whole desk started on the state', async () => {
  for (const { database, wal, answers } of history.generations) {
    for (const [i, last] of answers.entries()) {
      if (i % 4 !== 0 && i !== answers.length - 1) continue;
      const dataDir = join(temporaryFolder(), 'data');
      mkdirSync(dataDir, { mode: 0o700 });
      writeFileSync(join(dataDir, 'outcry.db'), database);
      writeFileSync(join(dataDir, 'outcry.db-wal'), damagedAt(wal, last.frames)[0]?.bytes ?? wal.bytes);
      const clock = new VirtualClock(history.wall + 1_000, { autoTurns: true });
      const t = await openTestDesk({ feed: busyMarket(), hold: true, dataDir, clock });
      const client = createClient({
        baseUrl: t.desk.info.apiUrl,
        transport: checkedHttp(t.desk.info.apiUrl),
        key: { privateKeyPem: history.pem },
        now: () => clock.wall(),
        retry: { attempts: 1 },
      });
      const before = Object.keys(t.desk.state().orders).length;
      for (const { method, target, body, key, status, text } of answers.slice(0, i + 1)) {
        const again = await client.raw(method, target, { body, idempotencyKey: key });
        expect({ status: again.status, text: again.text }).toEqual({ status, text });
        expect(again.headers['x-idempotent-replayed']).toBe('true');
      }
      expect(Object.keys(t.desk.state().orders)).toHaveLength(before);
      await client.close();
      await t.stop();
    }
  }
});
