/**
 * What the orders of a run would buy and sell at this moment: quantities, and the lots that they belong to
 * (strategies.md 1 "Rounding", 2). Pure reads.
 */
import { ceilTo, type Dec, div, floorTo, mul, ONE, ZERO } from '../../domain/decimal.ts';
import type { WantedEntry, WantedExit } from './contract.ts';
import type { SlotContext, SlotState } from './slot.ts';
import { partQty } from './wants.ts';

export class Sizes {
  readonly #state: SlotState;
  readonly #run: SlotContext;

  constructor(state: SlotState, run: SlotContext) {
    this.#state = state;
    this.#run = run;
  }

  anyOpen(want: WantedExit): boolean {
    if (want.lots.length === 0) return this.#run.lots.open.length > 0;
    return want.lots.some((lot) => this.#run.lots.get(lot));
  }

  lotsOf(want: WantedExit): readonly string[] {
    return want.lots.length > 0 ? want.lots : this.#run.lots.open.map(({ key }) => key);
  }

  /** Returns the part of `qty` that can be sold, rounded as `#placeExit` does. */
  partOf(want: WantedExit, qty: Dec, step: Dec): Dec {
    const { lots } = this.#run;
    const all = this.held(this.lotsOf(want)) + lots.state.dust;
    return floorTo(qty < all ? qty : all, step);
  }

  /**
   * Quantity that the lots hold and an exit order may sell now; dust joins with the next order that is
   * placed.
   */
  held(lots: readonly string[]): Dec {
    let sum = ZERO;
    for (const key of lots) sum += this.#run.lots.get(key)?.qty ?? ZERO;
    return sum;
  }

  sizeOf(want: WantedEntry, price: Dec | null, step = this.#run.rules.step): Dec {
    const at = price ?? this.#run.price() ?? ZERO;
    let sum = ZERO;
    for (const part of want.parts) sum += partQty(part, at, step);
    return sum;
  }

  /**
   * Returns the quantity to sell: with `profitAsset` base only what brings the cost back (strategies.md 2).
   */
  takeBack(want: WantedExit, all: Dec, price: Dec): Dec {
    const { rules, lots } = this.#run;
    if (!this.takesBack(want)) return all;
    let cost = ZERO;
    for (const key of want.lots) cost += lots.get(key)?.cost ?? ZERO;
    const net = mul(price, ONE - rules.makerRate);
    return net > ZERO ? ceilTo(div(cost, net), rules.step) : all;
  }

  takesBack(want: WantedExit): boolean {
    const { settings, rules } = this.#run;
    return settings.profitAsset === 'base' && rules.kind === 'spot' && want.stopPrice === null;
  }

  /**
   * True while an entry that buys for one of these lots rests or is being cancelled; orders that an ending
   * run leaves do not count.
   */
  isBought(lots: readonly string[]): boolean {
    for (const slot of this.#state.slots.values()) {
      if (slot.left) continue;
      for (const { role, into } of slot.orders)
        if (role === 'entry' && into.some(({ lot }) => lots.includes(lot))) return true;
    }
    return false;
  }
}
