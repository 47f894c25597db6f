/** Ownership of exchange accounts (S27): an account does not exist for anybody but its user. Pure. */
import type { Actor } from '../domain/actor.ts';
import { type Outcome, refuse } from '../domain/errors.ts';
import type { EngineMemory } from './memory.ts';

/**
 * Returns the refusal for an account that is not connected; another user's account gets the same words. Null
 * when it is the actor's own.
 */
export function unknownAccount(memory: EngineMemory, actor: Actor, exchange: string): Outcome<never> | null {
  const own = memory.accountsOf(actor.user).map(({ account }) => account.id);
  if (own.includes(exchange)) return null;
  return refuse(
    'INVALID_REQUEST',
    `exchange ${JSON.stringify(exchange)} is not connected; connected: ${own.join(', ') || 'none'}`,
    'EXCHANGE',
  );
}

/**
 * Returns the refusal of a command for an account that cannot be reached; null when it can. Nothing is stored
 * about it (S61).
 */
export function awayRefusal(memory: EngineMemory, exchange: string): ReturnType<typeof refuse> | null {
  const away = memory.accounts.get(exchange)?.away ?? null;
  if (away === null) return null;
  return refuse(
    'SERVICE_UNAVAILABLE',
    `${exchange} is not connected: ${away}; nothing was done, try again later`,
  );
}
