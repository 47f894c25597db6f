/**
 * What the backtest skips must never change its result: compared with a backtest that gives the run every
 * single tick.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../../src/bots/backtest/backtest.ts';
import { dec } from '../../../src/domain/decimal.ts';
import {
  BOTS,
  DEPOSIT,
  M,
  markets,
  onMarket,
  PAIR,
  played,
  rules,
  squeeze,
  T,
  table,
  walks,
  world,
} from './support.ts';

const RUNS = 60;

/**
 * An entry that waits for a stop rule may begin to wait within skipped ticks, without a trade in between:
 * the number of waits is not compared.
 */
function withoutWaits(outcome: ReturnType<typeof runBacktest>) {
  if (!outcome.ok) return outcome;
  const { notices, ...result } = outcome.result;
  return { ...result, notices: notices.filter(({ text }) => !text.includes(': waits, stop ')) };
}

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
          const slow = runBacktest({ ...options, everyTick: true });
          expect(withoutWaits(quick)).toEqual(withoutWaits(slow));
          if (quick.ok) events += quick.result.trades.length + quick.result.alerts.length;
        },
      ),
      { numRuns: RUNS },
    );
    // Bots that do nothing would prove nothing.
    expect(events).toBeGreaterThan(RUNS / 2);
  });

  it.each([
    ['its high, short', true, 1],
    ['its low', false, -1],
  ] as const)(
    'an entry that follows each candle by %s: none of them by one before it',
    (_what, short, way) => {
      // The second candle goes further than the third, which moves the entry nearer; the fourth reaches it
      // there.
      const best = [1, 1.9, 0.5, 1.9, 0, 0];
      const rows = best.flatMap((far) =>
        Array.from({ length: 5 }, (_, i) => {
          const top = i === 2 ? 100 + way * far : 100;
          return [100, Math.max(100, top), Math.min(100, top), 100] as const;
        }),
      );
      const options = {
        bot: squeeze({ timeFrame: 5 * M, short }),
        candles: [table(rows)],
        world: world(rules({ kind: 'futures' })),
      };
      const quick = played(options);
      expect(quick).toEqual(played({ ...options, everyTick: true }));
      expect(quick.trades.map(({ side }) => side)).toEqual(short ? ['SELL', 'BUY'] : ['BUY', 'SELL']);
    },
  );

  it('an entry that waits for what a rule says of the next candle: it is told of each close', () => {
    const flat = (price: number) => [price, price, price, price] as const;
    // Bought and sold in the candle after one that closed at 104, below the stop at 105: the next entry
    // waits for a close above it.
    const cycle = [[104, 104, 100, 104] as const, [104, 110, 104, 110] as const];
    const candle = [...cycle, flat(110), flat(110), flat(110)];
    const rows = [...Array.from({ length: 5 }, () => flat(104)), ...candle, ...candle, ...candle];
    const rule = { type: 'kline', value: '105', closed: true, timeFrame: 5 * M };
    const options = {
      bot: {
        type: 'CHANNEL' as const,
        settings: {
          ...PAIR,
          deposit: DEPOSIT,
          flavor: 'LEVELS',
          levels: [{ buy: '100', sell: '110' }],
          stop: [{ strategy: 'fixed', trigger: rule, order: { type: 'MARKET' } }],
        },
      },
      candles: [table(rows)],
      world: world(rules()),
    };
    const quick = played(options);
    expect(quick).toEqual(played({ ...options, everyTick: true }));
    expect(quick.trades.map(({ side }) => side)).toEqual(['BUY', 'SELL', 'BUY', 'SELL', 'BUY', 'SELL']);
  });
});
