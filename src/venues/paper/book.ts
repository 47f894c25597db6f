/**
 * The open orders of one symbol in the order in which a tick reaches them, and the symbol's last price.
 * Sorted arrays, each with its best price as a number, so that a tick that reaches no order costs four
 * comparisons.
 */
import { type Dec, dec, floorTo, maxDec, mul, str, toNumber, ZERO } from '../../domain/decimal.ts';
import type { Instrument, InstrumentNumbers } from '../../domain/instrument.ts';
import { invariant } from './invariant.ts';
import { type PaperOrder, triggersUpward } from './paper-order.ts';

/** Orders by price, best first, equal prices by age. */
class PriceList {
  readonly items: PaperOrder[] = [];
  /** The first order's price as the nearest number; out of every tick's reach when empty. */
  best: number;
  readonly #highFirst: boolean;
  readonly #priceOf: (order: PaperOrder) => Dec;

  constructor(highFirst: boolean, priceOf: (order: PaperOrder) => Dec) {
    this.#highFirst = highFirst;
    this.#priceOf = priceOf;
    this.best = this.#out();
  }

  add(order: PaperOrder): void {
    const at = this.#place(order);
    this.items.splice(at, 0, order);
    if (at === 0) this.#renew();
  }

  /** Removes an order. Must be called before the order's age changes. */
  remove(order: PaperOrder): void {
    const at = this.#place(order);
    invariant(this.items[at] === order, `${order.clientId} is not where the book holds it`);
    this.items.splice(at, 1);
    if (at === 0) this.#renew();
  }

