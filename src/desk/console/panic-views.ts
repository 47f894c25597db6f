/** What a terminal's panic acts on, and its lines in the log. Types only. */

import type { OrderView } from '../../domain/order.ts';
import type { BotView, FuturesView } from './protocol.ts';

/** `holdings`: what running bots hold on spot accounts. */
export type PanicPart = 'holdings' | 'bots' | 'orders' | 'positions';

/** A page of the part of a panic's targets that was asked for. */
export interface PanicTargets {
  readonly bots: Readonly<Record<string, BotView>>;
  readonly orders: Readonly<Record<string, OrderView>>;
  readonly futures: Readonly<Record<string, FuturesView>>;
  /** Cursor of the next page; null: this was the last. */
  readonly next: string | null;
}

/** A note for the log about a terminal's panic: what it is about to do, or its outcome. */
export type PanicNote =
  | {
      readonly phase: 'start';
      readonly parts: readonly PanicPart[];
      /** Only what has failed is tried once more. */
      readonly again: boolean;
    }
  | { readonly phase: 'end'; readonly all: number; readonly done: number; readonly failed: number };
