/**
 * Guards on a whole desk: closing orders go through whoever sends them; a run waits until it is allowed;
 * only a console sets guards.
 */
import { describe, expect, it } from 'vitest';
import { type PanicItem, panicTargets } from '../../../src/console/panic/panic.ts';
import { panicRequest } from '../../../src/console/panic/panic-request.ts';
import { closeAtMarket } from '../../../src/console/positions/position-orders.ts';
import { openPositions } from '../../../src/console/trading/positions.ts';
import type { Guards } from '../../../src/domain/guards.ts';
import { type BotsRig, LEVELS, openBots } from './bots-rig.ts';
import { clientOf, EXCHANGE, ok, openTestDesk, place } from './support.ts';

const FUTURES = 'paper-futures';
const HEDGE = 'paper-futures in hedge mode';
/** Allows a fifth of what the first cell buys, and nothing beyond it. */
const TIGHT: Partial<Guards> = {
  maxOrderValue: '100',
  maxPositionValue: '100',
  maxOpenOrders: 1,
  maxOrdersPerMinute: 1,
  priceBand: '1',
};
const ONE_CELL = { ...LEVELS.settings, deposit: { value: '500', asset: 'USDT' } };

const guard = async (r: BotsRig, change: Partial<Guards>, exchange = EXCHANGE) =>
  ok(await r.t.call('guards.set', { exchange, change }));

/** Notices of a bot that name a guard. */
const waits = async (r: BotsRig, id: string) => {
  const detail = await r.t.call('bots.detail', { id });
  return (detail?.notices ?? []).map(({ text }) => text).filter((text) => /max|priceBand|symbols/.test(text));
};

/** A run that holds 500 USDT, five times the maximum of an entry. */
async function holding(where: string, more: object = {}, prices = ['100', '100', '89', '89', '84', '84']) {
  const r = await openBots(prices);
  await r.minutes(1);
  const exchange = where === HEDGE ? FUTURES : where;
  const hedgeMode = { kind: 'hedgeMode', on: true } as const;
  if (where === HEDGE) ok(await r.t.call('futures.set', { exchange, setting: hedgeMode }));
  const side = where === HEDGE ? { positionSide: 'LONG' } : {};
  const settings = { ...ONE_CELL, exchange, levels: [{ buy: '90', sell: '150' }], ...side, ...more };
  const { id, runId } = await r.started({ ...LEVELS, settings });
  await r.minutes(3);
  await guard(r, TIGHT, exchange);
  return { r, id, runId };
}

const sales = async (r: BotsRig) =>
  (await r.orders('recent')).filter(({ side, status }) => side === 'SELL' && status === 'CLOSED');

describe('a position of five times what an entry may be', () => {
  it.each([EXCHANGE, FUTURES, HEDGE])('is sold by a stop rule on %s', async (exchange) => {
    const rule = {
      strategy: 'price_percent_buy',
      trigger: { type: 'kline', value: '5' },
      order: { type: 'MARKET' },
      complete: true,
    };
    const { r } = await holding(exchange, { stop: [rule] });
    expect(await sales(r)).toEqual([]);
    await r.minutes(2);
    expect(await sales(r)).toMatchObject([{ status: 'CLOSED' }]);
  });

  it.each([EXCHANGE, FUTURES, HEDGE])(
    'is sold by a stop that the engine or the exchange keeps on %s',
    async (exchange) => {
      const rule = {
        strategy: 'price_percent_buy',
        trigger: { type: 'exchange', value: '5' },
        order: { type: 'MARKET' },
        complete: true,
      };
      const { r } = await holding(exchange, { stop: [rule] });
      await r.minutes(2);
      expect(await sales(r)).toMatchObject([{ status: 'CLOSED' }]);
    },
  );

  it.each([EXCHANGE, FUTURES, HEDGE])('is sold by stop_and_sell on %s', async (where) => {
    const { r, id, runId } = await holding(where);
    await r.done('DELETE', `/bots/${id}/runs/${runId}?action=stop_and_sell`);
    await r.minutes(1);
    expect(await sales(r)).toMatchObject([{ status: 'CLOSED' }]);
  });

  it.each([FUTURES, HEDGE])('is closed by panic on %s', async (where) => {
    const { r } = await holding(where);
    await r.t.call('orders.cancelAll', {});
    const [position] = openPositions(r.t.desk.state());
    if (!position) throw new Error('there is no position');
    const closed = r.t.call('orders.place', closeAtMarket(position));
    await r.minutes(1);
    expect(await closed).toMatchObject({ ok: true, data: { status: 'CLOSED' } });
    expect(await r.done('GET', `/portfolio/positions?exchange=${FUTURES}`)).toEqual({});
  });
});

it('what a run holds on spot is sold by panic where that is chosen, at five times what an entry may be', async () => {
  const { r, id } = await holding(EXCHANGE);
  const state = r.t.desk.state();
  const targets = panicTargets(state, 'holdings');
  expect(targets).toEqual([{ id, name: expect.stringMatching(/^sell [\d.]+ BTC of /) as string }]);
  const items = targets.map((one): PanicItem => ({ ...one, part: 'holdings', state: 'waiting', text: '' }));
  const came = panicRequest({ ask: r.t.call, state, parts: ['holdings'] }, 'holdings', items);
  await r.minutes(1);
  expect([...(await came).values()]).toEqual([
    { state: 'done', text: 'stopped, its sale at market is on its way' },
  ]);
  await r.minutes(1);
  expect(await sales(r)).toMatchObject([{ status: 'CLOSED' }]);
  expect(panicTargets(r.t.desk.state(), 'holdings')).toEqual([]);
  expect(await r.bot(id)).toMatchObject({ status: 'STOPPED' });
});

