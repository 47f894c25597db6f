/** A list of executions as the one page that an exchange gives; its place is the time of the last one. */
import type { ExchangeFill } from '../../src/domain/exchange.ts';
import type { FillsPage, FillsQuery } from '../../src/venues/venue.ts';

export function pageOf(fills: readonly ExchangeFill[] | null, { after }: FillsQuery): FillsPage | null {
  const last = fills?.at(-1);
  return fills && { fills, next: last ? String(last.time) : after, more: false };
}

/** Where a page's executions begin, as its place or its start says. */
export function fromOf({ after, since }: FillsQuery): number {
  return after === null ? since : Number(after);
}
