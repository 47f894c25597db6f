/**
 * What Bybit lets be sent (RATE: docs/v5/rate-limit): 600 requests an address in 5 s, and for each endpoint so many an account in one
 * rolling second. The answers' headers correct the endpoint's own row. A breach of the address (403) names no time.
 */
import type { BudgetRow, Cost } from '../kit/budget.ts';

/** A breach stops the address, for ten minutes. */
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

/** Of one endpoint, an account and second. A breach (10006) stops what is not a cancel. */
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

/** An order that is placed: a fifth of them is kept for what closes. */
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

/** A question or a setting, whose endpoint has a row of its own. */
export function ofEndpoint(name: string, limit: number): BudgetRow {
  return perSecond(`${name} 1 s`, limit);
}

/** What is asked of the address alone. */
export const ONE_REQUEST: readonly Cost[] = [{ row: REQUESTS_5S, of: '', amount: 1 }];

export function costsOf(row: BudgetRow, uid: string): readonly Cost[] {
  return [
    { row, of: uid, amount: 1 },
    { row: REQUESTS_5S, of: '', amount: 1 },
  ];
}
