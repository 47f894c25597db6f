/** Limits like those of exchanges, small enough to be reached. */
import type { BudgetRow, Cost } from '../../../src/venues/kit/budget.ts';

export const WEIGHT: BudgetRow = {
  name: 'weight 6 s',
  scope: 'address',
  unit: 'weight',
  windowMs: 6_000,
  limit: 40,
  resets: 'sliding',
  stops: 'address',
  atStart: 'empty',
  spare: 0,
};

export const ORDERS: BudgetRow = {
  name: 'orders 2 s',
  scope: 'uid',
  unit: 'orders',
  windowMs: 2_000,
  limit: 5,
  resets: 'sliding',
  stops: 'orders',
  atStart: 'empty',
  spare: 0,
};

export const weight = (amount: number, row = WEIGHT): Cost => ({ row, of: '', amount });
export const orders = (amount = 1, row = ORDERS, of = '7'): Cost => ({ row, of, amount });
