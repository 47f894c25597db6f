/** Whose exchange account is whose (S27): to everybody but its user an account is not there. Pure. */
import type { Actor } from '../domain/actor.ts';
import { type Outcome, refuse } from '../domain/errors.ts';
import type { EngineMemory } from './memory.ts';

/** The refusal of an account that is not connected; another user's has the same words. Null when it is the actor's own. */
export function unknownAccount(memory: EngineMemory, actor: Actor, exchange: string): Outcome<never> | null {
  const own = memory.accountsOf(actor.user).map(({ account }) => account.id);
  if (own.includes(exchange)) return null;
  return refuse(
    'INVALID_REQUEST',
    `exchange ${JSON.stringify(exchange)} is not connected; connected: ${own.join(', ') || 'none'}`,
    'EXCHANGE',
  );
}

/** The refusal of what needs an account that nothing can be asked of; null when it can. Nothing is stored of it (S61). */
export function awayRefusal(memory: EngineMemory, exchange: string): ReturnType<typeof refuse> | null {
  const away = memory.accounts.get(exchange)?.away ?? null;
  if (away === null) return null;
  return refuse(
    'SERVICE_UNAVAILABLE',
    `${exchange} is not connected: ${away}; nothing was done, try again later`,
  );
}
