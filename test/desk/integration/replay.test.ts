/**
 * A replay has the same fills at every speed, and when the desk crashes at any point and goes on. engine.md
 * "pace", "time".
 */
import { describe, expect, it } from 'vitest';
import { dec, mul, str } from '../../../src/domain/decimal.ts';
import { onMissing, sharedData } from '../../support/shared-data.ts';
import {
  type CandleText,
  deathsOf,
  EXCHANGE,
  type FillText,
  fillsOf,
  flat,
  MARKET_START,
  MINUTE_MS,
  offBy,
  openTestDesk,
  place,
  playToEnd,
  type TestDesk,
  ticksOf,
  until,
  writeCandles,
} from './support.ts';

/** Prices that go up, fall, recover: with a dip that only the low of one candle shows. */
const WALK: readonly CandleText[] = [
  ...flat('100'),
  ['100', '103', '99.5', '102'],
  ['102', '105.5', '101', '105'],
  ['105', '108', '104.2', '104.9'],
  ['104.9', '106', '95.1', '105.2'],
  ['105.2', '107', '103', '103.4'],
  ['103.4', '103.5', '98', '98.6'],
  ['98.6', '101', '97.1', '100.4'],
  ['100.4', '104', '100', '103.9'],
  ['103.9', '104', '92', '93'],
  ['93', '96', '91.5', '95.5'],
  ...flat('95.5', 2),
];
const GTD_AT = MARKET_START + 6 * MINUTE_MS + 20_000;

/**
 * Places orders of every kind that fills, triggers, trails or expires; only the market decides about them.
 */
async function placeAll(t: TestDesk): Promise<void> {
  await place(t, { side: 'BUY', type: 'MARKET', quantity: '10' });
  await place(t, { side: 'BUY', type: 'LIMIT', price: '99.7', quantity: '1.5' });
  await place(t, { side: 'BUY', type: 'LIMIT', price: '97.5', quantity: '1', icebergQty: '0.25' });
  await place(t, { side: 'SELL', type: 'LIMIT', price: '105.4', quantity: '1' });
  await place(t, { side: 'SELL', type: 'STOP_MARKET', stopPrice: '95.2', quantity: '0.75' });
  await place(t, { side: 'SELL', type: 'STOP_LIMIT', stopPrice: '99', price: '98.2', quantity: '0.5' });
  await place(t, { side: 'SELL', type: 'TAKE_PROFIT_MARKET', stopPrice: '107.5', quantity: '0.6' });
  await place(t, {
    side: 'SELL',
    type: 'STOP_MARKET',
    trailingDelta: 200,
    activationPrice: '104',
    quantity: '0.4',
  });
  await place(t, { side: 'SELL', type: 'STOP_MARKET', trailingDelta: 1_000, quantity: '0.3' });
  await place(t, { side: 'BUY', type: 'STOP_MARKET', trailingDelta: 300, quantity: '0.2' });
  await place(t, {
    side: 'BUY',
    type: 'LIMIT',
    price: '93',
    quantity: '1',
    timeInForce: 'GTD',
    goodTillDate: GTD_AT,
  });
}

async function played(speed: number | 'max', feed: string): Promise<FillText[]> {
  const t = await openTestDesk({ feed, speed, hold: true });
  await t.call('feed.control', { action: 'step' });
  await placeAll(t);
  await playToEnd(t);
  return fillsOf(t);
}

