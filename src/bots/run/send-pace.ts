/**
 * How often a slot may send within one moment of market time (strategies.md R1): what is bought and sold, or placed and
 * given back, at one price must not go in a circle. What is over waits for the next tick.
 */

import type { Wanted } from './contract.ts';
import type { Slot } from './slot.ts';

/** Times that one slot sends within one moment. */
export const MOST_SENDS = 3;

export class SendPace {
  #moment = Number.NEGATIVE_INFINITY;
  /** What was sent at the present moment, once for each time, and what has to wait for the next; null: nothing. */
  #sent: string[] | null = null;

  /** `now`: market time, Unix ms. False: the slot has sent its part for this moment. */
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

  /** It has to wait. True: for the first time within this moment. */
  waits(slot: string): boolean {
    const mark = `${slot} waits`;
    if (this.#sent?.includes(mark)) return false;
    this.#sent?.push(mark);
    return true;
  }

  /** Forgets a moment that is over. */
  #begin(now: number): void {
    if (now === this.#moment) return;
    this.#moment = now;
    this.#sent = null;
  }
}

/** What is counted: an entry's slot; an exit of one lot or position, and apart from what rests for it the sale itself. */
export function paceName({ name, fired }: Slot, want: Wanted): string {
  if (want.role === 'entry') return name;
  const sells = fired || (want.type === 'MARKET' && want.stopPrice === null);
  return `${name} ${want.lots[0] ?? ''}${sells ? ' sale' : ''}`;
}
