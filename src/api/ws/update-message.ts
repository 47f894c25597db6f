/**
 * An event of the desk as the message that its subscribers get (specification, "Server messages"; S13, S14).
 * Pure.
 */
import type { ApiEvent } from '../../desk/api/api-port.ts';
import { assertNever } from '../../domain/errors.ts';

/** Returns the message's text, the same for every subscriber. `now`: wall time, Unix ms. */
export function updateMessage(event: ApiEvent, now: number): string {
  return JSON.stringify({
    op: `update.${event.channel}`,
    channel: event.channel,
    ts: now,
    data: dataOf(event),
  });
}

function dataOf(event: ApiEvent): Readonly<Record<string, unknown>> {
  switch (event.channel) {
    case 'orders':
      return { event: event.event, order: event.order };
    case 'balance': {
      const { exchange, marketType, changes, total } = event;
      return { event: event.event, exchange, marketType, changes, ...(total === undefined ? {} : { total }) };
    }
    case 'positions':
      return { event: event.event, exchange: event.exchange, changes: event.changes };
    case 'botStatus':
      return { event: event.event, bot: event.bot };
    default:
      return assertNever(event);
  }
}

/** The exchange account that the event is about; filters and shields use it. */
export function exchangeOf(event: ApiEvent): string {
  return event.channel === 'orders' ? event.order.exchange : event.exchange;
}
