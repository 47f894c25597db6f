/** Settings of INTRADAY (strategies.md 6). */
import { describe, expect, it } from 'vitest';
import type { IntradaySettings } from '../../../../src/bots/types/intraday/settings.ts';
import { dec } from '../../../../src/domain/decimal.ts';
import { compiled, NOW, problems, warnings } from '../../settings/support.ts';

function intraday(changes: Record<string, unknown> = {}): IntradaySettings {
  return compiled<IntradaySettings>('INTRADAY', changes);
}

// proves: bot INTRADAY settings
describe('INTRADAY', () => {
  it('has its defaults', () => {
    expect(intraday()).toMatchObject({
      type: 'INTRADAY',
      timeFrame: null,
      mode: 'bounce',
      touchPercent: dec('0.1'),
      confirmPercent: dec('0.2'),
      invalidPercent: dec('1'),
      retest: false,
      breakevenAfter: null,
      maxEntries: 1,
      expiresAt: null,
    });
  });

  it.each([
    [{ mode: undefined }, 'mode: missing; must be bounce or breakout'],
    [{ mode: 'both' }, 'mode: must be bounce or breakout, got "both"'],
    [{ touchPercent: -0.1 }, 'touchPercent: must be a decimal of at least 0 and below 100, got -0.1'],
    [{ confirmPercent: '100' }, 'confirmPercent: must be a decimal of at least 0 and below 100, got "100"'],
    [{ invalidPercent: 'x' }, 'invalidPercent: must be a decimal of at least 0 and below 100, got "x"'],
    [{ retest: 1 }, 'retest: must be true or false, got 1'],
    [{ breakevenAfter: 0 }, 'breakevenAfter: must be an integer from 1 to 10, got 0'],
    [{ breakevenAfter: 3 }, 'breakevenAfter: must be at most 2, the number of takeProfits, got 3'],
    [{ maxEntries: 0 }, 'maxEntries: must be an integer from 1 to 10000, got 0'],
    [{ expiresAt: 'later' }, 'expiresAt: must be an integer that is not negative, got "later"'],
  ])('refuses %j', (changes, problem) => {
    expect(problems('INTRADAY', changes)).toEqual([problem]);
  });

  it('has no timeFrame', () => {
    expect(warnings('INTRADAY', { timeFrame: 60_000 })).toEqual(['timeFrame: unknown field and ignored']);
  });

  it('is warned of what has no effect', () => {
    expect(warnings('INTRADAY', { retest: true })).toEqual(['retest: has an effect with mode breakout only']);
    expect(warnings('INTRADAY', { expiresAt: NOW })).toEqual([
      'expiresAt: lies in the past: nothing is entered',
    ]);
    expect(intraday({ expiresAt: NOW + 1, mode: 'breakout', retest: true })).toMatchObject({
      expiresAt: NOW + 1,
      retest: true,
    });
  });
});

// proves: bot INTRADAY takeProfits
describe('takeProfits', () => {
  const targets = (...takeProfits: readonly Record<string, unknown>[]) => ({ takeProfits });

  it('are percents or prices, with sizes', () => {
    const given = targets({ percent: 1, size: '33.33' }, { price: '120', size: '66.67' });
    expect(intraday(given).takeProfits).toEqual([
      { percent: dec('1'), price: null, size: dec('33.33') },
      { percent: null, price: dec('120'), size: dec('66.67') },
    ]);
  });

  it.each([
    [targets({ size: 100 }), ['takeProfits[0]: needs either percent or price']],
    [targets({ percent: 1, price: 5, size: 100 }), ['takeProfits[0]: needs either percent or price']],
    [
      targets({ percent: 0, size: 100 }),
      ['takeProfits[0].percent: must be a decimal above 0 and at most 1000000, got 0'],
    ],
    [
      targets({ price: '0.001', size: 100 }),
      ['takeProfits[0].price: must be at least 0.01, the tick size of BTCUSDT, got 0.001'],
    ],
    [targets({ percent: 1 }), ['takeProfits[0].size: missing; must be a decimal above 0 and at most 100']],
    [targets({ percent: 1, size: 90 }), ['takeProfits: size adds up to 90, not 100']],
    [
      targets({ percent: 2, size: 50 }, { percent: 2, size: 50 }),
      ['takeProfits[1].percent: must be above 2, the target before it, got 2'],
    ],
    [
      targets({ price: 200, size: 50 }, { price: '150', size: 50 }),
      ['takeProfits[1].price: must be above 200, the target before it, got 150'],
    ],
    [{ takeProfits: [] }, ['takeProfits: must be an array of 1 to 10 entries, got an array of 0']],
    [{ takeProfits: undefined }, ['takeProfits: missing; must be an array of 1 to 10 entries']],
    [
      { takeProfits: Array(11).fill({ percent: 1, size: 1 }) },
      ['takeProfits: must be an array of 1 to 10 entries, got an array of 11'],
    ],
  ])('refuse %j', (changes, expected) => {
    expect(problems('INTRADAY', changes)).toEqual(expected);
  });

  it('of a short bot go down', () => {
    const short = { short: true, exchange: 'paper-futures' };
    const prices = (...list: number[]) => targets(...list.map((price) => ({ price, size: 50 })));
    expect(problems('INTRADAY', { ...short, ...prices(90, 80) })).toEqual([]);
    expect(problems('INTRADAY', { ...short, ...prices(80, 90) })).toEqual([
      'takeProfits[1].price: must be below 80, the target before it, got 90',
    ]);
    expect(problems('INTRADAY', { ...short, ...targets({ percent: 100, size: 100 }) })).toEqual([
      'takeProfits[0].percent: must be below 100 for a short bot, got 100',
    ]);
  });
});
