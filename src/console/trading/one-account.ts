/**
 * The desk's state reduced to one account: what a terminal shows and acts on while it shows that account
 * alone. Nothing of other accounts is left in it, so that no list, form or command can take it for this
 * account's. Pure.
 */
import type { DeskState } from '../../desk/console/protocol.ts';
import { marketKey, marketOf, walletOf } from '../../domain/exchange.ts';

/** Cached parts of a state, reduced to one account, so that what has not changed stays the same object. */
const kept = new WeakMap<object, Map<string, object>>();

function once<T extends object>(of: object, name: string, make: () => T): T {
  const known = kept.get(of) ?? new Map<string, object>();
  kept.set(of, known);
  const found = (known.get(name) as T | undefined) ?? make();
  known.set(name, found);
  return found;
}

/**
 * The state of one account; null: the whole state. For an unknown account only the parts that belong to no
 * account are left: the log, the API keys, the vault.
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
    // Alerts of a deleted bot belong to no account.
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

/** Prices of the symbols that the account trades, on its market. */
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

/**
 * Value of the account, its curve and its value at the start of the day; the last two are those of its
 * wallet, which may be shared.
 */
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
