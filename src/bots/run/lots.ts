/**
 * What a run holds, lot by lot, and what it has earned (strategies.md 1 "Rounding", 2 run rule 6). A lot is
 * what one entry level bought; dust is what is too little to sell. Exact arithmetic; the state is plain data,
 * so that it can be stored. Pure.
 */
import { type Dec, div, floorTo, maxDec, mul, ONE, ZERO } from '../../domain/decimal.ts';
import type { CommonSettings, MarketRules } from '../settings/compiled.ts';
import { takesSmallExits } from '../settings/market-rules.ts';
import type { Fill } from './contract.ts';
import { inProportion } from './proportion.ts';

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
  /** The lot is being sold by a stop rule or a close; no exit of the strategy may rest on it. */
  closing: boolean;
}

export interface LotState {
  readonly lots: Lot[];
  dust: Dec;
  dustCost: Dec;
  /** Fees of all fills, quote units. */
  fees: Dec;
  realised: Dec;
  /**
   * Highest amount ever earned beyond what was paid: from then on it belongs to the account, and others may
   * use it.
   */
  earned: Dec;
  volume: Dec;
  /** `profitAsset` base: quantity that was bought and is kept for good, and its cost. */
  kept: Dec;
  keptCost: Dec;
  /**
   * Base units that others have closed of the position, and that the run has sold beyond what it held
   * (futures).
   */
  lost: Dec;
  oversold: Dec;
}

export function newLotState(): LotState {
  return {
    lots: [],
    dust: ZERO,
    dustCost: ZERO,
    fees: ZERO,
    realised: ZERO,
    earned: ZERO,
    volume: ZERO,
    kept: ZERO,
    keptCost: ZERO,
    lost: ZERO,
    oversold: ZERO,
  };
}

export class LotBook {
  readonly state: LotState;
  readonly #rules: MarketRules;
  readonly #short: boolean;
  /** A sale's proceeds also pay for the base units that are kept (`profitAsset` base). */
  readonly #keepsBase: boolean;

