/** Unix milliseconds as UTC text without a clock: for the pure core, where `Date` is not allowed. */

const DAY_MS = 86_400_000;

/** Returns `2026-11-20T17:35:00.000Z`, the same as Date.toISOString for years 0 to 9999. */
export function utcText(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const rest = ms - days * DAY_MS;
  const { year, month, day } = civil(days);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  const hours = Math.floor(rest / 3_600_000);
  const minutes = Math.floor(rest / 60_000) % 60;
  const seconds = Math.floor(rest / 1_000) % 60;
  return `${date}T${two(hours)}:${two(minutes)}:${two(seconds)}.${String(rest % 1_000).padStart(3, '0')}Z`;
}

/**
 * Converts days since 1970-01-01 to a date of the Gregorian calendar; years begin in March, so that leap days
 * come last.
 */
function civil(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const part = Math.floor((5 * dayOfYear + 2) / 153);
  const month = part < 10 ? part + 3 : part - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * part + 2) / 5) + 1,
  };
}

/** Returns when a day such as `2026-11-26` begins, Unix ms; null: the text is no date. */
export function dayBegin(text: string): number | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return null;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  // Years begin in March, as in `civil`.
  const y = month <= 2 ? year - 1 : year;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const begin =
    (y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468) * DAY_MS;
  return utcText(begin).slice(0, 10) === text ? begin : null;
}