describe('the fills of a replay', () => {
  it('are the same at speed 60, 600 and max', async () => {
    const feed = writeCandles({ BTCUSDT: WALK });
    const slow = await played(60, feed);
    expect(slow.length).toBeGreaterThan(10);
    expect(await played(600, feed)).toEqual(slow);
    expect(await played('max', feed)).toEqual(slow);
  });

  it('are the same at 600 and max over recorded candles', async () => {
    const folder = sharedData('candles');
    if (folder === null) {
      const missing = onMissing('candles', 1, process.env.CI);
      if (missing.fail) throw new Error(missing.line);
      process.stdout.write(`${missing.line}\n`);
      return;
    }
    const run = async (speed: number | 'max') => {
      const t = await openTestDesk({ feed: `csv:${folder}@1m,from=2025-02-03T18:00`, speed, hold: true });
      await t.call('feed.control', { action: 'step' });
      const price = t.desk.state().prices['paper BTCUSDT']?.last ?? '';
      const at = (bps: number) => `${Math.round(Number(str(offBy(price, bps))))}`;
      await place(t, { side: 'BUY', type: 'MARKET', quantity: '0.5' });
      for (const bps of [-20, -50, -100, -200])
        await place(t, { side: 'BUY', type: 'LIMIT', price: at(bps), quantity: '0.05' });
      for (const bps of [20, 60, 120])
        await place(t, { side: 'SELL', type: 'LIMIT', price: at(bps), quantity: '0.03' });
      for (const trailingDelta of [30, 100, 300])
        await place(t, { side: 'SELL', type: 'STOP_MARKET', trailingDelta, quantity: '0.04' });
      await playToEnd(t);
      return fillsOf(t);
    };
    const fast = await run('max');
    expect(fast.length).toBeGreaterThan(5);
    expect(await run(600)).toEqual(fast);
  });

  it('are the same wherever the desk dies and goes on, but for an order that died on its way', async () => {
    const feed = writeCandles({ BTCUSDT: WALK });
    const deaths = deathsOf();
    const t = await openTestDesk({ feed, speed: 'max', hold: true, ports: { openStore: deaths.openStore } });
    await t.call('feed.control', { action: 'step' });
    await placeAll(t);
    deaths.recording = true;
    await playToEnd(t);
    deaths.recording = false;
    const whole = await fillsOf(t);
    expect(deaths.folders.length).toBeGreaterThan(20);

    const different: string[] = [];
    for (const [n, dataDir] of deaths.folders.entries()) {
      const again = await openTestDesk({ feed, speed: 'max', dataDir });
      await playToEnd(again);
      const orders = Object.values(again.desk.state().orders);
      // Never sent a second time (engine.md, rule 4): an order that did not arrive ends as ERROR, visibly.
      const lost = orders.filter((order) => order.status === 'ERROR');
      expect(lost.length, `crash ${n}: ${lost.map((o) => o.text).join('; ')}`).toBeLessThanOrEqual(2);
      const missing = (fill: FillText) =>
        lost.some((order) => order.side === fill.side && order.origQty === fill.qty);
      const expected = whole.filter((fill) => !missing(fill)).map((fill) => JSON.stringify(fill));
      const found = (await fillsOf(again)).map((fill) => JSON.stringify(fill));
      for (const fill of expected.filter((f) => !found.includes(f)))
        different.push(`crash ${n}: missing ${fill}`);
      for (const fill of found.filter((f) => !expected.includes(f)))
        different.push(`crash ${n}: unexpected ${fill}`);
      if (found.length !== expected.length)
        different.push(`crash ${n}: ${found.length} fills instead of ${expected.length}`);
      await again.stop();
    }
    expect(different).toEqual([]);
  });

  it('start with the very first candle also after a stop before it was played', async () => {
    const feed = writeCandles({ BTCUSDT: [['100', '101', '99', '100.5'], ...flat('100.5')] });
    const first = await openTestDesk({ feed, speed: 'max', hold: true });
    await place(first, { side: 'BUY', type: 'LIMIT', price: '100.2', quantity: '1' });
    await first.stop();
    const second = await openTestDesk({ feed, speed: 'max', dataDir: first.dataDir });
    await playToEnd(second);
    expect(await fillsOf(second)).toMatchObject([{ price: '100.2', time: MARKET_START }]);
  });
});

