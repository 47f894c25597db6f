/** Which futures accounts are affected by a price. Pure reads. */
import { marketOf } from '../../domain/exchange.ts';
import type { EngineMemory } from '../../engine/memory.ts';

/** Returns the accounts with a position on a symbol of a market: their figures change with its price. */
export function* exchangesWithPosition(
  memory: EngineMemory,
  market: string,
  symbol: string,
): Generator<string> {
  for (const { account, futures } of memory.accounts.values()) {
    if (!futures || marketOf(account) !== market) continue;
    for (const position of futures.positions.values()) {
      if (position.symbol !== symbol) continue;
      yield account.id;
      break;
    }
  }
}
