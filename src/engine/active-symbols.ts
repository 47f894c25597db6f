/** Symbols of an account on which something may have been executed since it was compared as a whole. Pure reads. */
import type { EngineMemory } from './memory.ts';

/** With orders that are open or ended not long ago, with positions, or of what has moved: its base, or a position in it. */
export function* activeSymbols(memory: EngineMemory, exchange: string): Iterable<string> {
  const { instruments, moved, futures } = memory.account(exchange);
  for (const order of memory.orders.values()) if (order.exchange === exchange) yield order.symbol;
  for (const { symbol } of futures?.positions.values() ?? []) yield symbol;
  yield* moved.symbols;
  if (futures) return;
  for (const { symbol, base } of instruments.values()) if (moved.assets.has(base)) yield symbol;
}
