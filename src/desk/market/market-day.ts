/** The day of a market time, in the time zone in which the PnL of today is counted. */

const DAY_MS = 86_400_000;

/** Whether a name is a time zone of the platform, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return name !== '' && new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/**
 * Returns a function that counts days from 1970-01-01 in that zone; every day begins at 00:00 there, however
 * long it is.
 */
export function dayCounter(timeZone = 'UTC'): (time: number) => number {
  if (timeZone === 'UTC') return (time) => Math.floor(time / DAY_MS);
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(parts.get('year') ?? 1970, (parts.get('month') ?? 1) - 1, parts.get('day')) / DAY_MS;
  };
}

/** Reports each day once: the first one that it sees, and each later one. */
export class DayBegins {
  readonly #dayOf: (time: number) => number;
  #minute = Number.NaN;
  #day: number | null = null;

  constructor(dayOf: (time: number) => number) {
    this.#dayOf = dayOf;
  }

  /**
   * Returns the day that has begun by a market time; null: the one before goes on. Days begin at a full
   * minute in every zone.
   */
  at(time: number): number | null {
    const minute = Math.floor(time / 60_000);
    if (minute === this.#minute) return null;
    this.#minute = minute;
    const day = this.#dayOf(time);
    if (day === this.#day) return null;
    this.#day = day;
    return day;
  }
}
