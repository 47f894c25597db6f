/**
 * How often a slot may send within one moment of market time: an entry that its own stop or target closes at once, at the
 * price it was bought at, must not trade in a circle for fees (strategies.md R1). What is over waits for the next tick.
 */
const MOST = {
  entry: 3,
  /** As many as entries can ask for, and more: what was bought must not stay without its exit. A net against a run that goes round. */
  exit: 30,
} as const;

export class SendPace {
  #moment = Number.NEGATIVE_INFINITY;
  readonly #sends = new Map<string, number>();

  /** `now`: market time, Unix ms. False: the slot has sent its part for this moment. */
  allows(slot: string, role: keyof typeof MOST, now: number): boolean {
    this.#begin(now);
    return (this.#sends.get(slot) ?? 0) < MOST[role];
  }

  sent(slot: string, now: number): void {
    this.#begin(now);
    this.#sends.set(slot, (this.#sends.get(slot) ?? 0) + 1);
  }

  #begin(now: number): void {
    if (now === this.#moment) return;
    this.#moment = now;
    this.#sends.clear();
  }
}
