/** The ladder of a bot as plain text, for a terminal: decimals are strings, as exact as they are. Types only. */

/** `end`: the run ends there; `line`: a price that is looked at, without an order. */
export type LadderKind = 'entry' | 'target' | 'stop' | 'end' | 'line';

export interface LadderLineText {
  readonly kind: LadderKind;
  /** The strategy's own word for it. */
  readonly label: string;
  readonly price: string;
  readonly side: 'BUY' | 'SELL' | null;
  /** As it is sent; null for what is no order yet. */
  readonly type: string | null;
  /** Base units; null for what is no order. */
  readonly qty: string | null;
  /** Quantity x price. */
  readonly quote: string | null;
  /** Of the order, in the quote or margin asset. */
  readonly fee: string | null;
  /** `now`: goes out at the start; `later`: once others have filled; `waits`: the price must pass it first. */
  readonly when: 'now' | 'later' | 'waits';
  /** Below what the exchange takes: it is not sent. */
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
  /** Of all entries filled. */
  readonly averageEntry: string | null;
  /** Asset used when the nearest entry alone fills, and when all do, fees of futures included. */
  readonly least: string | null;
  readonly worst: string | null;
  /** Of one cycle of every entry and its target, and what is left of it. */
  readonly fees: string | null;
  readonly profit: string | null;
  /** With every entry filled; null on spot, and where there is none. */
  readonly liquidation: string | null;
  /** The first planned order that the exchange would not take, in the words of a refused start. */
  readonly belowMinimum: string | null;
  /** Everything else that would keep it from starting at this price and balance. */
  readonly problems: readonly string[];
  /** What was assumed where the settings leave it to the market. */
  readonly notes: readonly string[];
}

export type LadderAnswer =
  | { readonly ok: true; readonly ladder: LadderText }
  /** Settings that cannot be read, or no price: why, in a sentence. */
  | { readonly ok: false; readonly text: string };
