/**
 * The desk as one account has it: what a terminal sees and acts on while it looks at that account alone. Nothing of another account is
 * in it, so that no list, form or command can take it for something of this one. Pure.
 */
import type { DeskState } from '../../desk/console/protocol.ts';
import { marketKey, marketOf, walletOf } from '../../domain/exchange.ts';

/** Of each part of a state what one account has of it, so that what has not changed stays the same object. */
const kept = new WeakMap<object, Map<string, object>>();

function once<T extends object>(of: object, name: string, make: () => T): T {
  const known = kept.get(of) ?? new Map<string, object>();
  kept.set(of, known);
  const found = (known.get(name) as T | undefined) ?? make();
  known.set(name, found);
  return found;
}

/**
 * Null: the desk as it is. Of an account that is not there nothing is left but what belongs to no account: the log, the API keys, the
 * vault.
 */
export function ofAccount(state: DeskState, id: string | null): DeskState {
  return id === null ? state : once(state, id, () => narrowed(state, id));
}

function narrowed(state: DeskState, id: string): DeskState {
  const { accounts, instruments, orders, bots, alerts } = state;
  const own = accounts.find((account) => account.id === id);
  const mine = ({ exchange }: { readonly exchange: string }) => exchange === id;
  return {
    ...state,
    accounts: once(accounts, id, () => (own ? [own] : [])),
    instruments: once(instruments, id, () => instruments.filter(mine)),
    prices: pricesOf(state, id, own ? marketOf(own) : ''),
    orders: once(orders, id, () => valuesOf(orders, mine)),
    bots: once(bots, id, () => valuesOf(bots, mine)),
    portfolios: once(state.portfolios, id, () => only(state.portfolios, id)),
    futures: once(state.futures, id, () => only(state.futures, id)),
    // What a bot that has gone has told is anybody's.
    alerts: alerts.filter(({ botId }) => bots[botId] === undefined || mine(bots[botId])),
    equity: equityOf(state, id, own ? walletOf(own) : id),
  };
}

function only<T>(record: Readonly<Record<string, T>>, id: string): Readonly<Record<string, T>> {
  const value = record[id];
  return value === undefined ? {} : { [id]: value };
}

function valuesOf<T>(
  record: Readonly<Record<string, T>>,
  isKept: (value: T) => boolean,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => isKept(value)));
}

/** Of the symbols that the account trades, where their prices form. */
function pricesOf({ prices, instruments }: DeskState, id: string, market: string): DeskState['prices'] {
  const keys = once(instruments, `prices ${id}`, () => [
    ...new Set(
      instruments.filter(({ exchange }) => exchange === id).map(({ symbol }) => marketKey(market, symbol)),
    ),
  ]);
  return once(prices, `${id} ${market}`, () =>
    Object.fromEntries(keys.flatMap((key) => (prices[key] ? [[key, prices[key]]] : []))),
  );
}

/** What the account is worth, how that went and what it was in the morning: its wallet's, where it shares one. */
function equityOf({ portfolios, wallets }: DeskState, id: string, wallet: string): DeskState['equity'] {
  const portfolio = portfolios[id];
  const { points = [], dayStartUsd = null } = wallets[wallet] ?? {};
  return {
    usd: portfolio?.total.usd ?? '',
    btc: portfolio?.total.btc ?? null,
    partial: portfolio?.partial ?? portfolio === undefined,
    spark: portfolio ? [...points, Number(portfolio.total.usd)] : points,
    dayStartUsd,
  };
}
