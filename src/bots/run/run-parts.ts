/**
 * A run as the functions that carry out its parts see it: its end, what follows after the end, what would
 * wake it. Types only.
 */

import type { Dec } from '../../domain/decimal.ts';
import type { Fill, RunAction, RunOrder } from './contract.ts';
import type { RunBase } from './run-base.ts';
import type { Slot } from './slot.ts';
import type { StopBook } from './stop-book.ts';

export interface RunParts extends RunBase {
  readonly stops: StopBook;
  /** Adds an action; called by the run and by its slots. */
  act(action: RunAction): void;
  /** Places and cancels until nothing is left to do. */
  sync(): void;
  /** Books a fill of an entry; `from` is the quantity that had filled before. */
  bought(order: RunOrder, fill: Fill, from: Dec): void;
  /** Takes a fill of an exit from its lots. */
  sold(order: RunOrder, fill: Fill): void;
  /** Handles the exchange's refusal to cancel an order. */
  stays(slot: Slot, order: RunOrder): void;
  /** Handles lots that were too small for an exit and have become dust. */
  vanished(slot: string, lots: readonly string[]): void;
}
