/**
 * The border of one run (strategies.md 1 and 2): what it is told and what it asks for. A run is pure: its host (the live
 * desk, the backtest) tells it inputs one at a time and carries out what it asks for. What its strategy sees of it is in
 * `../strategy.ts`. Types only.
 */
import type { Cleanup } from '../../domain/bot.ts';
import type { Dec } from '../../domain/decimal.ts';
import type { WorkingType } from '../../schemas/order.ts';
import type { CandleNeeds } from '../market/candle-series.ts';
import type { BotCandle } from '../market/view.ts';
import type { CandleEdge } from '../settings/compiled.ts';

/** `entry` opens or enlarges lots, `exit` sells them. */
export type Role = 'entry' | 'exit';
export type RunOrderType = 'MARKET' | 'LIMIT' | 'STOP_MARKET' | 'STOP_LIMIT';

/** What a part of an entry buys: a lot of its own, sized by money or by quantity. */
export interface EntryPart {
  readonly lot: string;
  /** The strategy's word for the level, e.g. `channel 0.236`: metadata and messages. */
  readonly label: string;
  /** Quote (notional) to spend at the order's price; or null when `qty` says it. */
  readonly budget: Dec | null;
  readonly qty: Dec | null;
}

/** An order that should rest, or go out now. Wanting the same again changes nothing; another one replaces it. */
export interface WantedEntry {
  readonly role: 'entry';
  readonly type: RunOrderType;
  /** Unrounded; null for MARKET. */
  readonly price: Dec | null;
  readonly stopPrice: Dec | null;
  readonly parts: readonly EntryPart[];
}

export interface WantedExit {
  readonly role: 'exit';
  readonly type: RunOrderType;
  readonly price: Dec | null;
  readonly stopPrice: Dec | null;
  /** Keys of the lots it sells, in that order; empty: all there are when it fills, oldest first. */
  readonly lots: readonly string[];
  /** To be sold from now on; null = all that the lots hold, dust so far included. */
  readonly qty: Dec | null;
  readonly label: string;
  /** At the price the exit is not taken but trailed by this percent below its peak. */
  readonly trail: Dec | null;
  /** Futures: may only shrink the position. Default true. */
  readonly reduceOnly?: boolean;
  /** Futures, a stop: price that triggers it; null or left out: the last price. */
  readonly workingType?: WorkingType | null;
}

export type Wanted = WantedEntry | WantedExit;

/** A price and when it was. */
export interface PricePoint {
  readonly price: Dec;
  /** Market time, Unix ms. */
  readonly at: number;
}

/** What the exchange takes prices and quantities in. */
export interface Grid {
  readonly tick: Dec;
  readonly step: Dec;
}

/** One order of a run; plain data, stored with the run. */
export interface RunOrder {
  /** Unique within the run. */
  readonly key: string;
  readonly slot: string;
  /** Of the want that it was placed for. */
  readonly wantNumber?: number;
  readonly role: Role;
  readonly side: 'BUY' | 'SELL';
  readonly type: RunOrderType;
  /** Rounded as sent. */
  readonly price: Dec | null;
  readonly stopPrice: Dec | null;
  readonly qty: Dec;
  readonly label: string;
  readonly reduceOnly: boolean;
  /** Of a stop, when it is not the last price that triggers it. */
  readonly workingType?: WorkingType;
  /** Entry: which lots its fills go to, in order, and how much of it to each. */
  readonly into: readonly { readonly lot: string; readonly label: string; readonly qty: Dec }[];
  /** Exit: lots it sells, in order; empty as in `WantedExit`. */
  readonly from: readonly string[];
  /** Exit: sells what brings the cost back; what its lots still hold then is kept for good (`profitAsset` base). */
  readonly keepsRest?: boolean;
  /** What it was rounded to, where the symbol has other steps by now. */
  grid?: Grid;
  executed: Dec;
  phase: 'asked' | 'open' | 'done';
  cancelAsked: boolean;
}

export interface Fill {
  readonly price: Dec;
  readonly qty: Dec;
  /** In `feeAsset` units. */
  readonly fee: Dec;
  readonly feeAsset: string;
  /** What it is worth in quote units; left out: it is in the base or the quote asset. */
  readonly feeQuote?: Dec;
  readonly maker: boolean;
}

/** What has become of one of the run's own orders. */
export type OrderChange =
  /** `triggered`: a stop, at whose price the exchange has been; where that is not told, the last price says it. */
  | { readonly key: string; readonly kind: 'accepted'; readonly triggered?: boolean }
  /** The engine has held it, its price was reached, and it has been sent. */
  | { readonly key: string; readonly kind: 'triggered' }
  | { readonly key: string; readonly kind: 'fill'; readonly fill: Fill }
  /** The exchange has refused to cancel it. */
  | { readonly key: string; readonly kind: 'stays' }
  /** Nothing more will fill: complete, cancelled, expired. */
  | { readonly key: string; readonly kind: 'ended' }
  | {
      readonly key: string;
      readonly kind: 'rejected';
      /** The exchange's or the engine's words. */
      readonly reason: string;
      /** `balance`: not covered; `passed`: a stop whose price is passed already; `final`: cannot heal (strategies.md 2, run rule 3); `later`: cannot be judged yet; `guard`: its account does not allow it now; neither counts. */
      readonly why: 'balance' | 'passed' | 'final' | 'later' | 'guard' | 'other';
      /** The exchange has refused it, of which a row is kept; left out: the engine. */
      readonly sent?: boolean;
    };

