/**
 * The price of a symbol for an account: each account trades on one market, and the same symbol on another
 * market has another price. Pure.
 */
import type { AccountView, DeskState, PriceView } from '../../desk/console/protocol.ts';
import { marketKey, marketOf } from '../../domain/exchange.ts';

/** The parts of the state that prices are read from. */
export type Prices = Pick<DeskState, 'accounts' | 'prices'>;
type Accounts = readonly AccountView[];

/** The market of an account; for an unknown account the market of all others, where they share one. */
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

/** Whether the accounts trade on more than one market, so that a symbol alone does not name a price. */
export function hasMarkets([first, ...others]: Accounts): boolean {
  return first !== undefined && others.some((account) => marketOf(account) !== marketOf(first));
}

/** Returns a function from account and symbol to their `marketKey`. */
export function keyOfMarket(accounts: Accounts): (of: { exchange: string; symbol: string }) => string {
  const known = new Map<string, string | undefined>();
  return ({ exchange, symbol }) => {
    if (!known.has(exchange)) known.set(exchange, marketAt(accounts, exchange));
    return marketKey(known.get(exchange) ?? '', symbol);
  };
}

/** Accounts that trade on the market of a price; all accounts where none does, or without a price. */
export function accountsAt(accounts: Accounts, price: Pick<PriceView, 'market'> | undefined): Accounts {
  const own = accounts.filter((account) => marketOf(account) === price?.market);
  return own.length > 0 ? own : accounts;
}
