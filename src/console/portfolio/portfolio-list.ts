/**
 * The rows of the Portfolio screen: what each account holds and what it is worth, filtered, sorted, summed.
 * Pure.
 */

import type { DeskState } from '../../desk/console/protocol.ts';
import { type Dec, dec, div, fixed, ZERO } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Balance } from '../../schemas/portfolio.ts';
import { selectedIndex } from '../lists/cursor.ts';
import {
  byText,
  type Compare,
  falling,
  filterWords,
  hasWords,
  type ListView,
  memoizeLast,
  newList,
} from '../lists/rows.ts';
import { type Prices, priceOf } from '../trading/prices.ts';
import { walletsOf } from '../trading/wallets.ts';
import { read } from '../ui/format.ts';

export type PortfolioSort = 'value' | 'asset' | 'account' | 'total' | 'locked';
export const PORTFOLIO_SORTS: readonly PortfolioSort[] = ['value', 'asset', 'account', 'total', 'locked'];

/** The state of the Portfolio screen at a terminal. */
export interface PortfolioView extends ListView<PortfolioSort> {
  /** Whether balances worth less than `SMALL_USD` are hidden. */
  readonly hideSmall: boolean;
}

export const FIRST_PORTFOLIO: PortfolioView = {
  ...newList<PortfolioSort>('value'),
  hideSmall: false,
};

/**
 * Below this many dollars a balance is small. A balance without a price is never small: its value is unknown.
 */
export const SMALL_USD = dec('1');

/** A balance as a table row; `id` is used by selections. */
export interface BalanceRow extends Balance {
  readonly id: string;
  readonly exchange: string;
  /** The other accounts that trade with the same balance. */
  readonly sharedWith: readonly string[];
  /** Value in dollars; null: no price. */
  readonly value: Dec | null;
  /** Value in BTC; null without a price of either. */
  readonly btc: string | null;
  /** Share of all balances that have a price, 0 to 1; null without a price. */
  readonly share: number | null;
  /** Its account is not connected: the figures are old. */
  readonly stale: boolean;
}

type World = Pick<DeskState, 'portfolios' | 'accounts' | 'prices'>;

const last = memoizeLast<readonly BalanceRow[]>();

/** All rows, before filter and sort. */
export function balanceRows({ portfolios, accounts, prices }: World): readonly BalanceRow[] {
  const btc = btcPrices({ accounts, prices });
  const down = new Set(accounts.filter(({ link }) => link === 'down').map(({ id }) => id));
  const all = walletsOf(portfolios).flatMap(([exchange, { balances = [], sharedWith = [] }]) =>
    balances.map((balance) => ({ exchange, sharedWith, balance, value: read(balance.usd) })),
  );
  const sum = all.reduce((total, { value }) => total + (value ?? ZERO), ZERO);
  return all.map(({ exchange, sharedWith, balance, value }) => {
    const price = btc.get(exchange);
    return {
      ...balance,
      id: `${exchange} ${balance.asset}`,
      exchange,
      sharedWith,
      value,
      btc: value === null || !price ? null : fixed(div(value, price), 8),
      share: value === null ? null : shareOf(value, sum),
      stale: down.has(exchange),
    };
  });
}

/** Dollars per BTC by account, each on its own market; accounts without a price are left out. */
function btcPrices(world: Prices): ReadonlyMap<string, Dec> {
  const all = world.accounts.map(({ id }) => [id, read(priceOf(world, id, 'BTCUSDT')?.last)] as const);
  return new Map(all.filter((entry): entry is [string, Dec] => Boolean(entry[1])));
}

function shareOf(value: Dec, sum: Dec): number {
  return sum === ZERO ? 0 : Number((value * 10_000n) / sum) / 10_000;
}

/** The rows shown by the table. */
export function shownBalances(state: World, view: PortfolioView): readonly BalanceRow[] {
  const { filter, sort, reverse, hideSmall } = view;
  const { portfolios, accounts, prices } = state;
  const btc = accounts.map(({ id }) => priceOf({ accounts, prices }, id, 'BTCUSDT'));
  return last([portfolios, accounts, filter, sort, reverse, hideSmall, ...btc], () => {
    const words = filterWords(filter);
    const direction = reverse ? -1 : 1;
    return balanceRows(state)
      .filter((row) => !(hideSmall && isSmall(row)) && hasWords(textOf(row), words))
      .sort((a, b) => direction * COMPARE[sort](a, b) || byText(a.asset, b.asset) || byText(a.id, b.id));
  });
}

/**
 * The symbol in which the selected asset is traded on its account; of several quote assets the one that most
 * symbols there have.
 */
export function marketOfBalance(
  state: World & Pick<DeskState, 'instruments'>,
  view: PortfolioView,
): { readonly exchange: string; readonly symbol: string } | null {
  const rows = shownBalances(state, view);
  const row = rows[selectedIndex(rows, view.selection)];
  if (!row) return null;
  const own = state.instruments.filter(({ exchange, delisted }) => exchange === row.exchange && !delisted);
  const count = (quote: string) => own.filter((entry) => entry.quote === quote).length;
  return own
    .filter(({ base }) => base === row.asset)
    .reduce<Instrument | null>(
      (best, one) => (best && count(best.quote) >= count(one.quote) ? best : one),
      null,
    );
}

export function isSmall({ value }: Pick<BalanceRow, 'value'>): boolean {
  return value !== null && value < SMALL_USD;
}

function textOf({ asset, exchange, sharedWith, lockedByBot }: BalanceRow): string {
  return `${asset} ${exchange} ${sharedWith.join(' ')} ${lockedByBot === null ? '' : 'bots'}`;
}

const COMPARE: Record<PortfolioSort, Compare<BalanceRow>> = {
  value: (a, b) => falling(a.value, b.value),
  asset: (a, b) => byText(a.asset, b.asset),
  account: (a, b) => byText(a.exchange, b.exchange),
  total: (a, b) => falling(read(a.total), read(b.total)),
  locked: (a, b) => falling(lockedOf(a), lockedOf(b)),
};

function lockedOf({ locked, lockedByBot }: BalanceRow): Dec {
  return (read(locked) ?? ZERO) + (read(lockedByBot) ?? ZERO);
}

export interface PortfolioTotals {
  readonly count: number;
  readonly usd: Dec;
  readonly btc: Dec | null;
  /** Unrealised PnL of the positions of futures accounts, which is not part of any balance yet. */
  readonly positions: Dec;
  /** Number of balances without a price: they are missing from the sums. */
  readonly unpriced: number;
  readonly small: number;
}

/** Sums over all balances, also those not shown. */
export function portfolioTotals(state: World & Pick<DeskState, 'futures'>): PortfolioTotals {
  const rows = balanceRows(state);
  const usd = rows.reduce((sum, { value }) => sum + (value ?? ZERO), ZERO);
  let positions = ZERO;
  for (const account of Object.values(state.futures))
    for (const { unrealizedProfit } of account.positions) positions += read(unrealizedProfit) ?? ZERO;
  // At the first known price, which the desk also uses to value all accounts together.
  const [btcPrice] = btcPrices(state).values();
  return {
    count: rows.length,
    usd,
    btc: btcPrice ? div(usd, btcPrice) : null,
    positions,
    unpriced: rows.filter(({ value }) => value === null).length,
    small: rows.filter(isSmall).length,
  };
}

declare module '../state/ui.ts' {
  interface Screens {
    readonly portfolio: true;
  }
  interface Lists {
    readonly portfolio: PortfolioView;
  }
}
