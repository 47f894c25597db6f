/**
 * The depth of one symbol, put together of what an exchange tells: a whole, then what has changed of it. A change that does not follow
 * what is here, or leaves a book that cannot be, makes it of no use until a whole comes again. Bounded; pure.
 */
import { type Dec, dec, str, ZERO } from '../../domain/decimal.ts';
import type { Depth, DepthLevel } from '../../domain/depth.ts';

/** What a message tells of a symbol's depth. */
export interface DepthNews {
  /** The stream's own name, as it was asked for. */
  readonly stream: string;
  /** All there is; else what has changed: a quantity of zero takes a price away. */
  readonly isWhole: boolean;
  readonly bids: readonly DepthLevel[];
  readonly asks: readonly DepthLevel[];
  /** Rises with the messages of a stream. */
  readonly at: number;
  /** The `at` of the message that it follows; left out: that is not told. */
  readonly after?: number;
}

/** Prices a side that are kept: the worst beyond are let go. */
const KEPT_MAX = 500;

interface Level {
  readonly price: Dec;
  readonly quantity: string;
}

/** `old`: it is known already. `gap`: it cannot be taken, and the book is empty. */
export type Taken = 'taken' | 'old' | 'gap';

export class DepthBook {
  /** Best first. */
  #bids: Level[] = [];
  #asks: Level[] = [];
  /** Null: nothing is here that a change could follow. */
  #at: number | null = null;

  take({ isWhole, bids, asks, at, after }: DepthNews): Taken {
    if (isWhole) {
      this.#bids = [];
      this.#asks = [];
    } else if (this.#at === null) return 'gap';
    // A message that says so follows, whatever its own number is: an exchange may begin to count anew.
    else if (after !== undefined ? after !== this.#at : at <= this.#at) {
      if (at <= this.#at) return 'old';
      this.clear();
      return 'gap';
    }
    this.#at = at;
    for (const level of bids) put(this.#bids, level, (a, b) => a > b);
    for (const level of asks) put(this.#asks, level, (a, b) => a < b);
    const [bid] = this.#bids;
    const [ask] = this.#asks;
    if (!bid || !ask || bid.price < ask.price) return 'taken';
    this.clear();
    return 'gap';
  }

  clear(): void {
    this.#bids = [];
    this.#asks = [];
    this.#at = null;
  }

  /** The best prices a side, at most so many. */
  top(levels: number): Depth {
    const shown = (side: readonly Level[]): DepthLevel[] =>
      side.slice(0, levels).map(({ price, quantity }) => [str(price), quantity]);
    return { bids: shown(this.#bids), asks: shown(this.#asks) };
  }
}

/** Where it belongs, in place of what was at its price. */
function put(side: Level[], [text, quantity]: DepthLevel, isBetter: (a: Dec, b: Dec) => boolean): void {
  const price = dec(text);
  let [from, to] = [0, side.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBetter((side[middle] as Level).price, price)) from = middle + 1;
    else to = middle;
  }
  const isThere = side[from]?.price === price;
  const amount = dec(quantity);
  if (amount === ZERO) {
    if (isThere) side.splice(from, 1);
    return;
  }
  side.splice(from, isThere ? 1 : 0, { price, quantity: str(amount) });
  if (side.length > KEPT_MAX) side.pop();
}
