/** Checks the form of a terminal's messages before they are used. Pure. */
import { isRole } from '../../domain/operator.ts';
import type { ToDesk } from './protocol.ts';

/**
 * Returns the message, if it has the form of one; else null. The method and its parameters are checked later.
 */
export function asMessage(raw: unknown): ToDesk | null {
  if (typeof raw !== 'object' || raw === null || !('t' in raw)) return null;
  const message = raw as Record<string, unknown>;
  switch (message.t) {
    case 'hello': {
      const { protocol, state, role } = message;
      const words = [message.as, message.from, message.terminal, message.version];
      const formed =
        typeof protocol === 'number' &&
        (state === undefined || typeof state === 'boolean') &&
        (role === undefined || isRole(role)) &&
        words.every((word) => word === undefined || typeof word === 'string');
      return formed ? (raw as ToDesk) : null;
    }
    case 'key':
      return raw as ToDesk;
    case 'ack':
      return Number.isSafeInteger(message.seq) ? (raw as ToDesk) : null;
    case 'call': {
      const { id, method, params } = message;
      const formed = Number.isSafeInteger(id) && typeof method === 'string' && typeof params === 'object';
      return formed && params !== null ? (raw as ToDesk) : null;
    }
    default:
      return null;
  }
}
