/**
 * Missing prices of a live market: no bot enters at a price that may be old, and held orders report that they
 * cannot fire. Exits go on: an exit at an old price is still an exit. Pure.
 */
import { type Outcome, refuse } from '../domain/errors.ts';
import { marketOf } from '../domain/exchange.ts';
import type { AccountMemory } from './memory.ts';
import type { EngineEvent } from './step.ts';
import type { StepContext } from './step-context.ts';

export function onStale(
  step: StepContext,
  { market, symbol, why }: Extract<EngineEvent, { type: 'stale' }>,
): void {
  const memory = step.memory.market(market);
  if (memory.staleWhy(symbol) === why) return;
  memory.setStale(symbol, why);
  if (why === null) return;
  for (const held of memory.heldSymbols()) {
    if (symbol !== '' && held !== symbol) continue;
    const count = memory.heldOn(held).length;
    const what = count === 1 ? 'an order that is held here waits' : `${count} orders that are held here wait`;
    step.effect({
      kind: 'log',
      level: 'error',
      text: `no prices of ${held} on ${market}: ${why}; ${what} for them`,
    });
  }
}

/** Returns the refusal of a bot's entry, which may be tried again. Null: the prices are current. */
export function staleRefusal({ account, market }: AccountMemory, symbol: string): Outcome<never> | null {
  const why = market.staleWhy(symbol);
  if (why === null) return null;
  return refuse('SERVICE_UNAVAILABLE', `no prices of ${symbol} on ${marketOf(account)}: ${why}`);
}
