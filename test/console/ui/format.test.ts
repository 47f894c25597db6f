/** Numbers as the console shows them: exact, grouped, signed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as format from '../../../src/console/ui/format.ts';
import { sparkline } from '../../../src/console/ui/glyphs.ts';
import { dec } from '../../../src/domain/decimal.ts';

describe('numbers', () => {
  it('groups thousands and touches nothing else', () => {
    expect(format.group('1234567.890')).toBe('1,234,567.890');
    expect(format.group('-1000')).toBe('-1,000');
    expect(format.group('0.00001234')).toBe('0.00001234');
  });

  it('groups the numbers of a sentence, and leaves years, times, ids and addresses alone', () => {
    expect(format.groupedWords('BUY 0.5 BTC at 102501.7, channel 12')).toBe(
      'BUY 0.5 BTC at 102,501.7, channel 12',
    );
    expect(format.groupedWords('cycle 3 complete, -1234.50 USDT (of 98765).')).toBe(
      'cycle 3 complete, -1,234.50 USDT (of 98,765).',
    );
    const alone =
      'in 2026-03-02 at 13:07:31.123456, oc-123456 b8a2c4e6g80 http://127.0.0.1:74201/ 1,234567 2026 x12345';
    expect(format.groupedWords(alone)).toBe(alone);
  });

  it('never goes through a binary floating point number', () => {
    expect(format.exact('12345678901234567890.12345678901234567890')).toBe(
      '12,345,678,901,234,567,890.12345678901234567890',
    );
    expect(format.amount('0.615', 2)).toBe('0.62');
  });

  it('shows an amount of one or more with cents, and what is less as a coin is booked', () => {
    const shown = ['0', '1', '-1', '1.005', '1234.5', '0.99999999', '-0.5', '0.000000014', null];
    expect(shown.map(format.money)).toEqual([
      '0.00',
      '1.00',
      '-1.00',
      '1.01',
      '1,234.50',
      '0.99999999',
      '-0.5',
      '0.00000001',
      '–',
    ]);
  });

  it('shows missing as a dash, not as 0', () => {
    expect(format.amount(null, 2)).toBe('–');
    expect(format.exact(undefined)).toBe('–');
    expect(format.percent(format.percentChange('0', '5'))).toBe('–');
    expect(format.filledPercent('0', '0')).toBe('–');
    expect(format.amount('garbage', 2)).toBe('–');
  });

  it('always signs profit and loss, and never a zero', () => {
    expect(format.signed(dec('1.2'), 2)).toBe('+1.20');
    expect(format.signed(dec('-1234.5'), 2)).toBe('-1,234.50');
    expect(format.signed(dec('0'), 2)).toBe('0.00');
    expect(format.percent(dec('-12.345'))).toBe('-12.35 %');
  });

  it('does not round a change to nothing', () => {
    expect(format.percent(dec('-0.001'))).toBe('-<0.01 %');
    expect(format.percent(dec('0.0049'))).toBe('+<0.01 %');
    expect(format.percent(dec('0.005'))).toBe('+0.01 %');
  });

  it('shows a price on its tick, and all digits of one that is off it', () => {
    expect(format.onStep('60500', '0.01')).toBe('60,500.00');
    expect(format.onStep('60500.123', '0.01')).toBe('60,500.123');
    expect(format.onStep('8000', '1.000')).toBe('8,000');
  });

  it('writes what needs no rounding as its decimal is written', () => {
    const text = fc.stringMatching(/^-?(?:0{0,2}[0-9]{1,40})(?:\.[0-9]{1,8})?$/);
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), fc.integer({ min: 0, max: 8 }), (value, places) => {
        const step = places === 0 ? '1' : `0.${'1'.padStart(places, '0')}`;
        const fraction = value.split('.')[1]?.replace(/0+$/, '') ?? '';
        const isExact = fraction.length <= places;
        expect(format.onStep(value, step)).toBe(isExact ? format.amount(value, places) : format.exact(value));
      }),
    );
  });

  it('says 100 % only of a filled order', () => {
    expect(format.filledPercent('0.99999', '1')).toBe('99 %');
    expect(format.filledPercent('1', '1')).toBe('100 %');
  });

  it('does not fall over a time that is none', () => {
    expect(format.timeOfDay(Number.NaN)).toBe('--:--:--');
    expect(format.dateTime(1e300)).toBe('–');
  });

  it('draws a sparkline of exactly the width', () => {
    expect(sparkline([1, 2, 3], 5)).toHaveLength(5);
    expect(sparkline([5, 5], 2)).toBe('▄▄');
    expect(sparkline([], 3)).toBe('   ');
  });

  it('draws all of the hour where there are fewer cells than points, the newest last', () => {
    const hour = Array.from({ length: 60 }, (_, minute) => (minute < 50 ? minute : 100 - minute));
    expect(sparkline(hour, 12)).toHaveLength(12);
    expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7], 4)).toBe('▁▃▆█');
    expect(sparkline(hour, 6)[0]).toBe('▁');
  });
});