  constructor(
    state: LotState,
    rules: MarketRules,
    short: boolean,
    profitAsset: CommonSettings['profitAsset'] = 'quote',
  ) {
    this.state = state;
    this.#rules = rules;
    this.#short = short;
    this.#keepsBase = profitAsset === 'base' && rules.kind === 'spot';
    // States that were stored by older versions do not have these fields.
    state.keptCost ??= ZERO;
    state.lost ??= ZERO;
    state.oversold ??= ZERO;
    state.earned ??= maxDec(this.#gained(), ZERO);
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

  /** Sum of all open lots, base units. */
  total(): Dec {
    let sum = ZERO;
    for (const lot of this.state.lots) sum += lot.qty;
    return sum;
  }

  /** Cost of the open lots, quote units. */
  cost(): Dec {
    let sum = ZERO;
    for (const lot of this.state.lots) sum += lot.cost;
    return sum;
  }

  /** Quote units that all fills have taken and not brought back; negative when they have earned more. */
  paid(): Dec {
    const { dustCost, keptCost, realised } = this.state;
    return this.cost() + dustCost + keptCost - realised;
  }

  /**
   * Quote units that have left the budget: for what is held or kept, or by losses. Earnings never belong to
   * the budget and do not pay for later losses: others may have used them by then.
   */
  spent(): Dec {
    return this.paid() + this.state.earned;
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

  /** Price at which the fees of both ways are covered (strategies.md 2, stop). */
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

  /** Books an entry's fill in its lot, which is opened when it does not exist. */
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
    // A base fee is in the cost already; a fee in another asset is paid now.
    if (!inBase) this.#realise(-this.#inQuote(fee, fill));
    return lot;
  }

  /**
   * Takes an exit's fill from the lots in the order given, then from the dust: a lot may have been rounded to
   * whole steps while the exit was on its way. Returns the keys of the lots that are empty now. What was sold
   * beyond them did not belong to the run and earns it nothing.
   */
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
    const { dust, dustCost } = this.state;
    const swept = rest < dust ? rest : dust;
    if (swept > ZERO) {
      const part = swept === dust ? dustCost : div(mul(dustCost, swept), dust);
      cost += part;
      this.state.dust -= swept;
      this.state.dustCost -= part;
      rest -= swept;
    }
    this.state.oversold += rest;
    const proceeds = mul(fill.qty - rest, fill.price);
    this.#count(fill, fill.qty, fill.fee);
    const gross = this.#short ? cost - proceeds : proceeds - cost;
    this.#realise(gross - this.#inQuote(fill.fee, fill));
    return gone;
  }

  /**
   * Makes what these lots hold, with the dust so far, a multiple of the step: the rest is the new dust.
   * Returns the quantity to sell; zero when it is below the exchange's minimum: then all of it has become
   * dust.
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
    const whole = floorTo(this.#sum(lots) + this.state.dust, this.#rules.step);
    // A second call changes nothing: how often an exit is sized must not move cost between lots and dust.
    if (whole === this.#sum(lots)) return whole;
    last.qty += this.state.dust;
    last.cost += this.state.dustCost;
    this.state.dust = ZERO;
    this.state.dustCost = ZERO;
    this.#shave(lots, this.#sum(lots) - whole);
    // Former dust may be part of the lots again.
    this.#earn();
    return whole;
  }

  /** True when an exit of these lots, with the dust so far, would be below the exchange's minimum. */
  isTooSmall(keys: readonly string[], price: Dec): boolean {
    const { step, minQty, minNotional } = this.#rules;
    const whole = floorTo(this.#sum(this.#those(keys)) + this.state.dust, step);
    if (whole < minQty || whole === ZERO) return true;
    return !takesSmallExits(this.#rules) && mul(whole, price) < minNotional;
  }

  /** Takes what these lots still hold out of the position for good (`profitAsset` base). */
  keep(keys: readonly string[]): void {
    for (const { qty, cost } of this.#those(keys)) {
      this.state.kept += qty;
      this.state.keptCost += cost;
    }
    this.#drop(keys);
  }

  /** Opens a lot for a position that existed before the run (tpsl). */
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

  /** Moves `rest`, less than a step, from the lots to the dust, starting with the newest lot. */
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

  /**
   * Books that others have closed `qty` of the position at a price: it is taken from all lots in proportion.
   * Returns the keys of the lots that are empty now. The result and the fee count for the run, but not as one
   * of its fills.
   */
  lose(qty: Dec, price: Dec, fee: Dec): string[] {
    const { lots } = this.state;
    const shares = inProportion(
      lots.map((lot) => lot.qty),
      qty,
      this.#rules.step,
    );
    let cost = ZERO;
    let taken = ZERO;
    for (const [i, lot] of lots.entries()) {
      const share = shares[i] ?? ZERO;
      if (share === ZERO) continue;
      const part = share === lot.qty ? lot.cost : div(mul(lot.cost, share), lot.qty);
      lot.cost -= part;
      lot.qty -= share;
      cost += part;
      taken += share;
    }
    const gone = lots.filter((lot) => lot.qty === ZERO).map(({ key }) => key);
    this.#drop(gone);
    const worth = mul(taken, price);
    this.state.lost += taken;
    this.state.fees += fee;
    this.#realise((this.#short ? cost - worth : worth - cost) - fee);
    return gone;
  }

  /** Sets the quantity of an adopted position to what others have made of it; zero drops the lot. */
  resize(key: string, qty: Dec): void {
    const lot = this.get(key);
    if (!lot) return;
    lot.cost = lot.qty > ZERO ? div(mul(lot.cost, qty), lot.qty) : ZERO;
    lot.qty = qty;
    if (qty === ZERO) this.#drop([key]);
  }

  /** Gives the lot back to the account, unsold. */
  abandon(key: string): void {
    this.#drop([key]);
  }

  #realise(amount: Dec): void {
    this.state.realised += amount;
    this.#earn();
  }

  /**
   * Income beyond what was paid, apart from the lots: earnings pay for dust. Where profit is kept in base
   * units, a sale, even of a part, first brings back the cost of all that is held: only income beyond that is
   * earned.
   */
  #gained(): Dec {
    return (this.#keepsBase ? ZERO : this.cost()) - this.paid();
  }

  #earn(): void {
    this.state.earned = maxDec(this.state.earned, this.#gained());
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
    if (inBase) return mul(fee, fill.price);
    if (fill.feeQuote === undefined || fill.feeAsset === this.#rules.quote) return fee;
    return fee === fill.fee ? fill.feeQuote : div(mul(fill.feeQuote, fee), fill.fee);
  }
}
