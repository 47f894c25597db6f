/** What the backtest leaves out must never show: against one that tells the run every tick, one by one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../../src/bots/backtest/backtest.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { BOTS, M, markets, onMarket, rules, T, table, walks, world } from './support.ts';

const RUNS = 60;

// proves: bot backtest skimming
describe('playing many candles at once changes nothing for', () => {
  it.each(Object.keys(BOTS))('%s', (name) => {
    let events = 0;
    fc.assert(
      fc.property(
        BOTS[name] as (typeof BOTS)[string],
        walks,
        markets,
        fc.constantFrom(M, 5 * M, 15 * M),
        fc.constantFrom(null, dec('0.05')),
        fc.constantFrom(0, 7, 15),
        (given, rows, market, frameMs, participation, history) => {
          const options = {
            bot: onMarket(given, market),
            candles: [table(rows, { frameMs })],
            world: world(rules(market === 'spot' ? {} : { kind: 'futures' })),
            participation,
            from: T + history * frameMs,
          };
          const quick = runBacktest(options);
          expect(quick).toEqual(runBacktest({ ...options, everyTick: true }));
          if (quick.ok) events += quick.result.trades.length + quick.result.alerts.length;
        },
      ),
      { numRuns: RUNS },
    );
    // Bots that do nothing would prove nothing.
    expect(events).toBeGreaterThan(RUNS / 2);
  });
});
