/**
 * A connection to an exchange that changes or drops every order state or every execution, in events and
 * answers.
 */
import type { ExchangeFill, ExchangeOrderState } from '../../../src/domain/exchange.ts';
import type { Venue } from '../../../src/venues/venue.ts';
import { over, withSink } from '../venue-over.ts';

/** Returns the changed report; null: it is dropped. */
export type Change<T> = (one: T) => T | null;

function kept<T>(all: readonly T[], change: Change<T>): T[] {
  return all.map(change).filter((one) => one !== null);
}

/** Changes every order state that comes over the connection. */
export function states(venue: Venue, change: Change<ExchangeOrderState>): Venue {
  return over(venue, {
    open: (sink) =>
      venue.open(
        withSink(sink, {
          order: (state) => {
            const changed = change(state);
            if (changed) sink.order(changed);
          },
        }),
      ),
    query: async (ref) => {
      const outcome = await venue.query(ref);
      if (outcome.kind !== 'found') return outcome;
      const state = change(outcome.state);
      return state ? { ...outcome, state } : { kind: 'unknown', cause: 'not read' };
    },
    openOrders: async () => {
      const open = await venue.openOrders();
      return open && kept(open, change);
    },
  });
}

/** Changes every execution that comes over the connection. */
export function fills(venue: Venue, change: Change<ExchangeFill>): Venue {
  return over(venue, {
    open: (sink) =>
      venue.open(
        withSink(sink, {
          fill: (fill) => {
            const changed = change(fill);
            if (changed) sink.fill(changed);
          },
        }),
      ),
    query: async (ref) => {
      const outcome = await venue.query(ref);
      return outcome.kind === 'found' ? { ...outcome, fills: kept(outcome.fills, change) } : outcome;
    },
    fills: async (q) => {
      const page = await venue.fills(q);
      return page && { ...page, fills: kept(page.fills, change) };
    },
  });
}
