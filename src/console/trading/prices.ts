/** The price of a symbol as an account sees it: each account trades on one market, and what is called the same on another one is another thing. Pure. */
import type { AccountView, DeskState, PriceView } from '../../desk/console/protocol.ts';
import { marketKey, marketOf } from '../../domain/exchange.ts';

/** What prices are read from. */
export type Prices = Pick<DeskState, 'accounts' | 'prices'>;
type Accounts = readonly AccountView[];

/** The market of an account; of one that is not there the market of all others, where they share one. */
export function marketAt(accounts: Accounts, exchange: unknown): string | undefined {
  const account = accounts.find(({ id }) => id === exchange);
  if (account) return marketOf(account);
  return hasMarkets(accounts) || !accounts[0] ? undefined : marketOf(accounts[0]);
}

export function priceOf(
  { accounts, prices }: Prices,
  exchange: unknown,
  symbol: string,
): PriceView | undefined {
  const market = marketAt(accounts, exchange);
  return market === undefined ? undefined : prices[marketKey(market, symbol)];
}

/** Whether the accounts trade on more than one market, so that a symbol alone does not say which. */
export function hasMarkets([first, ...others]: Accounts): boolean {
  return first !== undefined && others.some((account) => marketOf(account) !== marketOf(first));
}

/** Gives the `marketKey` of what is named by account and symbol. */
export function keyOfMarket(accounts: Accounts): (of: { exchange: string; symbol: string }) => string {
  const known = new Map<string, string | undefined>();
  return ({ exchange, symbol }) => {
    if (!known.has(exchange)) known.set(exchange, marketAt(accounts, exchange));
    return marketKey(known.get(exchange) ?? '', symbol);
  };
}

/** Those that trade where a price forms; all of them where none does, or without a price. */
export function accountsAt(accounts: Accounts, price: Pick<PriceView, 'market'> | undefined): Accounts {
  const own = accounts.filter((account) => marketOf(account) === price?.market);
  return own.length > 0 ? own : accounts;
}
