/**
 * What a terminal with a lower role, or a locked one, gets from the desk (remote.md 2, 3): keys, and log
 * lines about keys, secrets and people, are for owners; a locked screen allows only a panic. Pure.
 */
import { allows, type Role } from '../../domain/operator.ts';
import type { LogLine } from '../../domain/rows.ts';
import type { DeskDelta, DeskState, Method } from './protocol.ts';

export const LOCKED = 'this terminal is locked';

/** Sources of log lines that only owners see. */
const OWNERS_SOURCES: ReadonlySet<string> = new Set(['key', 'vault', 'ssh', 'operator']);

/** Returns a state, or a change of it, without what only owners see. */
export function lessFor<S extends DeskState | DeskDelta>(role: Role, state: S): S {
  if (allows(role, 'owner')) return state;
  const log = state.log?.filter(({ source }: LogLine) => !OWNERS_SOURCES.has(source));
  return {
    ...state,
    ...(state.keys === undefined ? {} : { keys: [] }),
    ...(log === undefined ? {} : { log }),
  };
}

/**
 * Calls that reduce what is at risk, and a panic's reads: for a locked terminal at which a panic was begun.
 */
const PANIC_CALLS: ReadonlySet<Method> = new Set<Method>([
  ...(['panic.targets', 'orders.cancel', 'orders.cancelAll', 'bots.stop', 'exchange.reconcile'] as const),
]);

export function allowedWhileLocked(method: Method, params: unknown, panics: boolean): boolean {
  if (method === 'session.unlock' || method === 'session.lock') return true;
  if (!panics) return false;
  const given = params as {
    readonly op?: unknown;
    readonly change?: unknown;
    readonly reduceOnly?: unknown;
    readonly closePosition?: unknown;
  };
  if (method === 'bots.patch') return isRestartOff(given.change);
  if (method === 'bots.batch') return given.op === 'stop';
  if (method === 'orders.place') return given.reduceOnly === true || given.closePosition === true;
  return PANIC_CALLS.has(method);
}

/** Whether a change only switches off a bot's automatic restart. */
function isRestartOff(change: unknown): boolean {
  return typeof change === 'object' && change !== null && JSON.stringify(change) === '{"restart":false}';
}
