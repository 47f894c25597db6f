/** What a whole desk restores at a start, and how old stored data may be: exactly, at the boundaries. */
import { describe, expect, it } from 'vitest';
import type { PaperVenue } from '../../../src/venues/paper/paper-venue.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import {
  clientOf,
  deathsOf,
  flat,
  holding,
  MINUTE_MS,
  openTestDesk,
  place,
  type TestDesk,
  until,
  writeCandles,
} from './support.ts';

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

async function step(t: TestDesk, ticks = 1): Promise<void> {
  for (let n = 0; n < ticks; n++) await t.call('feed.control', { action: 'step' });
  await t.clock.settle();
}

/** Stops the desk and starts it again `ms` later by the wall clock; no clock is read in between. */
async function later(t: TestDesk, feed: string, ms: number): Promise<TestDesk> {
  await t.stop();
  const clock = new VirtualClock(t.clock.wall() + ms, { autoTurns: true });
  return openTestDesk({ feed, hold: true, dataDir: t.dataDir, clock });
}

it('a stop waits 10 s for the exchanges and no longer, whatever they still owe', async () => {
  const never = () => new Promise<never>(() => {});
  const venues: PaperVenue[] = [];
  const t = await openTestDesk({
    feed: writeCandles({ BTCUSDT: flat('100', 60) }),
    hold: true,
    ports: { venues: holding((venue) => venues.push(venue)) },
  });
  await step(t);
  // A comparison whose requests are never answered: each is given up after 10 s, then the next one is sent.
  for (const venue of venues) Object.assign(venue, { balances: never, openOrders: never, fills: never });
  t.clock.jump(60_000);
  await t.clock.advance(5_000);
  let over = false;
  const stopped = t.stop().then(() => {
    over = true;
  });
  await t.clock.advance(9_999);
  expect(over).toBe(false);
  await t.clock.advance(1);
  await stopped;
});

describe('a desk that starts again', () => {
  // proves: endpoint GET /orders
  it('shows the orders of the last hour as before: one that ended 59 min 59.999 s ago, and soon not any more', async () => {
    const feed = writeCandles({ BTCUSDT: flat('100', 60) });
    const first = await openTestDesk({ feed, hold: true });
    await step(first);
    const { id } = await place(first, { side: 'BUY', type: 'MARKET', quantity: '1' });
    const t = await later(first, feed, HOUR_MS - 1);
    const client = await clientOf(t);
    const recent = async () => (await client.orders.list({ status: 'recent' })).map((order) => order.id);
    expect(await recent()).toEqual([id]);
    expect(t.desk.state().orders[id]).toMatchObject({ status: 'CLOSED', executedQty: '1' });
    await t.clock.advance(2 * MINUTE_MS);
    expect(await recent()).toEqual([]);
  });

  it('after a crash trades at the last price that it has shown, before any new one comes', async () => {
    const feed = writeCandles({ BTCUSDT: [...flat('100'), ...flat('130', 60)] });
    const deaths = deathsOf();
    const first = await openTestDesk({ feed, hold: true, ports: { openStore: deaths.openStore } });
    await step(first);
    await place(first, { side: 'BUY', type: 'LIMIT', price: '90', quantity: '1' });
    await step(first, 6);
    deaths.recording = true;
    // Nothing from the exchange: its own price stays as old as it was stored.
    await place(first, { side: 'BUY', type: 'STOP_MARKET', stopPrice: '150', quantity: '1' });
    expect(first.desk.state().prices['paper BTCUSDT']?.last).toBe('130');
    const dataDir = deaths.folders.at(-1) ?? '';
    const t = await openTestDesk({ feed, hold: true, dataDir });
    expect(t.desk.state().prices['paper BTCUSDT']?.last).toBe('130');
    await place(t, { side: 'BUY', type: 'MARKET', quantity: '1' });
    const fills = await t.call('trades.list', { exchange: 'paper-spot', symbol: 'BTCUSDT', limit: 5 });
    expect(fills.map(({ price }) => price)).toEqual(['130']);
  });

  // proves: S50
  it('tidies by its own clock: the log of 91 days ago goes within 10 minutes, also on a replay of the past', async () => {
    const feed = writeCandles({ BTCUSDT: flat('100', 60) });
    const first = await openTestDesk({ feed, hold: true });
    await step(first);
    const t = await later(first, feed, 91 * DAY_MS);
    const begun = t.clock.wall();
    const oldest = () => Math.min(...t.desk.state().log.map(({ at }) => at));
    expect(oldest()).toBeLessThan(begun);
    await until(t, () => t.clock.wall() >= begun + 10 * MINUTE_MS, { stepMs: MINUTE_MS });
    await t.stop();
    const again = await openTestDesk({ feed, hold: true, dataDir: t.dataDir, clock: t.clock });
    const times = again.desk.state().log.map(({ at }) => at);
    expect(times.length).toBeGreaterThan(0);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(begun);
  });
});
