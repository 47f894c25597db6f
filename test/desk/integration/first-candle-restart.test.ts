/** A run's first candle is built from the ticks since the run's start, also over a restart of the desk. */
import { describe, expect, it } from 'vitest';
import { type BotsRig, openBots } from './bots-rig.ts';
import { EXCHANGE } from './support.ts';

/** A bot that alerts when a candle of five minutes closes 5 % above its open. */
const RISE = {
  type: 'NOTIFY',
  settings: {
    exchange: EXCHANGE,
    timeFrame: 300_000,
    conditions: [{ type: 'price_change', percent: '5' }],
  },
} as const;
const OWN = { ...RISE.settings, symbol: 'BTCUSDT' };

/** Alerts of a desk that is restarted after `after` minutes of the candle; null: not at all. */
async function alerted(prices: readonly string[], settings: object, after: number | null): Promise<string[]> {
  let rig: BotsRig = await openBots(prices);
  await rig.minutes(1);
  await rig.started({ ...RISE, settings });
  await rig.minutes((after ?? 1) - 1);
  if (after !== null) {
    const { t, feed } = rig;
    await t.stop();
    rig = await openBots([], { dataDir: t.dataDir, clock: t.clock, feed });
  }
  await rig.minutes(6 - (after ?? 1));
  return rig.t.desk.state().alerts.map(({ message }) => message);
}

describe.each([
  ['a symbol of its own', OWN],
  ['all symbols', RISE.settings],
])('a NOTIFY of %s that starts in the middle of a candle', (_, settings) => {
  it.each([null, 2, 3, 4])(
    'alerts of what rose since its start, restarted after minute %s',
    async (after) => {
      // Measured from 104: 5.8 %.
      expect(await alerted(['100', '104', '104', '104', '110', '110'], settings, after)).toHaveLength(1);
      // Measured from 106: 3.8 %, however large the rise since the candle began.
      expect(await alerted(['100', '106', '106', '106', '110', '110'], settings, after)).toEqual([]);
    },
  );
});
