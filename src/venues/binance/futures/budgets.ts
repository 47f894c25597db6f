/**
 * The budgets of Binance USD-M futures, from `rateLimits` of its exchangeInfo: weight per address and minute,
 * orders per account in 10 s and a minute, filled or not. The answers' headers and later exchangeInfos
 * correct them.
 */
import type { BudgetRow, Cost } from '../../kit/budget.ts';
import type { RateLimit } from '../instruments.ts';

/** Request weight; a breach (429, 418) stops the address. */
export const FUTURES_WEIGHT: BudgetRow = {
  // Shared with the requests for market data. Spot has a window of its own, even when a proxy gives both
  // markets one address.
  name: 'futures weight 1 min',
  scope: 'address',
  unit: 'weight',
  windowMs: 60_000,
  limit: 2_400,
  resets: 'clock',
  stops: 'address',
  atStart: 'empty',
  spare: 400,
};

/** Orders in 10 s; a breach (-1015) stops new orders. */
export const FUTURES_ORDERS_10S: BudgetRow = {
  name: 'futures orders 10 s',
  scope: 'uid',
  unit: 'orders',
  windowMs: 10_000,
  limit: 300,
  resets: 'clock',
  stops: 'orders',
  atStart: 'empty',
  spare: 60,
};

export const FUTURES_ORDERS_1M: BudgetRow = {
  ...FUTURES_ORDERS_10S,
  name: 'futures orders 1 min',
  windowMs: 60_000,
  limit: 1_200,
  spare: 240,
};

/** The budget row for a limit of exchangeInfo; null: none is kept here. */
export function rowOf({ rateLimitType, interval, intervalNum }: RateLimit): BudgetRow | null {
  const name = `${rateLimitType} ${intervalNum} ${interval}`;
  if (name === 'REQUEST_WEIGHT 1 MINUTE') return FUTURES_WEIGHT;
  if (name === 'ORDERS 10 SECOND') return FUTURES_ORDERS_10S;
  return name === 'ORDERS 1 MINUTE' ? FUTURES_ORDERS_1M : null;
}

export function weight(amount: number): () => readonly Cost[] {
  const costs: readonly Cost[] = [{ row: FUTURES_WEIGHT, of: '', amount }];
  return () => costs;
}

/**
 * The cost of placing or changing an order: no weight, one of each count (since 2026-04 for algo orders,
 * too).
 */
export function oneOrder(_parameters: Readonly<Record<string, string>>, uid: string): readonly Cost[] {
  return [
    { row: FUTURES_ORDERS_10S, of: uid, amount: 1 },
    { row: FUTURES_ORDERS_1M, of: uid, amount: 1 },
  ];
}
