/**
 * One tick in a run (strategies.md R10): first its stops, then its own decision. While a stop's sale is on its way to the
 * market the decision waits; it is made about the last price as soon as the sale is over. So a run that hears of its sale
 * later than of the tick decides as one that heard of it before. Pure.
 */
import type { Dec } from '../../domain/decimal.ts';
import type { PricePoint } from './contract.ts';

/** A tick that a run has been given and has not decided about. Stored with the run. */
export interface WaitingTick {
  /** The stop rules have looked at it. */
  readonly looked: boolean;
  /** Its market time, Unix ms. */
  readonly at: number;
  /** The last tick that was decided about. */
  readonly before: PricePoint | null;
}

/** What is needed of the run. */
export interface TickRun {
  readonly state: { tick: WaitingTick | null };
  readonly stops: {
    /** A rule has fired and its sale has not been sent yet. */
    hasFired(): boolean;
    /** A sale of a rule is on its way. */
    isSelling(): boolean;
  };
  readonly price: Dec;
  /** Market time, Unix ms. */
  readonly now: number;
  /** What is remembered of the tick must be stored. */
  changed: boolean;
  /** Filters, and stop rules with what the run holds of them itself. */
  lookAtStops(price: Dec): void;
  /** All else. */
  decide(price: Dec): void;
  /** Places and cancels what is wanted. */
  sync(): void;
}

export class TickTurn {
  /** The last tick that was decided about, null at the first; for "coming from above" and crossings. */
  before: PricePoint | null = null;
  readonly #run: TickRun;

  constructor(run: TickRun) {
    this.#run = run;
    // A run that was stored before this was kept.
    run.state.tick ??= null;
    this.before = run.state.tick?.before ?? null;
  }

  /** A tick has not been decided about. */
  get waits(): boolean {
    return this.#run.state.tick !== null;
  }

  /** A new last price. */
  tick(): void {
    const run = this.#run;
    if (!run.stops.isSelling()) {
      this.#take(false, run.now);
      return;
    }
    // Rules must not count lots that are being sold at this tick; for the end of a sale that lasts they do not wait.
    const looked = this.waits;
    run.state.tick = { looked, at: run.now, before: this.before };
    run.changed = true;
    if (looked) run.lookAtStops(run.price);
  }

  /** After each input: the decision that has waited, if nothing is being sold any more. */
  goOn(): void {
    const run = this.#run;
    const { tick } = run.state;
    if (!tick || run.stops.isSelling()) return;
    run.changed = true;
    this.#take(tick.looked, tick.at);
    run.sync();
  }

  #take(looked: boolean, at: number): void {
    const run = this.#run;
    const { price } = run;
    if (!looked) {
      // What the stops lead to comes before the decision.
      run.state.tick = { looked: true, at, before: this.before };
      run.lookAtStops(price);
      // At once, so that it is known what is on its way.
      if (run.stops.hasFired()) run.sync();
      if (run.stops.isSelling()) {
        run.changed = true;
        return;
      }
    }
    run.state.tick = null;
    run.decide(price);
    this.before = { price, at };
  }
}
