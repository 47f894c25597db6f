/**
 * The time zone in which this process shows times and reads typed ones. A process has one terminal, and the
 * zone is the terminal's, like `TZ` for the programs on it: so it is set once per process by the code that
 * opens a console (`showTimesIn`), and is UTC for all other processes that write a time. Files and requests
 * to the desk use Unix ms or UTC in any case.
 */
import { dayBegin } from '../../domain/utc-time.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Largest number of days for which the offset is cached. */
const DAYS_KEPT = 1_000;

interface Zone {
  readonly name: string;
  /** Local time minus UTC at a moment, ms. */
  offset(ms: number): number;
}

const UTC: Zone = { name: 'UTC', offset: () => 0 };
let zone = UTC;

/** The current zone: `UTC`, or a name such as `Europe/Berlin`. */
export function zoneName(): string {
  return zone.name;
}

/** Sets the zone. `local`: that of the machine. A name that the platform does not know gives UTC. */
export function setZone(name: string): void {
  const wanted = name === 'local' ? new Intl.DateTimeFormat().resolvedOptions().timeZone : name;
  if (wanted !== zone.name) zone = wanted === 'UTC' ? UTC : (zoneOf(wanted) ?? UTC);
}

/** Whether the platform knows a name; true also for `local`. */
export function isZoneName(name: string): boolean {
  return name === 'UTC' || name === 'local' || zoneOf(name) !== null;
}

/** Names of all zones, UTC first. */
export function zoneNames(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
}

function zoneOf(name: string): Zone | null {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return null;
  }
  const measured = (ms: number): number => {
    const whole = Math.floor(ms / 1_000) * 1_000;
    const parts = new Map(format.formatToParts(whole).map(({ type, value }) => [type, Number(value)]));
    const of = (part: Intl.DateTimeFormatPartTypes) => parts.get(part) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - whole;
  };
  /** Offset by UTC day; null: it changes within the day. */
  const days = new Map<number, number | null>();
  return {
    name,
    offset(ms) {
      const day = Math.floor(ms / DAY_MS);
      let known = days.get(day);
      if (known === undefined) {
        if (days.size >= DAYS_KEPT) days.clear();
        const first = measured(day * DAY_MS);
        known = first === measured((day + 1) * DAY_MS - 1_000) ? first : null;
        days.set(day, known);
      }
      return known ?? measured(ms);
    },
  };
}

/** Whether a moment has a date with a four-digit year in every zone. */
function isShown(ms: number): boolean {
  return Number.isFinite(ms) && ms > -62_000_000_000_000 && ms < 253_000_000_000_000;
}

/** A moment as local time, `2025-02-03T02:08:11.000`; null: no date can be shown for it. */
export function localText(ms: number): string | null {
  return isShown(ms) ? new Date(ms + zone.offset(ms)).toISOString().slice(0, -1) : null;
}

/**
 * A moment shifted by the zone's offset, as if the zone were UTC: for computing whole hours and days there.
 */
export function localMs(ms: number): number {
  return isShown(ms) ? ms + zone.offset(ms) : ms;
}

/**
 * The offset at a moment, shown after a time; it differs between summer and winter: `UTC`, `UTC+2`,
 * `UTC-3:30`.
 */
export function zoneLabel(ms: number): string {
  const offset = isShown(ms) ? zone.offset(ms) : 0;
  const minutes = Math.round(Math.abs(offset) / MINUTE_MS);
  if (minutes === 0) return 'UTC';
  const rest = minutes % 60 === 0 ? '' : `:${String(minutes % 60).padStart(2, '0')}`;
  return `UTC${offset < 0 ? '-' : '+'}${Math.floor(minutes / 60)}${rest}`;
}

/**
 * Parses a date and a time as shown, `2025-02-03 14:00` (also with a `T` between them), to Unix ms. Null: it
 * is not one, or the clocks of the zone skip it. Where they show it twice, the first moment.
 */
export function readLocal(text: string): number | null {
  const match = /^(\d{4}-\d{2}-\d{2})[ T]([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  const day = match ? dayBegin(match[1] ?? '') : null;
  if (!match || day === null) return null;
  const wanted = day + Number(match[2]) * HOUR_MS + Number(match[3]) * MINUTE_MS;
  return momentsOf(wanted)[0] ?? null;
}

/**
 * Beginning of a day such as `2026-11-26` in the zone, Unix ms; null: not a day. Where the day has no
 * midnight, its first moment.
 */
export function localDayBegin(text: string): number | null {
  const day = dayBegin(text);
  if (day === null) return null;
  const [midnight] = momentsOf(day);
  if (midnight !== undefined) return midnight;
  // Clocks went forward over midnight: the day begins where the previous one ends.
  return day - Math.min(zone.offset(day - DAY_MS), zone.offset(day + DAY_MS));
}

/** The following day, `2026-11-27` for `2026-11-26`. */
export function dayAfter(day: string): string {
  return new Date((dayBegin(day) ?? 0) + DAY_MS).toISOString().slice(0, 10);
}

/**
 * The moments at which clocks show a time, ascending: one, two where clocks go back, none where they go
 * forward.
 */
function momentsOf(local: number): readonly number[] {
  const offsets = new Set([zone.offset(local - DAY_MS), zone.offset(local + DAY_MS)]);
  return [...offsets]
    .map((offset) => local - offset)
    .filter((ms) => ms + zone.offset(ms) === local)
    .sort((a, b) => a - b);
}
