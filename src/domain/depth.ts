/** The depth of a market as a trader reads it: the best prices a side with what rests there, best first. Plain data; decimal strings. */

/** What rests at a price, in base units. */
export type DepthLevel = readonly [price: string, quantity: string];

export interface Depth {
  /** Highest first. */
  readonly bids: readonly DepthLevel[];
  /** Lowest first. */
  readonly asks: readonly DepthLevel[];
}

/** Prices a side that are told. */
export const DEPTH_LEVELS = 10;

/** Single trades that are kept for whoever begins to look at a symbol, and told at once at most. */
export const TAPE_LENGTH = 60;
