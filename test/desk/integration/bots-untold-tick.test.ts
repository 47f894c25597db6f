/**
 * A desk that crashes while a tick is matched: its bots have not received the tick yet, and the last price
 * they saw is the one before it.
 */
import { expect, it } from 'vitest';
import {
  type CandleText,
  deathsOf,
  EXCHANGE,
  fillsOf,
  flat,
  MARKET_START,
  ok,
  openTestDesk,
  place,
  playToEnd,
  type TestDesk,
  writeCandles,
} from './support.ts';

/** Above the line, down through it in one tick, and up again. */
const CANDLES: readonly CandleText[] = [
  ...flat('102', 2),
  ['102', '102', '99.9', '99.9'],
  ['99.9', '101', '99.9', '101'],
  ...flat('101', 2),
];
/** The low of the third candle. */
const TICKS_BEFORE_LOW = 10;

const BOUNCE = {
  type: 'INTRADAY',
  settings: {
    exchange: EXCHANGE,
    symbol: { base: 'BTC', quote: 'USDT' },
    deposit: { value: '1000', asset: 'USDT' },
    mode: 'bounce',
    trend: { [MARKET_START]: 100, [MARKET_START + 3_600_000]: 100 },
    takeProfits: [{ price: '150', size: '100' }],
  },
} as const;

/** The fills as `BUY 100.5` and so on, in order. */
async function fillsIn(t: TestDesk): Promise<string[]> {
  return (await fillsOf(t)).map(({ side, price }) => `${side} ${price}`);
}

// proves: bot run recovery, bot INTRADAY touch
it('a touch from above is one although the desk has died within the tick of the touch', async () => {
  const feed = writeCandles({ BTCUSDT: CANDLES });
  const deaths = deathsOf();
  const t = await openTestDesk({ feed, speed: 'max', hold: true, ports: { openStore: deaths.openStore } });
  await t.call('feed.control', { action: 'step' });
  const { id } = ok(await t.call('bots.create', { bot: BOUNCE }));
  ok(await t.call('bots.start', { id }));
  for (let tick = 1; tick < TICKS_BEFORE_LOW; tick++) await t.call('feed.control', { action: 'step' });
  // An order whose fill is stored before the bot receives the tick.
  await place(t, { side: 'BUY', type: 'LIMIT', price: '100.5', quantity: '1' });
  deaths.recording = true;
  await t.call('feed.control', { action: 'step' });
  deaths.recording = false;
  await playToEnd(t);
  const whole = await fillsIn(t);
  expect(whole).toEqual(['BUY 100.5', 'BUY 101']);
  expect(deaths.folders.length).toBeGreaterThan(1);
  for (const [n, dataDir] of deaths.folders.entries()) {
    const again = await openTestDesk({ feed, speed: 'max', dataDir });
    await playToEnd(again);
    expect(await fillsIn(again), `death ${n}`).toEqual(whole);
    await again.stop();
  }
});
