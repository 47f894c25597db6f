/**
 * `dailyLossLimit` on a whole desk: entries stop, runs pause, every exit and stop goes on, until an owner
 * lifts it.
 */
import { describe, expect, it } from 'vitest';
import { type BotsRig, LEVELS, openBots } from './bots-rig.ts';
import { EXCHANGE, ok, openTestDesk, place } from './support.ts';

const FUTURES = 'paper-futures';
const HEDGE = 'hedge';

const meter = async (r: Pick<BotsRig, 't'>, exchange: string) =>
  ok(await r.t.call('guards.read', { exchange })).meters?.loss;

const limit = async (r: BotsRig, exchange: string, percent: string | null) =>
  ok(await r.t.call('guards.set', { exchange, change: { dailyLossLimit: percent } }));

/** Notices of a bot about its waiting. */
const notices = async (r: BotsRig, id: string) => {
  const detail = await r.t.call('bots.detail', { id });
  return (detail?.notices ?? []).map(({ text }) => text).filter((text) => text.startsWith('entries'));
};

const STOP = {
  strategy: 'price_percent_buy',
  trigger: { type: 'kline', value: '20' },
  order: { type: 'MARKET' },
  complete: true,
};

/**
 * A run that holds what it bought at 90, with an exit at 110 and an entry at 60; at 85 its loss reaches the
 * limit.
 */
async function holding(where: string, prices = ['100', '100', '89', '89']) {
  const exchange = where === EXCHANGE ? EXCHANGE : FUTURES;
  const r = await openBots([...prices, '85', '85', '85', '85', '70', '70', '70']);
  await r.minutes(1);
  if (where === HEDGE)
    ok(await r.t.call('futures.set', { exchange, setting: { kind: 'hedgeMode', on: true } }));
  await limit(r, exchange, '0.01');
  const levels = [
    { buy: '90', sell: '110' },
    { buy: '60', sell: '120' },
  ];
  const side = where === HEDGE ? ({ positionSide: 'LONG' } as const) : {};
  const settings = { ...LEVELS.settings, exchange, levels, stop: [STOP], ...side };
  const { id, runId } = await r.started({ ...LEVELS, settings });
  const person = await place(r.t, {
    exchange,
    side: 'BUY',
    type: 'LIMIT',
    price: '50',
    quantity: '3',
    ...side,
  });
  await r.minutes(3);
  return { r, id, runId, exchange, person };
}

const openOn = async (r: BotsRig) =>
  (await r.orders()).map(({ side, price, stopPrice }) => `${side} ${price ?? stopPrice}`).sort();

describe.each([EXCHANGE, FUTURES, HEDGE])('on %s', (where) => {
  const side = where === HEDGE ? { positionSide: 'LONG' } : {};

  it('entries of runs, persons and keys stop; exits and stops go on', async () => {
    const { r, id, exchange } = await holding(where);
    expect(await openOn(r)).toEqual(['BUY 50', 'BUY 60', 'SELL 110']);
    expect(await r.bot(id)).toMatchObject({ state: 'holding' });
    await r.minutes(1);
    expect((await meter(r, exchange))?.reachedAt).not.toBeNull();
    await r.minutes(1);
    expect(await openOn(r)).toEqual(['SELL 110']);
    expect(await r.bot(id)).toMatchObject({ status: 'STARTED', state: 'paused' });
    expect(await notices(r, id)).toEqual([
      `entries wait: ${exchange} has reached its dailyLossLimit, until an owner lifts it on Accounts`,
    ]);
    const order = {
      exchange,
      symbol: 'BTCUSDT',
      type: 'LIMIT',
      price: '50',
      quantity: '3',
      side: 'BUY',
      ...side,
    };
    expect(await r.refused('POST', '/orders', order)).toEqual([
      400,
      'INVALID_REQUEST',
      expect.stringMatching(/USDT were lost and dailyLossLimit of .* allows .* USDT a day/),
    ]);
    // The stop rule of the run sells what it holds.
    await r.minutes(4);
    expect(
      (await r.orders('recent')).filter(({ side, status }) => side === 'SELL' && status === 'CLOSED'),
    ).toHaveLength(1);
    expect(await openOn(r)).toEqual([]);
  });

  it('what is held is sold by stop_and_sell', async () => {
    const { r, id, runId } = await holding(where);
    await r.minutes(2);
    await r.done('DELETE', `/bots/${id}/runs/${runId}?action=stop_and_sell`);
    await r.minutes(1);
    expect(
      (await r.orders('recent')).filter(({ side, status }) => side === 'SELL' && status === 'CLOSED'),
    ).toHaveLength(1);
  });

  it('it stays so over a restart, and after it is lifted entries rest again', async () => {
    const { r, id, exchange } = await holding(where);
    await r.minutes(2);
    await r.t.stop();
    const t = await openTestDesk({ feed: r.feed, hold: true, dataDir: r.t.dataDir, clock: r.t.clock });
    const open = () =>
      Object.values(t.desk.state().orders)
        .filter(({ status }) => status === 'OPENED')
        .map(({ side: way, price }) => `${way} ${price}`)
        .sort();
    expect((await meter({ t }, exchange))?.reachedAt).not.toBeNull();
    expect(t.desk.state().bots[id]).toMatchObject({ status: 'STARTED', state: 'paused' });
    expect(open()).toEqual(['SELL 110']);
    const step = async () => {
      await t.call('feed.control', { action: 'step' });
      await t.clock.settle();
    };
    await step();
    expect(open()).toEqual(['SELL 110']);
    expect(await t.call('guards.lift', { exchange })).toMatchObject({ ok: true, data: { reachedAt: null } });
    await step();
    expect(open()).toEqual(['BUY 60', 'SELL 110']);
    expect(t.desk.state().bots[id]).toMatchObject({ state: 'holding' });
    expect(await t.call('guards.lift', { exchange })).toMatchObject({
      ok: false,
      error: { code: 'CONFLICT' },
    });
  });
});

describe('a run', () => {
  it('whose account has no connection waits with its entries where they are, and goes on', async () => {
    const r = await openBots(['100']);
    await r.minutes(1);
    const { id } = await r.started(LEVELS);
    await r.minutes(1);
    expect(await r.open()).toEqual(['BUY 80', 'BUY 90']);
    await r.fault({ fault: 'down', exchange: EXCHANGE, ms: 60_000 });
    await r.t.clock.settle();
    expect(await r.bot(id)).toMatchObject({ status: 'STARTED', state: 'paused' });
    expect(await r.open()).toEqual(['BUY 80', 'BUY 90']);
    await r.t.clock.advance(61_000);
    await r.t.clock.settle();
    expect(await r.bot(id)).toMatchObject({ status: 'STARTED', state: 'working' });
    expect(await r.open()).toEqual(['BUY 80', 'BUY 90']);
    const { notices: all = [] } = (await r.t.call('bots.detail', { id })) ?? {};
    expect(all.filter(({ text }) => /reject/.test(text))).toEqual([]);
  });
});
