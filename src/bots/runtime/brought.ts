/** What the orders of each run have brought back to the free balance within one step, by asset: the exchange tells of its balances later. */
import { type Dec, ZERO } from '../../domain/decimal.ts';
import type { OrderChange } from '../run/contract.ts';
import type { LiveRun } from './live-run.ts';

export class Brought {
  readonly #sums = new Map<LiveRun, Map<string, Dec>>();

  add(live: LiveRun, change: OrderChange): void {
    const brought = live.brought(change);
    if (!brought) return;
    const sums = this.#sums.get(live) ?? new Map<string, Dec>();
    sums.set(brought.asset, (sums.get(brought.asset) ?? ZERO) + brought.amount);
    this.#sums.set(live, sums);
  }

  of(live: LiveRun, asset: string): Dec {
    return this.#sums.get(live)?.get(asset) ?? ZERO;
  }

  /** The step is over. */
  clear(): void {
    this.#sums.clear();
  }
}