describe('a run', () => {
  it('whose entry is not allowed waits, says so once, and goes on when it is', async () => {
    const r = await openBots(['100']);
    await r.minutes(1);
    await guard(r, { maxOrderValue: '499' });
    const { id } = await r.started(LEVELS);
    await r.minutes(10);
    expect(await r.open()).toEqual([]);
    expect(await r.bot(id)).toMatchObject({ status: 'STARTED' });
    expect(await waits(r, id)).toEqual([
      expect.stringMatching(
        /waits, the order is worth 500 USDT and maxOrderValue of paper-spot allows 499 USDT/,
      ),
    ]);
    await guard(r, { maxOrderValue: '500' });
    await r.minutes(1);
    expect(await r.open()).toEqual(['BUY 80', 'BUY 90']);
    expect(await r.bot(id)).toMatchObject({ status: 'STARTED' });
    expect(await waits(r, id)).toHaveLength(1);
  });

  it('waits after a restart too', async () => {
    const r = await openBots(['100']);
    await r.minutes(1);
    await guard(r, { maxOpenOrders: 1 });
    const { id } = await r.started(LEVELS);
    await r.minutes(2);
    expect(await r.open()).toHaveLength(1);
    await r.t.stop();
    const t = await openTestDesk({ feed: r.feed, hold: true, dataDir: r.t.dataDir, clock: r.t.clock });
    expect(ok(await t.call('guards.read', { exchange: EXCHANGE }))).toMatchObject({
      set: { maxOpenOrders: 1, maxOrderValue: null },
      meters: { openOrders: 1 },
    });
    expect(t.desk.state().bots[id]).toMatchObject({ status: 'STARTED' });
    expect(Object.values(t.desk.state().orders).filter(({ status }) => status === 'OPENED')).toHaveLength(1);
  });
});

it('a twap that sells on futures opens nothing that a guard forbids', async () => {
  const r = await openBots(['100']);
  await r.minutes(1);
  await guard(r, { maxOrderValue: '99' }, FUTURES);
  const settings = {
    exchange: FUTURES,
    symbol: 'BTCUSDT',
    algo: 'twap',
    side: 'SELL',
    quantity: '3',
    duration: 3,
  };
  const { id } = await r.started({ type: 'ALGO', settings });
  await r.minutes(10);
  expect(await r.done('GET', `/portfolio/positions?exchange=${FUTURES}`)).toEqual({});
  expect(await waits(r, id)).toHaveLength(1);
});

describe('who sets them', () => {
  it('a console: the desk says what is set and used, and the log who asked', async () => {
    const r = await openBots(['100']);
    await r.minutes(1);
    expect(ok(await r.t.call('guards.read', { exchange: EXCHANGE }))).toMatchObject({ meters: null });
    expect(r.t.desk.state().accounts[0]?.guards).toBeUndefined();
    await guard(r, { maxOpenOrders: 2 });
    await place(r.t, { side: 'BUY', type: 'LIMIT', price: '90', quantity: '1' });
    expect(r.t.desk.state().accounts[0]?.guards).toMatchObject({
      set: { maxOpenOrders: 2 },
      meters: { openOrders: 1, entries: 1, position: { symbol: 'BTCUSDT', value: '90' } },
    });
    expect(r.t.desk.state().log.map(({ text }) => text)).toContain(
      'paper-spot: guards: maxOpenOrders off to 2, asked by operator',
    );
    expect(await r.t.call('guards.set', { exchange: 'nowhere', change: {} })).toMatchObject({ ok: false });
  });

  it.each(['read', 'trade', 'full'] as const)('no key: a %s key finds no way to them', async (tier) => {
    const r = await openBots(['100']);
    await guard(r, { maxOpenOrders: 2 });
    const client = await clientOf(r.t, await r.key({ tier }));
    for (const path of ['/guards', '/accounts/guards', `/accounts/${EXCHANGE}/guards`, '/exchange/guards'])
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
        expect((await r.ask(method, path, method === 'GET' ? undefined : {}, { client })).status).toBe(404);
    expect(ok(await r.t.call('guards.read', { exchange: EXCHANGE })).set.maxOpenOrders).toBe(2);
  });

  it('a refusal to a program is 400 INVALID_REQUEST with both figures', async () => {
    const r = await openBots(['100']);
    await r.minutes(1);
    await guard(r, { maxOrderValue: '100' });
    const order = {
      exchange: EXCHANGE,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      price: '90',
      quantity: '2',
    };
    expect(await r.refused('POST', '/orders', order)).toEqual([
      400,
      'INVALID_REQUEST',
      expect.stringContaining('worth 180 USDT and maxOrderValue of paper-spot allows 100 USDT'),
    ]);
    expect(await r.orders('recent')).toEqual([]);
  });
});
