/** Names of days, weeks and months by their number, for the groups of the PnL book. Pure: which day a time is of comes from outside. */
import { utcText } from '../../domain/utc-time.ts';

const DAY_MS = 86_400_000;

export type PnlUnit = 'day' | 'week' | 'month';

/** `2026-11-26`; of a week its Monday; of a month `2026-11`. `day`: days since 1970-01-01. */
export function unitName(unit: PnlUnit, day: number): string {
  // 1970-01-01 was a Thursday.
  const first = unit === 'week' ? day - ((((day + 3) % 7) + 7) % 7) : day;
  return utcText(first * DAY_MS).slice(0, unit === 'month' ? 7 : 10);
}
