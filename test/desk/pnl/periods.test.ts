/**
 * Where days, weeks and months begin, in zones whose days have 23, 24 and 25 hours, and what they are
 * called.
 */
import { expect, it } from 'vitest';
import { Periods } from '../../../src/desk/pnl/periods.ts';

const HOUR_MS = 3_600_000;

it('days of a zone begin at its midnight, also where clocks are set', () => {
  const berlin = new Periods('Europe/Berlin');
  const [from, to] = [Date.UTC(2026, 2, 28, 12), Date.UTC(2026, 2, 31, 12)];
  const starts = berlin.starts('day', from, to) ?? [];
  // Clocks go forward in the night to the 29th of March: that day has 23 hours.
  expect(starts.map((time) => new Date(time).toISOString())).toEqual([
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
    '2026-03-30T22:00:00.000Z',
  ]);
  expect(starts.map((time) => berlin.name('day', time))).toEqual(['2026-03-29', '2026-03-30', '2026-03-31']);
  expect(berlin.name('day', (starts[0] ?? 0) - 1)).toBe('2026-03-28');
});

it('weeks begin with their Monday, months with their first day', () => {
  const utc = new Periods('UTC');
  const [from, to] = [Date.UTC(2026, 10, 26), Date.UTC(2027, 0, 6)];
  expect((utc.starts('week', from, to) ?? []).map((time) => utc.name('week', time))).toEqual([
    '2026-11-30',
    '2026-12-07',
    '2026-12-14',
    '2026-12-21',
    '2026-12-28',
    '2027-01-04',
  ]);
  expect(utc.name('week', from)).toBe('2026-11-23');
  expect((utc.starts('month', from, to) ?? []).map((time) => utc.name('month', time))).toEqual([
    '2026-12',
    '2027-01',
  ]);
  expect(utc.name('week', 0)).toBe('1969-12-29');
});

it('a range of too many days has none', () => {
  const utc = new Periods('UTC');
  expect(utc.starts('month', 0, 5_001 * 24 * HOUR_MS)).toHaveLength(164);
  expect(utc.starts('month', 0, 5_002 * 24 * HOUR_MS)).toBeNull();
});
