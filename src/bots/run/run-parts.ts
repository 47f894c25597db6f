/** A run as the functions that carry out its parts see it: its end, what comes after that, what would wake it. Types only. */

import type { Dec } from '../../domain/decimal.ts';
import type { Fill, RunAction, RunOrder } from './contract.ts';
import type { RunBase } from './run-base.ts';
import type { Slot } from './slot.ts';
import type { StopBook } from './stop-book.ts';

export interface RunParts extends RunBase {
  readonly stops: StopBook;
  /** What is to be done, by the run and by its slots. */
  act(action: RunAction): void;
  /** Places and cancels until nothing is left to do. */
  sync(): void;
  /** A fill of an entry; `from` is what had filled before. */
  bought(order: RunOrder, fill: Fill, from: Dec): void;
  /** A fill of an exit takes from its lots. */
  sold(order: RunOrder, fill: Fill): void;
  /** The exchange has refused to cancel an order. */
  stays(slot: Slot, order: RunOrder): void;
  /** Lots too small for an exit have become dust. */
  vanished(slot: string, lots: readonly string[]): void;
}
