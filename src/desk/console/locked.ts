/**
 * What a terminal of lesser role, or a locked one, gets of the desk (remote.md 2, 3): keys, and the lines of the log about keys, secrets
 * and people, are an owner's; a locked screen can do nothing but a panic. Pure.
 */
import { allows, type Role } from '../../domain/operator.ts';
import type { LogLine } from '../../domain/rows.ts';
import type { DeskDelta, DeskState, Method } from './protocol.ts';

export const LOCKED = 'this terminal is locked';

/** Sources of the log that are an owner's. */
const OWNERS_SOURCES: ReadonlySet<string> = new Set(['key', 'vault', 'ssh', 'operator']);

/** A state, or a change of it, without what is an owner's alone. */
export function lessFor<S extends DeskState | DeskDelta>(role: Role, state: S): S {
  if (allows(role, 'owner')) return state;
  const log = state.log?.filter(({ source }: LogLine) => !OWNERS_SOURCES.has(source));
  return {
    ...state,
    ...(state.keys === undefined ? {} : { keys: [] }),
    ...(log === undefined ? {} : { log }),
  };
}

/** Calls that shrink what is at risk, and what a panic reads: of a locked terminal at which one was begun. */
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

/** A bot that was about to start again by itself does not, and nothing else of it changes. */
function isRestartOff(change: unknown): boolean {
  return typeof change === 'object' && change !== null && JSON.stringify(change) === '{"restart":false}';
}
