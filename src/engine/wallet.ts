/**
 * What exchange accounts trade with. Most have a wallet of their own. All accounts of a unified one share theirs: its balances, what
 * engine and bots set aside of them, and its ledger are there once, and one line tells of everything. Pure.
 */
import type { Dec } from '../domain/decimal.ts';
import { holderOf, walletOf } from '../domain/exchange.ts';
import type { DayBase } from './day-base.ts';
import type { LedgerMemory } from './ledger.ts';
import type { AccountMemory, FuturesMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';
import { Untolds } from './untolds.ts';
import { Versions } from './versions.ts';

export interface AssetBalance {
  free: Dec;
  locked: Dec;
}

/** What bots keep of an asset: shown as lockedByBot, and what of the free balance no other order may use (S25). */
export interface Reserved {
  readonly shown: Dec;
  readonly excess: Dec;
}

export interface WalletMemory {
  /** The account's id where only one account trades with it. */
  readonly name: string;
  /** Who trades with it; at most one of them on futures. */
  readonly accounts: AccountMemory[];
  /** How new what was told of balances, positions and settings is (S58). */
  readonly versions: Versions;
  /** As the exchange reports them; margins move on between its reports: `margins.ts`. */
  readonly balances: Map<string, AssetBalance>;
  /** What has been heard of orders and fills that balances and positions do not tell of yet. */
  readonly untold: Untolds;
  /** Sum of the engine's own locks per asset: orders held here or on their way. */
  readonly locks: Map<string, Dec>;
  /** By asset. */
  readonly reserved: Map<string, Reserved>;
  /** Null: the exchange tells none. */
  ledger: LedgerMemory | null;
  /** What it was worth when the day began; null: not known, or nobody asks. */
  dayBase: DayBase | null;
}

/** An account on futures, whose positions are margined with its wallet. */
export type MarginMember = AccountMemory & { readonly futures: FuturesMemory };

export function newWallet(name: string): WalletMemory {
  return {
    name,
    accounts: [],
    versions: new Versions(),
    balances: new Map(),
    untold: new Untolds(),
    locks: new Map(),
    reserved: new Map(),
    ledger: null,
    dayBase: null,
  };
}

/** The account trades with its wallet from now on. Throws where they cannot share one. */
export function joinWallet(joining: AccountMemory): void {
  const { wallet, account } = joining;
  for (const other of wallet.accounts) {
    const isTheirs = holderOf(other.account) === holderOf(account);
    if (isTheirs && !(other.futures && joining.futures)) continue;
    throw new Error(`${account.id} and ${other.account.id} cannot share the wallet ${walletOf(account)}`);
  }
  wallet.accounts.push(joining);
}

/** The account does not trade with its wallet any more. */
export function leaveWallet({ wallet, account }: AccountMemory): void {
  const at = wallet.accounts.findIndex((one) => one.account.id === account.id);
  if (at >= 0) wallet.accounts.splice(at, 1);
}

/** The one that margins positions with it; null: none does. */
export function marginMember({ accounts }: WalletMemory): MarginMember | null {
  const isMember = (one: AccountMemory): one is MarginMember => one.futures !== null;
  return accounts.find(isMember) ?? null;
}

/** Of how many numbers a balance is made: free and locked. Where only positions bind it nobody tells how much: it is one number. */
export function partsOf({ accounts }: WalletMemory): 1 | 2 {
  return accounts.every(({ futures }) => futures !== null) ? 1 : 2;
}

/** Ids of the other accounts that trade with an account's wallet. */
export function sharedWith({ account, wallet }: AccountMemory): string[] {
  return wallet.accounts.flatMap((other) => (other.account.id === account.id ? [] : [other.account.id]));
}

/** Balances have changed, or what is set aside of them: of all who trade with the wallet. */
export function tellBalances(step: StepContext, { accounts }: WalletMemory, assets: readonly string[]): void {
  for (const { account } of accounts) {
    const { id } = account;
    step.effect({ kind: 'balance-event', user: holderOf(account), exchange: id, assets });
  }
}
