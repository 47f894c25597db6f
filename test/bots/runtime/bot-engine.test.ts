/**
 * Edge cases of the bot engine: runs that cannot be restored, deleted bots, what a start waits for, what a
 * command stores.
 */
import { describe, expect, it } from 'vitest';
import type { BotRecord, RunRecord } from '../../../src/domain/bot.ts';
import { START } from '../../engine/support/market.ts';
import { cells, PAIR, squeeze } from '../rules/bots.ts';
import { BotsBench } from './support.ts';

const MINUTE = 60_000;
const LEVELS = cells([
  ['90', '110'],
  ['80', '120'],
]);

describe('a stored run that cannot be read any more', () => {
  const unreadable = (run: RunRecord): RunRecord => ({ ...run, settings: {} });

  it('ends as failed at the start, with its orders cancelled and its bot told of', () => {
    const b = new BotsBench();
    const { id, runId } = b.started('CHANNEL', LEVELS);
    b.tick('100', 1);
    expect(b.bench.engine.memory.openOn('paper-spot', 'BTCUSDT')).toBe(2);
    b.runs.set(runId, unreadable(b.runs.get(runId) as RunRecord));
    b.bench.pass(MINUTE);
    b.restart();
    expect(b.bench.kinds('cancel')).toHaveLength(2);
    expect(b.runs.get(runId)).toMatchObject({ endedAt: b.bench.wall, reason: 'error', state: '' });
    expect(b.bots.get(id)).toMatchObject({ status: 'ERROR', runId: null });
  });

  it('that had ended with its orders left has ended then, and the next run of its bot keeps its own orders', () => {
    const b = new BotsBench();
    const { id, runId } = b.started('CHANNEL', LEVELS);
    b.tick('100', 1);
    b.bench.pass(1_000);
    const endedAt = b.bench.wall;
    b.done({ type: 'bot.stop', id, runId, way: { cleanup: 'leaveAllOrders' } });
    const second = b.done({ type: 'bot.start', id }).runId;
    b.tick('100', MINUTE);
    const before = b.runs.get(runId) as RunRecord;
    expect(before).toMatchObject({ endedAt, reason: 'operator', state: expect.stringContaining('{') });
    b.runs.set(runId, unreadable(before));
    b.bench.pass(MINUTE);
    b.restart();
    const cancelled = b.bench.kinds('cancel').map((effect) => (effect as { orderId: string }).orderId);
    expect(cancelled.map((order) => order.slice(order.lastIndexOf('_') + 1))).toEqual([runId, runId]);
    expect(b.runs.get(runId)).toMatchObject({ endedAt, reason: 'error', state: '' });
    expect(b.bots.get(id)).toMatchObject({ status: 'STARTED', runId: second });
  });
});

it('nothing is stored any more of a bot that was deleted, be there something left to say of its alerts', () => {
  const told = (deleted: boolean) => {
    const b = new BotsBench();
    const line = { type: 'price', trend: { [START]: 100, [START + 99 * MINUTE]: 100 } };
    const range = Array.from({ length: 40 }, () => line);
    const { id } = b.started('ALARM', { ...PAIR, range, repeat: 'always', snoozeDuration: 0 });
    for (const [i, price] of ['99', '101', '99'].entries()) b.tick(price, i + 1);
    if (deleted) b.done({ type: 'bot.delete', id, force: true });
    b.tick('99', MINUTE);
    return b.notices
      .filter(({ text }) => text.includes('more alerts'))
      .map(({ text }) => Number.parseInt(text, 10));
  };
  expect(told(false)).toEqual([20]);
  expect(told(true)).toEqual([]);
});

it('a start waits for the candles that it begins with, that of a NOTIFY takes in what comes later', () => {
  const notify = { timeFrame: 5 * MINUTE, conditions: [{ type: 'price_change', percent: '2' }] };
  const trailingRules = [{ type: 'pump_filter', maxChange: 50 }];
  for (const [type, settings, status] of [
    ['SQUEEZE', squeeze({ trailingRules }), 503],
    ['NOTIFY', notify, 200],
  ] as const) {
    let here = false;
    const b = new BotsBench({ history: () => (here ? [] : null) });
    const id = b.make(type, settings);
    expect(b.ask({ type: 'bot.start', id }).status, type).toBe(status);
    here = true;
    if (status !== 200) expect(b.ask({ type: 'bot.start', id }).status).toBe(200);
  }
});

it('one that scans lacks no past on an account of which no symbol is known yet', () => {
  const b = new BotsBench({ history: () => null });
  const id = b.make('NOTIFY', {
    timeFrame: 5 * MINUTE,
    conditions: [{ type: 'price_change', percent: '2' }],
  });
  b.bench.engine.memory.account('paper-spot').instruments.clear();
  expect(b.engine.lacksPast(b.bots.get(id) as BotRecord, b.bench.wall)).toBe(false);
});

