/**
 * Orders before they are sent on a whole desk: the parts of a split, an order that waits for its margin type
 * (S54, S25).
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { PaperVenue } from '../../../src/venues/paper/paper-venue.ts';
import { LEVELS, openBots } from './bots-rig.ts';
import { EXCHANGE, flat, holding, ok, openTestDesk, place, type TestDesk, writeCandles } from './support.ts';

const FUTURES = 'paper-futures';

let t: TestDesk;

beforeEach(async () => {
  const feed = writeCandles({ BTCUSDT: flat('60000', 60), BNBUSDT: flat('600', 60) });
  t = await openTestDesk({ feed, hold: true });
  for (let n = 0; n < 4; n++) await t.call('feed.control', { action: 'step' });
});

function open(): string[] {
  return Object.values(t.desk.state().orders)
    .filter(({ status }) => status === 'NEW' || status === 'OPENED')
    .map(({ side, origQty, price }) => `${side} ${origQty} at ${price}`);
}

async function latency(exchange: string, latencyMs: number): Promise<void> {
  ok(await t.call('paper.configure', { exchange, change: { latencyMs } }));
}

const buy = (price: string, quantity: string, exchange = EXCHANGE) =>
  place(t, { exchange, side: 'BUY', type: 'LIMIT', price, quantity });

describe('a panic', () => {
  // proves: S54
  it('ends a split though the exchange is down: nothing new comes to the book', async () => {
    const { id } = await buy('50000', '1');
    ok(await t.call('paper.fault', { fault: 'down', ms: 30_000 }));
    const split = t.call('orders.split', { exchange: EXCHANGE, id, prices: ['50000', '49000'] });
    await t.clock.advance(1_000);
    expect(t.view(id)).toMatchObject({ splitting: true });
    const [cancelled] = await t.call('orders.cancelAll', {});
    expect(cancelled?.outcome).toMatchObject({ ok: true, data: { cancelPending: true } });
    expect(await split).toMatchObject({
      ok: false,
      error: { code: 'CONFLICT', message: 'cancelled meanwhile' },
    });
    await t.clock.advance(120_000);
    expect(open()).toEqual([]);
  });

  it('asks again for a cancel that the exchange refuses for the moment', async () => {
    await buy('50000', '1');
    // The cancel arrives later than the exchange accepts it.
    ok(await t.call('paper.fault', { fault: 'delay', on: 'cancel', times: 2, ms: 6_000 }));
    const cancelling = t.call('orders.cancelAll', {});
    await t.clock.advance(7_000);
    expect(open()).toHaveLength(1);
    await t.clock.advance(120_000);
    await cancelling;
    expect(open()).toEqual([]);
  });

  // proves: S54
  it('ends an order that waits for its margin type: it is not filled', async () => {
    await latency(FUTURES, 300);
    const placing = t.call('orders.place', {
      exchange: FUTURES,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'MARKET',
      quantity: '0.1',
      marginType: 'ISOLATED',
    });
    await t.clock.advance(50);
    const id = Object.keys(t.desk.state().orders).at(-1) ?? '';
    expect(t.view(id).waiting).toBe(true);
    const [cancelled] = await t.call('orders.cancelAll', {});
    expect(cancelled?.outcome).toMatchObject({ ok: true, data: { status: 'CANCELLED' } });
    expect(await placing).toMatchObject({ ok: true, data: { id, status: 'CANCELLED' } });
    await t.clock.advance(5_000);
    expect(t.desk.state().futures[FUTURES]?.positions).toEqual([]);
  });
});

describe('a split', () => {
  // proves: S25
  it('whose parts cost more than there is is refused, and the order stays', async () => {
    const { id } = await buy('50000', '2');
    const outcome = await t.call('orders.split', { exchange: EXCHANGE, id, prices: ['50000', '55000'] });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'INVALID_REQUEST', reason: 'BALANCE' } });
    expect(open()).toEqual(['BUY 2 at 50000']);
  });

  it('on futures takes no more out of what is free than margin', async () => {
    // A new account is compared twice.
    await t.clock.advance(20_000);
    const { id } = await buy('58000', '1', FUTURES);
    await latency(FUTURES, 300);
    const free = () => t.desk.state().portfolios[FUTURES]?.balances?.[0]?.free;
    const seen = new Set([free()]);
    const split = t.call('orders.split', { exchange: FUTURES, id, prices: ['58000', '57000'] });
    for (let n = 0; n < 10; n++) {
      await t.clock.advance(100);
      seen.add(free());
    }
    expect(await split).toMatchObject({ ok: true });
    expect([...seen]).toEqual(['97100', '97125']);
  });
});

describe('a run on futures', () => {
  // proves: bot common marginType, bot deposit leverage
  it('sets margin type and leverage first, one after the other, and then places its first order', async () => {
    const calls: string[] = [];
    const watch = (venue: PaperVenue) => {
      const { futures } = venue;
      if (!futures) return;
      const { setMarginType, setLeverage } = futures;
      const { submit } = venue;
      futures.setMarginType = (symbol, type) => {
        calls.push(`${symbol} ${type}`);
        return setMarginType.call(futures, symbol, type);
      };
      futures.setLeverage = (change) => {
        calls.push(`${change.symbol} ${change.leverage}`);
        return setLeverage.call(futures, change);
      };
      venue.submit = (order) => {
        calls.push(`${order.side} ${order.price}`);
        return submit.call(venue, order);
      };
    };
    const r = await openBots(['100'], { ports: { venues: holding(watch) } });
    await r.minutes(1);
    const settings = {
      ...LEVELS.settings,
      exchange: FUTURES,
      marginType: 'ISOLATED',
      deposit: { value: '1000', asset: 'USDT', leverage: 3 },
    };
    await r.started({ ...LEVELS, settings });
    await r.minutes(1);
    expect(calls).toEqual(['BTCUSDT ISOLATED', 'BTCUSDT 3', 'BUY 90', 'BUY 80']);
    // The margin type is the wanted one already: nothing is set a second time.
    calls.length = 0;
    await r.started({ ...LEVELS, settings: { ...settings, levels: [{ buy: '70', sell: '130' }] } });
    await r.minutes(1);
    expect(calls).toEqual(['BUY 70']);
  });
});
