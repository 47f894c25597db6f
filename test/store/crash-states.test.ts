/**
 * Power failures: the WAL cut at every frame, torn within frames, and with bits flipped. Each state must open
 * without help and show a prefix of the commits, each complete (testing.md, "storage crash"). SIGKILL tests
 * cannot show this: the page cache survives.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { event, fill, order } from './rows.ts';
import { temporaryFolder } from './support.ts';

const WAL_HEADER = 32;
const FRAME = 24 + 4096;
const COMMITS = 15;

/**
 * Writes commits. Commit n: a new order, its event, a fill and an event of the order before, the count, the
 * candle of its minute.
 */
function history(file: string): void {
  const store = openSqliteStore(file);
  for (let n = 0; n < COMMITS; n++) {
    store.commit([
      { kind: 'order', order: order(`o${n}`) },
      { kind: 'event', event: event(`o${n}`, n) },
      ...(n > 0
        ? ([
            { kind: 'order', order: order(`o${n - 1}`, { status: 'CLOSED', phase: 'done', endedAt: n }) },
            { kind: 'fill', fill: fill(`t${n - 1}`, `o${n - 1}`) },
            { kind: 'event', event: event(`o${n - 1}`, n) },
          ] as const)
        : []),
      { kind: 'meta', name: 'count', value: n + 1 },
    ]);
  }
  const dir = `${file}.crashed`;
  mkdirSync(dir);
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, join(dir, `db${suffix}`));
  store.close();
}

/** Opens the state and returns how many commits it shows, after checking that it shows each of them whole. */
function commitsSeen(database: Buffer, wal: Buffer, file: string): number {
  writeFileSync(file, database);
  writeFileSync(`${file}-wal`, wal);
  const store = openSqliteStore(file);
  const { orders, fills, meta } = store.load(0);
  const seen = Number(meta.get('count') ?? 0);
  expect(orders.map((o) => o.id)).toEqual(Array.from({ length: seen }, (_, n) => `o${n}`));
  orders.forEach((o, n) => {
    const last = n === seen - 1;
    expect(o.status).toBe(last ? 'OPENED' : 'CLOSED');
    expect(store.orderEvents(o.id).length).toBe(last ? 1 : 2);
  });
  expect(fills.map((f) => f.tradeId)).toEqual(
    Array.from({ length: Math.max(0, seen - 1) }, (_, n) => `t${n}`),
  );
  store.close();
  return seen;
}

/** Checks that rows stored after the crash are there after one more start. */
function writableAgain(file: string): void {
  const store = openSqliteStore(file);
  const { orders } = store.load(0);
  store.commit([{ kind: 'order', order: order('later') }]);
  store.close();
  const reopened = openSqliteStore(file);
  expect(reopened.load(0).orders.length).toBe(orders.length + 1);
  reopened.close();
}

it('shows whole commits only, and never fewer with more of the WAL, wherever the WAL ends', {
  timeout: 120_000,
}, () => {
  const dir = temporaryFolder({ inMemory: true });
  history(join(dir, 'outcry.db'));
  const database = readFileSync(join(dir, 'outcry.db.crashed', 'db'));
  const wal = readFileSync(join(dir, 'outcry.db.crashed', 'db-wal'));
  const frames = (wal.length - WAL_HEADER) / FRAME;
  expect(Number.isInteger(frames)).toBe(true);
  expect(frames).toBeGreaterThan(COMMITS);

  const file = join(dir, 'state.db');
  const distinct = new Set<number>();
  let before = 0;
  for (let frame = 0; frame <= frames; frame++) {
    const end = WAL_HEADER + frame * FRAME;
    const seen = commitsSeen(database, wal.subarray(0, end), file);
    expect(seen).toBeGreaterThanOrEqual(before);
    before = seen;
    writableAgain(file);
    distinct.add(seen);
    if (frame === frames) break;
    // Torn writes: within the frame's header, within its page, and a page of which only zeros arrived.
    const torn = [wal.subarray(0, end + 11), wal.subarray(0, end + 24 + ((frame * 997) % 4096))];
    const zeroed = Buffer.from(wal.subarray(0, end + FRAME)).fill(0, end + 24 + 512);
    const flipped = Buffer.from(wal);
    const bit = end + 24 + ((frame * 131) % 4096);
    flipped[bit] = (flipped[bit] ?? 0) ^ (1 << (frame % 8));
    const states = frame % 3 === 0 ? [...torn, zeroed, flipped] : [flipped];
    for (const state of states) expect(commitsSeen(database, state, file)).toBe(seen);
  }
  expect(distinct).toEqual(new Set(Array.from({ length: COMMITS + 1 }, (_, n) => n)));
});
