/**
 * What is unprotected while a desk is stopped: stops that are held here, and positions without a stop at
 * their exchange (money-at-risk, section 7). Logged when a desk ends. Pure reads.
 */
import { dec, ZERO } from '../../domain/decimal.ts';
import { positionsNow } from '../../engine/margins.ts';
import type { EngineMemory } from '../../engine/memory.ts';
import { protection, signedAmount } from '../../engine/positions.ts';

/** At most this many of each kind are named; the rest is counted. */
const NAMED = 10;

/** Returns lines for the log; none where nothing depends on the desk. */
export function unprotectedLines(memory: EngineMemory): string[] {
  const held: string[] = [];
  for (const { phase, side, symbol, type, exchange, stopPrice, trailing } of memory.orders.values()) {
    if (phase !== 'held') continue;
    const at = stopPrice !== undefined ? ` at ${stopPrice}` : trailing ? ` by ${trailing.delta / 100} %` : '';
    held.push(`${side} ${type} ${symbol}${at} on ${exchange}`);
  }
  const bare: string[] = [];
  for (const account of memory.accounts.values()) {
    if (account.absent) continue;
    for (const position of positionsNow(account)) {
      if (dec(protection(memory, account, position).cover) > ZERO) continue;
      const way = signedAmount(position) > ZERO ? 'LONG' : 'SHORT';
      bare.push(`${way} ${position.symbol} on ${account.account.id}`);
    }
  }
  return [
    ...line('held by this desk, does nothing while it is stopped: ', held),
    ...line('without a stop at the exchange while this desk is stopped: ', bare),
  ];
}

function line(before: string, all: readonly string[]): string[] {
  if (all.length === 0) return [];
  const more = all.length > NAMED ? [`${all.length - NAMED} more`] : [];
  return [before + [...all.slice(0, NAMED), ...more].join(', ')];
}
