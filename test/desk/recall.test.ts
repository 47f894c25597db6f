/**
 * Orders of others on an account: their events neither read the store each time nor return the wrong order.
 */
import { expect, it } from 'vitest';
import { Recall } from '../../src/desk/core/recall.ts';
import { Engine } from '../../src/engine/engine.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { ACCOUNT, BTC, CAPS, SPOT } from '../engine/support/market.ts';
import { order } from '../store/rows.ts';

const named = (clientId: string) => ({ clientId, symbol: 'BTCUSDT' });

function rig(stored: string[] = []) {
  const store = openSqliteStore(':memory:');
  const ended = { status: 'CLOSED', phase: 'done', endedAt: 1 } as const;
  store.commit(stored.map((id) => ({ kind: 'order', order: order(id, ended) })));
  const engine = new Engine();
  for (const id of [SPOT, 'other-spot']) engine.memory.addAccount({ ...ACCOUNT, id }, CAPS, [BTC]);
  let reads = 0;
  let broken = false;
  const told: string[] = [];
  const unbroken = () => {
    if (broken) throw new Error('the disk is gone, says the test');
  };
  const recall = new Recall({
    engine: () => engine,
    store: {
      order: (id) => {
        unbroken();
        return store.order(id);
      },
      orderAt: (exchange, id) => {
        reads += 1;
        unbroken();
        return store.orderAt(exchange, id);
      },
    },
    changed: () => void told.push('changed'),
    failed: (id) => void told.push(`${id} failed`),
  });
  const breaks = () => {
    broken = true;
  };
  return { store, engine, recall, told, breaks, reads: () => reads };
}

it('a stranger is looked for in the store once, however often it is told of', () => {
  const { recall, reads, store } = rig();
  for (let n = 0; n < 100; n++) expect(recall.at(SPOT, named('theirs'), false)).toBe(true);
  expect(reads()).toBe(1);
  for (let n = 0; n < 20_000; n++) recall.at(SPOT, named(`their ${n}`), false);
  recall.at(SPOT, named('their 19999'), false);
  expect(reads()).toBe(20_001);
  store.close();
});

it('a stranger that a fill has made an order of is found again after it has left memory', () => {
  const { engine, recall, store } = rig();
  recall.at(SPOT, named('theirs'), false);
  recall.at('other-spot', named('theirs'), false);
  recall.at(SPOT, named('theirs'), true);
  store.commit([{ kind: 'order', order: order('theirs', { status: 'CLOSED', endedAt: 1 }) }]);
  recall.at('other-spot', named('theirs'), true);
  expect(engine.memory.orders.get('theirs')?.exchange).toBe(SPOT);
  expect(engine.memory.orderAt(SPOT, named('theirs'))?.id).toBe('theirs');
  store.close();
});

it('a stranger of one exchange may be an order of another one, and of one symbol one of another symbol', () => {
  const { recall, reads, engine, store } = rig(['old']);
  const elsewhere = { clientId: 'old', symbol: 'ETHUSDT' };
  const unread = { ...elsewhere, clientId: 'theirs' };
  for (let n = 0; n < 3; n++) recall.at('other-spot', unread, false);
  expect(reads()).toBe(1);
  for (let n = 0; n < 3; n++) recall.at(SPOT, unread, false);
  expect(reads()).toBe(2);
  for (let n = 0; n < 3; n++) recall.at(SPOT, named('theirs'), false);
  expect(reads()).toBe(3);
  recall.at(SPOT, { ...named('theirs'), venueIds: ['v1'] }, false);
  expect(reads()).toBe(4);
  expect(engine.memory.orders.size).toBe(0);
  recall.at(SPOT, named('old'), false);
  expect([...engine.memory.orders.keys()]).toEqual(['old']);
  store.close();
});

it('tells of each order that it has put back, and of each that it could not read', () => {
  const { recall, told, breaks, store } = rig(['old', 'older']);
  expect(recall.order('old')).toBe(true);
  expect(recall.order('old')).toBe(true);
  expect(recall.order('never')).toBe(true);
  expect(told).toEqual(['changed']);
  recall.at(SPOT, named('older'), false);
  expect(told).toEqual(['changed', 'changed']);
  breaks();
  expect(recall.order('oldest')).toBe(false);
  expect(recall.at(SPOT, named('oldest'), false)).toBe(false);
  expect(told.slice(2)).toEqual(['oldest failed', 'oldest failed']);
  // A failed query proves nothing: it is made again.
  expect(recall.at(SPOT, named('oldest'), false)).toBe(false);
  store.close();
});

// proves: S56
it('of several orders of one name on an account the one that has it for its id is put back too: no other one may take it', () => {
  const { engine, recall, store } = rig();
  const ended = { status: 'CLOSED', phase: 'done', endedAt: 1, external: true } as const;
  store.commit([
    { kind: 'order', order: order('adl', ended) },
    { kind: 'wire-id', name: { exchange: SPOT, symbol: 'BTCUSDT', wireId: 'v1', orderId: 'adl' } },
    { kind: 'order', order: order('ext-2', ended) },
    { kind: 'wire-id', name: { exchange: SPOT, symbol: 'BTCUSDT', wireId: 'v2', orderId: 'ext-2' } },
    { kind: 'wire-id', name: { exchange: SPOT, wireId: 'adl', orderId: 'ext-2' } },
  ]);
  expect(recall.at(SPOT, { ...named('adl'), venueIds: ['v3'] }, true)).toBe(true);
  expect(engine.memory.orders.has('adl')).toBe(true);
  expect(engine.memory.orderAt(SPOT, { ...named('adl'), venueIds: ['v3'] })).toBeUndefined();
  store.close();
});

// proves: S56
it('an order that ended long ago is put back, also for another exchange that calls one of its own so', () => {
  const { engine, recall, store } = rig(['old']);
  expect(recall.at('other-spot', named('old'), true)).toBe(true);
  expect(engine.memory.orders.has('old')).toBe(true);
  expect(engine.memory.orderAt('other-spot', named('old'))).toBeUndefined();
  store.close();
});
