/**
 * The depth of one symbol, built from an exchange's messages: a snapshot, then changes to it. A change that
 * does not follow the last message, or leaves an impossible book, makes the book useless until the next
 * snapshot. Bounded; pure.
 */
import { type Dec, dec, str, ZERO } from '../../domain/decimal.ts';
import type { Depth, DepthLevel } from '../../domain/depth.ts';

/** A message about a symbol's depth. */
export interface DepthNews {
  /** The stream's name, as it was subscribed to. */
  readonly stream: string;
  /** A snapshot; else changes: a quantity of zero removes a price. */
  readonly isWhole: boolean;
  readonly bids: readonly DepthLevel[];
  readonly asks: readonly DepthLevel[];
  /** A number that rises with the messages of a stream. */
  readonly at: number;
  /** The `at` of the message before this one; left out: the exchange does not send it. */
  readonly after?: number;
}

/** Prices kept on each side: the worst beyond that are dropped. */
const KEPT_MAX = 500;

interface Level {
  readonly price: Dec;
  readonly quantity: string;
}

/** `old`: the message is known already. `gap`: it cannot be applied, and the book is empty. */
export type Taken = 'taken' | 'old' | 'gap';

export class DepthBook {
  /** Best first. */
  #bids: Level[] = [];
  #asks: Level[] = [];
  /** Null: there is no snapshot that a change could follow. */
  #at: number | null = null;

  take({ isWhole, bids, asks, at, after }: DepthNews): Taken {
    if (isWhole) {
      this.#bids = [];
      this.#asks = [];
    } else if (this.#at === null) return 'gap';
    // A message that names its predecessor follows it, whatever its own number is: an exchange may restart
    // its counting.
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

  /** The best prices on each side, at most `levels`. */
  top(levels: number): Depth {
    const shown = (side: readonly Level[]): DepthLevel[] =>
      side.slice(0, levels).map(({ price, quantity }) => [str(price), quantity]);
    return { bids: shown(this.#bids), asks: shown(this.#asks) };
  }
}

/** Puts a level in its place, instead of the one at the same price. */
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
