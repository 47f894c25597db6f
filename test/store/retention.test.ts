/** What `maintain` removes, what it keeps, and that it never throws. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { BotNotice, BotRecord } from '../../src/domain/bot.ts';
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
const notice = (at: number, text = 'x', botId = 'bot'): Row => ({
  kind: 'notice',
  notice: { botId, runId: 'run', at, market: at, level: 1, text } as BotNotice,
});
const noticed = (store: Store) => store.notices('bot', 1_000).map(({ at }) => at);
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
const candle = (symbol: string, time: number, market = 'paper', frameMs?: number): Row => ({
  kind: 'candle',
  market,
  symbol,
  ...(frameMs === undefined ? {} : { frameMs }),
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

  it('removes notices of bots by their age and beyond the size as well, the oldest first', () => {
    const store = openSqliteStore(':memory:', { retention: { historyBytes: 60_000 } });
    store.commit([notice(NOW - 90 * DAY - 1), notice(NOW - 90 * DAY), notice(NOW - 1)]);
    store.maintain(NOW);
    expect(noticed(store)).toEqual([NOW - 1, NOW - 90 * DAY]);
    const text = 'y'.repeat(900);
    store.commit(Array.from({ length: 100 }, (_, n) => notice(NOW + n, text)));
    store.maintain(NOW + 100);
    const left = noticed(store);
    expect(left.length).toBeGreaterThan(40);
    expect(left.length).toBeLessThan(60);
    expect(left).toEqual(Array.from(left, (_, n) => NOW + 99 - n));
  });

  it('weighs events, log lines and notices together: what fits stays, and the share that goes is the same of each', () => {
    const store = openSqliteStore(':memory:', { retention: { historyBytes: 400_000 } });
    const text = 'y'.repeat(850);
    const fill = (count: number) => {
      for (let n = 0; n < count; n++)
        store.commit([eventRow(NOW + n, text), logLine(NOW + n, text), notice(NOW + n, text)]);
    };
    const left = () => [times(store).events.length, times(store).log.length, noticed(store).length];
    fill(110);
    store.maintain(NOW);
    expect(left()).toEqual([110, 110, 110]);
    fill(80);
    store.maintain(NOW);
    const [events = 0, log, notices] = left();
    expect([log, notices]).toEqual([events, events]);
    expect(events).toBeGreaterThan(105);
    expect(events).toBeLessThan(140);
  });

  it('weighs what is there, not what a deleted bot had: that takes no history of others with it', () => {
    const store = openSqliteStore(':memory:', { retention: { historyBytes: 300_000 } });
    const text = 'y'.repeat(850);
    store.commit([notice(NOW - 1, text)]);
    store.commit(Array.from({ length: 1_000 }, (_, n) => notice(NOW + n, text, 'gone')));
    const at = Array.from({ length: 100 }, (_, n) => NOW + n);
    store.commit([...at.flatMap((time) => [eventRow(time, text), logLine(time, text)]), notice(NOW, text)]);
    store.commit([{ kind: 'bot-drop', id: 'gone' }]);
    store.maintain(NOW);
    expect(times(store)).toEqual({ events: at, log: at });
    expect(noticed(store)).toEqual([NOW, NOW - 1]);
    // Rows beyond the limit are removed, a share of each table.
    store.commit(at.flatMap((time) => [eventRow(time + 100, text), logLine(time + 100, text)]));
    store.maintain(NOW);
    const { events, log } = times(store);
    expect(log).toEqual(events);
    expect(events.length).toBeGreaterThan(120);
    expect(events.length).toBeLessThan(170);
    expect(noticed(store)).toEqual([NOW]);
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

  it('removes a bounded number of idempotency records and candles in one run, the oldest first', () => {
    const store = openSqliteStore(':memory:', { retention: { rowsPerRun: 2 } });
    const old = [5, 3, 1, 4, 2];
    store.commit([
      ...old.map((at) => idempotency(`k${at}`, at, true)),
      ...old.flatMap((at) => [candle('A', at), candle('B', at)]),
      candle('A', 500 * DAY),
      candle('B', 500 * DAY),
    ]);
    const rest = [3, 4, 5];
    store.maintain(NOW);
    expect(store.load(0).idempotency.map(({ arrivedAt }) => arrivedAt)).toEqual(rest);
    for (const symbol of ['A', 'B'])
      expect(store.candles('paper', symbol, 0, NOW).map(({ time }) => time)).toEqual([...rest, 500 * DAY]);
    store.maintain(NOW);
    store.maintain(NOW);
    expect(store.load(0).idempotency).toEqual([]);
  });

  it('removes candles 400 days before the newest of their market, symbol and frame', () => {
    const store = openSqliteStore(':memory:');
    store.commit([
      candle('A', 0, 'paper', DAY),
      candle('A', 400 * DAY, 'paper', DAY),
      candle('B', 0, 'paper', DAY),
      candle('B', 401 * DAY, 'paper', DAY),
      candle('B', DAY, 'paper', DAY),
      candle('A', 0, 'other', DAY),
      candle('A', 402 * DAY, 'other', DAY),
      candle('A', 0, 'other', 2 * DAY),
    ]);
    store.maintain(NOW * 10);
    const left = (market: string, symbol: string, frameMs = DAY) =>
      store.candles(market, symbol, 0, NOW, frameMs).map(({ time }) => time);
    expect(left('paper', 'A')).toEqual([0, 400 * DAY]);
    expect(left('paper', 'B')).toEqual([DAY, 401 * DAY]);
    expect(left('other', 'A')).toEqual([402 * DAY]);
    expect(left('other', 'A', 2 * DAY)).toEqual([0]);
  });

  it('removes alerts older than 90 days of bots that are gone, none of a bot that is there and none that waits', () => {
    const store = openSqliteStore(':memory:');
    const at = NOW - 90 * DAY;
    const alert = (id: string, botId: string, time: number, state: 'done' | 'waiting' = 'done'): Row => ({
      kind: 'alert',
      alert: {
        id,
        botId,
        runId: 'run',
        user: 'owner',
        market: time,
        at: time,
        symbol: 'BTCUSDT',
        condition: 'c',
        message: 'm',
        price: null,
        seen: true,
        deliveries: [{ target: 't', state, tries: 0, nextAt: null, error: null }],
      },
    });
    store.commit([
      { kind: 'bot', bot: { id: 'there' } as BotRecord },
      alert('old', 'gone', at - 1),
      alert('young', 'gone', at),
      alert('waits', 'gone', at - 1, 'waiting'),
      alert('kept', 'there', at - 1),
    ]);
    store.maintain(NOW);
    expect(store.load(0).alerts.map(({ id }) => id)).toEqual(['young', 'waits', 'kept']);
  });

  it('keeps so many candles of a symbol and frame, the newest', () => {
    const store = openSqliteStore(':memory:', { retention: { candleRows: 3 } });
    const minutes = [0, 1, 2, 3, 4, 5].map((n) => n * 60_000);
    store.commit(minutes.flatMap((time) => [candle('A', time), candle('A', time * 5, 'paper', 300_000)]));
    store.maintain(NOW);
    expect(store.candles('paper', 'A', 0, NOW).map(({ time }) => time)).toEqual(minutes.slice(-3));
    expect(store.candles('paper', 'A', 0, NOW, 300_000)).toHaveLength(3);
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

  it('cuts it above 16 MiB unless told otherwise, and leaves a smaller one', () => {
    const file = join(temporaryFolder(), 'outcry.db');
    const store = openSqliteStore(file);
    const write = (id: string, megabytes: number) =>
      store.commit([{ kind: 'order', order: order(id, { metadata: 'x'.repeat(megabytes * 1_000_000) }) }]);
    write('a', 10);
    store.maintain(NOW);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(10_000_000);
    write('b', 17);
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
