/**
 * Why an account or a symbol takes no entries at this moment, for the runs that trade there (strategies.md
 * 10, R12): the same for all types of bots. Reads only; `bots/run` decides what a run does about it. Pure.
 */
import { lossPause } from './loss-figure.ts';
import type { AccountMemory } from './memory.ts';
import { closedWhy } from './permissions.ts';

export interface NotReady {
  /** The reason, as the end of a sentence that begins with the account's name. */
  readonly why: string;
  /**
   * Resting entries are withdrawn. False: the account cannot be reached now, or the reason will pass; they
   * stay.
   */
  readonly withdraws: boolean;
  /** The reason does not pass by itself: runs that trade there fail (R12). */
  readonly final?: true;
}

const NO_TRADE = 'has a key that may not trade any more';

/** Returns why the account takes no entries; null: it takes them. */
export function notReady(account: AccountMemory): NotReady | null {
  if (account.key.refused) return { why: 'refuses its key, which had worked', withdraws: false, final: true };
  if (account.away === null && account.permissions?.told?.trade === false)
    return { why: NO_TRADE, withdraws: false, final: true };
  const lost = lossPause(account);
  if (lost !== null) return { why: lost, withdraws: true };
  if (account.away !== null) return { why: `is not connected: ${account.away}`, withdraws: false };
  if (!account.link.up) return { why: 'has no connection', withdraws: false };
  const closed = closedWhy(account);
  // The rights of its key are queried at every start, and usually answered at once.
  if (closed !== null) return { why: closed, withdraws: account.permissions?.told?.trade === true };
  return null;
}

/** Returns why one symbol of the account takes no entries; null: it is traded. */
export function symbolNotReady({ instruments }: AccountMemory, symbol: string): NotReady | null {
  const instrument = instruments.get(symbol);
  if (!instrument) return null;
  if (instrument.delisted) return { why: `does not trade ${symbol} any more`, withdraws: false, final: true };
  if (instrument.halt === undefined) return null;
  return { why: `says that ${symbol} is ${instrument.halt}`, withdraws: true };
}
