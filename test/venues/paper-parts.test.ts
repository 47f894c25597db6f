/**
 * Small parts of the paper exchange in edge cases: options, bounded lists, limits that an instrument does not
 * have.
 */
import { describe, expect, it } from 'vitest';
import { BoundedList } from '../../src/venues/paper/bounded-list.ts';
import { PaperCore } from '../../src/venues/paper/core.ts';
import { compilePaperOptions, type PaperOptions } from '../../src/venues/paper/options.ts';
import { BTC } from './paper-support.ts';

describe('the options', () => {
  it.each<[PaperOptions, string | null]>([
    [{ fundingRate: '0.03' }, null],
    [{ fundingRate: '-0.03' }, null],
    [{ fundingRate: '0.0301' }, 'fundingRate must be between -0.03 and 0.03, not 0.0301'],
    [{ fundingRate: '-0.0301' }, 'fundingRate must be between -0.03 and 0.03, not -0.0301'],
    [{ makerRate: '0' }, null],
    [{ makerRate: '0.999' }, null],
    [{ makerRate: '-0.0001' }, null],
    [{ makerRate: '1' }, 'makerRate must be at least -1 and below 1, not 1'],
    [{ makerRate: '-1.001' }, 'makerRate must be at least -1 and below 1, not -1.001'],
    [{ takerRate: '-0.001' }, 'takerRate must be at least 0 and below 1, not -0.001'],
    [{ liquidationFeeRate: '1' }, 'liquidationFeeRate must be at least 0 and below 1, not 1'],
    [{ participation: '1' }, null],
    [{ participation: '1.01' }, 'participation must be above 0 and at most 1, not 1.01'],
    [{ participation: '0' }, 'participation must be above 0 and at most 1, not 0'],
    [{ slippageBps: 5_000 }, null],
    [{ slippageBps: 5_001 }, 'slippageBps must be between 0 and 5000, not 5001'],
    [{ slippageBps: -1 }, 'slippageBps must be between 0 and 5000, not -1'],
    [{ latencyMs: 60_001 }, 'latencyMs must be between 0 and 60000, not 60001'],
    [{ jitterMs: Number.NaN }, 'jitterMs must be between 0 and 60000, not NaN'],
    [{ markLagMs: 3_600_001 }, 'markLagMs must be between 0 and 3600000, not 3600001'],
    [{ finishedKept: 0 }, 'finishedKept must be between 1 and 1000000, not 0'],
    [{ tradesKept: 0 }, 'tradesKept must be between 1 and 1000000, not 0'],
  ])('%o: %s', (options, words) => {
    if (words === null) expect(() => compilePaperOptions(options)).not.toThrow();
    else expect(() => compilePaperOptions(options)).toThrow(words);
  });
});

describe('a bounded list', () => {
  it.each([1, 2, 3, 5])('of %d keeps the newest, gives back what falls out, and tells its tail', (limit) => {
    const list = new BoundedList<number>(limit);
    for (let n = 1; n <= 20; n++) {
      expect(list.push(n)).toBe(n > limit ? n - limit : undefined);
      const kept = Array.from({ length: Math.min(n, limit) }, (_, i) => n - Math.min(n, limit) + 1 + i);
      expect([...list]).toEqual(kept);
      expect(list.tail(() => true)).toEqual(kept);
      expect(list.tail((item) => item >= n)).toEqual([n]);
      expect(list.tail(() => false)).toEqual([]);
    }
  });
});

describe('a market order', () => {
  it.each([
    ['0', '1000', '1000.001'],
    ['100', '100', '100.001'],
    ['5000', '1000', '1000.001'],
  ])(
    'where at most %s may be traded at the market may be as large as %s and not %s',
    (marketMaxQty, most, more) => {
      const options = compilePaperOptions({ startBalances: { USDT: '100000000' } });
      const core = new PaperCore(
        { kind: 'spot', instruments: [{ ...BTC, marketMaxQty }], options },
        new Map(),
      );
      core.begin();
      core.beginTick('BTCUSDT', '100', '1', 1);
      const kind = (quantity: string) =>
        core.submit(
          {
            clientId: quantity,
            symbol: 'BTCUSDT',
            side: 'BUY',
            type: 'MARKET',
            timeInForce: 'GTC',
            quantity,
          },
          2,
        ).outcome.kind;
      expect([kind(more), kind(most)]).toEqual(['rejected', 'accepted']);
    },
  );
});
