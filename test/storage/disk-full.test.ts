/**
 * A full disk: writes are answered 503 and nothing is sent, reads continue, and writes work again once there
 * is space. A start without space ends with one sentence. On a real full file system where this process may
 * mount one, and everywhere by SQLite's own limit of pages.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, expect, it } from 'vitest';
import { DeskStartError } from '../../src/desk/start-error.ts';
import { HTTP_STATUS } from '../../src/domain/errors.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import {
  clientOf,
  EXCHANGE,
  flat,
  ok,
  openTestDesk,
  type TestDesk,
  temporaryFolder,
  writeCandles,
} from '../desk/integration/support.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { disagreements, halfThere, readStored } from './checks.ts';

const SMALL_DISK_BYTES = 4 * 1024 * 1024;
const PAGE = 4096;
const disk = mountSmallDisk();
const ballast = join(disk ?? '', 'ballast');

afterEach(() => {
  if (disk) rmSync(ballast, { force: true });
});

afterAll(() => {
  if (!disk) return;
  execFileSync('umount', ['--lazy', disk]);
  rmdirSync(disk);
});

/** Mounts a small disk; null where this process may not mount. */
function mountSmallDisk(): string | null {
  const at = mkdtempSync(join(tmpdir(), 'outcry-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK_BYTES}`, 'tmpfs', at], {
      stdio: 'ignore',
    });
    return at;
  } catch {
    rmdirSync(at);
    return null;
  }
}

/** Fills all space but `left` bytes. */
function fillDisk(left = 0): void {
  const { bavail, bsize } = statfsSync(disk ?? '');
  writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - left)));
}

const LIMIT = {
  exchange: EXCHANGE,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  price: '90',
  quantity: '0.5',
} as const;

/** A kind of full disk that leaves room for a given number of pages. */
interface Space {
  readonly folder: () => string;
  /** The source of the orders. A desk that ends waits 5 s for an API request that it never answers. */
  readonly from: 'api' | 'console';
  /** Takes the space away. `db`: the desk's own connection. */
  readonly take: (db: DatabaseSync, leftPages: number) => void;
  readonly giveBack: (db: DatabaseSync) => void;
}

const real: Space = {
  from: 'api',
  folder: () => mkdtempSync(join(disk ?? '', 'data-')),
  take: (_, leftPages) => fillDisk(leftPages * PAGE),
  giveBack: () => rmSync(ballast, { force: true }),
};
const byPages: Space = {
  from: 'console',
  folder: () => join(temporaryFolder(), 'data'),
  take: (db, leftPages) => {
    const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count);
    db.exec(`PRAGMA max_page_count = ${pages + leftPages}`);
  },
  giveBack: (db) => {
    if (db.isOpen) db.exec('PRAGMA max_page_count = 4294967294');
  },
};

async function open(dataDir: string, clock?: VirtualClock): Promise<{ t: TestDesk; db: DatabaseSync }> {
  let db: DatabaseSync | null = null;
  const openStore = (file: string): Store => {
    db = openDatabase(file);
    return new SqliteStore(db, file);
  };
  const feed = writeCandles({ BTCUSDT: flat('100', 500) });
  const t = await openTestDesk({
    feed,
    hold: true,
    dataDir,
    ports: { openStore },
    ...(clock ? { clock } : {}),
  });
  if (!db) throw new Error('no store was opened');
  await t.call('feed.control', { action: 'step' });
  return { t, db };
}

interface Posted {
  readonly status: number;
  readonly text: string;
}

/**
 * Places orders until all are refused, or until the desk has ended because the disk got full between an
 * order's intent and outcome.
 */
async function untilFull(
  t: TestDesk,
  post: () => Promise<Posted>,
): Promise<{ accepted: number; ended: string | null }> {
  const ending = t.desk.stopping.then(({ reason, exitCode }) => {
    expect(exitCode).toBe(1);
    return reason;
  });
  let accepted = 0;
  for (let refused = 0; refused < 15; ) {
    const posted = post();
    posted.catch(() => {});
    const answer = await Promise.race([posted, ending]);
    if (typeof answer === 'string') return { accepted, ended: answer };
    if (answer.status === 200) accepted += 1;
    else {
      expect(answer.status, answer.text).toBe(503);
      refused += 1;
    }
    if (accepted === 100) throw new Error('the disk does not get full');
  }
  return { accepted, ended: null };
}

for (const [name, space] of [
  ['a file system without space', real],
  ["SQLite's limit of pages", byPages],
] as const) {
  it.skipIf(space === real && !disk)(
    `writes are refused, reads go on and nothing is sent: ${name}`,
    async () => {
      const ways: ('refused' | 'ended')[] = [];
      for (let left = 0; left < 8; left++) {
        const dataDir = space.folder();
        ways.push(await fullFor(space, dataDir, left));
        rmSync(dataDir, { recursive: true, force: true });
      }
      expect(ways.filter((way) => way === 'refused').length).toBeGreaterThan(1);
    },
  );
}

