/**
 * Names of days, weeks and months by number, for the groups of the PnL book. Pure: the day of a time comes
 * from outside.
 */
import { utcText } from '../../domain/utc-time.ts';

const DAY_MS = 86_400_000;

export type PnlUnit = 'day' | 'week' | 'month';

/** Returns `2026-11-26`; for a week its Monday; for a month `2026-11`. `day`: days since 1970-01-01. */
export function unitName(unit: PnlUnit, day: number): string {
  // 1970-01-01 was a Thursday.
  const first = unit === 'week' ? day - ((((day + 3) % 7) + 7) % 7) : day;
  return utcText(first * DAY_MS).slice(0, unit === 'month' ? 7 : 10);
}
