/** The lines of a panic in the desk's log: stored when they are acknowledged, refused when they are empty. */
import { beforeEach, expect, it } from 'vitest';
import type { PanicNote } from '../../../src/desk/console/protocol.ts';
import type { LogLine, Row } from '../../../src/domain/rows.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { type Store, StoreError } from '../../../src/store/store.ts';
import { flat, openTestDesk, type TestDesk, writeCandles } from './support.ts';

let t: TestDesk;
let stored: LogLine[];
let full: boolean;

beforeEach(async () => {
  stored = [];
  full = false;
  const openStore = (file: string): Store => {
    const opened = openSqliteStore(file, {});
    const commit = opened.commit.bind(opened);
    opened.commit = (rows: readonly Row[]) => {
      if (full) throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
      commit(rows);
      for (const row of rows) if (row.kind === 'log') stored.push(row.line);
    };
    return opened;
  };
  t = await openTestDesk({
    feed: writeCandles({ BTCUSDT: flat('100', 10) }),
    hold: true,
    ports: { openStore },
  });
});

const all: PanicNote = { phase: 'start', parts: ['bots', 'orders', 'positions'], again: false };

it('is on disk when it is answered, and names what is done', async () => {
  expect(await t.call('desk.panic', all)).toMatchObject({ ok: true });
  expect(stored.at(-1)).toMatchObject({
    level: 'warn',
    source: 'desk',
    text: 'panic: stop all bots, cancel all orders, close all positions, asked by operator',
  });
  await t.call('desk.panic', { phase: 'end', all: 12, done: 11, failed: 1 });
  expect(stored.at(-1)?.text).toBe('panic over: 11 of 12 done, 1 failed');
  await t.call('desk.panic', { phase: 'start', parts: ['orders'], again: true });
  expect(stored.at(-1)?.text).toBe('panic for what failed, again: cancel all orders, asked by operator');
  expect(
    t.desk
      .state()
      .log.slice(-3)
      .map(({ text }) => text),
  ).toEqual(stored.slice(-3).map(({ text }) => text));
});

it('says so when it cannot be stored', async () => {
  full = true;
  expect(await t.call('desk.panic', all)).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
  full = false;
});

it('refuses a note that says nothing', async () => {
  const before = t.desk.state().log.length;
  for (const note of [
    { phase: 'start', parts: [], again: false },
    { phase: 'start', parts: ['money'], again: false },
    { phase: 'start' },
    { phase: 'end', all: -1, done: 0, failed: 0 },
    { phase: 'later' },
    {},
  ] as PanicNote[]) {
    expect(await t.call('desk.panic', note)).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
  }
  expect(t.desk.state().log).toHaveLength(before);
});
