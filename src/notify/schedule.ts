/**
 * When a delivery is tried (strategies.md 8): 5 times over 10 minutes, counted from the first try; then it
 * has failed. Pure functions over the stored delivery and wall time, so that a restart continues where the
 * desk stopped.
 */
import type { AlertDelivery } from '../domain/bot.ts';
import type { Sent } from './target.ts';

/** Time of each try after the beginning of the first one, ms. */
export const TRIES_AT_MS: readonly number[] = [0, 15_000, 60_000, 180_000, 600_000];
/** Tries end this long after the first, also when a receiver asks for more time. */
export const SPAN_MS = 600_000;
/**
 * Shortest time between the beginnings of two tries, also for tries that were due while the desk was down,
 * ms.
 */
export const SHORTEST_WAIT_MS = 15_000;
/** Age at which an alert is too old to be sent, for a desk that was down for long, ms. */
export const EXPIRES_MS = 3_600_000;

export interface Try {
  /** Wall times. */
  readonly begunAt: number;
  readonly endedAt: number;
  readonly sent: Sent;
}

/** Returns the state of a waiting delivery after one try. */
export function afterTry(delivery: AlertDelivery, { begunAt, endedAt, sent }: Try): AlertDelivery {
  const tries = delivery.tries + 1;
  // A wall clock that was set back must not cause all the tries at once.
  const firstAt = Math.min(delivery.firstAt ?? begunAt, begunAt);
  const tried = { ...delivery, tries, firstAt };
  if (sent.ok) return { ...tried, state: 'done', nextAt: null, error: null };
  const { reason } = sent;
  const offset = TRIES_AT_MS[tries];
  if (!sent.retryable || offset === undefined) return failed(tried, reason);
  const planned = Math.max(firstAt + offset, begunAt + SHORTEST_WAIT_MS);
  const asked = sent.retryAfterMs === null ? 0 : endedAt + sent.retryAfterMs;
  if (asked > Math.max(planned, firstAt + SPAN_MS)) {
    return failed(tried, `${reason}, to be tried again only after ${Math.ceil((asked - endedAt) / 1_000)} s`);
  }
  return { ...tried, nextAt: Math.max(planned, asked), error: reason };
}

export function failed(delivery: AlertDelivery, error: string): AlertDelivery {
  return { ...delivery, state: 'failed', nextAt: null, error };
}

/**
 * Returns the wall time at which a waiting delivery is due. A wait longer than the span means that the wall
 * clock was set back.
 */
export function dueAt({ nextAt }: AlertDelivery, now: number): number {
  return nextAt === null || nextAt > now + SPAN_MS ? now : nextAt;
}

/**
 * Returns whether the alert is too old to be sent.
 * @param firedAt wall time of the alert
 */
export function isExpired(firedAt: number, now: number): boolean {
  return now - firedAt > EXPIRES_MS;
}
