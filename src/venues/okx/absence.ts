/**
 * What proves that an order is not at OKX and never was: which lists are searched, how long each keeps ended
 * orders, and how long after sending nothing can be said. Data with its sources: `order-questions.ts`
 * searches by it, the engine waits by `provenAfterMs`.
 *
 * A client id is unique among pending orders only ("Place order": clOrdId; error 51016), so no id is ever
 * sent twice: the answers to these requests decide.
 */
import { EXPIRES_MS, SIGNED_MS } from './dialect.ts';

export interface AbsenceRow {
  readonly book: 'orders' | 'conditional orders';
  /** Requests that must all deny the order, in this sequence. */
  readonly denied: readonly string[];
  /** How long after its timestamp a request may still be accepted, ms. */
  readonly validMs: number;
  /** How long an answer may lag, ms. */
  readonly settleMs: number;
  /**
   * How long orders that ended without an execution are listed, ms: for older ones absence proves nothing.
   */
  readonly keptMs: number;
  readonly source: string;
}

const HOUR_MS = 3_600_000;

/** Longest lag of a list, ms: not documented, assumed as for the other exchanges. */
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
  // Conditional orders have no expTime: only the signature limits their age.
  validMs: SIGNED_MS,
  settleMs: SETTLE_MS,
  keptMs: 90 * 24 * HOUR_MS,
  source: 'OD Algo order details; Algo order history (last 3 months); REST Authentication: 30 s',
};

export const ABSENCE_ROWS: readonly AbsenceRow[] = [ORDERS_ABSENCE, ALGO_ABSENCE];

/** Largest difference between our clock and the exchange's, ms. */
const MARGIN_MS = 1_000;

/** How long after it was sent a conditional order may still appear, ms. */
export const ALGO_PROVEN_AFTER_MS = ALGO_ABSENCE.validMs + ALGO_ABSENCE.settleMs + MARGIN_MS;
