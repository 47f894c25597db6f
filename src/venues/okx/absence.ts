/**
 * What proves that an order is not at OKX, and never was: which lists are looked at, how long each keeps what has ended, and how long
 * after it was sent nobody can say. Data with its sources; `order-questions.ts` looks by it, the engine waits by `provenAfterMs`.
 *
 * A client id is unique among pending orders only ("Place order": clOrdId; error 51016), so nothing is ever sent again under one: what
 * is asked here decides.
 */
import { EXPIRES_MS, SIGNED_MS } from './dialect.ts';

export interface AbsenceRow {
  readonly book: 'orders' | 'conditional orders';
  /** Questions that must all deny it, in this order. */
  readonly denied: readonly string[];
  /** So long after its stamp a request may still be taken, ms. */
  readonly validMs: number;
  /** So long an answer may lag behind, ms. */
  readonly settleMs: number;
  /** How long what ended without an execution is told, ms: absence of what is older proves nothing. */
  readonly keptMs: number;
  readonly source: string;
}

const HOUR_MS = 3_600_000;

/** Lists may lag by this, ms: not documented, reckoned as for the other exchanges. */
export const SETTLE_MS = 5_000;

export const ORDERS_ABSENCE: AbsenceRow = {
  book: 'orders',
  denied: ['order (51603)', 'open orders', 'orders that have ended', 'executions'],
  validMs: EXPIRES_MS,
  settleMs: SETTLE_MS,
  keptMs: 2 * HOUR_MS,
  source:
    'OD Order details; Order history (last 7 days): canceled without an execution only 2 hours; Transaction timeouts: expTime',
};

export const ALGO_ABSENCE: AbsenceRow = {
  book: 'conditional orders',
  denied: ['conditional order (51603)', 'open conditional orders'],
  // There is no expTime for these: the signature alone bounds them.
  validMs: SIGNED_MS,
  settleMs: SETTLE_MS,
  keptMs: 90 * 24 * HOUR_MS,
  source: 'OD Algo order details; Algo order history (last 3 months); REST Authentication: 30 s',
};

export const ABSENCE_ROWS: readonly AbsenceRow[] = [ORDERS_ABSENCE, ALGO_ABSENCE];

/** Our own clock and the exchange's may differ by this, ms. */
const MARGIN_MS = 1_000;

/** So long after it was sent a conditional order may still come to light, ms. */
export const ALGO_PROVEN_AFTER_MS = ALGO_ABSENCE.validMs + ALGO_ABSENCE.settleMs + MARGIN_MS;
