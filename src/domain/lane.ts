/** Priorities of requests where an exchange does not take all of them at once (money-at-risk.md 4). Pure. */

/**
 * The lanes, most urgent first. `protective`: orders that close a position and must not be late, stops and
 * market orders; `renewal`: renewals of a dead-man switch, few but soon too late; `exit`: other closing
 * orders; `entry`: every other order; `read`: queries.
 */
export const LANES = ['protective', 'cancel', 'renewal', 'exit', 'entry', 'read'] as const;

export type Lane = (typeof LANES)[number];

/** Longest time for which an entry of a person or a program waits for its turn, ms. */
export const SEND_WITHIN_MS = 2_000;

/** How an order may be sent: decided by the engine, kept by the part that sends it. */
export interface SendTerms {
  readonly lane: Lane;
  /** Longest time for which it may wait for its turn, ms; null: no limit. */
  readonly waitMs: number | null;
}
