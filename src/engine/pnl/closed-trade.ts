/**
 * Closed trades: on futures a position from open to flat, on spot the sales of one order against the average cost of what was sold. Built
 * while a wallet is folded (`wallet-book.ts`). Pure.
 */
import { type Dec, div, mul, ZERO } from '../../domain/decimal.ts';
import { mulDiv } from '../../domain/margin/fill.ts';
import { abs } from '../../domain/margin/position.ts';
import type { PositionSide, Side } from '../../schemas/order.ts';

/** Money in dollars, prices in the quote asset; times are the exchange's, Unix ms. */
export interface ClosedTrade {
  readonly account: string;
  readonly symbol: string;
  readonly kind: 'spot' | 'futures';
  readonly side: 'LONG' | 'SHORT';
  /** Of the position, as the exchange calls it; BOTH on spot. */
  readonly posSide: PositionSide;
  /** So much was closed in all. */
  readonly qty: Dec;
  readonly entry: Dec;
  readonly exit: Dec;
  readonly openedAt: number;
  readonly closedAt: number;
  /** Before fees. */
  readonly realised: Dec;
  /** Of entry and exit. */
  readonly fees: Dec;
  readonly funding: Dec;
  readonly net: Dec;
  /** The bot whose orders alone have made it; null: a person's, a key's, or several. */
  readonly bot: string | null;
  /** Dollars of one unit of the quote asset when it was closed. */
  readonly rate: Dec;
}

/** What of a fill counts here. */
export interface TradeFill {
  readonly account: string;
  readonly symbol: string;
  readonly orderId: string;
  readonly side: Side;
  readonly posSide: PositionSide;
  readonly price: Dec;
  readonly time: number;
  readonly bot: string | null;
}

/** A trade that is not closed yet. Sums of price x quantity, so that nothing is lost by averaging. */
export class OpenTrade {
  readonly openedAt: number;
  funding = ZERO;
  #fees = ZERO;
  #realised = ZERO;
  #entered = ZERO;
  #enteredFor = ZERO;
  #left = ZERO;
  #leftFor = ZERO;
  #bots = new Set<string | null>();
  #last: TradeFill;
  readonly #side: 'LONG' | 'SHORT';

  constructor(first: TradeFill, side: 'LONG' | 'SHORT', openedAt = first.time) {
    this.#last = first;
    this.#side = side;
    this.openedAt = openedAt;
  }

  enter(qty: Dec, price: Dec): void {
    this.#entered += qty;
    this.#enteredFor += mul(qty, price);
  }

  /** What was there before anybody looked, or at its average: for what it has cost. */
  enterFor(qty: Dec, cost: Dec): void {
    this.#entered += qty;
    this.#enteredFor += abs(cost);
  }

  leave(fill: TradeFill, qty: Dec, realised: Dec): void {
    this.#last = fill;
    this.#left += qty;
    this.#leftFor += mul(qty, fill.price);
    this.#realised += realised;
  }

  pay(fill: Pick<TradeFill, 'bot'>, fees: Dec): void {
    this.#fees += fees;
    this.#bots.add(fill.bot);
  }

  get lastAt(): number {
    return this.#last.time;
  }

  close(kind: ClosedTrade['kind'], rate: Dec): ClosedTrade {
    const { account, symbol, posSide, time } = this.#last;
    const [bot = null, ...others] = this.#bots;
    return {
      account,
      symbol,
      kind,
      side: this.#side,
      posSide: kind === 'spot' ? 'BOTH' : posSide,
      qty: this.#left,
      entry: this.#entered === ZERO ? ZERO : div(this.#enteredFor, this.#entered),
      exit: this.#left === ZERO ? ZERO : div(this.#leftFor, this.#left),
      openedAt: this.openedAt,
      closedAt: time,
      realised: this.#realised,
      fees: this.#fees,
      funding: this.funding,
      net: this.#realised - this.#fees + this.funding,
      bot: others.length === 0 ? bot : null,
      rate,
    };
  }
}

/** A part of an amount as large as `part` of `whole`; the rest is the other part's. */
export function shareOf(amount: Dec, part: Dec, whole: Dec): Dec {
  return part === whole ? amount : mulDiv(amount, part, whole);
}

/**
 * What it has won or lost in units of what it would have lost at its stop: null where that stop is on the wrong side of the entry, which
 * was a stop of a profit already.
 */
export function riskMultiple(
  { net, entry, qty, side, rate }: Pick<ClosedTrade, 'net' | 'entry' | 'qty' | 'side' | 'rate'>,
  stop: Dec,
): Dec | null {
  const distance = side === 'LONG' ? entry - stop : stop - entry;
  const risk = mul(mul(distance, qty), rate);
  return risk > ZERO ? div(net, risk) : null;
}
