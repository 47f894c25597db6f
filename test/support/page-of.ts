/** A list of executions as the only page of an exchange; its cursor is the time of the last execution. */
import type { ExchangeFill } from '../../src/domain/exchange.ts';
import type { FillsPage, FillsQuery } from '../../src/venues/venue.ts';

export function pageOf(fills: readonly ExchangeFill[] | null, { after }: FillsQuery): FillsPage | null {
  const last = fills?.at(-1);
  return fills && { fills, next: last ? String(last.time) : after, more: false };
}

/** The time from which a page's executions are, by its cursor or its start. */
export function fromOf({ after, since }: FillsQuery): number {
  return after === null ? since : Number(after);
}