  /** Returns the orders at the front for whose price `reached` is true. */
  front(reached: (price: Dec) => boolean): PaperOrder[] {
    let end = 0;
    while (end < this.items.length && reached(this.#priceOf(this.items[end] as PaperOrder))) end++;
    return this.items.slice(0, end);
  }

  #place(order: PaperOrder): number {
    const price = this.#priceOf(order);
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.items[middle] as PaperOrder;
      const otherPrice = this.#priceOf(other);
      const before =
        otherPrice === price
          ? other.age < order.age
          : this.#highFirst
            ? otherPrice > price
            : otherPrice < price;
      if (before) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #renew(): void {
    const first = this.items[0];
    this.best = first ? toNumber(this.#priceOf(first)) : this.#out();
  }

  #out(): number {
    return this.#highFirst ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
}

const limitOf = (order: PaperOrder): Dec => order.price as Dec;
const stopOf = (order: PaperOrder): Dec => order.stopPrice as Dec;

/** One order that a tick reaches, with the price that ranks it: its limit, or its stop while it waits. */
export interface Reached {
  readonly order: PaperOrder;
  readonly rank: Dec;
}

/** The stored form of a symbol's last tick. */
export interface PriceDoc {
  readonly price: string;
  readonly volume: string;
  readonly taken: string;
  readonly time: number;
  /** The tick's number among the symbol's ticks of the same time; left out for the first. */
  readonly nth?: number;
}

export class Book {
  instrument: Instrument;
  numbers: InstrumentNumbers;
  readonly #buys = new PriceList(true, limitOf);
  readonly #sells = new PriceList(false, limitOf);
  readonly #upward = new PriceList(false, stopOf);
  readonly #downward = new PriceList(true, stopOf);
  /** The number of the symbol's open orders. */
  size = 0;
  /** The last price as the tick had it; null before the first. */
  lastText: string | null = null;
  /** Volume of the last tick. */
  volume = '0';
  /** The part of that volume that our orders took; only counted while participation is limited. */
  taken: Dec = ZERO;
  /** Market time of the last tick. */
  time = 0;
  /** The last tick's number among the symbol's ticks of the same time. */
  #nth = 0;
  /**
   * The feed's position, likewise: after a start the feed repeats the ticks that the desk had not stored when
   * it ended.
   */
  #fedTime = 0;
  #fedNth = 0;
  /** The price is newer than its stored row. */
  stale = false;
  #parsed: { readonly text: string; readonly value: Dec } | null = null;

  constructor(instrument: Instrument) {
    this.instrument = instrument;
    this.numbers = readNumbers(instrument);
  }

  /** Sets other filters from now on; resting orders stay as they are. */
  trade(instrument: Instrument): void {
    this.instrument = instrument;
    this.numbers = readNumbers(instrument);
  }

  /** Last price; null before the first tick. */
  last(): Dec | null {
    if (this.lastText === null) return null;
    if (this.#parsed?.text !== this.lastText) {
      this.#parsed = { text: this.lastText, value: dec(this.lastText) };
    }
    return this.#parsed.value;
  }

  /**
   * Counts the feed's next tick. False: the exchange had already passed it before a start, and does not match
   * it again.
   */
  comes(time: number): boolean {
    this.#fedNth = time === this.#fedTime ? this.#fedNth + 1 : 1;
    this.#fedTime = time;
    return !this.#isPast(time, this.#fedNth);
  }

  /**
   * Takes the current tick as the last price and says whether it may reach an order. The numbers only serve
   * to say "surely not": converting decimals to the nearest number never reverses the order of two prices.
   */
  tick(price: string, volume: string): boolean {
    // Each tick has its own volume, even two of the same time. What was taken of a tick that is repeated
    // stays taken.
    if (this.#isAhead(this.#fedTime, this.#fedNth)) this.taken = ZERO;
    this.#stand(price, volume, this.#fedTime, this.#fedNth);
    if (this.size === 0) return false;
    const near = Number(price);
    return !(
      near > this.#buys.best &&
      near < this.#sells.best &&
      near < this.#upward.best &&
      near > this.#downward.best
    );
  }

  /**
   * Sets the tick after which the feed continues and which no stored row has: it has matched nothing. False:
   * the exchange is already at or past it.
   */
  seed(price: string, time: number, nth: number, volume: string): boolean {
    this.#fedTime = time;
    this.#fedNth = nth;
    if (!this.#isAhead(time, nth)) return false;
    this.taken = ZERO;
    this.#stand(price, volume, time, nth);
    return true;
  }

  /**
   * Takes over the prices of a core whose last operation could not be stored: nothing was taken of a tick
   * that no stored row has.
   */
  goOnFrom(lost: Book): void {
    this.#fedTime = lost.#fedTime;
    this.#fedNth = lost.#fedNth;
    if (lost.lastText === null || !this.#isAhead(lost.time, lost.#nth)) return;
    this.taken = ZERO;
    this.#stand(lost.lastText, lost.volume, lost.time, lost.#nth);
  }

  /**
   * The orders that the last price reaches, in the order of the tick market's rule 5: buys from the highest
   * price to the lowest, then sells from the lowest to the highest, equal prices by age; conditional orders
   * rank by their stop price.
   */
  reached(through: boolean): Reached[] {
    const last = this.last();
    if (last === null) return [];
    const buys = this.#buys.front((limit) => (through ? limit > last : limit >= last));
    const sells = this.#sells.front((limit) => (through ? limit < last : limit <= last));
    for (const order of this.#upward.front((stop) => stop <= last))
      (order.side === 'BUY' ? buys : sells).push(order);
    for (const order of this.#downward.front((stop) => stop >= last))
      (order.side === 'BUY' ? buys : sells).push(order);
    return [...ranked(buys, true), ...ranked(sells, false)];
  }

  add(order: PaperOrder): void {
    this.#listOf(order).add(order);
    this.size++;
  }

  /** Removes an order. Must be called before its status or age changes. */
  remove(order: PaperOrder): void {
    this.#listOf(order).remove(order);
    this.size--;
  }

  /** How much of `wanted` the last tick's volume still allows at this share of it (null: all). */
  available(wanted: Dec, participation: Dec | null): Dec {
    if (participation === null) return wanted;
    const left = floorTo(mul(dec(this.volume), participation), this.numbers.step) - this.taken;
    return left < wanted ? maxDec(left, ZERO) : wanted;
  }

  /** Counts what one of our orders took of the last tick's volume. */
  take(qty: Dec): void {
    this.taken += qty;
    this.stale = true;
  }

  priceDoc(): PriceDoc {
    const doc = { price: this.lastText ?? '0', volume: this.volume, taken: str(this.taken), time: this.time };
    return this.#nth > 1 ? { ...doc, nth: this.#nth } : doc;
  }

  restore(doc: PriceDoc): void {
    this.lastText = doc.price;
    this.volume = doc.volume;
    this.taken = dec(doc.taken);
    this.time = doc.time;
    this.#nth = doc.nth ?? 1;
  }

  /** Whether a tick is later than the last one. */
  #isAhead(time: number, nth: number): boolean {
    return this.lastText === null || time > this.time || (time === this.time && nth > this.#nth);
  }

  /** Whether a tick is earlier than the last one. */
  #isPast(time: number, nth: number): boolean {
    return this.lastText !== null && (time < this.time || (time === this.time && nth < this.#nth));
  }

  #stand(price: string, volume: string, time: number, nth: number): void {
    this.lastText = price;
    this.volume = volume;
    this.time = time;
    this.#nth = nth;
    this.stale = true;
  }

  #listOf(order: PaperOrder): PriceList {
    if (order.status === 'PENDING') {
      return triggersUpward(order.type, order.side) ? this.#upward : this.#downward;
    }
    return order.side === 'BUY' ? this.#buys : this.#sells;
  }
}

function ranked(orders: PaperOrder[], highFirst: boolean): Reached[] {
  const rank = (order: PaperOrder): Dec => (order.status === 'PENDING' ? stopOf(order) : limitOf(order));
  return orders
    .map((order) => ({ order, rank: rank(order) }))
    .sort((a, b) => (a.rank === b.rank ? a.order.age - b.order.age : a.rank > b.rank === highFirst ? -1 : 1));
}

function readNumbers(instrument: Instrument): InstrumentNumbers {
  return {
    tick: dec(instrument.tickSize),
    step: dec(instrument.stepSize),
    minPrice: dec(instrument.minPrice),
    maxPrice: dec(instrument.maxPrice),
    minQty: dec(instrument.minQty),
    maxQty: dec(instrument.maxQty),
    marketMaxQty: dec(instrument.marketMaxQty),
    minNotional: dec(instrument.minNotional),
    maxNotional: dec(instrument.maxNotional),
    percentDown: dec(instrument.percentDown),
    percentUp: dec(instrument.percentUp),
  };
}
