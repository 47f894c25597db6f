/**
 * Closing orders below the minimum notional: whether the account's exchange takes them, and what to do where
 * it does not. Pure.
 */
import { type Dec, dec, mul, ZERO } from '../domain/decimal.ts';
import { closeBelowMinimum } from '../domain/exchange.ts';
import type { Instrument, InstrumentNumbers } from '../domain/instrument.ts';
import type { CreateOrder } from '../schemas/order.ts';
import { isClosing } from './closing.ts';
import { type ClosingFields, closes } from './entries.ts';
import { checkNotional, type Problem } from './filters.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import { reducible } from './positions.ts';

/** The size of a request: the field that states it, the quantity, and the price. */
export interface Size {
  readonly field: string;
  readonly quantity: Dec;
  readonly price: Dec;
}

/**
 * Returns what is wrong with the notional of an order; null: nothing, or its exchange takes it as a close.
 */
export function valueProblem(
  memory: EngineMemory,
  account: AccountMemory,
  order: ClosingFields,
  { field, quantity, price }: Size,
  instrument: Instrument,
  n: InstrumentNumbers,
): Problem | null {
  const problem = checkNotional(field, quantity, price, instrument, n);
  const taken = closeBelowMinimum(account);
  const isFlagged = account.futures !== null && isClosing(account, order);
  if (problem === null || (isFlagged && taken !== 'no')) return null;
  if (problem.reason !== 'MIN_NOTIONAL' || !closes(memory, account, order)) return problem;
  if (taken === 'any') return null;
  if (taken === 'flag')
    return { ...problem, message: `${problem.message}; as a close it is taken with reduceOnly` };
  const all = mul(heldFor(account, order, instrument), price);
  return all < n.minNotional ? { ...problem, message: `${problem.message}; ${cureOf(account)}` } : problem;
}

/** Returns the size of the position or balance that the order would close. */
function heldFor(account: AccountMemory, order: ClosingFields, { base }: Instrument): Dec {
  if (account.futures)
    return reducible(account.futures, order.symbol, order.side, order.positionSide ?? 'BOTH');
  const balance = account.wallet.balances.get(base);
  return balance ? balance.free + balance.locked : ZERO;
}

function cureOf({ account, futures }: AccountMemory): string {
  return futures
    ? `${account.id} takes no smaller close: add to the position and close all of it`
    : 'all there is of it is too little to be sold: buy more and sell all of it, or convert small balances';
}

/** Checks a market close of a whole position, whose size is the position's. */
export function wholeCloseProblem(
  account: AccountMemory,
  order: ClosingFields & Pick<CreateOrder, 'type'>,
  last: Dec | undefined,
  instrument: Instrument,
): Problem | null {
  if (!account.futures || order.closePosition !== true || order.type !== 'MARKET') return null;
  if (closeBelowMinimum(account) !== 'no' || last === undefined) return null;
  const worth = mul(heldFor(account, order, instrument), last);
  if (worth === ZERO || worth >= dec(instrument.minNotional)) return null;
  const { symbol, minNotional, quote } = instrument;
  const message = `closePosition: the position in ${symbol} is worth less than the minimum of ${minNotional} ${quote}; ${cureOf(account)}`;
  return { field: 'closePosition', message, reason: 'MIN_NOTIONAL' };
}
