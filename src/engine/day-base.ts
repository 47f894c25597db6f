/**
 * What a wallet was worth when its day began, with what was paid in and out since: the base of `dailyLossLimit` (money-at-risk,
 * section 3). Stored once a wallet, however many accounts trade with it. Days come from outside, as numbers. Pure.
 */
import { type Dec, dec, mul, str, ZERO } from '../domain/decimal.ts';
import type { LedgerEntry } from '../domain/ledger.ts';
import type { Row } from '../domain/rows.ts';
import { usdPriceTo } from './balances.ts';
import type { AccountMemory } from './memory.ts';
import { unrealized } from './positions.ts';
import type { StepContext } from './step-context.ts';
import type { WalletMemory } from './wallet.ts';

/** As it is stored. Money in dollars, decimal strings. */
export interface DayBase {
  /** Days since 1970 in the desk's time zone. */
  readonly day: number;
  readonly usd: string;
  /** Market time at which that was read, Unix ms. */
  readonly at: number;
  /** Paid in since, less what was paid out, each worth what it was at that moment. */
  readonly paid: string;
  /** The same of assets that had no price then, amounts by asset. */
  readonly unpriced: Readonly<Record<string, string>>;
}

export type Worth = { readonly usd: Dec } | { readonly why: string };

/** From the row of `baseRow`; null: none is known. */
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
 * Takes a new base when another day has begun. A clock that steps back over midnight goes on with the day it had; one that
 * goes further back has begun another. True: there is a base for today.
 */
export function followDay(step: StepContext, wallet: WalletMemory): boolean {
  const { day } = step.memory;
  const { dayBase } = wallet;
  // Right after a start nobody has said yet which day it is: the stored one.
  if (day === null) return dayBase !== null;
  if (dayBase && (day === dayBase.day || day === dayBase.day - 1)) return true;
  const worth = worthOf(wallet);
  if ('why' in worth || isMoving(wallet)) return false;
  keepBase(step, wallet, { day, usd: str(worth.usd), at: step.now.market, paid: '0', unpriced: {} });
  return true;
}

/** What was paid in or out, in the step in which the ledger tells it. */
export function notePaid(
  step: StepContext,
  wallet: WalletMemory,
  { kind, asset, amount }: Pick<LedgerEntry, 'asset' | 'amount'> & { readonly kind: string },
): void {
  const { dayBase } = wallet;
  // What nobody explains is no profit; as a loss it counts.
  const isPaid = kind === 'transfer' || (kind === 'unexplained' && dec(amount) > ZERO);
  if (!dayBase || !isPaid || !counts(wallet, asset)) return;
  const before = dayBase.unpriced[asset] ?? '0';
  const unpriced = { ...dayBase.unpriced, [asset]: str(dec(before) + dec(amount)) };
  keepBase(step, wallet, priced(wallet, { ...dayBase, unpriced }));
}

/** Has got its price since. */
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

/** What would be left if nothing had been won or lost today; or why that is not known. */
export function baseNow({ name, dayBase }: WalletMemory): Worth {
  if (!dayBase) return { why: `what ${name} was worth when the day began is not known` };
  const [asset] = Object.keys(dayBase.unpriced);
  if (asset !== undefined) return { why: `${asset} was paid in or out of ${name} and has no price` };
  return { usd: dec(dayBase.usd) + dec(dayBase.paid) };
}

/** All that the wallet has, with what its positions have won or lost, in dollars; or why that is not known. */
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

/** The ledger's sums and what the exchange tells differ: an execution or a transfer has been told by one of them only. */
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

/** Of what can be bought or sold for nothing here nobody can lose anything: an asset that was given away once, of no market. */
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
