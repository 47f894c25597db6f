/**
 * The value of a wallet when its day began, with deposits and withdrawals since: the base of `dailyLossLimit`
 * (money-at-risk, section 3). Stored once per wallet, however many accounts trade with it. Days come from
 * outside, as numbers. Pure.
 */
import { type Dec, dec, mul, str, ZERO } from '../domain/decimal.ts';
import type { LedgerEntry } from '../domain/ledger.ts';
import type { Row } from '../domain/rows.ts';
import { usdPriceTo } from './balances.ts';
import type { AccountMemory } from './memory.ts';
import { unrealized } from './positions.ts';
import type { StepContext } from './step-context.ts';
import type { WalletMemory } from './wallet.ts';

/** The base as it is stored. Money in dollars, decimal strings. */
export interface DayBase {
  /** Days since 1970 in the desk's time zone. */
  readonly day: number;
  readonly usd: string;
  /** Market time at which the value was read, Unix ms. */
  readonly at: number;
  /** Deposits since, less withdrawals, each at its value at that moment. */
  readonly paid: string;
  /** Deposits less withdrawals of assets that had no price then, amounts by asset. */
  readonly unpriced: Readonly<Record<string, string>>;
}

export type Worth = { readonly usd: Dec } | { readonly why: string };

/** Reads the base from the row of `baseRow`; null: none is known. */
export function loadDayBase(meta: ReadonlyMap<string, unknown>, wallet: string): DayBase | null {
  return (meta.get(rowName(wallet)) as DayBase | undefined) ?? null;
}

function rowName(wallet: string): string {
  return `day base ${wallet}`;
}

function keepBase(step: StepContext, wallet: WalletMemory, base: DayBase): void {
  wallet.dayBase = base;
  const row: Row = { kind: 'meta', name: rowName(wallet.name), value: base };
  step.row(row);
}

/**
 * Takes a new base when another day has begun. A clock that steps back over midnight stays in its day; a
 * clock that goes back further begins another. True: there is a base for today.
 */
export function followDay(step: StepContext, wallet: WalletMemory): boolean {
  const { day } = step.memory;
  const { dayBase } = wallet;
  // Right after a start the day is not known yet: the stored one counts.
  if (day === null) return dayBase !== null;
  if (dayBase && (day === dayBase.day || day === dayBase.day - 1)) return true;
  const worth = worthOf(wallet);
  if ('why' in worth || isMoving(wallet)) return false;
  keepBase(step, wallet, { day, usd: str(worth.usd), at: step.now.market, paid: '0', unpriced: {} });
  return true;
}

/** Adds a deposit or withdrawal, in the step in which the ledger reports it. */
export function notePaid(
  step: StepContext,
  wallet: WalletMemory,
  { kind, asset, amount }: Pick<LedgerEntry, 'asset' | 'amount'> & { readonly kind: string },
): void {
  const { dayBase } = wallet;
  // An unexplained gain is no profit; an unexplained loss counts as a loss.
  const isPaid = kind === 'transfer' || (kind === 'unexplained' && dec(amount) > ZERO);
  if (!dayBase || !isPaid || !counts(wallet, asset)) return;
  const before = dayBase.unpriced[asset] ?? '0';
  const unpriced = { ...dayBase.unpriced, [asset]: str(dec(before) + dec(amount)) };
  keepBase(step, wallet, priced(wallet, { ...dayBase, unpriced }));
}

/** Values the assets whose price has become known since. */
export function pricePaid(step: StepContext, wallet: WalletMemory): void {
  const { dayBase } = wallet;
  if (!dayBase || Object.keys(dayBase.unpriced).length === 0) return;
  const now = priced(wallet, dayBase);
  if (now.paid !== dayBase.paid) keepBase(step, wallet, now);
}

function priced(wallet: WalletMemory, base: DayBase): DayBase {
  let paid = dec(base.paid);
  const unpriced: Record<string, string> = {};
  for (const [asset, amount] of Object.entries(base.unpriced)) {
    const price = usdPriceTo(wallet.accounts[0] as AccountMemory, asset);
    if (price === null) unpriced[asset] = amount;
    else paid += mul(dec(amount), price);
  }
  return { ...base, paid: str(paid), unpriced };
}

/**
 * Returns the value that the wallet would have without the profit or loss of today; or why that is not known.
 */
export function baseNow({ name, dayBase }: WalletMemory): Worth {
  if (!dayBase) return { why: `what ${name} was worth when the day began is not known` };
  const [asset] = Object.keys(dayBase.unpriced);
  if (asset !== undefined) return { why: `${asset} was paid in or out of ${name} and has no price` };
  return { usd: dec(dayBase.usd) + dec(dayBase.paid) };
}

/**
 * Returns the value of the whole wallet with the unrealised PnL of its positions, in dollars; or why that is
 * not known.
 */
export function worthOf(wallet: WalletMemory): Worth {
  const unread = wallet.accounts.find(({ unread }) => unread.has('balances') || unread.has('positions'));
  if (unread) return { why: `balances or positions of ${unread.account.id} are not read` };
  const [first] = wallet.accounts;
  if (!first) return { why: `nobody trades with ${wallet.name}` };
  let usd = ZERO;
  for (const [asset, { free, locked }] of wallet.balances) {
    const has = free + locked;
    if (has === ZERO || !counts(wallet, asset)) continue;
    const price = usdPriceTo(first, asset);
    if (price === null) return { why: `no price of ${asset} is known` };
    const stale = staleOf(wallet, asset);
    if (stale !== null) return { why: stale };
    usd += mul(has, price);
  }
  for (const { futures, market } of wallet.accounts) {
    for (const position of futures?.positions.values() ?? []) {
      const why = market.staleWhy(position.symbol);
      if (why !== null) return { why: `prices of ${position.symbol} are old: ${why}` };
      if (futures) usd += unrealized(futures, position);
    }
  }
  return { usd };
}

/**
 * Returns whether the ledger's sums and the exchange's balances differ: only one of them includes the latest
 * execution or transfer.
 */
export function isMoving({ balances, ledger }: WalletMemory): boolean {
  if (!ledger?.place?.opened) return false;
  const has = (asset: string) => {
    const { free, locked } = balances.get(asset) ?? { free: ZERO, locked: ZERO };
    return free + locked;
  };
  for (const [asset, sum] of ledger.sums) if (has(asset) !== sum) return true;
  for (const asset of balances.keys()) if (!ledger.sums.has(asset) && has(asset) !== ZERO) return true;
  return false;
}

const DOLLARS = 'USDT';

/** Returns whether an asset counts: one that no market here trades, such as an airdrop, can cause no loss. */
function counts({ accounts }: WalletMemory, asset: string): boolean {
  if (usdPriceTo(accounts[0] as AccountMemory, asset) !== null) return true;
  return accounts.some(({ instruments }) =>
    [...instruments.values()].some(({ base, quote }) => base === asset || quote === asset),
  );
}

function staleOf({ accounts }: WalletMemory, asset: string): string | null {
  for (const { market } of accounts) {
    const symbol = asset + DOLLARS;
    const why = market.prices.has(symbol) ? market.staleWhy(symbol) : null;
    if (why !== null) return `prices of ${symbol} are old: ${why}`;
  }
  return null;
}
