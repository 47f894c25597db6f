/**
 * How often a slot may send within one moment of market time (strategies.md R1): buying and selling, or
 * placing and ending unfilled, at one price must not go in a circle. Orders beyond the limit wait for the
 * next tick.
 */

import type { Wanted } from './contract.ts';
import type { Slot } from './slot.ts';

/** Number of times that one slot may send within one moment. */
export const MOST_SENDS = 3;

export class SendPace {
  #moment = Number.NEGATIVE_INFINITY;
  /**
   * Names that have sent at the present moment, one entry for each time, and marks of those that wait for the
   * next moment; null: none.
   */
  #sent: string[] | null = null;

  /** `now`: market time, Unix ms. False: the slot has reached its limit for this moment. */
  allows(slot: string, now: number): boolean {
    this.#begin(now);
    let count = 0;
    for (const one of this.#sent ?? []) if (one === slot) count++;
    return count < MOST_SENDS;
  }

  sent(slot: string, now: number): void {
    this.#begin(now);
    this.#sent ??= [];
    this.#sent.push(slot);
  }

  /** Notes that the slot has to wait. True: for the first time within this moment. */
  waits(slot: string): boolean {
    const mark = `${slot} waits`;
    if (this.#sent?.includes(mark)) return false;
    this.#sent?.push(mark);
    return true;
  }

  /** Forgets the counts when the moment is over. */
  #begin(now: number): void {
    if (now === this.#moment) return;
    this.#moment = now;
    this.#sent = null;
  }
}

/**
 * Name that is counted: for an entry its slot; for an exit its lot or position, with a sale counted apart
 * from an order that rests.
 */
export function paceName({ name, fired }: Slot, want: Wanted): string {
  if (want.role === 'entry') return name;
  const sells = fired || (want.type === 'MARKET' && want.stopPrice === null);
  return `${name} ${want.lots[0] ?? ''}${sells ? ' sale' : ''}`;
}