describe('each kind of order in a replay', () => {
  it('a LIMIT BUY fills at its limit, with its fee out of the base asset', async () => {
    const t = await openTestDesk({ feed: writeCandles({ BTCUSDT: WALK }), speed: 'max', hold: true });
    await t.call('feed.control', { action: 'step' });
    await place(t, { side: 'BUY', type: 'LIMIT', price: '98.37', quantity: '0.12345' });
    await playToEnd(t);
    const comm = str(mul(dec('0.12345'), dec('0.001')));
    const at = ticksOf(WALK).find(({ price }) => Number(price) <= 98.37);
    expect(await fillsOf(t)).toEqual([
      {
        side: 'BUY',
        price: '98.37',
        qty: '0.12345',
        comm,
        commAsset: 'BTC',
        maker: true,
        time: at?.time,
      },
    ]);
    const balances = t.desk.state().portfolios[EXCHANGE]?.balances ?? [];
    const btc = balances.find(({ asset }) => asset === 'BTC');
    expect(btc?.wallet).toBe(str(dec('0.12345') - dec(comm)));
    const usdt = balances.find(({ asset }) => asset === 'USDT');
    expect(usdt?.wallet).toBe(str(dec('100000') - mul(dec('98.37'), dec('0.12345'))));
  });

  for (const [bps, activation] of [
    [200, '104'],
    [150, undefined],
    [500, '105.5'],
    [900, undefined],
  ] as const) {
    it(`a trailing stop of ${bps} basis points${activation ? ` armed at ${activation}` : ''} fires where the ticks say`, async () => {
      const t = await openTestDesk({ feed: writeCandles({ BTCUSDT: WALK }), speed: 'max', hold: true });
      await t.call('feed.control', { action: 'step' });
      await place(t, { side: 'BUY', type: 'MARKET', quantity: '2' });
      const { id } = await place(t, {
        side: 'SELL',
        type: 'STOP_MARKET',
        trailingDelta: bps,
        quantity: '1',
        ...(activation === undefined ? {} : { activationPrice: activation }),
      });
      await playToEnd(t);
      let best: bigint | null = null;
      const fires = ticksOf(WALK).find(({ price }) => {
        const p = dec(price);
        if (best === null && activation !== undefined && p < dec(activation)) return false;
        if (best === null || p > best) best = p;
        return p * 10_000n <= best * BigInt(10_000 - bps);
      });
      expect(fires).toBeDefined();
      expect(t.view(id)).toMatchObject({ status: 'CLOSED', type: 'STOP_MARKET', fillPrice: fires?.price });
      const [, sell] = await fillsOf(t);
      expect(sell).toMatchObject({
        side: 'SELL',
        price: fires?.price,
        time: fires?.time,
        commAsset: 'USDT',
        maker: false,
      });
    });
  }

  it('a trailing stop fires exactly at its distance, and not a tick before', async () => {
    const candles: CandleText[] = [
      ['100', '110', '100', '106'],
      ['106', '107', '104.51', '105'],
      ['105', '106', '104.5', '105.5'],
      ...flat('105.5'),
    ];
    const t = await openTestDesk({ feed: writeCandles({ BTCUSDT: candles }), speed: 'max', hold: true });
    await t.call('feed.control', { action: 'step' });
    await place(t, { side: 'BUY', type: 'MARKET', quantity: '2' });
    const { id } = await place(t, {
      side: 'SELL',
      type: 'STOP_MARKET',
      trailingDelta: 500,
      quantity: '1',
    });
    await playToEnd(t);
    expect(t.view(id)).toMatchObject({ status: 'CLOSED', fillPrice: '104.5' });
    // A rising candle is played open, low, high, close.
    expect((await fillsOf(t))[1]?.time).toBe(MARKET_START + 2 * MINUTE_MS + MINUTE_MS / 4);
  });

  const gtd = {
    side: 'BUY',
    type: 'LIMIT',
    price: '95.5',
    quantity: '1',
    timeInForce: 'GTD',
  } as const;

  // proves: field create-order goodTillDate, state open to CANCELLED, S31
  it('a GTD order is cancelled at its end date, before the first tick at or after it', async () => {
    const feed = writeCandles({ BTCUSDT: flat('100', 10) });
    for (const end of [3 * MINUTE_MS, 3 * MINUTE_MS + 1, 5 * MINUTE_MS - 1]) {
      const goodTillDate = MARKET_START + end;
      const t = await openTestDesk({ feed, speed: 'max', hold: true });
      await t.call('feed.control', { action: 'step' });
      const { id } = await place(t, { ...gtd, goodTillDate });
      await playToEnd(t);
      expect(t.view(id).status).toBe('CANCELLED');
      const detail = await t.call('orders.detail', { id });
      const cancelled = detail?.events.find(({ status }) => status === 'CANCELLED');
      expect(cancelled?.market).toBe(goodTillDate);
      await t.stop();
    }
  });

  it('a GTD order that is overdue at a start is cancelled before a tick can fill it', async () => {
    // The market reaches the limit in the very tick after its end date.
    const candles: CandleText[] = [...flat('100', 4), ...flat('95', 4)];
    const feed = writeCandles({ BTCUSDT: candles });
    const goodTillDate = MARKET_START + 4 * MINUTE_MS - 1;
    const t = await openTestDesk({ feed, speed: 'max', hold: true });
    await t.call('feed.control', { action: 'step' });
    const { id } = await place(t, { ...gtd, goodTillDate });
    // Crashes in the tick of the end date: the cancel is wanted, but does not get through.
    for (let n = 1; n < 15; n++) await t.call('feed.control', { action: 'step' });
    expect(t.view(id).status).toBe('OPENED');
    await t.call('paper.fault', { fault: 'loseRequest', on: 'cancel', times: 1 });
    await t.call('paper.fault', { fault: 'queryFails', times: 50 });
    await t.call('feed.control', { action: 'step' });
    expect(t.view(id).cancelPending).toBe(true);
    await t.stop();
    const again = await openTestDesk({ feed, speed: 'max', dataDir: t.dataDir });
    await playToEnd(again);
    expect(again.view(id)).toMatchObject({ status: 'CANCELLED', executedQty: '0' });
  });

  it('market time never goes back, over pauses, stops and a replay that begins earlier', async () => {
    const feed = writeCandles({ BTCUSDT: flat('100', 30) });
    let last = 0;
    const watch = (t: TestDesk) => {
      const look = () => {
        const { market } = t.desk.state().clock;
        expect(market).toBeGreaterThanOrEqual(last);
        last = market;
      };
      look();
      t.desk.onChange(look);
    };
    let dataDir: string | undefined;
    for (const n of [0, 1, 2, 3]) {
      const t = await openTestDesk({ feed, speed: 60, ...(dataDir === undefined ? {} : { dataDir }) });
      dataDir = t.dataDir;
      watch(t);
      await t.clock.advance(3_000 + n * 777);
      await t.call('feed.control', { action: 'pause' });
      await t.clock.advance(5_000);
      const { market } = t.desk.state().clock;
      await t.call('feed.control', { action: 'play' });
      await t.clock.advance(1_000);
      expect(t.desk.state().clock.market).toBeGreaterThan(market);
      await t.stop();
    }
    const earlier = await openTestDesk({
      feed: `${feed},from=${new Date(MARKET_START).toISOString()}`,
      speed: 60,
      ...(dataDir === undefined ? {} : { dataDir }),
    });
    watch(earlier);
    await until(earlier, () => earlier.desk.state().clock.ended, { stepMs: 1_000 });
    expect(last).toBe(MARKET_START + 30 * MINUTE_MS - 1);
  });
});
