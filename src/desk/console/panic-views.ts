/** What a terminal's panic is about, and the lines it leaves in the log. Types only. */

import type { OrderView } from '../../domain/order.ts';
import type { BotView, FuturesView } from './protocol.ts';

/** `holdings`: what running bots hold on spot accounts. */
export type PanicPart = 'holdings' | 'bots' | 'orders' | 'positions';

/** A page of what a panic is about: of the part that was asked for. */
export interface PanicTargets {
  readonly bots: Readonly<Record<string, BotView>>;
  readonly orders: Readonly<Record<string, OrderView>>;
  readonly futures: Readonly<Record<string, FuturesView>>;
  /** For the page after this one; null: it was the last. */
  readonly next: string | null;
}

/** A terminal's panic, for the log: what it is about to do, and what came of it. */
export type PanicNote =
  | {
      readonly phase: 'start';
      readonly parts: readonly PanicPart[];
      /** Only what has failed, once more. */
      readonly again: boolean;
    }
  | { readonly phase: 'end'; readonly all: number; readonly done: number; readonly failed: number };
