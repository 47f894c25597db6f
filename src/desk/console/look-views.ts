/** What a terminal gets about the one symbol that it looks at closely. Plain data; decimal strings. */

import type { Depth } from '../../domain/depth.ts';
import type { Outcome } from '../../domain/errors.ts';
import type { Candle } from '../../domain/rows.ts';

/** One trade, as the exchange reports it. */
export interface LookTrade {
  /** Unix ms. */
  readonly time: number;
  readonly price: string;
  /** Base units. */
  readonly quantity: string;
  /** The taker's side. */
  readonly side: 'BUY' | 'SELL';
}

export interface LookView {
  readonly market: string;
  readonly symbol: string;
  readonly frameMs: number;
  /** `last`: the market knows last prices only, and has neither depth nor trades. */
  readonly tells: 'last' | 'depth';
  /** The candle that has not closed yet; null: it has no price so far. */
  readonly forming: Candle | null;
  /** High, low and volume of the last 24 hours, `volume` in base units; null: not known. */
  readonly day: { readonly high: string; readonly low: string; readonly volume: string } | null;
  /** The mark price of a contract; null: the market reports none. */
  readonly mark: string | null;
  /** The current funding rate, as a fraction, and when it is paid, Unix ms; null: not known. */
  readonly funding: { readonly rate: string; readonly at: number } | null;
  /** Null: not known, now or ever. */
  readonly depth: Depth | null;
  /** Newest first, at most `TAPE_LENGTH`. */
  readonly tape: readonly LookTrade[];
}

/** Changes of the symbol; `tape`: the trades since. `whole`: replaces everything before. */
export type LookPart =
  | ({ readonly whole: true } & LookView)
  | ({ readonly whole?: never } & Partial<LookView>);

export interface LookRequest {
  readonly market: string;
  readonly symbol: string;
  /** A whole multiple of the market's smallest frame, at most a day, ms. */
  readonly frameMs: number;
}

/** Answered by the session, not the desk behind it: it looks at one symbol at a time. */
export interface LookMethods {
  /** Adds `look` to the state from now on. */
  'market.look': [LookRequest, Outcome<null>];
  /** Ends the close look. */
  'market.lookAway': [Record<string, never>, null];
}
