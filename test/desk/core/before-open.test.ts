/**
 * What is heard of an account before it is open, and what a command finds of orders that have left memory:
 * neither may be forgotten.
 */
import { expect, it } from 'vitest';
import type { OrderCommand } from '../../../src/engine/step.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { OPERATOR } from '../../engine/support/market.ts';
import { order } from '../../store/rows.ts';
import { LinkRig } from './link-rig.ts';

it('an account whose connection broke before it was open is down when it is open, until that is back', async () => {
  const rig = new LinkRig();
  rig.venue.openOrdersAre = async () => null;
  await rig.until(rig.core.start());
  expect(rig.link.away).not.toBe(null);
  rig.venue.sink?.stream('down');
  rig.venue.openOrdersAre = async () => [];
  await rig.clock.advance(60_000);
  const up = () => rig.core.engine.memory.account('said-spot').link.up;
  expect([rig.link.away, rig.link.state, up()]).toEqual([null, 'down', false]);
  rig.venue.sink?.stream('up');
  await rig.clock.settle();
  expect([rig.link.state, up()]).toEqual(['up', true]);
});

it('a cancel of an order goes to the one that has replaced it in the end, though those between have left memory', async () => {
  const store = openSqliteStore(':memory:');
  const at = { exchange: 'said-spot' };
  const gone = { ...at, status: 'CANCELLED', phase: 'done', isWorking: false, endedAt: 1 } as const;
  store.commit([
    { kind: 'order', order: order('first', { ...gone, replacedBy: 'second' }) },
    { kind: 'order', order: order('second', { ...gone, replacedBy: 'third' }) },
    { kind: 'order', order: order('third', at) },
  ]);
  const rig = new LinkRig('spot', 1, store);
  const rests = { clientId: 'third', symbol: 'BTCUSDT', status: 'WORKING', seq: 1, time: 1 } as const;
  rig.venue.openOrdersAre = async () => [{ ...rests, origQty: '0.01', cumQty: '0' }];
  await rig.until(rig.core.start());
  expect([...rig.core.engine.memory.orders.keys()]).toEqual(['third']);
  rig.venue.calls = [];
  void rig.core.execute(OPERATOR, { type: 'cancel', ...at, id: 'first' }, { requestId: 'r' });
  await rig.clock.settle();
  expect(rig.venue.calls).toEqual(['cancel']);
});

it.each([
  { type: 'cancel', answer: 200 },
  { type: 'split', prices: ['50000', '51000'], answer: 400 },
  { type: 'amend', price: '51000', answer: 400 },
] as const)(
  'a $type of an order that has left memory finds it in the store, or hears that it cannot be read',
  async ({ answer, ...asked }) => {
    const store = openSqliteStore(':memory:');
    const at = { exchange: 'said-spot' };
    const ended = { ...at, status: 'CANCELLED', phase: 'done', isWorking: false, endedAt: 1 } as const;
    store.commit([{ kind: 'order', order: order('past', ended) }]);
    const rig = new LinkRig('spot', 1, store);
    await rig.until(rig.core.start());
    rig.venue.calls = [];
    const run = async (id: string) => {
      const command = { ...asked, ...at, id } as unknown as OrderCommand;
      const { status } = await rig.until(rig.core.execute(OPERATOR, command, { requestId: 'r' }));
      return status;
    };
    const read = store.order.bind(store);
    store.order = () => {
      throw new Error('the disk is gone');
    };
    expect(await run('past')).toBe(503);
    store.order = read;
    expect([await run('past'), rig.orders.map(({ id }) => id)]).toEqual([answer, ['past']]);
    expect(await run('none')).toBe(404);
    expect(rig.venue.calls).toEqual([]);
  },
);

it('an execution whose order cannot be looked for in the store is taken for nobody’s, and is found by the next comparison', async () => {
  const rig = await LinkRig.started();
  const fill = {
    tradeId: 't1',
    clientId: 'web_1',
    symbol: 'BTCUSDT',
    side: 'BUY',
    price: '50000',
    qty: '0.004',
    comm: '0',
    commAsset: 'USDT',
    maker: true,
    rPnl: null,
    posSide: 'BOTH',
    time: rig.clock.wall(),
  } as const;
  const { orderAt } = rig.store;
  rig.store.orderAt = () => {
    throw new Error('the disk is gone');
  };
  rig.venue.sink?.fill(fill);
  await rig.clock.settle();
  expect(rig.orders).toEqual([]);
  rig.store.orderAt = orderAt;
  rig.venue.fillsAre = async () => [fill];
  rig.venue.sink?.balances([{ asset: 'BTC', free: '0.004', locked: '0' }]);
  rig.venue.sink?.stream('gap');
  await rig.clock.advance(5_000);
  expect(rig.orders).toMatchObject([{ id: 'web_1', executedQty: '0.004', external: true }]);
});

it('each reason why an account cannot be opened is told once, as long as it stays', async () => {
  const rig = new LinkRig();
  const open = rig.venue.open.bind(rig.venue);
  const reasons = ['no route', 'no route', 'wrong key', 'wrong key', 'no route'];
  rig.venue.open = async (sink) => {
    const reason = reasons.shift();
    if (reason) throw new Error(reason);
    await open(sink);
  };
  await rig.until(rig.core.start());
  await rig.clock.advance(120_000);
  const told = rig.core.log.map(({ level, text }) => `${level}: ${text}`);
  expect(told.filter((text) => text.includes('said-spot'))).toEqual([
    'error: said-spot cannot be opened: no route; tried again',
    'error: said-spot cannot be opened: wrong key; tried again',
    'error: said-spot cannot be opened: no route; tried again',
    'info: said-spot is open',
  ]);
});
