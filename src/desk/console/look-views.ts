/** What a terminal is told of the one symbol that it looks at closely. Plain data; decimal strings. */

import type { Depth } from '../../domain/depth.ts';
import type { Outcome } from '../../domain/errors.ts';
import type { Candle } from '../../domain/rows.ts';

/** One trade, as the exchange tells it. */
export interface LookTrade {
  /** Unix ms. */
  readonly time: number;
  readonly price: string;
  /** Base units. */
  readonly quantity: string;
  /** What who took it did. */
  readonly side: 'BUY' | 'SELL';
}

export interface LookView {
  readonly market: string;
  readonly symbol: string;
  readonly frameMs: number;
  /** `last`: the market knows last prices only, and has neither depth nor tape. */
  readonly tells: 'last' | 'depth';
  /** The candle that has not closed yet; null: no price is known of it. */
  readonly forming: Candle | null;
  /** Of the last 24 hours; null: not known. `volume` base units. */
  readonly day: { readonly high: string; readonly low: string; readonly volume: string } | null;
  /** Of a contract, where the market tells it. */
  readonly mark: string | null;
  /** The rate as it stands, as a part of one, and when it is paid, Unix ms. */
  readonly funding: { readonly rate: string; readonly at: number } | null;
  /** Null: it is not known, now or ever. */
  readonly depth: Depth | null;
  /** Newest first, at most `TAPE_LENGTH`. */
  readonly tape: readonly LookTrade[];
}

/** What has changed of it; `tape`: the trades since. `whole`: it takes the place of what was. */
export type LookPart =
  | ({ readonly whole: true } & LookView)
  | ({ readonly whole?: never } & Partial<LookView>);

export interface LookRequest {
  readonly market: string;
  readonly symbol: string;
  /** A whole number of the market's smallest frame, at most a day, ms. */
  readonly frameMs: number;
}

/** Answered by what holds the terminal: it looks at one symbol at a time. */
export interface LookMethods {
  /** From now on the state has `look`. */
  'market.look': [LookRequest, Outcome<null>];
  /** It is not looked at any more. */
  'market.lookAway': [Record<string, never>, null];
}
