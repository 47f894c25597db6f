/** The days, weeks and months of a time zone within a range: when they begin, and their names. */
import { type PnlUnit, unitName } from '../../engine/pnl/calendar.ts';
import { PNL_DAYS_MAX } from '../../engine/pnl/pnl-book.ts';
import { dayCounter } from '../market/market-day.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Longer than any day of any zone. */
const LONGEST_DAY_MS = 49 * 60 * MINUTE_MS;

export class Periods {
  readonly timeZone: string;
  readonly #dayOf: (time: number) => number;

  constructor(timeZone: string) {
    this.timeZone = timeZone;
    this.#dayOf = dayCounter(timeZone);
  }

  name(unit: PnlUnit, time: number): string {
    return unitName(unit, this.#dayOf(time));
  }

  /**
   * Returns the times within the range, without its ends, at which a unit begins; null: there are more than
   * PNL_DAYS_MAX days.
   */
  starts(unit: PnlUnit, from: number, to: number): number[] | null {
    const starts: number[] = [];
    let days = 0;
    let name = this.name(unit, from);
    for (let time = this.#nextDay(from); time < to; time = this.#nextDay(time)) {
      days += 1;
      if (days > PNL_DAYS_MAX) return null;
      const next = this.name(unit, time);
      if (next !== name) starts.push(time);
      name = next;
    }
    return starts;
  }

  dayOf(time: number): number {
    return this.#dayOf(time);
  }

  /**
   * Returns when a day begins, as the zone counts days from 1970-01-01; a day that the zone has skipped
   * begins with the next.
   */
  startOf(day: number): number {
    // Days begin at a full minute in every zone.
    let low = (day * DAY_MS - LONGEST_DAY_MS) / MINUTE_MS;
    let high = (day * DAY_MS + LONGEST_DAY_MS) / MINUTE_MS;
    while (low + 1 < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#dayOf(middle * MINUTE_MS) < day) low = middle;
      else high = middle;
    }
    return high * MINUTE_MS;
  }

  #nextDay(time: number): number {
    return this.startOf(this.#dayOf(time) + 1);
  }
}
