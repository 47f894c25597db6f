/**
 * The budgets of OKX: each endpoint has its own limit, per user, per user and instrument, or per address,
 * nearly all in 2 s (OD: the official documents, one page an endpoint, of 2026-06-27; "Rate limits"). No
 * header gives the use. A breach is 50011, or 50061 for the sub-account.
 */
import type { LaneClient } from '../kit/addresses.ts';
import type { BudgetRow, Cost } from '../kit/budget.ts';
import { askPaced } from '../kit/paced.ts';
import type { RequestForm } from '../kit/requests.ts';

type Costs = RequestForm['costs'];
type Scope = BudgetRow['scope'];

const WINDOW_MS = 2_000;

function row(name: string, scope: Scope, limit: number, windowMs = WINDOW_MS): BudgetRow {
  return {
    name,
    scope,
    windowMs,
    limit,
    unit: 'requests',
    resets: 'sliding',
    stops: 'orders',
    atStart: 'empty',
    // Small limits spare nothing: at times the whole limit is needed.
    spare: limit >= 20 ? Math.floor(limit / 5) : 0,
  };
}

/** The budget of new and changed orders of a sub-account together ("Sub-account rate limit"). */
export const SUB_ACCOUNT_ORDERS: BudgetRow = {
  ...row('orders 2 s', 'sub-account', 1_000),
  unit: 'orders',
};

/** What a request uses, and the words for it in the table. */
export interface Uses {
  readonly weight: string;
  readonly costs: Costs;
}

/** A limit per address, whoever asks. */
export function ofAddress(name: string, limit: number): Uses {
  const one = row(name, 'address', limit);
  const costs: readonly Cost[] = [{ row: one, of: '', amount: 1 }];
  return { weight: `${limit} in 2 s an address`, costs: () => costs };
}

export function ofUser(name: string, limit: number, windowMs = WINDOW_MS): Uses {
  const one = row(name, 'uid and endpoint', limit, windowMs);
  return {
    weight: `${limit} in ${windowMs / 1_000} s a user`,
    costs: (_parameters, uid) => [{ row: one, of: uid, amount: 1 }],
  };
}

/** A limit per user and instrument. `counts`: also counted among the orders of a sub-account. */
export function ofInstrument(name: string, limit: number, counts = false): Uses {
  const one = row(name, 'uid and instrument', limit);
  return {
    weight: `${limit} in 2 s a user and instrument${counts ? ', 1 of 1,000 orders in 2 s' : ''}`,
    costs: ({ instId = '' }, uid) => [
      { row: one, of: `${uid} ${first(instId)}`, amount: 1 },
      ...(counts ? [{ row: SUB_ACCOUNT_ORDERS, of: uid, amount: 1 }] : []),
    ],
  };
}

/** A limit that counts the orders named in a request. */
export function ofOrders(name: string, limit: number): Uses {
  const one: BudgetRow = { ...row(name, 'uid and instrument', limit), unit: 'orders' };
  return {
    weight: `${limit} orders in 2 s a user and instrument`,
    costs: ({ instId = '' }, uid) => [
      { row: one, of: `${uid} ${first(instId)}`, amount: instId.split('\n').length },
    ],
  };
}

/** New sockets: 3 a second per address. Logins and subscriptions of one socket stay far below 480 an hour. */
const CONNECTS: BudgetRow = row('sockets 1 s', 'address', 3, 1_000);

/** Waits until another socket may be opened, then returns its address. */
export async function turnToConnect(way: LaneClient, address: string): Promise<string> {
  await askPaced(way, [{ row: CONNECTS, of: '', amount: 1 }], async () => true);
  return address;
}

function first(instId: string): string {
  return instId.split('\n')[0] ?? '';
}
