/**
 * Why an account or a symbol takes no entries at this moment, for the runs that trade there (strategies.md 10, R12): one answer
 * for all types of bots. Reads only; a run waits by it and is never ended by it. Pure.
 */
import { lossPause } from './loss-figure.ts';
import type { AccountMemory } from './memory.ts';
import { closedWhy } from './permissions.ts';

export interface NotReady {
  /** As the end of a sentence that begins with the account's name. */
  readonly why: string;
  /** Entries that rest are taken back. False: nothing can be asked now, or it will pass; they stay where they are. */
  readonly withdraws: boolean;
}

/** Null: it takes entries. */
export function notReady(account: AccountMemory): NotReady | null {
  const lost = lossPause(account);
  if (lost !== null) return { why: lost, withdraws: true };
  if (account.away !== null) return { why: `is not connected: ${account.away}`, withdraws: false };
  if (!account.link.up) return { why: 'has no connection', withdraws: false };
  const closed = closedWhy(account);
  // What its key may do is asked at every start, and answered at once as a rule. One that may not trade cannot take back either.
  if (closed !== null) return { why: closed, withdraws: account.permissions?.told?.trade === true };
  return null;
}

/** Of one symbol of it; null: it is traded. */
export function symbolNotReady({ instruments }: AccountMemory, symbol: string): NotReady | null {
  const instrument = instruments.get(symbol);
  if (!instrument) return null;
  if (instrument.delisted) return { why: `does not trade ${symbol} any more`, withdraws: false };
  if (instrument.halt === undefined) return null;
  return { why: `says that ${symbol} is ${instrument.halt}`, withdraws: true };
}
