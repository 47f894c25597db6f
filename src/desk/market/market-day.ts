/** Which day a market time is of, in the time zone that the PnL of today is counted in. */

const DAY_MS = 86_400_000;

/** A name that the platform knows, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return name !== '' && new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/** Counts days from 1970-01-01 in that zone; every day begins at 00:00 there, however long it is. */
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

/** Says once when a day begins: the first one that it sees, and each other one. */
export class DayBegins {
  readonly #dayOf: (time: number) => number;
  #minute = Number.NaN;
  #day: number | null = null;

  constructor(dayOf: (time: number) => number) {
    this.#dayOf = dayOf;
  }

  /** The day that has begun by a market time; null: the one before goes on. Days begin with a minute in every zone. */
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
