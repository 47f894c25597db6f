/** The day that today's PnL covers: from 00:00 in the configured time zone. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DayBegins, dayCounter, isTimeZone } from '../../src/desk/market/market-day.ts';

const DAY = 86_400_000;
const at = (text: string) => Date.parse(text);

describe('the day', () => {
  it('begins at 00:00 UTC unless told otherwise', () => {
    const day = dayCounter();
    expect(day(at('2026-03-02T23:59:59.999Z'))).toBe(day(at('2026-03-02T00:00:00Z')));
    expect(day(at('2026-03-03T00:00:00Z'))).toBe(day(at('2026-03-02T00:00:00Z')) + 1);
  });

  it('begins at 00:00 of the zone, on days of 23 and 25 hours too', () => {
    const day = dayCounter('Europe/Berlin');
    const first = day(at('2026-03-28T23:00:00Z'));
    expect(day(at('2026-03-28T22:59:59Z'))).toBe(first - 1);
    // Clocks go forward on the 29th: the day ends after 23 hours.
    expect(day(at('2026-03-29T21:59:59Z'))).toBe(first);
    expect(day(at('2026-03-29T22:00:00Z'))).toBe(first + 1);
    const autumn = day(at('2026-10-24T22:00:00Z'));
    expect(day(at('2026-10-25T22:59:59Z'))).toBe(autumn);
    expect(day(at('2026-10-25T23:00:00Z'))).toBe(autumn + 1);
    expect(dayCounter('Asia/Kolkata')(at('2026-03-02T18:30:00Z'))).toBe(
      dayCounter()(at('2026-03-03T00:00:00Z')),
    );
  });

  it('never goes back, and in UTC is the same whichever way it is counted', () => {
    const times = fc.integer({ min: 0, max: at('2100-01-01T00:00:00Z') });
    fc.assert(
      fc.property(
        times,
        fc.nat(3 * DAY),
        fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe'),
        (time, more, zone) => {
          const day = dayCounter(zone);
          expect(day(time + more)).toBeGreaterThanOrEqual(day(time));
          expect(dayCounter('Etc/UTC')(time)).toBe(dayCounter()(time));
        },
      ),
    );
  });

  it('knows zones by their names', () => {
    expect(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'].map(isTimeZone)).toEqual([
      true,
      true,
      true,
    ]);
    expect(['', 'Berlin', 'Mars/Olympus', '+25:99'].map(isTimeZone)).toEqual([false, false, false, false]);
  });
});

it('each day is told once when it has begun, the one of the start too, and none that nothing has come of', () => {
  const days = new DayBegins(dayCounter('Europe/Berlin'));
  const told = (text: string) => {
    const day = days.at(at(text));
    return day === null ? null : new Date(day * DAY).toISOString().slice(0, 10);
  };
  expect(told('2026-03-02T10:00:00Z')).toBe('2026-03-02');
  for (const later of ['10:00:59.999', '10:01:00', '22:59:59.999'])
    expect(told(`2026-03-02T${later}Z`)).toBeNull();
  expect(told('2026-03-02T23:00:00Z')).toBe('2026-03-03');
  expect(told('2026-03-03T22:59:00Z')).toBeNull();
  expect(told('2026-03-06T22:59:59Z')).toBe('2026-03-06');
  expect(told('2026-03-06T23:00:00Z')).toBe('2026-03-07');
});
