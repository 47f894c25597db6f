/** The time zone in which times are shown and read, against the platform's own zone data. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { dateTime, moment } from '../../../src/console/ui/format.ts';
import {
  dayAfter,
  isZoneName,
  localDayBegin,
  localText,
  readLocal,
  setZone,
  zoneName,
} from '../../../src/console/ui/zone.ts';

afterEach(() => setZone('UTC'));

/**
 * Zones with half hours, quarter hours, southern summers, skipped midnights, a skipped day, and no summer
 * time.
 */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Pacific/Apia',
  'Africa/Cairo',
  'Pacific/Chatham',
];
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
/** 2005 to 2035, whole minutes. */
const minutes = fc
  .integer({ min: Date.UTC(2005, 0) / MINUTE, max: Date.UTC(2035, 0) / MINUTE })
  .map((count) => count * MINUTE);
const zones = fc.constantFrom(...ZONES);

/** The platform's text of a time: `2025-02-03 14:07:31`. */
function platform(zone: string, ms: number): string {
  return new Date(ms).toLocaleString('sv-SE', { timeZone: zone });
}

describe('times', () => {
  it('are those of the clocks of the zone that is set', () => {
    fc.assert(
      fc.property(zones, minutes, fc.nat(59_999), (zone, minute, rest) => {
        setZone(zone);
        const ms = minute + rest;
        expect(localText(ms)?.slice(0, 19).replace('T', ' ')).toBe(platform(zone, ms));
      }),
    );
  });

  it('are read as they are shown; the first of two where clocks show one twice', () => {
    fc.assert(
      fc.property(zones, minutes, (zone, ms) => {
        setZone(zone);
        const shown = dateTime(ms);
        const read = readLocal(shown) ?? Number.NaN;
        expect(platform(zone, read).slice(0, 16)).toBe(shown);
        expect(read).toBeLessThanOrEqual(ms);
        expect(ms - read).toBeLessThanOrEqual(60 * MINUTE);
      }),
    );
  });

  it('that clocks leave out or that are none are not read', () => {
    setZone('Europe/Berlin');
    expect(readLocal('2026-03-29 02:30')).toBeNull();
    expect(readLocal('2026-03-29 03:30')).toBe(Date.UTC(2026, 2, 29, 1, 30));
    // 02:30 occurs twice; the earlier one is meant.
    expect(readLocal('2026-10-25 02:30')).toBe(Date.UTC(2026, 9, 25, 0, 30));
    expect(moment(Date.UTC(2026, 9, 25, 0, 30))).toBe('2026-10-25 02:30 UTC+2');
    expect(moment(Date.UTC(2026, 9, 25, 1, 30))).toBe('2026-10-25 02:30 UTC+1');
    for (const text of ['2026-02-30 10:00', '2026-01-01 24:00', '2026-01-01', '10:00', '2026-01-01 10:00Z'])
      expect(readLocal(text)).toBeNull();
  });

  it('say which zone it is, with its minutes', () => {
    const at = Date.UTC(2026, 0, 1);
    const labels = ['UTC', 'America/St_Johns', 'Asia/Kathmandu', 'America/New_York'].map((zone) => {
      setZone(zone);
      return moment(at);
    });
    expect(labels).toEqual([
      '2026-01-01 00:00 UTC',
      '2025-12-31 20:30 UTC-3:30',
      '2026-01-01 05:45 UTC+5:45',
      '2025-12-31 19:00 UTC-5',
    ]);
  });
});

describe('a day', () => {
  it('begins with the first moment that has its date', () => {
    fc.assert(
      fc.property(zones, minutes, (zone, ms) => {
        setZone(zone);
        const day = platform(zone, ms).slice(0, 10);
        const begin = localDayBegin(day) ?? Number.NaN;
        expect(platform(zone, begin).slice(0, 10)).toBe(day);
        expect(platform(zone, begin - 1).slice(0, 10) < day).toBe(true);
        expect(ms - begin).toBeLessThan(26 * 60 * MINUTE);
      }),
    );
  });

  it('without a midnight begins at one o’clock', () => {
    setZone('America/Sao_Paulo');
    expect(dateTime(localDayBegin('2018-11-04') ?? 0)).toBe('2018-11-04 01:00');
    expect(localDayBegin('2018-02-30')).toBeNull();
    expect(dayAfter('2018-11-30')).toBe('2018-12-01');
  });
});

it('what is no zone is UTC, and the machine’s own has a name', () => {
  setZone('Europe/Berlin');
  setZone('Europe/Nowhere');
  expect(zoneName()).toBe('UTC');
  expect(isZoneName('Europe/Nowhere')).toBe(false);
  setZone('local');
  expect(zoneName()).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect(dateTime(Number.NaN)).toBe('–');
  expect(localText(8.64e15 + DAY)).toBeNull();
});
