/**
 * The interface of one run (strategies.md 1 and 2): its inputs and the actions it asks for. A run is pure:
 * its host (the live desk, the backtest) gives it one input at a time and carries out its actions. What its
 * strategy sees of it is in `../strategy.ts`. Types only.
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

/** One part of an entry: it buys a lot of its own, sized by money or by quantity. */
export interface EntryPart {
  readonly lot: string;
  /** The strategy's name for the level, e.g. `channel 0.236`; used in metadata and messages. */
  readonly label: string;
  /** Quote (notional) to spend at the order's price; null when `qty` gives the size. */
  readonly budget: Dec | null;
  readonly qty: Dec | null;
}

/**
 * An order that should rest, or go out now. Wanting the same order again changes nothing; a different one
 * replaces it.
 */
export interface WantedEntry {
  readonly role: 'entry';
  readonly type: RunOrderType;
  /** Price before rounding; null for MARKET. */
  readonly price: Dec | null;
  readonly stopPrice: Dec | null;
  readonly parts: readonly EntryPart[];
}

export interface WantedExit {
  readonly role: 'exit';
  readonly type: RunOrderType;
  readonly price: Dec | null;
  readonly stopPrice: Dec | null;
  /** Keys of the lots it sells, in that order; empty: all lots that are open when it fills, oldest first. */
  readonly lots: readonly string[];
  /** Quantity to sell from now on; null: all that the lots hold, dust so far included. */
  readonly qty: Dec | null;
  readonly label: string;
  /** When the price is reached the exit does not sell but trails by this percent below its peak. */
  readonly trail: Dec | null;
  /** Futures: the order may only shrink the position. Default true. */
  readonly reduceOnly?: boolean;
  /** Futures stops: the price type that triggers it; null or left out: the last price. */
  readonly workingType?: WorkingType | null;
}

export type Wanted = WantedEntry | WantedExit;

/** A price and its time. */
export interface PricePoint {
  readonly price: Dec;
  /** Market time, Unix ms. */
  readonly at: number;
}

/** The steps in which the exchange takes prices and quantities. */
export interface Grid {
  readonly tick: Dec;
  readonly step: Dec;
}

/** One order of a run; plain data, stored with the run. */
export interface RunOrder {
  /** Unique within the run. */
  readonly key: string;
  readonly slot: string;
  /** Number of the want that the order was placed for. */
  readonly wantNumber?: number;
  readonly role: Role;
  readonly side: 'BUY' | 'SELL';
  readonly type: RunOrderType;
  /** Price as sent, rounded. */
  readonly price: Dec | null;
  readonly stopPrice: Dec | null;
  readonly qty: Dec;
  readonly label: string;
  readonly reduceOnly: boolean;
  /** Price type that triggers a stop, when it is not the last price. */
  readonly workingType?: WorkingType;
  /** Entry: the lots that its fills go to, in order, and the quantity for each. */
  readonly into: readonly { readonly lot: string; readonly label: string; readonly qty: Dec }[];
  /** Exit: lots it sells, in order; empty as in `WantedExit`. */
  readonly from: readonly string[];
  /**
   * Exit: sells only what brings the cost back; what its lots still hold after that is kept for good
   * (`profitAsset` base).
   */
  readonly keepsRest?: boolean;
  /** Steps it was rounded to, where the symbol has other steps by now. */
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
  /** Value of the fee in quote units; left out: the fee is in the base or the quote asset. */
  readonly feeQuote?: Dec;
  readonly maker: boolean;
}

/** What has happened to one of the run's own orders. */
export type OrderChange =
  /**
   * `triggered`: a stop whose price the exchange has reached; where the exchange does not report that, the
   * last price decides.
   */
  | { readonly key: string; readonly kind: 'accepted'; readonly triggered?: boolean }
  /** The engine held the order; its price was reached, and it has been sent. */
  | { readonly key: string; readonly kind: 'triggered' }
  | { readonly key: string; readonly kind: 'fill'; readonly fill: Fill }
  /** The exchange has refused to cancel the order. */
  | { readonly key: string; readonly kind: 'stays' }
  /** Nothing more will fill: the order is complete, cancelled or expired. */
  | { readonly key: string; readonly kind: 'ended' }
  | {
      readonly key: string;
      readonly kind: 'rejected';
      /** Message of the exchange or of the engine. */
      readonly reason: string;
      /**
       * `balance`: not covered; `passed`: a stop whose price is passed already; `final`: retries cannot help
       * (strategies.md 2, run rule 3); `later`: cannot be judged yet; `guard`: a guard of its account does
       * not allow it now. `later` and `guard` do not count as tries.
       */
      readonly why: 'balance' | 'passed' | 'final' | 'later' | 'guard' | 'other';
      /** The exchange has refused the order, and a row is kept of it; left out: the engine has. */
      readonly sent?: boolean;
    };

