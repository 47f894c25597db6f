/**
 * The wallets of exchange accounts. Most accounts have one of their own. All accounts of a unified one share
 * a wallet: its balances, the amounts that engine and bots set aside, and its ledger exist once, and one
 * stream reports everything. Pure.
 */
import type { Dec } from '../domain/decimal.ts';
import { holderOf, walletOf } from '../domain/exchange.ts';
import { AccountMovements } from './account-movements.ts';
import type { DayBase } from './day-base.ts';
import type { LedgerMemory } from './ledger.ts';
import type { AccountMemory, FuturesMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';
import { Versions } from './versions.ts';

export interface AssetBalance {
  free: Dec;
  locked: Dec;
}

/**
 * The part of an asset that bots reserve: shown as lockedByBot, and the part of the free balance that no
 * other order may use (S25).
 */
export interface Reserved {
  readonly shown: Dec;
  readonly excess: Dec;
}

export interface WalletMemory {
  /** The account's id where only one account trades with it. */
  readonly name: string;
  /** The accounts that trade with it; at most one of them on futures. */
  readonly accounts: AccountMemory[];
  /** Versions of the reports of balances, positions and settings (S58). */
  readonly versions: Versions;
  /** Balances as the exchange reports them; margins move on between its reports: `margins.ts`. */
  readonly balances: Map<string, AssetBalance>;
  /** Movements by orders and fills that balances and positions do not include yet. */
  readonly untold: AccountMovements;
  /** Sum of the engine's own locks per asset: orders held here or on their way. */
  readonly locks: Map<string, Dec>;
  /** What bots reserve, by asset. */
  readonly reserved: Map<string, Reserved>;
  /** The ledger; null: the exchange reports none. */
  ledger: LedgerMemory | null;
  /** The wallet's value when the day began; null: not known, or not needed. */
  dayBase: DayBase | null;
}

/** A futures account whose positions are margined with its wallet. */
export type MarginMember = AccountMemory & { readonly futures: FuturesMemory };

export function newWallet(name: string): WalletMemory {
  return {
    name,
    accounts: [],
    versions: new Versions(),
    balances: new Map(),
    untold: new AccountMovements(),
    locks: new Map(),
    reserved: new Map(),
    ledger: null,
    dayBase: null,
  };
}

/** Adds the account to its wallet. Throws where the accounts cannot share one. */
export function joinWallet(joining: AccountMemory): void {
  const { wallet, account } = joining;
  for (const other of wallet.accounts) {
    const isTheirs = holderOf(other.account) === holderOf(account);
    if (isTheirs && !(other.futures && joining.futures)) continue;
    throw new Error(`${account.id} and ${other.account.id} cannot share the wallet ${walletOf(account)}`);
  }
  wallet.accounts.push(joining);
}

/** Removes the account from its wallet. */
export function leaveWallet({ wallet, account }: AccountMemory): void {
  const at = wallet.accounts.findIndex((one) => one.account.id === account.id);
  if (at >= 0) wallet.accounts.splice(at, 1);
}

/** Returns the account that margins positions with the wallet; null: none does. */
export function marginMember({ accounts }: WalletMemory): MarginMember | null {
  const isMember = (one: AccountMemory): one is MarginMember => one.futures !== null;
  return accounts.find(isMember) ?? null;
}

/**
 * Returns how many numbers a balance has: free and locked. Where only positions lock it no report says how
 * much: one number.
 */
export function partsOf({ accounts }: WalletMemory): 1 | 2 {
  return accounts.every(({ futures }) => futures !== null) ? 1 : 2;
}

/** Returns the ids of the other accounts that trade with an account's wallet. */
export function sharedWith({ account, wallet }: AccountMemory): string[] {
  return wallet.accounts.flatMap((other) => (other.account.id === account.id ? [] : [other.account.id]));
}

/**
 * Publishes that balances, or the reserved parts of them, have changed, for all accounts that trade with the
 * wallet.
 */
export function tellBalances(step: StepContext, { accounts }: WalletMemory, assets: readonly string[]): void {
  for (const { account } of accounts) {
    const { id } = account;
    step.effect({ kind: 'balance-event', user: holderOf(account), exchange: id, assets });
  }
}
