/**
 * The request that changes a resting order in place: which changes an exchange is not asked for, and what an
 * unknown kind of answer means.
 */
import type { AmendOutcome, OrderChange, Rejected } from '../../domain/exchange.ts';
import type { Effect, EngineEvent } from '../../engine/step.ts';
import type { Venue } from '../../venues/venue.ts';
import { awayRejection } from './adapter-call.ts';
import type { Call } from './calls.ts';

/**
 * Returns the call, whose outcome becomes one input of the engine; null: nothing is sent, and the engine was
 * told. When its answer counts as lost, nobody knows whether the order was changed: a question about the
 * order finds out.
 */
export function amendCall(
  venue: Pick<Venue, 'account' | 'caps' | 'amend'>,
  away: string | null,
  { kind: _, n, to, terms, ...order }: Extract<Effect, { kind: 'amend' }>,
  step: (event: EngineEvent) => void,
): Call<AmendOutcome> | null {
  const { exchange, orderId, ...names } = order;
  const tell = (outcome: AmendOutcome, sentAt?: number) =>
    step({ type: 'amended', exchange, orderId, n, outcome, ...(sentAt === undefined ? {} : { sentAt }) });
  const refused = amendRefusal(venue, to) ?? (away === null ? null : awayRejection(exchange, away));
  if (refused) {
    tell(refused);
    return null;
  }
  return {
    orderId,
    terms,
    run: (dispatch) => venue.amend?.(names, to, dispatch) ?? Promise.reject(new Error('no such request')),
    step: (outcome, sentAt) => tell(amendOutcomeOf(outcome), sentAt),
  };
}

/** Returns a refusal of a change that the exchange cannot make, so it is not asked; else null. */
function amendRefusal(
  { account, caps, amend }: Pick<Venue, 'account' | 'caps' | 'amend'>,
  change: OrderChange,
): Rejected | null {
  const asked = (['price', 'quantity'] as const).filter((field) => change[field] !== undefined);
  const odd = asked.filter((field) => !caps.amends?.fields.includes(field));
  if (amend && caps.amends && asked.length > 0 && odd.length === 0) return null;
  const what = asked.length === 0 ? 'nothing' : `the ${(amend ? odd : asked).join(' and the ')}`;
  const message = `${account.id} does not change ${what} of an order that rests; cancel it and place another`;
  return { kind: 'rejected', reason: 'OTHER', code: 'AMEND', message };
}

/** Turns an unknown kind of answer into an unknown outcome: it proves nothing. */
function amendOutcomeOf(outcome: AmendOutcome): AmendOutcome {
  switch (outcome?.kind) {
    case 'done':
    case 'gone':
    case 'rejected':
    case 'unknown':
      return outcome;
    default:
      return { kind: 'unknown', cause: 'the answer of the exchange could not be read' };
  }
}