/** A part of a run's position that others have closed. */
export interface Lost {
  readonly qty: Dec;
  readonly price: Dec;
  /** This part's share of the fee, quote units. */
  readonly fee: Dec;
  readonly reason: 'liquidated' | 'closed elsewhere';
}

/** Why a run is paused. */
export interface Pause {
  readonly why: string;
  /** Entries that rest are cancelled; false: they stay where they are, and no new ones are sent. */
  readonly withdraws: boolean;
  /** The pause does not pass by itself: the run has failed (R12). */
  readonly final?: true;
}

/** One input; inputs of the same instant are handled in this order (strategies.md 1). */
export type RunInput =
  /**
   * Futures: others have closed a part of what the run holds; null: the owners of the rest of the position
   * have changed.
   */
  | { readonly type: 'position'; readonly lost: Lost | null }
  | { readonly type: 'candle'; readonly symbol: string; readonly frameMs: number; readonly candle: BotCandle }
  | { readonly type: 'timer'; readonly name: string }
  | { readonly type: 'order'; readonly change: OrderChange }
  /** A new last price; the market view contains it already. */
  | { readonly type: 'tick' }
  /** The account or symbol takes no entries now (R12); null: it takes them again. */
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

/** Figures of one run (strategies.md 2, run rule 6). Money in the quote or margin asset. */
export interface RunStats {
  realised: Dec;
  fees: Dec;
  /** Traded volume, quote units. */
  volume: Dec;
  cycles: number;
  winningCycles: number;
  fills: number;
  /** Largest drawdown, percent of equity. */
  maxDrawdown: Dec;
  /** ALGO twap: quantity that was not traded, base units. */
  unfilled: Dec;
  /** NOTIFY: symbols without data, summed over all scans. */
  skipped: number;
}

/** What a run can ask its host about. */
export interface RunWorld {
  /** Market time, Unix ms. */
  now(): number;
  /** Free amount of an asset that this run may use, its own reservation included. */
  available(asset: string): Dec;
  /** Amount of the asset that other bots reserve, for messages. */
  reservedByOthers(asset: string): Dec;
  /**
   * Position held before the start (tpsl, futures): base amount, signed, and entry price; null when flat or
   * spot.
   */
  position(): { readonly amount: Dec; readonly entryPrice: Dec } | null;
  /** Leverage of the symbol, 1 on spot. */
  leverage(): Dec;
  /**
   * Why the run may not trade its symbol beside the orders and positions there (R13); null: it may. Left out:
   * the run is alone.
   */
  conflict?(): string | null;
  /**
   * Futures: somebody else has, or may get, a part of the position; two exits of the same lots could then
   * both fill, the second out of that part. Left out: the run is alone.
   */
  shared?(): boolean;
  /** Seed of the run's own generator: its runId. */
  seed(): string;
  /** Symbols that trade on the run's account (NOTIFY). */
  symbols(): readonly string[];
}

/** Candles that a run reads: those of its own symbol unless `symbol` is given. */
export interface FrameNeeds extends CandleNeeds {
  readonly symbol?: string;
  readonly frameMs: number;
}

/** A tick strictly between the two prices is skipped; null on a side: no price is waited for there. */
export interface TickBounds {
  readonly below: Dec | null;
  readonly above: Dec | null;
}

/** Closes of which only the last one counts: a host that knows the candles ahead may leave out the others. */
export interface Follow {
  /** The bot's own frame. */
  readonly frameMs: number;
  /** From each close on, an order rests at `factor` times this value of the candle. */
  readonly edge: CandleEdge;
  /** Null: no new order is placed. */
  readonly factor: Dec | null;
  /** The order fills at or below its price (else at or above). */
  readonly falling: boolean;
  /**
   * On the other side, a tick at or beyond this multiple of the value moves the order; null: no tick does.
   */
  readonly moves: Dec | null;
}
