/** The ladder of a bot as plain text, for a terminal: decimals are exact strings. Types only. */

/** `end`: the run ends there; `line`: a price that is watched, without an order. */
export type LadderKind = 'entry' | 'target' | 'stop' | 'end' | 'line';

export interface LadderLineText {
  readonly kind: LadderKind;
  /** The strategy's own name for it. */
  readonly label: string;
  readonly price: string;
  readonly side: 'BUY' | 'SELL' | null;
  /** Order type as it is sent; null for a line without an order. */
  readonly type: string | null;
  /** Base units; null for a line without an order. */
  readonly qty: string | null;
  /** Quantity x price. */
  readonly quote: string | null;
  /** Fee of the order, in the quote or margin asset. */
  readonly fee: string | null;
  /** `now`: is sent at the start; `later`: once others have filled; `waits`: the price must pass it first. */
  readonly when: 'now' | 'later' | 'waits';
  /** Below the exchange's minimum: it is not sent. */
  readonly tooSmall?: boolean;
}

export interface LadderText {
  readonly symbol: string;
  readonly base: string;
  /** Quote or margin asset. */
  readonly asset: string;
  readonly kind: 'spot' | 'futures';
  readonly price: string;
  /** Deposit of a run; null for bots without one. */
  readonly budget: string | null;
  readonly leverage: number;
  /** From the highest price to the lowest. */
  readonly lines: readonly LadderLineText[];
  readonly entries: number;
  /** Average entry price when all entries have filled. */
  readonly averageEntry: string | null;
  /** Asset used when the nearest entry alone fills, and when all do, fees of futures included. */
  readonly least: string | null;
  readonly worst: string | null;
  /** Fees of one cycle of every entry and its target, and the profit after them. */
  readonly fees: string | null;
  readonly profit: string | null;
  /** Liquidation price with every entry filled; null on spot, and where there is none. */
  readonly liquidation: string | null;
  /** The first planned order that the exchange would not take, in the words of a refused start. */
  readonly belowMinimum: string | null;
  /** All other problems that would prevent a start at this price and balance. */
  readonly problems: readonly string[];
  /** Assumptions where the settings leave something to the market. */
  readonly notes: readonly string[];
}

export type LadderAnswer =
  | { readonly ok: true; readonly ladder: LadderText }
  /** The settings cannot be read, or there is no price: the reason, in a sentence. */
  | { readonly ok: false; readonly text: string };
