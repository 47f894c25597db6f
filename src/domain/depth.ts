/**
 * The depth of a market as a trader reads it: the best prices of each side with the quantities that rest
 * there, best first. Plain data; decimal strings.
 */

/** One price and the quantity that rests there, in base units. */
export type DepthLevel = readonly [price: string, quantity: string];

export interface Depth {
  /** Highest first. */
  readonly bids: readonly DepthLevel[];
  /** Lowest first. */
  readonly asks: readonly DepthLevel[];
}

/** Number of prices of each side that are shown. */
export const DEPTH_LEVELS = 10;

/**
 * Number of single trades that are kept for whoever starts to watch a symbol, and the most that are sent at
 * once.
 */
export const TAPE_LENGTH = 60;
