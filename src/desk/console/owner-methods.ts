/** Which calls of a terminal are an owner's alone: the one place that says so, for roles and for tests. Data only. */
import type { Method } from './protocol.ts';

/** Every method whose name begins so, those to come included. */
export const OWNER_AREAS = ['vault.', 'guards.', 'connections.'] as const;

export const OWNER_METHODS: readonly Method[] = ['exchange.confirmRights'];

export function isOwnerMethod(method: string): boolean {
  return OWNER_METHODS.some((name) => name === method) || OWNER_AREAS.some((area) => method.startsWith(area));
}
