/**
 * Why an account or a symbol takes no entries at this moment, for the runs that trade there (strategies.md 10, R12): one answer
 * for all types of bots. Reads only; what a run makes of it is in `bots/run`. Pure.
 */
import { lossPause } from './loss-figure.ts';
import type { AccountMemory } from './memory.ts';
import { closedWhy } from './permissions.ts';

export interface NotReady {
  /** As the end of a sentence that begins with the account's name. */
  readonly why: string;
  /** Entries that rest are taken back. False: nothing can be asked now, or it will pass; they stay where they are. */
  readonly withdraws: boolean;
  /** It does not pass by itself: who trades there has failed (R12). */
  readonly final?: true;
}

const NO_TRADE = 'has a key that may not trade any more';

/** Null: it takes entries. */
export function notReady(account: AccountMemory): NotReady | null {
  if (account.key.refused) return { why: 'refuses its key, which had worked', withdraws: false, final: true };
  if (account.away === null && account.permissions?.told?.trade === false)
    return { why: NO_TRADE, withdraws: false, final: true };
  const lost = lossPause(account);
  if (lost !== null) return { why: lost, withdraws: true };
  if (account.away !== null) return { why: `is not connected: ${account.away}`, withdraws: false };
  if (!account.link.up) return { why: 'has no connection', withdraws: false };
  const closed = closedWhy(account);
  // What its key may do is asked at every start, and answered at once as a rule.
  if (closed !== null) return { why: closed, withdraws: account.permissions?.told?.trade === true };
  return null;
}

/** Of one symbol of it; null: it is traded. */
export function symbolNotReady({ instruments }: AccountMemory, symbol: string): NotReady | null {
  const instrument = instruments.get(symbol);
  if (!instrument) return null;
  if (instrument.delisted) return { why: `does not trade ${symbol} any more`, withdraws: false, final: true };
  if (instrument.halt === undefined) return null;
  return { why: `says that ${symbol} is ${instrument.halt}`, withdraws: true };
}
