/** Pauses between the questions about what got lost, and how long a request may be under way. */
import type { ExchangeCaps } from '../domain/exchange.ts';

/** Added to the exchange's validity window: its clock and ours may differ. */
export const CLOCK_MARGIN_MS = 1_000;
/** So long after a request has left it can arrive no more, and every replica of the exchange has heard of it if it has, ms. */
export function provenAfterMs({ validityWindowMs, settleMs = 0 }: ExchangeCaps): number {
  return validityWindowMs + CLOCK_MARGIN_MS + settleMs;
}

/** Delay after the first, second, ... question; the last one repeats. */
const BACK_OFF_MS = [250, 500, 1_000, 2_000, 5_000, 10_000] as const;

/** Pause after a question when `asked` were asked before it. */
export function backOff(asked: number): number {
  return BACK_OFF_MS[Math.min(asked, BACK_OFF_MS.length - 1)] ?? 10_000;
}
