/** Where days, weeks and months of a time zone begin within a range, and what they are called. */
import { type PnlUnit, unitName } from '../../engine/pnl/calendar.ts';
import { dayCounter } from '../market/market-day.ts';

const MINUTE_MS = 60_000;
/** No day of any zone is longer. */
const LONGEST_DAY_MS = 49 * 60 * MINUTE_MS;
/** Days of a range that are looked at. */
export const PNL_DAYS_MAX = 5_000;

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

  /** Times within the range, its ends left out, at which another one begins; null: there are more than PNL_DAYS_MAX days. */
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

  /** Days begin with a minute in every zone. */
  #nextDay(time: number): number {
    const day = this.#dayOf(time);
    let low = Math.floor(time / MINUTE_MS);
    let high = low + LONGEST_DAY_MS / MINUTE_MS;
    while (low + 1 < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#dayOf(middle * MINUTE_MS) === day) low = middle;
      else high = middle;
    }
    return high * MINUTE_MS;
  }
}
