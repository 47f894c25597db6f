/** Symbols of an account in which executions are possible since its last full comparison. Pure reads. */
import type { EngineMemory } from './memory.ts';

/**
 * Yields symbols with orders that are open or ended recently, with positions, or with a change: of the base
 * asset's balance, or of a position.
 */
export function* activeSymbols(memory: EngineMemory, exchange: string): Iterable<string> {
  const { instruments, moved, futures } = memory.account(exchange);
  for (const order of memory.orders.values()) if (order.exchange === exchange) yield order.symbol;
  for (const { symbol } of futures?.positions.values() ?? []) yield symbol;
  yield* moved.symbols;
  if (futures) return;
  for (const { symbol, base } of instruments.values()) if (moved.assets.has(base)) yield symbol;
}
