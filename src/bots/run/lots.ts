/**
 * What a run holds, lot by lot, and what it has earned (strategies.md 1 "Rounding", 2 run rule 6). A lot is what one entry
 * level bought; dust is what is too little to sell. Exact arithmetic; plain data inside, so that it can be stored. Pure.
 */
import { type Dec, div, floorTo, mul, ONE, ZERO } from '../../domain/decimal.ts';
import type { MarketRules } from '../settings/compiled.ts';
import type { Fill } from './contract.ts';

export interface Lot {
  readonly key: string;
  readonly label: string;
  /** Market time of the first fill. */
  readonly openedAt: number;
  /** Base units still to be sold, net of base fees. */
  qty: Dec;
  /** What `qty` has cost, quote units (short: what it brought). */
  cost: Dec;
  /** Filled quantity before base fees, and its quote amount: the average entry. */
  filledQty: Dec;
  filledQuote: Dec;
  /** Being sold by a stop rule or a close; no exit of the strategy may rest on it. */
  closing: boolean;
}

export interface LotState {
  readonly lots: Lot[];
  dust: Dec;
  dustCost: Dec;
  /** Quote units, all fills. */
  fees: Dec;
  realised: Dec;
  volume: Dec;
  /** `profitAsset` base: bought and kept for good, and what it has cost. */
  kept: Dec;
  keptCost: Dec;
}

export function newLotState(): LotState {
  return {
    lots: [],
    dust: ZERO,
    dustCost: ZERO,
    fees: ZERO,
    realised: ZERO,
    volume: ZERO,
    kept: ZERO,
    keptCost: ZERO,
  };
}

export class LotBook {
  readonly state: LotState;
  readonly #rules: MarketRules;
  readonly #short: boolean;

  constructor(state: LotState, rules: MarketRules, short: boolean) {
    this.state = state;
    // A run that was stored before this was kept with it.
    state.keptCost ??= ZERO;
    this.#rules = rules;
    this.#short = short;
  }

  get open(): readonly Lot[] {
    return this.state.lots;
  }

  get keys(): string[] {
    return this.state.lots.map(({ key }) => key);
  }

  get(key: string): Lot | undefined {
    return this.state.lots.find((lot) => lot.key === key);
  }

  newest(): Lot | undefined {
    return this.state.lots.at(-1);
  }

  /** Base units of all open lots. */
  total(): Dec {
    let sum = ZERO;
    for (const lot of this.state.lots) sum += lot.qty;
    return sum;
  }

  /** Quote units that the open lots have cost. */
  cost(): Dec {
    let sum = ZERO;
    for (const lot of this.state.lots) sum += lot.cost;
    return sum;
  }

  /** Quote units that all fills have taken and not brought back; below zero with what they have earned. */
  paid(): Dec {
    const { dustCost, keptCost, realised } = this.state;
    return this.cost() + dustCost + keptCost - realised;
  }

  /** Mean fill price of the open lots, weighted by filled quantities before base fees; null without a lot. */
  averageEntry(lots: readonly Lot[] = this.state.lots): Dec | null {
    let qty = ZERO;
    let quote = ZERO;
    for (const lot of lots) {
      qty += lot.filledQty;
      quote += lot.filledQuote;
    }
    return qty > ZERO ? div(quote, qty) : null;
  }

  /** Price at which the fees of both ways are paid (strategies.md 2, stop). */
  breakEven(): Dec | null {
    const average = this.averageEntry();
    if (average === null) return null;
    const { takerRate } = this.#rules;
    return this.#short
      ? div(mul(average, ONE - takerRate), ONE + takerRate)
      : div(mul(average, ONE + takerRate), ONE - takerRate);
  }

  /** Unrealised PnL of the open lots at a price, before the fee of the sale. */
  unrealised(price: Dec): Dec {
    const worth = mul(this.total() + this.state.dust, price);
    const cost = this.cost() + this.state.dustCost;
    return this.#short ? cost - worth : worth - cost;
  }

  /** An entry's fill goes to a lot, which it opens when it is not there. */
  buy(key: string, label: string, fill: Fill, qty: Dec, now: number): Lot {
    const quote = mul(qty, fill.price);
    const share = (amount: Dec) => (qty === fill.qty ? amount : div(mul(amount, qty), fill.qty));
    const fee = share(fill.fee);
    const inBase = fill.feeAsset === this.#rules.base && this.#rules.kind === 'spot';
    let lot = this.get(key);
    if (!lot) {
      lot = {
        key,
        label,
        openedAt: now,
        qty: ZERO,
        cost: ZERO,
        filledQty: ZERO,
        filledQuote: ZERO,
        closing: false,
      };
      this.state.lots.push(lot);
    }
    lot.qty += inBase ? qty - fee : qty;
    lot.cost += quote;
    lot.filledQty += qty;
    lot.filledQuote += quote;
    this.#count(fill, qty, fee);
    // A base fee is in the cost already; one in quote or margin asset is paid now.
    if (!inBase) this.state.realised -= this.#inQuote(fee, fill);
    return lot;
  }

