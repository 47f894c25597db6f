/**
 * One tick in a run (strategies.md R10): first its stops, then its own decision. While a stop's sale is on
 * its way to the market the decision waits; it is made about the last price as soon as the sale is over. So a
 * run that hears of its sale later than of the tick decides in the same way as one that heard of it before.
 * Pure.
 */
import type { Dec } from '../../domain/decimal.ts';
import type { PricePoint } from './contract.ts';

/** A tick that was given to a run and not decided about yet. Stored with the run. */
export interface WaitingTick {
  /** The stop rules have checked the tick. */
  readonly looked: boolean;
  /** Its market time, Unix ms. */
  readonly at: number;
  /** The last tick that was decided about. */
  readonly before: PricePoint | null;
}

/** What a tick needs of its run. */
export interface TickRun {
  readonly state: { tick: WaitingTick | null };
  readonly stops: {
    /** True when a rule has fired and its sale has not been sent yet. */
    hasFired(): boolean;
    /** True while a sale of a rule is on its way. */
    isSelling(): boolean;
  };
  readonly price: Dec;
  /** Market time, Unix ms. */
  readonly now: number;
  /** The state of the tick has changed and must be stored. */
  changed: boolean;
  /** Checks the filters, and the stop rules that the run holds itself. */
  lookAtStops(price: Dec): void;
  /** Does everything else of the tick. */
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
    // States that were stored by older versions do not have this field.
    run.state.tick ??= null;
    this.before = run.state.tick?.before ?? null;
  }

  /** True while a tick waits for its decision. */
  get waits(): boolean {
    return this.#run.state.tick !== null;
  }

  /** Handles a new last price. */
  tick(): void {
    const run = this.#run;
    if (!run.stops.isSelling()) {
      this.#take(false, run.now);
      return;
    }
    // Rules must not count lots that are being sold at this tick; but when a sale lasts, they do not wait for
    // its end.
    const looked = this.waits;
    run.state.tick = { looked, at: run.now, before: this.before };
    run.changed = true;
    if (looked) run.lookAtStops(run.price);
  }

  /** Makes the decision that has waited if nothing is being sold any more; called after each input. */
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
      // The effects of the stops come before the decision.
      run.state.tick = { looked: true, at, before: this.before };
      run.lookAtStops(price);
      // Synced at once, so that it is known which orders are on their way.
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
