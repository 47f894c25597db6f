/** Handles failures of an exchange adapter that its port does not describe. */
import type { Clock } from '../../domain/clock.ts';
import { errorText } from '../../domain/errors.ts';
import type {
  CancelAllOutcome,
  CancelOutcome,
  ExchangeOrderState,
  OrderNames,
  Rejected,
} from '../../domain/exchange.ts';
import type { Deadline, Venue } from '../../venues/venue.ts';

/** Calls an adapter; an exception thrown at once becomes a rejected promise. */
export function started<T>(run: () => Promise<T>): Promise<T> {
  try {
    return run();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Returns what an adapter threw, as one short line. */
export function shortWords(error: unknown): string {
  const text = errorText(error);
  return (text.split('\n')[0] ?? '').slice(0, 200);
}

/**
 * Returns what the answer to a cancel of all orders of a symbol says about one of them. An order that the
 * answer does not name is asked about.
 */
export function cancelOutcomeOf(outcome: CancelAllOutcome, order: OrderNames): CancelOutcome {
  if (outcome.kind === 'rejected' || outcome.kind === 'unknown') return outcome;
  const state = outcome.states?.find((one) => isNamed(one, order));
  return state ? { kind: 'done', state } : { kind: 'unknown', cause: NOT_NAMED };
}

const NOT_NAMED = 'all orders of the symbol were cancelled, and the answer does not name this one';

function isNamed({ clientId, symbol, venueIds = [] }: ExchangeOrderState, order: OrderNames): boolean {
  if (symbol !== order.symbol) return false;
  if (clientId !== '' && clientId === order.clientId) return true;
  return venueIds.some((id) => order.venueIds?.includes(id));
}

/** Returns the rejection for a request to an account that is not connected. */
export function awayRejection(exchange: string, away: string): Rejected {
  const message = `${exchange} is not connected: ${away}`;
  return { kind: 'rejected', reason: 'UNREACHED', code: 'AWAY', message };
}

/** Returns the time by which a request that is handed over now must leave. */
export function deadlineOf({ caps }: Pick<Venue, 'caps'>, clock: Clock): Deadline {
  return { notAfter: clock.monotonic() + (caps.sendWithinMs ?? 0) };
}
