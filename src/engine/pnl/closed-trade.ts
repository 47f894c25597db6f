/**
 * Closed trades: on futures a position from open to flat, on spot the sales of one order against the average
 * cost of the quantity sold. Built while a wallet's history is replayed (`wallet-book.ts`). Pure.
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
  /** Position side by the exchange's name; BOTH on spot. */
  readonly posSide: PositionSide;
  /** Total closed quantity. */
  readonly qty: Dec;
  readonly entry: Dec;
  readonly exit: Dec;
  readonly openedAt: number;
  readonly closedAt: number;
  /** Realised PnL before fees. */
  readonly realised: Dec;
  /** Fees of entry and exit. */
  readonly fees: Dec;
  readonly funding: Dec;
  readonly net: Dec;
  /** The bot whose orders alone made the trade; null: a person's, a key's, or several. */
  readonly bot: string | null;
  /** Dollars for one unit of the quote asset at the time of closing. */
  readonly rate: Dec;
}

/** The fields of a fill that count here. */
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

/** A trade that is not closed yet. Keeps sums of price x quantity, so averaging loses nothing. */
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

  /** Enters a quantity at a given cost: one that existed at the beginning, or one at its average cost. */
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

/** Returns a share of an amount in proportion `part` to `whole`; the rest belongs to the other part. */
export function shareOf(amount: Dec, part: Dec, whole: Dec): Dec {
  return part === whole ? amount : mulDiv(amount, part, whole);
}

/**
 * Returns the profit or loss in units of the loss at the stop: null where the stop is on the profit side of
 * the entry.
 */
export function riskMultiple(
  { net, entry, qty, side, rate }: Pick<ClosedTrade, 'net' | 'entry' | 'qty' | 'side' | 'rate'>,
  stop: Dec,
): Dec | null {
  const distance = side === 'LONG' ? entry - stop : stop - entry;
  const risk = mul(mul(distance, qty), rate);
  return risk > ZERO ? div(net, risk) : null;
}