/** What others have closed of a run's position. */
export interface Lost {
  readonly qty: Dec;
  readonly price: Dec;
  /** Its share of the fee, quote units. */
  readonly fee: Dec;
  readonly reason: 'liquidated' | 'closed elsewhere';
}

/** Why a run waits. */
export interface Pause {
  readonly why: string;
  /** Its entries are taken back; false: they stay where they are, and no other ones are sent. */
  readonly withdraws: boolean;
  /** It does not pass by itself: the run has failed (R12). */
  readonly final?: true;
}

/** One input; handled in this order at one instant (strategies.md 1). */
export type RunInput =
  /** Futures: others have closed a part of what it holds; null: whose the rest of the position is has changed. */
  | { readonly type: 'position'; readonly lost: Lost | null }
  | { readonly type: 'candle'; readonly symbol: string; readonly frameMs: number; readonly candle: BotCandle }
  | { readonly type: 'timer'; readonly name: string }
  | { readonly type: 'order'; readonly change: OrderChange }
  /** A new last price; the market view has it already. */
  | { readonly type: 'tick' }
  /** Account or symbol take no entries now (R12); null: they do again. */
  | { readonly type: 'pause'; readonly pause: Pause | null }
  | {
      readonly type: 'stop';
      readonly cleanup: Cleanup;
      readonly sell: boolean;
      readonly force: boolean;
    };

export interface Alert {
  /** Path of the condition in the settings, `range[0]`; several joined by `+`. */
  readonly condition: string;
  readonly symbol: string;
  readonly message: string;
  readonly price: Dec | null;
}

/** What a run asks its host for, in order. */
export type RunAction =
  | { readonly do: 'place'; readonly order: RunOrder }
  | { readonly do: 'cancel'; readonly key: string }
  | { readonly do: 'notice'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly do: 'alert'; readonly alert: Alert };

export type EndReason = 'completed' | 'max stops' | 'ttl' | 'operator' | 'expired' | 'error' | Lost['reason'];

/** Of one run (strategies.md 2, run rule 6). Money in the quote or margin asset. */
export interface RunStats {
  realised: Dec;
  fees: Dec;
  /** Quote traded. */
  volume: Dec;
  cycles: number;
  winningCycles: number;
  fills: number;
  /** Of equity, percent. */
  maxDrawdown: Dec;
  /** ALGO twap: what was not traded, base units. */
  unfilled: Dec;
  /** NOTIFY: symbols without data, added up over scans. */
  skipped: number;
}

/** What a run asks of the world around it. */
export interface RunWorld {
  /** Market time, Unix ms. */
  now(): number;
  /** Free amount of an asset that this run may use, its own reservation included. */
  available(asset: string): Dec;
  /** What other bots keep of it, for messages. */
  reservedByOthers(asset: string): Dec;
  /** Held before the start (tpsl, futures): base amount, signed, and entry price; null when flat or spot. */
  position(): { readonly amount: Dec; readonly entryPrice: Dec } | null;
  /** Leverage of the symbol, 1 on spot. */
  leverage(): Dec;
  /** Why it may not trade its symbol beside what is there (R13); null: it may. Left out: it is alone. */
  conflict?(): string | null;
  /** Futures: somebody else has, or may get, a part of the position, out of which two exits of the same lots could both be filled. Left out: it is alone. */
  shared?(): boolean;
  /** Seed of the run's own generator: its runId. */
  seed(): string;
  /** Symbols that trade on the run's account (NOTIFY). */
  symbols(): readonly string[];
}

/** Candles a run reads: of its own symbol unless `symbol` is given. */
export interface FrameNeeds extends CandleNeeds {
  readonly symbol?: string;
  readonly frameMs: number;
}

/** A tick strictly between the two is skipped; null on a side = nothing to wait for there. */
export interface Quiet {
  readonly below: Dec | null;
  readonly above: Dec | null;
}

/** Closes of which only the last one counts: the others may stay untold by a host that knows the candles ahead. */
export interface Follow {
  /** The bot's own frame. */
  readonly frameMs: number;
  /** From each close on an order rests at `factor` times this value of the candle. */
  readonly edge: CandleEdge;
  /** Null: nothing new rests. */
  readonly factor: Dec | null;
  /** The order fills at or below its price (else at or above). */
  readonly falling: boolean;
  /** On the other side a tick at or beyond this multiple of the value moves the order; null: none does. */
  readonly moves: Dec | null;
}
