/** Pauses between the queries about lost outcomes, and how long a request may be under way. */
import type { ExchangeCaps } from '../domain/exchange.ts';

/** Added to the exchange's validity window: its clock and the desk's may differ. */
export const CLOCK_MARGIN_MS = 1_000;
/**
 * Returns the time after its sending when a request cannot arrive any more and every replica of the exchange
 * would know of it, ms.
 */
export function provenAfterMs({ validityWindowMs, settleMs = 0 }: ExchangeCaps): number {
  return validityWindowMs + CLOCK_MARGIN_MS + settleMs;
}

/** Delay after the first, second, ... query; the last one repeats. */
const BACK_OFF_MS = [250, 500, 1_000, 2_000, 5_000, 10_000] as const;

/** Returns the pause after a query when `asked` queries were sent before it. */
export function backOff(asked: number): number {
  return BACK_OFF_MS[Math.min(asked, BACK_OFF_MS.length - 1)] ?? 10_000;
}
