/**
 * A bot's settings as the runtime uses them: every default filled in, every decimal read, every block checked
 * (strategies.md 2). Made by `compile.ts` only; strategies read it and never look at the raw settings. Plain
 * data.
 */
import type { Dec } from '../../domain/decimal.ts';
import type { BotType } from '../../schemas/bots/bot-type.ts';
import type { MarginType, OrderType, PositionSide, WorkingType } from '../../schemas/order.ts';

export type { BotType };

/**
 * `line(t) = p1 + (p2 - p1) * (t - t1) / (t2 - t1)`, extended both ways; t1 < t2 (strategies.md 1, "Line
 * values").
 */
export interface PriceLine {
  readonly t1: number;
  readonly p1: Dec;
  readonly t2: number;
  readonly p2: Dec;
}

export type CandleEdge = 'open' | 'close' | 'high' | 'low' | 'hl2' | 'oc2' | 'hlc3' | 'ohlc4';

export interface Deposit {
  readonly value: Dec;
  readonly asset: string;
  readonly strategy: 'fixed' | 'percent';
  readonly min: Dec | null;
  readonly max: Dec | null;
  readonly allocate: 'reserve' | 'auto' | 'no_reserve';
  readonly leverage: number | null;
}

/** How one side's orders are sent; null: the strategy's own way. */
export interface OrderWay {
  /** Null: the strategy's own way, when only the other fields are given. */
  readonly type: 'MARKET' | 'LIMIT' | null;
  /** LIMIT: percent worse than the current price; 0 = as MARKET. */
  readonly worsePercent: Dec;
  /** Number of orders that one quantity is divided over. */
  readonly size: number;
}

export interface SellWay extends OrderWay {
  /** Null: the strategy's own way. */
  readonly priceStrategy: 'fixed' | 'dynamic' | 'trailing' | null;
}

export type StopStrategy =
  | 'price'
  | 'price_percent_buy'
  | 'trend_percent_price'
  | 'breakeven'
  | 'timeout_buy'
  | 'fixed'
  | 'trailing';

export interface StopRule {
  readonly strategy: StopStrategy;
  readonly trigger: {
    readonly type: 'kline' | 'exchange' | 'time' | 'timeout';
    /**
     * Percent for `price_percent_buy`, `breakeven`, `trailing`; a price for `fixed`; ms for `timeout_buy`.
     */
    readonly value: Dec | null;
    readonly line: PriceLine | null;
    /** `trend_percent_price`: distance from the line. */
    readonly percent: Dec | null;
    readonly edge: CandleEdge;
    readonly closed: boolean;
    /** Frame of the rule's candles, ms. */
    readonly timeFrame: number;
    /** Type `time`: Unix ms. */
    readonly time: number | null;
  };
  readonly order: {
    readonly type: OrderType;
    readonly stopPrice: Dec | null;
    readonly workingType: WorkingType | null;
    /** Percent by which stopPrice is moved away when placed (INTRADAY). */
    readonly correction: Dec | null;
  };
  readonly complete: boolean;
  readonly disabled: boolean;
  readonly snoozeDuration: number;
  readonly maxStops: number | null;
  /** The rule as it was given, for messages and runtime commands. */
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface Filters {
  readonly volume: { readonly minVal: Dec | null; readonly percentChange: Dec | null } | null;
  readonly price: { readonly minVal: Dec | null; readonly percentChange: Dec | null } | null;
  readonly market: {
    readonly rsi: {
      readonly period: number;
      readonly timeFrame: number;
      readonly min: number | null;
      readonly max: number | null;
    } | null;
    readonly trend: 'up' | 'down' | null;
  } | null;
  readonly blacklist: readonly string[];
}

export interface Range {
  readonly type: 'price' | 'kline_percent' | 'scaled_price' | 'trend_percent_price';
  readonly min: Dec | null;
  readonly max: Dec | null;
  /** The line of `trend_percent_price`. */
  readonly trend: PriceLine | null;
}

export interface StartTrigger {
  readonly trend: PriceLine;
  readonly direction: 'up' | 'down' | 'both';
}

/** A bot's `options`, given beside its settings. */
export interface RestartOptions {
  readonly restart: boolean;
  /** Delay between the end of a run and its restart, ms. */
  readonly restartDelay: number;
  readonly reuse: boolean;
}

/** Settings that every type shares. Money and prices are Dec, percents Dec (1 = 1 %), durations ms. */
export interface CommonSettings {
  readonly exchange: string;
  /**
   * Venue symbol: `ticker`, else base and quote joined, else the pair code. Empty for a NOTIFY that scans
   * all.
   */
  readonly symbol: string;
  /** The bot's own candles, ms; null = every tick. */
  readonly timeFrame: number | null;
  readonly short: boolean;
  readonly deposit: Deposit | null;
  readonly buy: OrderWay | null;
  readonly sell: SellWay | null;
  readonly stops: readonly StopRule[];
  /** ms after the start; null = none. */
  readonly ttl: number | null;
  readonly filters: Filters | null;
  readonly ranges: readonly Range[];
  readonly startTrigger: StartTrigger | null;
  readonly profitAsset: 'quote' | 'base';
  readonly onetime: boolean;
  readonly noticeLevel: 0 | 1 | 2 | 3;
  readonly positionSide: PositionSide;
  readonly marginType: MarginType | null;
  readonly name: string;
  readonly options: RestartOptions;
}

/** Target of an alert: `console` always, `bell`, or a target of the configuration by name. */
export type NotifyTarget = string;

/** Settings of a bot of any type; the settings of one type are in that type's folder. */
export interface CompiledSettings extends CommonSettings {
  readonly type: BotType;
}

/** One problem (or, as a warning, something unusual) in a bot's settings. */
export interface Problem {
  /** Path, e.g. `stop[0].trigger.value`; empty when the message contains the place. */
  readonly path: string;
  readonly message: string;
  /** An order would be below the exchange's minimum. */
  readonly belowMinimum?: true;
}

/** What settings are judged by: the exchange account, its instrument and the configuration. */
export interface SettingsWorld {
  /** Market time, Unix ms. */
  readonly now: number;
  /** By account id: spot or futures. */
  readonly accounts: ReadonlyMap<string, { readonly kind: 'spot' | 'futures'; readonly hedge: boolean }>;
  instrument(exchange: string, symbol: string): MarketRules | null;
  /** Symbols that trade on the account, for messages. */
  symbols(exchange: string): readonly string[];
  /** Names of the notification targets. */
  readonly targets: readonly string[];
}

/** Facts about a symbol that a bot needs. */
export interface MarketRules {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly kind: 'spot' | 'futures';
  readonly tick: Dec;
  readonly step: Dec;
  readonly minQty: Dec;
  readonly minNotional: Dec;
  /** Fractions: 0.001 = 0.1 %. */
  readonly makerRate: Dec;
  readonly takerRate: Dec;
  /** Largest leverage, futures. */
  readonly maxLeverage: number;
  /** True when exits below `minNotional` are taken; left out: they are taken on futures. */
  readonly takesSmallExits?: boolean;
}

export type Compiled =
  | { readonly ok: true; readonly settings: CompiledSettings; readonly warnings: readonly Problem[] }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      readonly warnings: readonly Problem[];
      /**
       * Set when every value could be read and only their combination is wrong: the checks that need a price
       * or a balance add their problems to the same list (strategies.md 2, run rule 1). Must not be used for
       * anything else.
       */
      readonly settings: CompiledSettings | null;
    };