it('none starts on an account of which no symbol is known yet, by no command', () => {
  const b = new BotsBench();
  const id = b.make('NOTIFY', {
    timeFrame: 5 * MINUTE,
    conditions: [{ type: 'price_change', percent: '2' }],
  });
  b.bench.engine.memory.account('paper-spot').instruments.clear();
  for (const command of [
    { type: 'bot.start', id },
    { type: 'bot.patch', id, change: { restart: true } },
  ] as const) {
    const reply = b.ask(command);
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply)).toContain('paper-spot has not been connected yet');
  }
  expect(b.bots.get(id)?.runId).toBeNull();
});

it('what a runtime command has changed is there after a restart', () => {
  const b = new BotsBench();
  const { id, runId } = b.started('CHANNEL', LEVELS);
  b.tick('100', 1);
  const params = {
    strategy: 'fixed',
    trigger: { type: 'kline', value: '5', closed: true, timeFrame: MINUTE },
    order: { type: 'MARKET' },
  };
  b.done({ type: 'bot.message', id, runId, message: 'add_stoploss', params });
  const rules = () =>
    b.engine.book.runs
      .get(runId)
      ?.outline()
      .stops.map(({ trigger }) => trigger);
  expect(rules()).toEqual(['kline']);
  b.restart();
  expect(rules()).toEqual(['kline']);
});

it('a run keeps what it keeps once, whatever is heard of its orders between loading and the start', () => {
  const b = new BotsBench();
  b.started('CHANNEL', LEVELS);
  b.tick('100', 1);
  const reserved = () => Object.fromEntries(b.bench.engine.memory.account('paper-spot').wallet.reserved);
  const before = reserved();
  expect(Object.keys(before)).not.toEqual([]);
  b.restart(() => {
    const [order] = [...b.bench.engine.memory.orders.values()].filter(({ phase }) => phase === 'live');
    if (!order) throw new Error('there is no order');
    b.bench.stream(b.bench.state(order, { status: 'CANCELLED' }));
  });
  b.obey();
  b.tick('100', MINUTE);
  expect(reserved()).toEqual(before);
});

it('an ended run whose orders end after a restart is told of no second time: the next run of its bot goes on', () => {
  const b = new BotsBench();
  const { id, runId } = b.started('CHANNEL', LEVELS);
  b.tick('100', 1);
  b.done({ type: 'bot.stop', id, runId, way: { cleanup: 'leaveAllOrders' } });
  const left = [...b.bench.engine.memory.orders.values()].map((order) => order.id);
  expect(left).toHaveLength(2);
  const second = b.done({ type: 'bot.start', id }).runId;
  b.tick('100', MINUTE);
  b.restart();
  for (const order of [...b.bench.engine.memory.orders.values()])
    if (left.includes(order.id)) b.bench.stream(b.bench.state(order, { status: 'CANCELLED' }));
  b.tick('100', 2 * MINUTE);
  expect(b.bots.get(id)).toMatchObject({ status: 'STARTED', runId: second });
  expect([b.runs.get(runId)?.state, b.engine.book.runs.has(runId)]).toEqual(['', false]);
});

it('bots that start again at one moment have runs of their own', () => {
  const b = new BotsBench();
  b.restart();
  const timeout = { type: 'ttl', value: 60_000 };
  const settings = { exchange: 'paper-spot', ...LEVELS, timeout };
  const ids = [1, 2, 3].map(() => {
    const options = { restart: true, restartDelay: 0 };
    const { id } = b.done({ type: 'bot.create', bot: { type: 'CHANNEL', settings, options } });
    b.done({ type: 'bot.start', id });
    return id;
  });
  for (const at of [1, MINUTE, MINUTE + 1]) b.tick('100', at);
  const bots = ids.map((id) => b.bots.get(id));
  expect(bots.map((bot) => [bot?.status, bot?.restarts.length])).toEqual(ids.map(() => ['STARTED', 1]));
  expect(new Set(bots.map((bot) => bot?.runId)).size).toBe(3);
});

it('a cancel that the exchange refuses once the bot is deleted is asked for again until it is done', () => {
  const b = new BotsBench();
  const { id, runId } = b.started('CHANNEL', LEVELS);
  b.tick('100', 1);
  const open = () => [...b.bench.engine.memory.orders.values()].filter(({ phase }) => phase !== 'done');
  const orders = open();
  expect(orders).toHaveLength(2);
  b.send({ type: 'bot.stop', id, runId, way: {} });
  b.done({ type: 'bot.delete', id, force: true });
  const busy = { kind: 'rejected', reason: 'OTHER', code: '-1', message: 'busy' } as const;
  for (const order of orders) b.bench.cancelled(order, busy);
  for (let round = 0; round < 2; round++) {
    const asked = new Set<string>();
    for (let wake = 0; wake < 4 && asked.size < 2; wake++) {
      b.bench.passToWake();
      b.bench.wake();
      for (const effect of b.bench.kinds('cancel')) asked.add((effect as { orderId: string }).orderId);
    }
    expect([...asked].toSorted()).toEqual(orders.map((order) => order.id).toSorted());
    for (const order of orders) {
      if (round === 0) b.bench.cancelled(order, busy);
      else b.bench.cancelDone(order);
    }
  }
  expect(open()).toEqual([]);
});
