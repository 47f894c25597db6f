/**
 * Six bugs of order amendments, planted at the desk's ports: mistakes that an adapter or the desk could make.
 */
import type { DeskCore } from '../../src/desk/core/desk-core.ts';
import { dec, str } from '../../src/domain/decimal.ts';
import { type ExchangeOrderState, namesOf, type OrderChange } from '../../src/domain/exchange.ts';
import type { Effect, EngineEvent } from '../../src/engine/step.ts';
import type { OrderRef, Venue } from '../../src/venues/venue.ts';
import type { Mutation } from './mutations.ts';
import { states } from './rough/tellers.ts';
import { over } from './venue-over.ts';

export const AMEND_MUTATION_NAMES = [
  'amend-before-durable',
  'amend-anew',
  'amend-adds',
  'amend-untold',
  'amend-lost-is-refused',
  'amend-filled-early',
] as const;

export type AmendMutationName = (typeof AMEND_MUTATION_NAMES)[number];

export const AMEND_MUTATIONS: Readonly<Record<AmendMutationName, Mutation>> = {
  'amend-before-durable': { name: 'a change is sent before its row is durable', desk: sendBeforeDurable },
  'amend-anew': { name: 'a change is a second order and a cancel of the first', venue: anew },
  'amend-adds': { name: 'the new quantity counts from what is executed', venue: adds },
  'amend-untold': { name: 'no state tells the price of an order', venue: untold },
  'amend-lost-is-refused': { name: 'a change whose answer got lost was refused', venue: lostIsRefused },
  'amend-filled-early': {
    name: 'an order that is being changed is filled by its old quantity',
    desk: filledEarly,
  },
};

function sendBeforeDurable(core: DeskCore): void {
  const { turn } = core;
  const take = turn.take.bind(turn);
  const { release } = core as unknown as { release(effect: Effect): void };
  turn.take = (result) => {
    for (const effect of result.effects) if (effect.kind === 'amend') release.call(core, effect);
    take({ ...result, effects: result.effects.filter((effect) => effect.kind !== 'amend') });
  };
}

/** Returns no method where the exchange has no such request. */
function amends(
  venue: Venue,
  change: (
    amend: Required<Venue>['amend'],
    ref: OrderRef,
    to: OrderChange,
  ) => ReturnType<Required<Venue>['amend']>,
): Venue {
  const { amend } = venue;
  if (!amend) return venue;
  return over(venue, { amend: (ref, to) => change(amend.bind(venue), ref, to) });
}

function anew(venue: Venue): Venue {
  return amends(venue, async (amend, ref, to) => {
    const found = await venue.query(ref);
    if (found.kind !== 'found' || found.state.status !== 'WORKING' || !found.state.terms)
      return amend(ref, to);
    const { terms, origQty, cumQty, symbol } = found.state;
    const quantity = str(dec(to.quantity ?? origQty) - dec(cumQty));
    const { icebergQty: _, stopPrice: __, ...rest } = terms;
    await venue.submit({
      ...rest,
      symbol,
      clientId: `${ref.clientId}z`,
      quantity,
      ...(to.price ? { price: to.price } : {}),
    });
    const gone = await venue.cancel(ref);
    return gone.kind === 'done' ? { kind: 'gone', state: gone.state } : { kind: 'unknown', cause: 'planted' };
  });
}

function adds(venue: Venue): Venue {
  return amends(venue, async (amend, ref, to) => {
    const found = await venue.query(ref);
    if (found.kind !== 'found' || to.quantity === undefined) return amend(ref, to);
    return amend(ref, { ...to, quantity: str(dec(to.quantity) + dec(found.state.cumQty)) });
  });
}

function untold(venue: Venue): Venue {
  return states(venue, ({ terms: _, ...state }: ExchangeOrderState) => state);
}

function lostIsRefused(venue: Venue): Venue {
  return amends(venue, async (amend, ref, to) => {
    const outcome = await amend(ref, to);
    if (outcome.kind !== 'unknown') return outcome;
    return { kind: 'rejected', reason: 'OTHER', code: '-1', message: outcome.cause };
  });
}

function filledEarly(core: DeskCore): void {
  const { turn } = core;
  const step = turn.step.bind(turn);
  turn.step = (input: EngineEvent) => {
    const order =
      input.type === 'venue.fill'
        ? core.engine.memory.orderAt(input.exchange, namesOf(input.fill))
        : undefined;
    const change = order?.change;
    if (change) delete order.change;
    step(input);
    if (change && order.phase === 'live') order.change = change;
  };
}
