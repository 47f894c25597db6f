/**
 * Rows that a store has to keep apart: one number in two places, names of two kinds, accounts and users side
 * by side, and rows of older formats; what a damaged record and an odd page size do to the rest.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LedgerRecord } from '../../src/domain/ledger.ts';
import type { OperatorRecord } from '../../src/domain/operator.ts';
import type { WireId } from '../../src/domain/order.ts';
import type { Row } from '../../src/domain/rows.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { event, fill, order } from './rows.ts';
import { temporaryFolder } from './support.ts';

function memory(rows: readonly Row[]): Store {
  const store = openSqliteStore(':memory:');
  store.commit(rows);
  return store;
}

const entry = (id: string, change: Partial<LedgerRecord> = {}): Row => ({
  kind: 'ledger',
  record: {
    exchange: 'one',
    user: 'owner',
    id,
    time: 1,
    asset: 'USDT',
    amount: '1',
    kind: 'transfer',
    ...change,
  },
});

it('an execution that turns out to be of another order goes there with its user and keeps its place; one of its number elsewhere stays', () => {
  const own = fill('7', 'a', { time: 5 });
  const stay = [
    fill('7', 'a', { symbol: 'ETHUSDT' }),
    fill('7', 'a', { exchange: 'paper-futures' }),
    fill('8', 'a', { time: 5 }),
    fill('7', 'c', { time: 9 }),
  ];
  const store = memory([own, ...stay].map((one): Row => ({ kind: 'fill', fill: one })));
  const moved = { ...own, orderId: 'b', user: 'other' };
  store.commit([{ kind: 'fill-moved', fill: moved, from: 'a' }]);
  expect(store.orderFills('a')).toEqual(stay.slice(0, 3));
  expect([store.orderFills('b'), store.orderFills('c')]).toEqual([[moved], [stay[3]]]);
  const trades = (user: string) =>
    store.trades({ user, exchange: 'paper-spot', symbol: 'BTCUSDT', limit: 9 }).map(({ tradeId }) => tradeId);
  expect([trades('owner'), trades('other')]).toEqual([['8', '7'], ['7']]);
  const stored = (user: string) =>
    store.fillsFrom({ user, exchange: 'paper-spot', after: null, limit: 9 }).map(({ seq }) => seq);
  expect([stored('other'), stored('owner')]).toEqual([[1], [2, 4, 5]]);
});

it('the id that an exchange has given counts before the client id beside it; neither is taken for the other', () => {
  const exchange = 'paper-futures';
  const names: WireId[] = [
    { exchange, wireId: 'x', orderId: 'a' },
    { exchange, symbol: 'BTCUSDT', wireId: '7', orderId: 'b' },
  ];
  const store = memory([
    ...['a', 'b'].map((id): Row => ({ kind: 'order', order: order(id, { exchange }) })),
    ...names.map((name): Row => ({ kind: 'wire-id', name })),
  ]);
  const at = (clientId: string, venueIds: string[] = []) =>
    store.orderAt(exchange, { clientId, symbol: 'BTCUSDT', venueIds })?.order.id;
  expect([at('x', ['7']), at('x', ['8']), at('x')]).toEqual(['b', 'a', 'a']);
  expect([at('7'), at('nobody', ['x'])]).toEqual([undefined, undefined]);
});

it('openings are those of one wallet and user, of balances and of positions, and nothing else', () => {
  const store = memory([
    entry('desk opening USDT', { kind: 'opening' }),
    entry('desk position BTCUSDT', { kind: 'position' }),
    entry('desk opening BTC', { kind: 'opening', user: 'other' }),
    entry('desk position ETHUSDT', { kind: 'position', user: 'other' }),
    entry('desk opening ETH', { kind: 'opening', exchange: 'two' }),
    entry('desk position DOGEUSDT', { kind: 'position', exchange: 'two' }),
    ...['17', 'desk opening', 'desk opening!', 'desk positions'].map((id) => entry(id)),
  ]);
  const openings = (user: string, exchange: string) =>
    store.openings({ user, exchange }).map(({ record }) => record.id);
  expect(openings('owner', 'one')).toEqual(['desk opening USDT', 'desk position BTCUSDT']);
  expect(openings('other', 'one')).toEqual(['desk opening BTC', 'desk position ETHUSDT']);
  expect(openings('owner', 'two')).toEqual(['desk opening ETH', 'desk position DOGEUSDT']);
});

it('stops that were placed in a time are those of the first and of the last moment too, of one user, account and symbol', () => {
  const stop = (id: string, orderTime: number, change: object = {}): Row => ({
    kind: 'order',
    order: order(id, { orderTime, stopPrice: '9', ...change }),
  });
  const store = memory([
    stop('early', 1),
    stop('first', 2),
    stop('last', 8),
    stop('late', 9),
    stop('theirs', 5, { user: 'zoe' }),
    stop('hers', 5, { user: 'ann' }),
    stop('there', 5, { exchange: 'paper-futures' }),
    stop('another', 5, { symbol: 'ETHUSDT' }),
  ]);
  const asked = { user: 'owner', exchange: 'paper-spot', symbol: 'BTCUSDT', from: 2, to: 8, limit: 9 };
  expect(store.stopsPlaced(asked).map(({ id }) => id)).toEqual(['first', 'last']);
});

it('a fact that is taken back is gone, and an operator with what a console has kept for him; others stay', () => {
  const names = ['ann', 'bob'];
  const store = memory([
    ...names.map((name): Row => ({ kind: 'operator', operator: { name } as OperatorRecord })),
    ...names.map((name): Row => ({ kind: 'memory', name, memory: { of: name } })),
    ...names.map((name): Row => ({ kind: 'meta', name: `limit ${name}`, value: 1 })),
  ]);
  store.commit([
    { kind: 'operator-drop', name: 'ann' },
    { kind: 'meta', name: 'limit ann', value: null },
  ]);
  expect(store.operators().map(({ name }) => name)).toEqual(['bob']);
  expect(names.map((name) => store.memory(name))).toEqual([null, { of: 'bob' }]);
  expect([...store.load(0).meta]).toEqual([['limit bob', 1]]);
  // Somebody who is named so later finds nothing of the one before.
  store.commit([{ kind: 'operator', operator: { name: 'ann' } as OperatorRecord }]);
  expect(store.memory('ann')).toBeNull();
});

it.each([-1, 0, 1, 1.9])('a page of %d rows has one, and says that there are more', (limit) => {
  const times = [1, 2, 3];
  const store = memory(
    times.flatMap((time): Row[] => [
      { kind: 'order', order: order(`o${time}`, { status: 'CLOSED', phase: 'done', endedAt: time }) },
      { kind: 'fill', fill: fill(`t${time}`, 'o1', { time }) },
      entry(`e${time}`, { time }),
    ]),
  );
  const { orders, next } = store.closedOrders({ user: 'owner', limit });
  expect([orders.map(({ id }) => id), next]).toEqual([['o3'], '3-o3']);
  const { trades, next: before } = store.tradePage({ user: 'owner', limit });
  expect([trades.map(({ tradeId }) => tradeId), before !== null]).toEqual([['t3'], true]);
  const page = store.ledger({ user: 'owner', exchange: 'one', limit });
  expect([page.rows.map(({ id }) => id), page.next]).toEqual([['e3'], '3-e3']);
  const from = { user: 'owner', exchange: 'paper-spot', after: null, limit };
  expect(store.fillsFrom(from).map(({ fill: one }) => one.tradeId)).toEqual(['t1']);
  const q = { user: 'owner', exchange: 'paper-spot', symbol: 'BTCUSDT', limit };
  expect(store.trades(q).map(({ tradeId }) => tradeId)).toEqual(['t3']);
});

it('a record that cannot be read does not keep others from being written', () => {
  const db = openDatabase(':memory:');
  const store = new SqliteStore(db, ':memory:');
  store.commit(['a', 'b'].map((id): Row => ({ kind: 'order', order: order(id) })));
  db.exec("UPDATE orders SET doc = 'torn' WHERE id = 'a'");
  for (const read of [() => store.load(0), () => store.order('a')])
    expect(read).toThrowError(expect.objectContaining({ code: 'CORRUPT' }));
  store.commit([{ kind: 'order', order: order('a', { executedQty: '0.01' }) }]);
  expect(store.load(0).orders.map(({ id, executedQty }) => `${id} ${executedQty}`)).toEqual([
    'a 0.01',
    'b 0',
  ]);
  store.close();
});

it('history from before a clock was put right goes, with rows of the wrong time between', () => {
  const [day, now] = [86_400_000, 1_000 * 86_400_000];
  const at = [now + day, 1, now + 2 * day, 2, now];
  const store = memory(at.map((time): Row => ({ kind: 'event', event: event('a', time) })));
  store.maintain(now);
  expect(store.orderEvents('a').map((one) => one.at)).toEqual([now + day, now + 2 * day, now]);
});

describe('a store of an older format', () => {
  function older(format: number) {
    const file = join(temporaryFolder(), 'outcry.db');
    const db = openDatabase(file, MIGRATIONS.slice(0, format));
    return { file, db };
  }

  it('has the ids at exchanges as client ids: an order is found by its own as before', () => {
    const { file, db } = older(3);
    const orders = db.prepare(
      `INSERT INTO orders (id, user, exchange, symbol, status, terminal, order_time, doc)
       VALUES (?, 'owner', 'paper-futures', 'BTCUSDT', 'OPENED', 0, 1, ?)`,
    );
    const wireIds = db.prepare(
      "INSERT INTO wire_ids (exchange, wire_id, order_id) VALUES ('paper-futures', ?, ?)",
    );
    for (const id of ['a', 'b']) {
      orders.run(id, JSON.stringify(order(id, { exchange: 'paper-futures' })));
      wireIds.run(`wire-${id}`, id);
    }
    db.close();
    const store = openSqliteStore(file);
    for (const id of ['a', 'b']) {
      const name = { exchange: 'paper-futures', wireId: `wire-${id}`, orderId: id };
      const asked = { clientId: `wire-${id}`, symbol: 'BTCUSDT' };
      expect(store.orderAt('paper-futures', asked)).toMatchObject({ order: { id }, wireIds: [name] });
    }
    expect(store.load(0).wireIds).toHaveLength(2);
    store.close();
  });

  it('has the candles of each market as minutes of that market', () => {
    const { file, db } = older(8);
    const insert = db.prepare(
      "INSERT INTO candles (market, symbol, time, open, high, low, close, volume) VALUES (?, 'BTCUSDT', 60000, '1', '4', '0.5', ?, '7')",
    );
    for (const market of ['paper', 'other']) insert.run(market, market);
    db.close();
    const store = openSqliteStore(file);
    const closes = (market: string, frameMs?: number) =>
      store.candles(market, 'BTCUSDT', 0, 100_000, frameMs).map(({ close }) => close);
    expect(['paper', 'other'].map((market) => closes(market))).toEqual([['paper'], ['other']]);
    expect(closes('paper', 300_000)).toEqual([]);
    store.close();
  });

  it('has ledger rows of which nobody knows how many executions came before them; new ones say it', () => {
    const { file, db } = older(10);
    const insert = db.prepare(
      "INSERT INTO ledger (exchange, id, user, time, doc) VALUES ('one', ?, ?, 1, ?)",
    );
    const doc = (id: string) => {
      const row = entry(id);
      return JSON.stringify(row.kind === 'ledger' ? row.record : null);
    };
    for (const id of ['5', 'desk opening USDT']) insert.run(id, 'owner', doc(id));
    db.close();
    const store = openSqliteStore(file);
    store.commit([{ kind: 'fill', fill: fill('t', 'a') }, entry('6')]);
    const asked = { user: 'owner', exchange: 'one' };
    const rows = store.ledgerFrom({ ...asked, after: null, limit: 9 });
    expect(rows.map(({ record, fills }) => `${record.id} ${fills}`)).toEqual([
      '5 0',
      '6 1',
      'desk opening USDT 0',
    ]);
    expect(store.openings(asked).map(({ fills }) => fills)).toEqual([0]);
    store.close();
  });
});
