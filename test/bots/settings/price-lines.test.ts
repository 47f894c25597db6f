/** Price lines in settings: which values are valid lines, wherever the settings have one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AlarmSettings } from '../../../src/bots/types/alarm/settings.ts';
import type { IntradaySettings } from '../../../src/bots/types/intraday/settings.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { compiled, LINE, problems } from './support.ts';

const NEEDS = 'a price line needs two different timestamps with positive prices';

// proves: bot line given
describe('a price line in settings', () => {
  it.each([
    ['one entry', { '1700000000000': 100 }],
    ['three entries', { '1': 100, '2': 100, '3': 100 }],
    ['no entry', {}],
    ['a key that is no integer', { '1.5': 100, '2': 100 }],
    ['a key that is a date', { '2023-11-14': 100, '2': 100 }],
    ['a negative key', { '-1': 100, '2': 100 }],
    ['a price of zero', { '1': 0, '2': 100 }],
    ['a negative price', { '1': '-5', '2': 100 }],
    ['a price that is no number', { '1': 'high', '2': 100 }],
    ['no price', { '1': null, '2': 100 }],
    ['a plain price', '100'],
    ['a list', [100, 110]],
  ])('is refused with %s', (_what, trend) => {
    expect(problems('INTRADAY', { trend })).toEqual([`trend: ${NEEDS}`]);
    expect(problems('ALARM', { range: [{ trend: LINE }, { trend }] })).toEqual([`range[1].trend: ${NEEDS}`]);
    const stop = { strategy: 'price', trigger: { type: 'kline', value: trend }, order: { type: 'MARKET' } };
    expect(problems('FIBO', { stop: [stop] })).toEqual([`stop[0].trigger.value: ${NEEDS}`]);
    expect(problems('FIBO', { startTrigger: { trend } })).toEqual([`startTrigger.trend: ${NEEDS}`]);
    const range = { type: 'trend_percent_price', min: -1, trend };
    expect(problems('FIBO', { range })).toEqual([`range[0].trend: ${NEEDS}`]);
  });

  it('says what is needed where it is missing', () => {
    expect(problems('INTRADAY', { trend: undefined })).toEqual([`trend: missing; ${NEEDS}`]);
    const stop = { strategy: 'price', trigger: { type: 'kline' } };
    expect(problems('FIBO', { stop })).toEqual([`stop[0].trigger.value: missing; ${NEEDS}`]);
  });

  it('takes its points in any order, prices as numbers or text', () => {
    const later = fc.integer({ min: 1, max: 10 ** 9 });
    const price = fc.integer({ min: 1, max: 10 ** 9 }).map((units) => units / 100);
    fc.assert(
      fc.property(fc.nat(2 * 10 ** 12), later, price, price, fc.boolean(), (t1, gap, p1, p2, turned) => {
        const points: [string, unknown][] = [
          [`${t1}`, p1],
          [`${t1 + gap}`, String(p2)],
        ];
        const trend = Object.fromEntries(turned ? points.reverse() : points);
        const { lines } = compiled<AlarmSettings>('ALARM', { range: { trend } });
        expect(lines[0]?.trend).toEqual({ t1, p1: dec(String(p1)), t2: t1 + gap, p2: dec(String(p2)) });
      }),
      { numRuns: 200 },
    );
  });

  it('may be horizontal', () => {
    const { trend } = compiled<IntradaySettings>('INTRADAY', { trend: { '5': 100, '9': '100.0' } });
    expect(trend).toEqual({ t1: 5, p1: dec('100'), t2: 9, p2: dec('100') });
  });
});
