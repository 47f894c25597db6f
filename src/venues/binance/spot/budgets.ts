/**
 * The budgets of Binance spot, from `rateLimits` of its exchangeInfo (SPOTDOC rest-api.md "Limits"): weight
 * per address and minute, shared by REST and the WebSocket API; unfilled orders per account, in 10 s and a
 * day. Headers correct what is used.
 */
import type { BudgetRow, Cost } from '../../kit/budget.ts';
import type { RateLimit } from '../instruments.ts';

/** Request weight; a breach (429, 418) stops the address. */
export const SPOT_WEIGHT: BudgetRow = {
  name: 'spot weight 1 min',
  scope: 'address',
  unit: 'weight',
  windowMs: 60_000,
  limit: 6_000,
  resets: 'clock',
  stops: 'address',
  atStart: 'empty',
  spare: 1_200,
};

/** Orders in 10 s; a breach (-1015) stops new orders, never cancels. */
export const SPOT_ORDERS_10S: BudgetRow = {
  name: 'spot orders 10 s',
  scope: 'uid',
  unit: 'orders',
  windowMs: 10_000,
  limit: 50,
  resets: 'clock',
  stops: 'orders',
  atStart: 'full',
  spare: 10,
};

export const SPOT_ORDERS_1D: BudgetRow = {
  ...SPOT_ORDERS_10S,
  name: 'spot orders 1 d',
  windowMs: 86_400_000,
  limit: 160_000,
  // If the day's orders are used up, none has left the desk for a day: the first header gives the real use.
  atStart: 'empty',
  spare: 1_000,
};

/** The budget row for a limit of exchangeInfo; null: none is kept here. */
export function rowOf({ rateLimitType, interval, intervalNum }: RateLimit): BudgetRow | null {
  const name = `${rateLimitType} ${intervalNum} ${interval}`;
  if (name === 'REQUEST_WEIGHT 1 MINUTE') return SPOT_WEIGHT;
  if (name === 'ORDERS 10 SECOND') return SPOT_ORDERS_10S;
  return name === 'ORDERS 1 DAY' ? SPOT_ORDERS_1D : null;
}

export function weighs(amount: number): { readonly weight: string; readonly costs: () => readonly Cost[] } {
  const costs: readonly Cost[] = [{ row: SPOT_WEIGHT, of: '', amount }];
  return { weight: `weight ${amount}`, costs: () => costs };
}

/** The cost of placing an order. Since 2026-04-02 an accepted order costs no weight; a refused one does. */
export function oneOrder(_parameters: unknown, uid: string): readonly Cost[] {
  return [
    { row: SPOT_WEIGHT, of: '', amount: 1 },
    { row: SPOT_ORDERS_10S, of: uid, amount: 1 },
    { row: SPOT_ORDERS_1D, of: uid, amount: 1 },
  ];
}