  /** An exit's fill takes from the lots in the order given; returns the keys of those that are empty now. */
  sell(keys: readonly string[], fill: Fill): string[] {
    let rest = fill.qty;
    const gone: string[] = [];
    let cost = ZERO;
    for (const key of keys) {
      const lot = this.get(key);
      if (!lot || rest === ZERO) continue;
      const taken = rest < lot.qty ? rest : lot.qty;
      const part = taken === lot.qty ? lot.cost : div(mul(lot.cost, taken), lot.qty);
      cost += part;
      lot.cost -= part;
      lot.qty -= taken;
      rest -= taken;
      if (lot.qty === ZERO) gone.push(key);
    }
    this.#drop(gone);
    const proceeds = mul(fill.qty, fill.price);
    this.#count(fill, fill.qty, fill.fee);
    const gross = this.#short ? cost - proceeds : proceeds - cost;
    this.state.realised += gross - this.#inQuote(fill.fee, fill);
    return gone;
  }

  /**
   * Makes what these lots hold, with the dust so far, a multiple of the step: the rest is the new dust. Returns the
   * quantity to sell; zero when it is below the exchange's minimum, in which case all of it has become dust.
   */
  sellable(keys: readonly string[], price: Dec): Dec {
    const lots = this.#those(keys);
    const last = lots.at(-1);
    if (!last) return ZERO;
    if (this.isTooSmall(keys, price)) {
      for (const lot of lots) {
        this.state.dust += lot.qty;
        this.state.dustCost += lot.cost;
      }
      this.#drop(lots.map(({ key }) => key));
      return ZERO;
    }
    last.qty += this.state.dust;
    last.cost += this.state.dustCost;
    this.state.dust = ZERO;
    this.state.dustCost = ZERO;
    const whole = floorTo(this.#sum(lots), this.#rules.step);
    this.#shave(lots, this.#sum(lots) - whole);
    return whole;
  }

  /** With the dust so far an exit of these lots would be below the exchange's minimum. */
  isTooSmall(keys: readonly string[], price: Dec): boolean {
    const { step, minQty, minNotional, kind } = this.#rules;
    const whole = floorTo(this.#sum(this.#those(keys)) + this.state.dust, step);
    return kind === 'spot' && (whole === ZERO || whole < minQty || mul(whole, price) < minNotional);
  }

  /** Takes what these lots still hold out of the position for good (`profitAsset` base). */
  keep(keys: readonly string[]): void {
    for (const { qty, cost } of this.#those(keys)) {
      this.state.kept += qty;
      this.state.keptCost += cost;
    }
    this.#drop(keys);
  }

  /** A position that was there before the run (tpsl). */
  adopt(key: string, label: string, qty: Dec, price: Dec, now: number): void {
    const quote = mul(qty, price);
    this.state.lots.push({
      key,
      label,
      openedAt: now,
      qty,
      cost: quote,
      filledQty: qty,
      filledQuote: quote,
      closing: false,
    });
  }

  /** Takes `rest`, less than a step, from the lots into the dust: from the newest first. */
  #shave(lots: readonly Lot[], rest: Dec): void {
    let left = rest;
    for (let i = lots.length - 1; i >= 0 && left > ZERO; i--) {
      const lot = lots[i] as Lot;
      const taken = left < lot.qty ? left : lot.qty;
      const cost = div(mul(lot.cost, taken), lot.qty);
      lot.qty -= taken;
      lot.cost -= cost;
      this.state.dust += taken;
      this.state.dustCost += cost;
      left -= taken;
      if (lot.qty === ZERO) this.#drop([lot.key]);
    }
  }

  /** What others have made of an adopted position; zero drops it. */
  resize(key: string, qty: Dec): void {
    const lot = this.get(key);
    if (!lot) return;
    lot.cost = lot.qty > ZERO ? div(mul(lot.cost, qty), lot.qty) : ZERO;
    lot.qty = qty;
    if (qty === ZERO) this.#drop([key]);
  }

  /** The lot is the account's again, unsold. */
  abandon(key: string): void {
    this.#drop([key]);
  }

  #those(keys: readonly string[]): Lot[] {
    return keys.map((key) => this.get(key)).filter((lot) => lot !== undefined);
  }

  #sum(lots: readonly Lot[]): Dec {
    let sum = ZERO;
    for (const lot of lots) sum += lot.qty;
    return sum;
  }

  #drop(keys: readonly string[]): void {
    if (keys.length === 0) return;
    const { lots } = this.state;
    for (let i = lots.length - 1; i >= 0; i--) {
      if (keys.includes((lots[i] as Lot).key)) lots.splice(i, 1);
    }
  }

  #count(fill: Fill, qty: Dec, fee: Dec): void {
    this.state.volume += mul(qty, fill.price);
    this.state.fees += this.#inQuote(fee, fill);
  }

  #inQuote(fee: Dec, fill: Fill): Dec {
    const inBase = fill.feeAsset === this.#rules.base && this.#rules.kind === 'spot';
    return inBase ? mul(fee, fill.price) : fee;
  }
}
