/** Which request goes first where an exchange does not take all of them at once (money-at-risk.md 4). Pure. */

/**
 * The first one goes first. `protective`: what closes a position and must not be late, stops and market orders; `renewal`: of a
 * dead-man switch, few and late too soon; `exit`: what else closes; `entry`: every other order; `read`: questions.
 */
export const LANES = ['protective', 'cancel', 'renewal', 'exit', 'entry', 'read'] as const;

export type Lane = (typeof LANES)[number];

/** So long an entry of a person or a program waits for its turn at most, ms. */
export const SEND_WITHIN_MS = 2_000;

/** How an order may be sent: decided by the engine, kept by whoever sends it. */
export interface SendTerms {
  readonly lane: Lane;
  /** So long it may wait for its turn, ms; null: without limit. */
  readonly waitMs: number | null;
}
