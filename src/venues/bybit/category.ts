/** The two markets of Bybit that are traded here. */
import type { ExchangeAccount } from '../../domain/exchange.ts';

/** What Bybit calls the market of an account. */
export type Category = 'spot' | 'linear';

export function categoryOf({ kind }: Pick<ExchangeAccount, 'kind'>): Category {
  return kind === 'spot' ? 'spot' : 'linear';
}
