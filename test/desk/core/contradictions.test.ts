/**
 * A desk whose exchange shows an order as open that has ended at the desk: stored, cancelled once, shown
 * until it is gone (S62).
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { apiFacade } from '../../../src/desk/api/api-facade.ts';
import { DeskCore, recentSince } from '../../../src/desk/core/desk-core.ts';
import type { ExchangeOrderState } from '../../../src/domain/exchange.ts';
import { isContradicted } from '../../../src/domain/order.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import type { Store } from '../../../src/store/store.ts';
import { OPERATOR, SPOT } from '../../engine/support/market.ts';
import { FakeVenue } from '../../support/fake-venue.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const HOURS = 3_600_000;

let clock: VirtualClock;
let store: Store;

beforeEach(() => {
  clock = new VirtualClock();
  store = openSqliteStore(':memory:');
});
afterEach(() => store.close());

async function started(venue: FakeVenue): Promise<DeskCore> {
  const core = new DeskCore({
    store,
    initial: store.load(recentSince(clock.wall())),
    clock,
    random: { id: (length) => '1'.padStart(length, '0'), next: () => 0.5 },
    venues: [venue],
    market: () => clock.wall(),
    deferredRows: () => [],
    logFile: () => {},
    fatal: (reason) => {
      throw new Error(reason);
    },
  });
  core.turn.step({ type: 'price', market: 'paper', symbol: 'BTCUSDT', price: '60000' });
  void core.start();
  await clock.advance(1_000);
  return core;
}

/** An order that ended here hours ago, so that it has left memory. */
async function endedLongAgo(core: DeskCore, venue: FakeVenue): Promise<ExchangeOrderState> {
  const request = { exchange: SPOT, symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT' } as const;
  const command = { type: 'place', request: { ...request, price: '50000', quantity: '1' } } as const;
  void core.execute(OPERATOR, command, { requestId: 'r' });
  await clock.advance(1_000);
  const [sent] = venue.sent;
  if (!sent) throw new Error('nothing was sent');
  const open = venue.working(sent);
  venue.sink?.order({ ...venue.working(sent), status: 'CANCELLED' });
  for (let n = 0; n < 20; n++) await clock.advance(HOURS / 10);
  expect(core.engine.memory.orders.has(sent.clientId)).toBe(false);
  return open;
}

// proves: S62
it('an order that left memory long ago is found in a list of open orders, cancelled once, and kept over restarts until it is gone', async () => {
  const venue = new FakeVenue();
  const core = await started(venue);
  const open = await endedLongAgo(core, venue);
  const id = open.clientId;
  venue.answers.openOrders = async () => [open];
  venue.answers.query = async () => ({ kind: 'found', state: open, fills: [] });
  venue.answers.cancel = async () => ({ kind: 'rejected', reason: 'OTHER', code: '-1', message: 'no' });
  const compared = core.links.get(SPOT)?.reconcile();
  await clock.advance(1_000);
  await compared;
  expect(venue.cancelled).toEqual([id]);
  expect(venue.sent).toHaveLength(1);
  for (let n = 0; n < 20; n++) await clock.advance(HOURS / 10);
  const face = apiFacade({ core, store, version: '0', startedAt: 0, wall: () => clock.wall() });
  const listed = await face.orders('owner', { exchange: SPOT, status: 'recent' });
  expect(listed).toMatchObject([
    { id, status: 'CANCELLED', specific: { contradiction: true, unresolved: true } },
  ]);
  expect(await face.orders('owner', { exchange: SPOT, status: 'open' })).toEqual([]);
  await core.stop();

  const next = new FakeVenue();
  // No list of open orders brings it back this time: after the reading before the account opens no further
  // list comes.
  let lists = 0;
  next.answers = { ...venue.answers, openOrders: async () => (++lists === 1 ? [] : null) };
  const again = await started(next);
  const kept = again.engine.memory.orders.get(id);
  expect(kept && isContradicted(kept)).toBe(true);
  expect([next.sent, next.cancelled]).toEqual([[], []]);
  next.sink?.order({ ...open, status: 'CANCELLED', seq: open.seq + 10 });
  await clock.advance(1_000);
  expect(kept && isContradicted(kept)).toBe(false);
  expect(store.order(id)?.order).toMatchObject({ status: 'CANCELLED', contradiction: { at: 'ENDED' } });
  await again.stop();
});
