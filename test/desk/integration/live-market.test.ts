/**
 * A live market on a whole desk: neither a slow call nor a person's action delays it, and no order outlives
 * its end date.
 */
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { clientOf, EXCHANGE, ok, openTestDesk, type TestDesk } from './support.ts';

const LATENCY_MS = 300;
const HOUR_MS = 3_600_000;

async function liveDesk(clock = new VirtualClock(undefined, { autoTurns: true })): Promise<TestDesk> {
  const t = await openTestDesk({ feed: 'synthetic', clock });
  await clock.advance(2_000);
  return t;
}

const lastOf = ({ desk }: TestDesk, symbol = 'BTCUSDT') =>
  Number(desk.state().prices[`paper ${symbol}`]?.last);

const limitAt = (price: number) =>
  ({
    exchange: EXCHANGE,
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    price: price.toFixed(2),
    quantity: '0.001',
  }) as const;

/**
 * Places orders slightly below the price of each symbol, good for a minute: filled at once when the market
 * goes on.
 */
async function placeDated(t: TestDesk): Promise<string[]> {
  const goodTillDate = t.clock.wall() + 60_000;
  const ids: string[] = [];
  for (const { symbol, kind, tickSize, stepSize } of t.desk.state().instruments) {
    if (kind !== 'spot') continue;
    const [digits, steps] = [tickSize, stepSize].map((size) => size.split('.')[1]?.length ?? 0) as [
      number,
      number,
    ];
    const last = lastOf(t, symbol);
    const order = ok(
      await t.call('orders.place', {
        ...limitAt(0),
        symbol,
        price: (last - 2 * Number(tickSize)).toFixed(digits),
        quantity: (Math.ceil((30 / last) * 10 ** steps + 1) / 10 ** steps).toFixed(steps),
        timeInForce: 'GTD',
        goodTillDate,
      }),
    );
    if (order.status === 'OPENED') ids.push(order.id);
  }
  return ids;
}

/** The final states of the orders. */
async function outcomesOf(t: TestDesk, ids: readonly string[]): Promise<Set<string>> {
  const outcomes = new Set<string>();
  for (const id of ids) {
    const detail = await t.call('orders.detail', { id });
    const late = detail?.fills.some(({ time }) => time > (detail.order.goodTillDate ?? 0));
    outcomes.add(late ? `${detail?.order.symbol} filled after its end date` : `${detail?.order.status}`);
  }
  return outcomes;
}

// proves: S55
describe('a live market', () => {
  it('goes on while requests are on their way and resting orders are reached', async () => {
    const t = await liveDesk();
    ok(await t.call('paper.configure', { exchange: EXCHANGE, change: { latencyMs: LATENCY_MS } }));
    const ask = (price: number) => void t.call('orders.place', limitAt(price)).catch(() => {});
    // Filled soon, so that a match is handled while others are on their way.
    ask(lastOf(t) - 5);
    let behind = 0;
    for (let n = 0; n < 300; n++) {
      ask(lastOf(t) * 0.5);
      await t.clock.advance(100);
      behind = Math.max(behind, t.clock.wall() - t.desk.state().clock.market);
    }
    expect(behind).toBeLessThan(1_000);
  });

  it('is stopped while requests keep coming over HTTP', async () => {
    const t = await liveDesk();
    const client = await clientOf(t);
    ok(await t.call('paper.configure', { exchange: EXCHANGE, change: { latencyMs: LATENCY_MS } }));
    const ask = (price: number) => void client.orders.place(limitAt(price)).catch(() => {});
    ask(lastOf(t) - 5);
    let stopped: number | null = null;
    let from = 0;
    for (let n = 0; stopped === null && n < 200; n++) {
      if (n === 40) {
        from = t.clock.wall();
        void t.stop().then(() => {
          stopped = t.clock.wall() - from;
        });
      }
      ask(lastOf(t) * 0.5);
      // Requests come over real sockets: each needs a few real turns of the event loop, however long they
      // take.
      for (let turns = 0; turns < 8; turns++) await t.clock.settle();
      await t.clock.advance(100);
    }
    expect(stopped).toBeLessThan(5_000);
  });
});

// proves: S57
describe('orders whose end date has passed', () => {
  it('while the desk was down are cancelled before the first tick can fill them', async () => {
    const t = await liveDesk();
    const ids = await placeDated(t);
    expect(ids.length).toBeGreaterThan(8);
    await t.stop();
    await t.clock.advance(3 * HOUR_MS);
    const again = await openTestDesk({ feed: 'synthetic', clock: t.clock, dataDir: t.dataDir });
    await t.clock.advance(3_000);
    expect(await outcomesOf(again, ids)).toEqual(new Set(['CANCELLED']));
  });

  it.each([
    ['that takes requests at once', 0],
    ['to which a cancel takes a while', LATENCY_MS],
  ])(
    'while the machine slept are cancelled before the first tick can fill them, on an exchange %s',
    async (_which, latencyMs) => {
      const t = await liveDesk();
      const ids = await placeDated(t);
      expect(ids.length).toBeGreaterThan(8);
      ok(await t.call('paper.configure', { exchange: EXCHANGE, change: { latencyMs } }));
      t.clock.jump(3 * HOUR_MS);
      await t.clock.advance(5_000);
      expect(await outcomesOf(t, ids)).toEqual(new Set(['CANCELLED']));
      expect(t.clock.wall() - t.desk.state().clock.market).toBeLessThan(1_000);
    },
  );

  it('while the market ran on are cancelled to the millisecond, before the tick of that very time', async () => {
    const t = await liveDesk();
    const ids = await placeDated(t);
    await t.clock.advance(61_000);
    const ends = await Promise.all(ids.map((id) => t.call('orders.detail', { id })));
    const late = ends.filter((d) => d?.fills.some(({ time }) => time >= (d.order.goodTillDate ?? 0)));
    expect(late).toEqual([]);
    expect(ends.some((d) => d?.order.status === 'CANCELLED')).toBe(true);
  });
});
