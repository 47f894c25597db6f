/**
 * Bugs of an adapter, planted at the port of the exchange: each makes its accounts behave as if the adapter
 * of that venue had it. Each is caught with that venue's own adapter and exchange.
 */
import type { DeskCore } from '../../../src/desk/core/desk-core.ts';
import type { ExchangeOrderState } from '../../../src/domain/exchange.ts';
import { CLOCK_MARGIN_MS } from '../../../src/engine/back-off.ts';
import type { Venue } from '../../../src/venues/venue.ts';
import type { Mutation } from '../mutations.ts';
import { states } from '../rough/tellers.ts';
import { over, withSink } from '../venue-over.ts';
import { VENUE_NAMES, type VenueName } from './venue-names.ts';

const BUGS = {
  'late-reject': { name: 'an order that was taken is not refused later', venue: lateRejectIsOpen },
  'absent-too-soon': { name: 'an order that is not found never arrived', venue: absentTooSoon },
  'older-event': { name: 'what arrives last is the newest', venue: olderEvent },
  'fill-twice': { name: 'an execution has another number on the stream', venue: fillTwice },
  'lost-is-refused': { name: 'an order without an answer was not taken', venue: lostIsRefused },
  'one-page': { name: 'the executions end with their first answer', venue: onePage },
  'sent-first': { name: 'an order is sent before its id is stored', desk: sentFirst },
} as const satisfies Readonly<Record<string, Mutation>>;

type Bug = keyof typeof BUGS;
export type VenueMutationName = `${VenueName}:${Bug}`;

/**
 * One venue has all bugs, each other venue those that differ most there: every bug costs time in every run of
 * the tests.
 */
const PLANTED: Readonly<Record<VenueName, readonly Bug[]>> = {
  binance: Object.keys(BUGS) as Bug[],
  bybit: ['fill-twice', 'one-page'],
  okx: ['late-reject', 'fill-twice'],
};

const NAMED = VENUE_NAMES.flatMap((venue) =>
  PLANTED[venue].map((bug) => [`${venue}:${bug}`, BUGS[bug] as Mutation] as const),
);

export const VENUE_MUTATIONS = Object.fromEntries(NAMED) as Readonly<Record<VenueMutationName, Mutation>>;

export const VENUE_MUTATION_NAMES = Object.keys(VENUE_MUTATIONS) as readonly VenueMutationName[];

/** The venue in whose world the bug shows; null: it is no bug of an adapter. */
export function venueOf(mutation: string): VenueName | null {
  return VENUE_NAMES.find((name) => mutation.startsWith(`${name}:`)) ?? null;
}

function lateRejectIsOpen(venue: Venue): Venue {
  const isEndedByIt = ({ status, text = '' }: ExchangeOrderState) =>
    status === 'REJECTED' || (status === 'CANCELLED' && !text.startsWith('cancelled'));
  return states(venue, (state) => (isEndedByIt(state) ? null : state));
}

function absentTooSoon(venue: Venue): Venue {
  const { settleMs: _, ...caps } = venue.caps;
  return over(venue, { caps: { ...caps, validityWindowMs: -CLOCK_MARGIN_MS } });
}

function olderEvent(venue: Venue): Venue {
  let arrivals = 4_000_000_000_000;
  return states(venue, (state) => ({ ...state, seq: ++arrivals }));
}

function fillTwice(venue: Venue): Venue {
  return over(venue, {
    open: (sink) =>
      venue.open(withSink(sink, { fill: (fill) => sink.fill({ ...fill, tradeId: `${fill.tradeId}e` }) })),
  });
}

function lostIsRefused(venue: Venue): Venue {
  return over(venue, {
    submit: async (order, dispatch) => {
      const outcome = await venue.submit(order, dispatch);
      if (outcome.kind !== 'unknown') return outcome;
      return { kind: 'rejected', reason: 'OTHER', code: '-1', message: outcome.cause };
    },
  });
}

/** Returns fills for the first page only: a request with a cursor gets none. */
function onePage(venue: Venue): Venue {
  return over(venue, {
    fills: async (q) => {
      const page = await venue.fills(q);
      return page && { ...page, fills: q.after === null ? page.fills : [] };
    },
  });
}

function sentFirst(core: DeskCore): void {
  const { turn } = core;
  const take = turn.take.bind(turn);
  const { release } = core as unknown as { release(effect: { kind: string }): void };
  turn.take = (result) => {
    for (const effect of result.effects) if (effect.kind === 'submit') release.call(core, effect);
    take({ ...result, effects: result.effects.filter(({ kind }) => kind !== 'submit') });
  };
}
