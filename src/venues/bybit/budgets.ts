/**
 * Bybit's request limits (RATE: docs/v5/rate-limit): 600 requests per address in 5 s, and for each endpoint a
 * number per account in one rolling second. Headers of answers correct the endpoint's own row. A breach of
 * the address limit (403) names no time.
 */
import type { BudgetRow, Cost } from '../kit/budget.ts';

/** A breach stops the address for ten minutes. */
export const REQUESTS_5S: BudgetRow = {
  name: 'requests 5 s',
  scope: 'address',
  unit: 'requests',
  windowMs: 5_000,
  limit: 600,
  resets: 'sliding',
  stops: 'address',
  atStart: 'empty',
  spare: 120,
};

/** The limit of one endpoint per account and second. A breach (10006) stops everything except cancels. */
function perSecond(name: string, limit: number, spare = 0): BudgetRow {
  return {
    name,
    limit,
    spare,
    windowMs: 1_000,
    resets: 'sliding',
    stops: 'orders',
    atStart: 'empty',
    scope: 'uid and endpoint',
    unit: 'requests',
  };
}

/** Placing orders: a fifth is kept free for orders that close. */
export const PLACE: Readonly<Record<'spot' | 'linear', BudgetRow>> = {
  spot: perSecond('spot orders 1 s', 20, 4),
  linear: perSecond('linear orders 1 s', 10, 2),
};
export const AMEND: Readonly<Record<'spot' | 'linear', BudgetRow>> = {
  spot: perSecond('spot changes 1 s', 10),
  linear: perSecond('linear changes 1 s', 10),
};
export const CANCEL: Readonly<Record<'spot' | 'linear', BudgetRow>> = {
  spot: perSecond('spot cancels 1 s', 20),
  linear: perSecond('linear cancels 1 s', 10),
};
export const CANCEL_ALL: Readonly<Record<'spot' | 'linear', BudgetRow>> = {
  spot: perSecond('spot cancels of all 1 s', 20),
  linear: perSecond('linear cancels of all 1 s', 10),
};

/** The limit of a question or a setting, whose endpoint has its own row. */
export function ofEndpoint(name: string, limit: number): BudgetRow {
  return perSecond(`${name} 1 s`, limit);
}

/** The cost of a request that counts for the address alone. */
export const ONE_REQUEST: readonly Cost[] = [{ row: REQUESTS_5S, of: '', amount: 1 }];

export function costsOf(row: BudgetRow, uid: string): readonly Cost[] {
  return [
    { row, of: uid, amount: 1 },
    { row: REQUESTS_5S, of: '', amount: 1 },
  ];
}
