/**
 * What a backtest records of a run besides the run's own figures: its trades, the time in which it held
 * something, the result of its cycles.
 */
import { type Dec, mul, ZERO } from '../../domain/decimal.ts';
import type { Fill, Role } from '../run/contract.ts';
import type { Run } from '../run/run.ts';

/** One fill. */
export interface Trade extends Fill {
  /** Market time, Unix ms. */
  readonly at: number;
  readonly side: 'BUY' | 'SELL';
  readonly role: Role;
  /** The strategy's name for the level. */
  readonly label: string;
  /** Change of the realised PnL, quote or margin units; for an entry its fee, where that is paid in quote. */
  readonly realised: Dec;
}

export class RunRecorder {
  readonly trades: Trade[] = [];
  /** Sums of the winning and of the losing cycles; both positive. */
  gains: Dec = ZERO;
  losses: Dec = ZERO;
  readonly #run: Run;
  #heldMs = 0;
  #heldSince: number | null = null;
  #cycles = 0;
  #cycleFrom: Dec = ZERO;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Prepares the record of a fill that the run is about to get; call the returned function afterwards. */
  fill(key: string, fill: Fill, at: number): (() => void) | null {
    const order = this.#run.slots.find(key)?.order;
    if (!order) return null;
    const before = this.#run.lots.state.realised;
    const { side, role, label } = order;
    return () => {
      const realised = this.#run.lots.state.realised - before;
      this.trades.push({ ...fill, at, side, role, label, realised });
    };
  }

  /** Updates the record after the run has had an input. */
  follow(now: number): void {
    const { lots, state } = this.#run;
    const holds = lots.open.length > 0;
    if (holds) this.#heldSince ??= now;
    else if (this.#heldSince !== null) {
      this.#heldMs += now - this.#heldSince;
      this.#heldSince = null;
    }
    const earned = state.cycleFrom - this.#cycleFrom;
    this.#cycleFrom = state.cycleFrom;
    if (state.stats.cycles === this.#cycles) return;
    this.#cycles = state.stats.cycles;
    if (earned > ZERO) this.gains += earned;
    else this.losses -= earned;
  }

  /** Time during which a lot was open, up to `now`, ms. */
  heldMs(now: number): number {
    return this.#heldMs + (this.#heldSince === null ? 0 : now - this.#heldSince);
  }
}

/** Quote amount of a fill. */
export function quoteOf({ price, qty }: Pick<Fill, 'price' | 'qty'>): Dec {
  return mul(price, qty);
}