/** Fills the disk under a running desk, then frees it. An order that was on its way then may end the desk. */
async function fullFor(space: Space, dataDir: string, leftPages: number): Promise<'refused' | 'ended'> {
  let { t, db } = await open(dataDir);
  const key = ok(await t.call('keys.generate', { label: 'test', tier: 'trade' }));
  let client = await clientOf(t, key);
  const post = async (): Promise<Posted> => {
    const { clock, call } = t;
    await clock.advance(1_000);
    if (space.from === 'console') {
      const outcome = await call('orders.place', LIMIT);
      return outcome.ok ? { status: 200, text: '' } : { status: HTTP_STATUS[outcome.error.code], text: '' };
    }
    const body = JSON.stringify(LIMIT);
    return await client.raw('POST', '/v2/orders', { body, idempotencyKey: crypto.randomUUID() });
  };
  expect((await post()).status).toBe(200);
  const resting = (await client.orders.list())[0]?.id ?? '';
  space.take(db, leftPages);
  const { accepted, ended } = await untilFull(t, post);
  const before = readStored(db);
  if (ended === null) {
    expect(await client.orders.list()).toHaveLength(1 + accepted);
    expect(await client.orders.trades({ exchange: EXCHANGE, symbol: 'BTCUSDT' })).toEqual([]);
    expect((await client.portfolio.get({ full: true })).balances?.length).toBeGreaterThan(0);
    const stored = readStored(db);
    expect([stored.orders.size, stored.paper.orders.length]).toEqual([1 + accepted, 1 + accepted]);
    space.giveBack(db);
  } else {
    expect(ended).toMatch(/store keeps failing.*is full/);
    await t.stop();
    space.giveBack(db);
    ({ t, db } = await open(dataDir, new VirtualClock(t.clock.wall(), { autoTurns: true })));
    client = await clientOf(t, key);
    await t.clock.advance(20_000);
  }
  expect((await post()).status).toBe(200);
  const removed = await client.raw('DELETE', `/v2/orders/${resting}?exchange=${EXCHANGE}`);
  expect(removed.status, removed.text).toBe(200);
  const after = readStored(db);
  expect(after.orders.size).toBe(before.orders.size + 1);
  expect([...halfThere(after), ...disagreements(after)]).toEqual([]);
  await t.stop();
  return ended === null ? 'refused' : 'ended';
}

it.skipIf(!disk)('a start without space ends in one sentence and damages nothing', async () => {
  const feed = writeCandles({ BTCUSDT: flat('100', 500) });
  const dataDir = join(disk ?? '', 'data');
  const { t, db } = await open(dataDir);
  const client = await clientOf(t);
  for (let i = 0; i < 3; i++) await client.orders.place(LIMIT);
  db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  await client.orders.place(LIMIT);
  const crashed = join(temporaryFolder(), 'crashed');
  cpSync(dataDir, crashed, { recursive: true, filter: (path) => !/\.sock$|-shm$|\.lock$/.test(path) });
  await t.stop();
  const clean = join(temporaryFolder(), 'clean');
  cpSync(dataDir, clean, { recursive: true });

  const sentences = new Set<string>();
  for (const [kind, from, orders] of [
    ['new', null, 0],
    ['cleanly stopped', clean, 4],
    ['crashed', crashed, 4],
  ] as const) {
    for (let left = 0; left <= 40; left += left < 12 ? 1 : 7) {
      rmSync(dataDir, { recursive: true, force: true });
      if (from) cpSync(from, dataDir, { recursive: true });
      else mkdirSync(dataDir, { mode: 0o700 });
      fillDisk(left * PAGE);
      const where = `${kind}, ${left} pages left`;
      const started = await openTestDesk({ feed, hold: true, dataDir }).catch((error: unknown) => error);
      if (started instanceof Error) {
        expect(started, where).toBeInstanceOf(DeskStartError);
        expect((started as DeskStartError).exitCode, where).toBe(1);
        expect(started.message, where).toMatch(/^[^\n]+$/);
        sentences.add(started.message.replaceAll(dataDir, 'DIR'));
      } else await (started as TestDesk).stop();
      rmSync(ballast);
      const again = await openTestDesk({ feed, hold: true, dataDir }).catch((error: unknown) => {
        throw new Error(
          `${where}, after ${started instanceof Error ? started.message : 'a start'}: ${error}`,
        );
      });
      expect(Object.keys(again.desk.state().orders), where).toHaveLength(orders);
      await again.stop();
    }
  }
  for (const sentence of sentences) expect(sentence).toMatch(/full/);
  expect(sentences.size).toBeGreaterThan(0);
  rmSync(dataDir, { recursive: true });
});
