/** Ranges of the PnL book by days of a time zone, also where clocks are set and days are skipped. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Periods } from '../../../src/desk/pnl/periods.ts';
import type { PnlQuery } from '../../../src/desk/pnl/pnl-methods.ts';
import { dayNumber, rangeOf } from '../../../src/desk/pnl/pnl-range.ts';

const NOW = Date.UTC(2026, 10, 26, 1, 30);
const range = (q: Partial<PnlQuery>, zone = 'UTC') => {
  const outcome = rangeOf({ by: 'day', ...q }, new Periods(zone), NOW);
  if (!outcome.ok) return outcome.error.message;
  const text = (time: number | undefined) =>
    time === undefined ? null : new Date(time).toISOString().slice(0, 16);
  return [text(outcome.data.from), text(outcome.data.to)];
};

it('days are counted back from the one that it is in the zone', () => {
  expect(range({ days: 1 })).toEqual(['2026-11-26T00:00', null]);
  expect(range({ days: 7 })).toEqual(['2026-11-20T00:00', null]);
  // In New York it is still the 25th.
  expect(range({ days: 1 }, 'America/New_York')).toEqual(['2026-11-25T05:00', null]);
});

it('from day to day the last one is within; one that goes on is read until now', () => {
  expect(range({ firstDay: '2026-03-28', lastDay: '2026-03-29' }, 'Europe/Berlin')).toEqual([
    '2026-03-27T23:00',
    '2026-03-29T22:00',
  ]);
  expect(range({ firstDay: '2026-11-01', lastDay: '2026-11-26' })).toEqual(['2026-11-01T00:00', null]);
  expect(range({ lastDay: '2026-11-25' })).toEqual([null, '2026-11-26T00:00']);
  expect(range({ from: 5, to: 7 })).toEqual(['1970-01-01T00:00', '1970-01-01T00:00']);
  expect(range({ to: NOW })).toEqual([null, '2026-11-26T01:30']);
  expect(range({ from: 5, to: NOW + 1 })).toEqual(['1970-01-01T00:00', null]);
  expect(range({ firstDay: '2026-11-25', to: NOW + 5 * 86_400_000 })).toEqual(['2026-11-25T00:00', null]);
});

it('days count in place of times, and a number of days in place of both', () => {
  const times = { from: Date.UTC(2026, 9, 1), to: Date.UTC(2026, 9, 2) };
  const named = { firstDay: '2026-11-10', lastDay: '2026-11-12' };
  expect(range({ ...times, ...named })).toEqual(['2026-11-10T00:00', '2026-11-13T00:00']);
  expect(range({ ...times, firstDay: '2026-09-30' })).toEqual(['2026-09-30T00:00', '2026-10-02T00:00']);
  expect(range({ ...times, lastDay: '2026-10-05' })).toEqual(['2026-10-01T00:00', '2026-10-06T00:00']);
  expect(range({ from: times.from, firstDay: named.firstDay, days: 2 })).toEqual(['2026-11-25T00:00', null]);
});

it('what is no range is refused in words', () => {
  expect(range({ firstDay: '2026-02-30' })).toContain('2026-02-30 is no day');
  expect(range({ lastDay: 'today' })).toContain('today is no day');
  expect(range({ firstDay: '2026-03-02', lastDay: '2026-03-01' })).toContain('empty');
  expect(range({ from: 7, to: 7 })).toContain('empty');
  for (const days of [0, -1, 5_001]) expect(range({ days })).toContain('from 1 to 5000');
  expect(range({ days: 5_000 })).toEqual(['2013-03-20T00:00', null]);
  expect(range({ firstDay: '2027-01-01', lastDay: '2026-01-01' })).toContain('empty');
});

it.each(['UTC', 'Europe/Berlin', 'Pacific/Apia', 'America/St_Johns'])('a day of %s begins once', (zone) => {
  const periods = new Periods(zone);
  fc.assert(
    fc.property(fc.integer({ min: 14_000, max: 24_000 }), (day) => {
      const start = periods.startOf(day);
      expect(periods.dayOf(start)).toBeGreaterThanOrEqual(day);
      expect(periods.dayOf(start - 1)).toBeLessThan(day);
    }),
    { numRuns: 30 },
  );
  // Samoa has had no 30th of December 2011.
  const skipped = dayNumber('2011-12-30') ?? 0;
  if (zone === 'Pacific/Apia') expect(periods.startOf(skipped)).toBe(periods.startOf(skipped + 1));
});
