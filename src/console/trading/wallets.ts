/** Wallets that accounts may share. Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import type { Portfolio } from '../../schemas/portfolio.ts';

/**
 * The portfolio of each account; of accounts that share a wallet only the first is returned, so that nothing
 * is listed or counted twice.
 */
export function walletsOf(portfolios: DeskState['portfolios']): readonly [exchange: string, Portfolio][] {
  const seen = new Set<string>();
  return Object.entries(portfolios).filter(([exchange, { sharedWith = [] }]) => {
    seen.add(exchange);
    return !sharedWith.some((other) => seen.has(other));
  });
}
