/**
 * The paper exchange's own group commit, separate from the engine's: what one turn of the event loop changed
 * is stored in one transaction, and only then are answers and events delivered, in order. Nothing is
 * delivered from a transaction that failed.
 */
import type { Clock } from '../../domain/clock.ts';
import type { Row } from '../../domain/rows.ts';

/** Stores the exchange's rows: all or none, durable on return; throws when it could not. */
export interface PaperLane {
  commit(rows: readonly Row[]): void;
}

/** Called once the rows before it are durable (`failed` null), or with the reason why they are not. */
export type Delivery = (failed: string | null) => void;

interface Batch {
  /** By table and id: only the last of several versions within one turn is stored. */
  readonly rows: Map<string, Row>;
  readonly deliveries: Delivery[];
}

const newBatch = (): Batch => ({ rows: new Map(), deliveries: [] });

export class GroupCommit {
  readonly #lane: PaperLane;
  readonly #clock: Clock;
  /** Discards the memory and reads it from the store; runs before the failed batch's deliveries. */
  readonly #onFailure: (error: Error) => void;
  #batch = newBatch();
  #scheduled = false;

  constructor(lane: PaperLane, clock: Clock, onFailure: (error: Error) => void) {
    this.#lane = lane;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** True while something waits for its commit: whoever reads meanwhile has to wait for it too. */
  get pending(): boolean {
    return this.#batch.deliveries.length > 0 || this.#batch.rows.size > 0;
  }

  add(rows: readonly Row[], delivery: Delivery): void {
    for (const row of rows) {
      if (row.kind === 'paper') this.#batch.rows.set(`${row.table} ${row.id}`, row);
    }
    this.#batch.deliveries.push(delivery);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#clock.endOfTurn(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  /** Commits now. False: the commit failed. */
  flush(): boolean {
    if (!this.pending) return true;
    const batch = this.#batch;
    this.#batch = newBatch();
    try {
      if (batch.rows.size > 0) this.#lane.commit([...batch.rows.values()]);
    } catch (error) {
      this.#fail(batch, error);
      return false;
    }
    for (const deliver of batch.deliveries) deliver(null);
    return true;
  }

  /** Drops the waiting batch, since an operation failed halfway. */
  abandon(error: unknown): void {
    const batch = this.#batch;
    this.#batch = newBatch();
    this.#fail(batch, error);
  }

  #fail(batch: Batch, error: unknown): void {
    const cause = error instanceof Error ? error : new Error(String(error));
    this.#onFailure(cause);
    for (const deliver of batch.deliveries) deliver(`the exchange could not store it: ${cause.message}`);
  }
}
