/** The backtest leaves out what means nothing: that must never show. Against one that tells the run every tick, one by one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../../src/bots/backtest/backtest.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { BOTS, M, markets, onMarket, rules, T, table, walks, world } from './support.ts';

const RUNS = Number(process.env.FAST_RUNS ?? 60);

// proves: bot backtest
describe('what the backtest leaves out changes nothing for', () => {
  for (const [name, bots] of Object.entries(BOTS)) {
    it(name, () => {
      let trades = 0;
      let started = 0;
      fc.assert(
        fc.property(
          bots,
          walks,
          markets,
          fc.constantFrom(M, 5 * M, 15 * M),
          fc.constantFrom(undefined, dec('0.05')),
          fc.constantFrom(0, 30 * M, 31 * M),
          (given, rows, market, frameMs, participation, later) => {
            // A range beyond the data is refused, which is another test's.
            fc.pre(later < rows.length * frameMs);
            const options = {
              bot: onMarket(given, market),
              candles: [table(rows, { start: T - 3 * M * 5, frameMs })],
              world: world(rules(market === 'spot' ? {} : { kind: 'futures' })),
              participation,
              from: T - 15 * M + later,
            };
            const fast = runBacktest(options);
            const plain = runBacktest({ ...options, everyTick: true });
            expect(fast).toEqual(plain);
            if (!fast.ok) return;
            started++;
            trades += fast.result.trades.length + fast.result.alerts.length;
          },
        ),
        { numRuns: RUNS },
      );
      if (process.env.FAST_RUNS) process.stdout.write(`${name}: ${started} started, ${trades} trades\n`);
      // A property over bots that do nothing would prove nothing.
      expect(trades).toBeGreaterThan(RUNS / 10);
    }, 600_000);
  }
});
