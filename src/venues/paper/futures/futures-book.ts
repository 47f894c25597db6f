/**
 * One contract's book: resting limits as on spot, beside them conditional orders (stops, take-profits,
 * trailing stops), and the mark price. Says which orders a tick reaches; books no money.
 */
import { type Dec, dec, div, maxDec, minDec, mul, ONE, roundTo, str } from '../../../domain/decimal.ts';
import { type Instrument, spotAssetOf } from '../../../domain/instrument.ts';
import type { Tiers } from '../../../domain/margin/tiers.ts';
import { Book, type PriceDoc, type Reached } from '../book.ts';
import type { FuturesTerms, PaperOrder } from '../paper-order.ts';
import { triggersUpward } from '../paper-order.ts';
import { liquidationFeeOf, tiersOf } from './brackets.ts';

interface FuturesPriceDoc extends PriceDoc {
  readonly mark: string;
}

const BPS = 10_000n;
/** The resolution of the mark price: Binance sends it with eight decimals. */
const MARK_UNIT = dec('0.00000001');

export class FuturesBook extends Book {
  readonly tiers: Tiers;
  readonly liquidationFee: Dec;
  /** The resting limits, for the margin that they need. */
  readonly resting = new Set<PaperOrder>();
  /** Conditional orders; their order does not matter. */
  readonly #pending = new Set<PaperOrder>();
  readonly #marksAreTold: boolean;
  #mark: Dec | null = null;
  /** The next funding payment, where a live market gives it; null: it has not come yet. */
  funding: { readonly rate: Dec; readonly at: number } | null = null;

  /** `marksAreTold`: the mark price comes from `markIs` alone. */
  constructor(instrument: Instrument, marksAreTold = false) {
    super(instrument);
    this.#marksAreTold = marksAreTold;
    const asset = spotAssetOf(instrument);
    this.tiers = tiersOf(asset);
    this.liquidationFee = liquidationFeeOf(asset);
  }

  /** Sets the mark price. True: there are orders here. */
  markIs(mark: Dec): boolean {
    this.#mark = mark;
    this.stale = true;
    return this.size > 0;
  }

  /** Null before the first price. */
  mark(): Dec | null {
    return this.#mark;
  }

  override add(order: PaperOrder): void {
    if (order.status === 'PENDING') {
      this.#pending.add(order);
      this.size++;
    } else {
      this.resting.add(order);
      super.add(order);
    }
  }

  override remove(order: PaperOrder): void {
    if (order.status === 'PENDING') {
      this.#pending.delete(order);
      this.size--;
    } else {
      this.resting.delete(order);
      super.remove(order);
    }
  }

  /**
   * Takes a last price and moves the mark: at once without a lag, else by dt / (lag + dt) of the distance (an
   * exponential average in market time, in whole decimals). True: limits may be reached, or there are
   * conditional orders.
   */
  move(price: string, volume: string, lagMs: number): boolean {
    const from = this.time;
    const reaches = this.tick(price, volume);
    const elapsed = this.time - from;
    const last = this.last() as Dec;
    if (this.#marksAreTold) return reaches || this.#pending.size > 0;
    if (this.#mark === null || lagMs === 0) {
      this.#mark = last;
    } else {
      const moved = ((last - this.#mark) * BigInt(elapsed)) / BigInt(lagMs + elapsed);
      this.#mark = maxDec(roundTo(this.#mark + moved, MARK_UNIT), MARK_UNIT);
    }
    return reaches || this.#pending.size > 0;
  }

  /** Sets the last price; a known mark price with a lag stays. */
  override seed(price: string, time: number, nth: number, volume: string, lagMs = 0): boolean {
    const isNews = super.seed(price, time, nth, volume);
    if (isNews && !this.#marksAreTold && (this.#mark === null || lagMs === 0)) this.#mark = this.last();
    return isNews;
  }

  override goOnFrom(lost: Book): void {
    super.goOnFrom(lost);
    this.#mark = (lost as FuturesBook).#mark;
    this.funding = (lost as FuturesBook).funding;
  }

  /**
   * Lets the trailing stops follow the price at this market time. True: a best price changed (to be stored).
   * @param moved called for each change; `armed`: the order has just been armed, of which an event is sent
   */
  follow(time: number, moved: (order: PaperOrder, armed: boolean) => void): boolean {
    let any = false;
    for (const order of this.#pending) {
      const { terms } = order;
      if (terms?.trailing == null) continue;
      const wasArmed = terms.best !== null;
      if (!this.#trail(order, terms)) continue;
      if (!wasArmed) terms.armedAt = time;
      moved(order, !wasArmed);
      any = true;
    }
    return any;
  }

  /** The orders that the prices reach, conditional and resting, in the order of the tick market's rule 5. */
  reachedNow(through: boolean): Reached[] {
    const all = [...this.reached(through)];
    for (const order of this.#pending) {
      const stop = this.stopOf(order);
      const price = this.workingPrice(order);
      if (stop === null || price === null) continue;
      if (triggersUpward(order.type, order.side) ? price >= stop : price <= stop) {
        all.push({ order, rank: stop });
      }
    }
    return all.sort(byRule5);
  }

  /** The current trigger price of a conditional order; null: a trailing stop that is not armed. */
  stopOf(order: PaperOrder): Dec | null {
    const terms = order.terms;
    if (terms?.trailing == null) return order.stopPrice;
    if (terms.best === null) return null;
    const bps = BigInt(terms.trailing);
    const factor = order.side === 'SELL' ? BPS - bps : BPS + bps;
    return mul(terms.best, div(factor * ONE, BPS * ONE));
  }

  /** The price that a conditional order compares with its trigger. */
  workingPrice(order: PaperOrder): Dec | null {
    return order.terms?.workingType === 'MARK_PRICE' ? this.#mark : this.last();
  }

  override priceDoc(): FuturesPriceDoc {
    return { ...super.priceDoc(), mark: this.#mark === null ? '0' : str(this.#mark) };
  }

  override restore(doc: PriceDoc): void {
    super.restore(doc);
    const { mark } = doc as FuturesPriceDoc;
    this.#mark = mark === '0' ? null : dec(mark);
  }

  /**
   * Updates a trailing stop: a SELL follows the highest price since it was armed (at its activation price or
   * above), a BUY the lowest.
   */
  #trail(order: PaperOrder, terms: FuturesTerms): boolean {
    const price = this.workingPrice(order);
    if (price === null) return false;
    const sells = order.side === 'SELL';
    if (terms.best === null) {
      const from = terms.activationPrice;
      if (from !== null && (sells ? price < from : price > from)) return false;
      terms.best = price;
      return true;
    }
    const best = sells ? maxDec(terms.best, price) : minDec(terms.best, price);
    const moved = best !== terms.best;
    terms.best = best;
    return moved;
  }
}

/**
 * Buys from the highest price to the lowest, then sells from the lowest to the highest, equal prices by age.
 */
function byRule5(a: Reached, b: Reached): number {
  const buys = a.order.side === 'BUY';
  if (buys !== (b.order.side === 'BUY')) return buys ? -1 : 1;
  if (a.rank === b.rank) return a.order.age - b.order.age;
  return a.rank > b.rank === buys ? -1 : 1;
}
