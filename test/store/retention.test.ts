/** What `maintain` removes, what it keeps, and that it never throws. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/domain/rows.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store, StoreError } from '../../src/store/store.ts';
import { event, fill, order } from './rows.ts';
import { temporaryFolder } from './support.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 1_000 * DAY;

const logLine = (at: number, text = 'x'): Row => ({
  kind: 'log',
  line: { at, level: 'info', source: 'desk', text },
});
const eventRow = (at: number, text = 'x'): Row => ({ kind: 'event', event: event('a', at, text) });
const idempotency = (key: string, arrivedAt: number, answered: boolean): Row => ({
  kind: 'idempotency',
  record: {
    user: 'owner',
    key,
    fingerprint: 'f',
    arrivedAt,
    requestId: 'r',
    effect: null,
    answer: answered ? { status: 200, body: '{}' } : null,
  },
});
const candle = (symbol: string, time: number, market = 'paper'): Row => ({
  kind: 'candle',
  market,
  symbol,
  candle: { time, open: '1', high: '1', low: '1', close: '1', volume: '1' },
});

function times(store: Store) {
  return { events: store.orderEvents('a').map((e) => e.at), log: store.load(0).log.map((l) => l.at) };
}

describe('maintain', () => {
  // proves: S50
  it('removes events and log lines older than 90 days, never orders or fills', () => {
    const store = openSqliteStore(':memory:');
    const ages = [NOW - 91 * DAY, NOW - 90 * DAY, NOW - DAY];
    store.commit([
      { kind: 'order', order: order('a', { status: 'CLOSED', endedAt: 1 }) },
      { kind: 'fill', fill: fill('t', 'a') },
      ...ages.flatMap((at) => [eventRow(at), logLine(at)]),
    ]);
    store.maintain(NOW);
    expect(times(store)).toEqual({ events: ages.slice(1), log: ages.slice(1) });
    expect(store.order('a')?.fills.length).toBe(1);
  });

  it('removes a bounded number in one run and goes on in the next', () => {
    const store = openSqliteStore(':memory:', { retention: { rowsPerRun: 500 } });
    store.commit(Array.from({ length: 1_700 }, () => eventRow(1)));
    const left = [1, 2, 3, 4].map(() => {
      store.maintain(NOW);
      return store.orderEvents('a').length;
    });
    expect(left).toEqual([1_200, 700, 200, 0]);
  });

  // proves: S50
  it('removes the oldest events and log lines beyond the size', () => {
    const store = openSqliteStore(':memory:', { retention: { historyBytes: 200_000 } });
    const text = 'y'.repeat(900);
    for (let n = 0; n < 300; n++) store.commit([eventRow(NOW + n, text), logLine(NOW + n, text)]);
    store.maintain(NOW + 300);
    const { events, log } = times(store);
    expect(events.length).toBeGreaterThan(50);
    expect(events.length).toBeLessThan(110);
    expect(log.length).toBe(events.length);
    expect([events.at(-1), log.at(-1)]).toEqual([NOW + 299, NOW + 299]);
    store.maintain(NOW + 300);
    expect(times(store).events.length).toBe(events.length);
  });

  it('removes of each table as many as one run may, and not one more', () => {
    const store = openSqliteStore(':memory:', { retention: { historyBytes: 1, rowsPerRun: 10 } });
    const at = Array.from({ length: 50 }, (_, n) => NOW + n);
    store.commit(at.flatMap((time) => [eventRow(time), logLine(time)]));
    for (const gone of [10, 20]) {
      store.maintain(NOW);
      expect(times(store)).toEqual({ events: at.slice(gone), log: at.slice(gone) });
    }
  });

  it('removes answered idempotency records after an hour and keeps unanswered ones', () => {
    const store = openSqliteStore(':memory:');
    store.commit([
      idempotency('old', NOW - HOUR - 1, true),
      idempotency('edge', NOW - HOUR, true),
      idempotency('waiting', 1, false),
    ]);
    store.maintain(NOW);
    expect(store.load(0).idempotency.map((r) => r.key)).toEqual(['waiting', 'edge']);
  });

  it('removes candles 400 days before the newest of their market and symbol', () => {
    const store = openSqliteStore(':memory:');
    store.commit([
      candle('A', 0),
      candle('A', 400 * DAY),
      candle('B', 0),
      candle('B', 401 * DAY),
      candle('B', DAY),
      candle('A', 0, 'other'),
      candle('A', 402 * DAY, 'other'),
    ]);
    store.maintain(NOW * 10);
    expect(store.candles('paper', 'A', 0, NOW).map((c) => c.time)).toEqual([0, 400 * DAY]);
    expect(store.candles('paper', 'B', 0, NOW).map((c) => c.time)).toEqual([DAY, 401 * DAY]);
    expect(store.candles('other', 'A', 0, NOW).map((c) => c.time)).toEqual([402 * DAY]);
  });

  it('cuts a write-ahead log that grew big', () => {
    const file = join(temporaryFolder(), 'outcry.db');
    const store = openSqliteStore(file, { retention: { walBytes: 100_000 } });
    store.commit([{ kind: 'order', order: order('a', { metadata: 'x'.repeat(500_000) }) }]);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(500_000);
    store.maintain(NOW);
    expect(statSync(`${file}-wal`).size).toBe(0);
    store.close();
  });

  it('never throws: a locked and a closed database are told to onMaintainError', () => {
    const file = join(temporaryFolder(), 'outcry.db');
    const heard: StoreError['code'][] = [];
    const db = openDatabase(file);
    db.exec('PRAGMA busy_timeout = 0');
    const store = new SqliteStore(db, file, { onMaintainError: (error) => heard.push(error.code) });
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    store.maintain(NOW);
    other.close();
    store.maintain(NOW);
    store.close();
    store.close();
    store.maintain(NOW);
    expect(heard).toEqual(['BUSY', 'IO']);
  });
});
