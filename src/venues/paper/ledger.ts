/**
 * What an order locks and what a fill moves: the part of the exchange that differs between spot and futures.
 * Matching uses this interface only; `paper-futures` has its own implementation.
 */
import { type Dec, mul, ZERO } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { PositionSide } from '../../schemas/order.ts';
import type { Balances } from './balances.ts';
import { invariant } from './invariant.ts';
import type { CompiledPaperOptions } from './options.ts';
import { type PaperOrder, remaining } from './paper-order.ts';

export interface Charge {
  readonly comm: Dec;
  readonly commAsset: string;
  readonly rPnl: string | null;
  readonly posSide: PositionSide;
}

export interface Ledger {
  /**
   * Locks what the whole order can cost at `worst` (its limit; the execution price of a MARKET). False: not
   * enough.
   */
  reserve(order: PaperOrder, instrument: Instrument, worst: Dec): boolean;
  /**
   * Books an execution of `qty` at `price`, before `cum` is raised; `worst` as it was when the amount was
   * reserved.
   */
  settle(
    order: PaperOrder,
    instrument: Instrument,
    fill: { qty: Dec; price: Dec; worst: Dec; maker: boolean },
  ): Charge;
  /**
   * Locks what the rest of an order will need after a change to `qty` at `price`. False: not enough, and
   * nothing has changed.
   */
  amend(order: PaperOrder, instrument: Instrument, to: { readonly price: Dec; readonly qty: Dec }): boolean;
  /** Releases what is still locked. */
  release(order: PaperOrder, instrument: Instrument): void;
}

/**
 * Spot: a BUY locks quote, a SELL base; the fee is taken from the asset received (strategies.md section 1,
 * rule 7).
 */
export class SpotLedger implements Ledger {
  readonly #balances: Balances;
  readonly #rates: () => Pick<CompiledPaperOptions, 'makerRate' | 'takerRate'>;

  constructor(balances: Balances, rates: () => Pick<CompiledPaperOptions, 'makerRate' | 'takerRate'>) {
    this.#balances = balances;
    this.#rates = rates;
  }

  reserve(order: PaperOrder, instrument: Instrument, worst: Dec): boolean {
    const buy = order.side === 'BUY';
    const asset = buy ? instrument.quote : instrument.base;
    const amount = buy ? mul(worst, order.qty) : order.qty;
    if (amount > this.#balances.free(asset)) return false;
    this.#balances.change(asset, -amount, amount);
    order.lock = amount;
    return true;
  }

  settle(
    order: PaperOrder,
    instrument: Instrument,
    fill: { qty: Dec; price: Dec; worst: Dec; maker: boolean },
  ): Charge {
    const { makerRate, takerRate } = this.#rates();
    const rate = fill.maker ? makerRate : takerRate;
    const notional = mul(fill.price, fill.qty);
    const rest = remaining(order) - fill.qty;
    invariant(rest >= ZERO, `${order.clientId} would be filled beyond its quantity`);
    const buy = order.side === 'BUY';
    const keep = buy ? mul(fill.worst, rest) : rest;
    const unlocked = order.lock - keep;
    const paid = buy ? notional : fill.qty;
    invariant(unlocked >= paid, `${order.clientId} has less locked than it pays`);
    const received = buy ? fill.qty : notional;
    const comm = mul(received, rate);
    const commAsset = buy ? instrument.base : instrument.quote;
    this.#balances.change(buy ? instrument.quote : instrument.base, unlocked - paid, -unlocked);
    this.#balances.change(commAsset, received - comm, ZERO);
    order.lock = keep;
    return { comm, commAsset, rPnl: null, posSide: 'BOTH' };
  }

  amend(order: PaperOrder, instrument: Instrument, to: { readonly price: Dec; readonly qty: Dec }): boolean {
    const buy = order.side === 'BUY';
    const asset = buy ? instrument.quote : instrument.base;
    const rest = to.qty - order.cum;
    const amount = buy ? mul(to.price, rest) : rest;
    const more = amount - order.lock;
    if (more > this.#balances.free(asset)) return false;
    this.#balances.change(asset, -more, more);
    order.lock = amount;
    return true;
  }

  release(order: PaperOrder, instrument: Instrument): void {
    if (order.lock === ZERO) return;
    this.#balances.change(order.side === 'BUY' ? instrument.quote : instrument.base, order.lock, -order.lock);
    order.lock = ZERO;
  }
}
