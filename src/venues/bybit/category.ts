/** The two markets of Bybit that are supported. */
import type { ExchangeAccount } from '../../domain/exchange.ts';

/** Bybit's name for the market of an account. */
export type Category = 'spot' | 'linear';

export function categoryOf({ kind }: Pick<ExchangeAccount, 'kind'>): Category {
  return kind === 'spot' ? 'spot' : 'linear';
}
