/**
 * A mark price that lags depends on every earlier tick: a desk that crashes between two ticks has the same
 * mark when it goes on.
 */
import { expect, it } from 'vitest';
import { embedded } from '../../../src/desk/trading.ts';
import type { PaperVenue } from '../../../src/venues/paper/paper-venue.ts';
import { type CandleText, deathsOf, openTestDesk, place, playToEnd, writeCandles } from './support.ts';

const FUTURES = 'paper-futures';
const CANDLES: readonly CandleText[] = [
  ['100', '110', '100', '110'],
  ['110', '120', '105', '118'],
  ['118', '118', '90', '95'],
  ['95', '130', '95', '130'],
];
const TICKS = CANDLES.length * 4;

/** A futures account with half a minute of lag; `mark` returns the current mark. */
function lagging() {
  let futures: PaperVenue | undefined;
  return {
    venues(given: Parameters<typeof embedded>[0]) {
      const lag = (id: string) => (id === FUTURES ? { markLagMs: 30_000 } : {});
      const opened = embedded({ ...given, settings: (id) => ({ ...given.settings(id), ...lag(id) }) });
      futures = opened.paper.find(({ account }) => account.id === FUTURES);
      return opened;
    },
    mark: () => futures?.futures?.markPrice('BTCUSDT'),
  };
}

it('the mark is the same after a death anywhere in the market', async () => {
  const feed = writeCandles({ BTCUSDT: CANDLES });
  const deaths = deathsOf();
  const ports = lagging();
  const t = await openTestDesk({
    feed,
    speed: 'max',
    hold: true,
    ports: { openStore: deaths.openStore, venues: ports.venues },
  });
  deaths.recording = true;
  for (let tick = 0; tick < TICKS; tick++) {
    await t.call('feed.control', { action: 'step' });
    // The market's position is stored together with an order that has nothing to do with the contract.
    if (tick % 3 === 2) await place(t, { side: 'BUY', type: 'LIMIT', price: '50', quantity: '1' });
  }
  deaths.recording = false;
  await playToEnd(t);
  const whole = ports.mark();
  await t.stop();
  expect(Number(whole)).toBeGreaterThan(95);
  expect(Number(whole)).toBeLessThan(130);
  expect(deaths.folders.length).toBeGreaterThan(4);
  for (const [n, dataDir] of deaths.folders.entries()) {
    const resumed = lagging();
    const again = await openTestDesk({ feed, speed: 'max', dataDir, ports: { venues: resumed.venues } });
    await playToEnd(again);
    expect(resumed.mark(), `death ${n}`).toBe(whole);
    await again.stop();
  }
});
