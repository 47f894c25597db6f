/** Turns the range of a question to the PnL book, however it was given, into market times. */
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import { dayBegin } from '../../domain/utc-time.ts';
import { PNL_DAYS_MAX } from '../../engine/pnl/pnl-book.ts';
import type { Periods } from './periods.ts';
import type { PnlQuery } from './pnl-methods.ts';

const DAY_MS = 86_400_000;

/** Market times, Unix ms; left out where it has no start or goes on to now. */
export interface PnlRange {
  readonly from?: number;
  readonly to?: number;
}

/** @param now present market time: a range that ends later goes on to now */
export function rangeOf(q: PnlQuery, periods: Periods, now: number): Outcome<PnlRange> {
  const { days, firstDay, lastDay } = q;
  const first = firstDay === undefined ? null : dayNumber(firstDay);
  const last = lastDay === undefined ? null : dayNumber(lastDay);
  for (const [day, text] of [
    [first, firstDay],
    [last, lastDay],
  ])
    if (day === null && text !== undefined)
      return refuse('INVALID_REQUEST', `${text} is no day; write it as 2026-11-26`, 'FIELD');
  if (days !== undefined && (days < 1 || days > PNL_DAYS_MAX))
    return refuse('INVALID_REQUEST', `days must be from 1 to ${PNL_DAYS_MAX}`, 'FIELD');
  const from =
    days !== undefined
      ? periods.startOf(periods.dayOf(now) - days + 1)
      : first === null
        ? q.from
        : periods.startOf(first);
  const end = last === null ? q.to : periods.startOf(last + 1);
  const to = end !== undefined && end > now ? undefined : end;
  if (from !== undefined && (to ?? Number.POSITIVE_INFINITY) <= from)
    return refuse('INVALID_REQUEST', 'the range is empty: from must be before to');
  return ok({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
}

/** Returns days since 1970-01-01; null: there is no such day. */
export function dayNumber(text: string): number | null {
  const begin = dayBegin(text);
  return begin === null ? null : begin / DAY_MS;
}
