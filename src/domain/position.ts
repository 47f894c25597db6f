/**
 * A futures position and the settings around it, as an exchange reports them. Plain data; decimal strings,
 * times Unix ms.
 */
import type { MarginType, PositionSide } from '../schemas/order.ts';

export interface ExchangePosition {
  readonly symbol: string;
  /** `BOTH` in one-way mode. */
  readonly side: PositionSide;
  /**
   * Base size. One-way: positive long, negative short; hedge mode: never negative, the direction is `side`.
   * `0` = flat.
   */
  readonly amount: string;
  readonly entryPrice: string;
  /**
   * Signed sum of price x size over the open part, where the exchange reports it; left out: size x entry
   * price.
   */
  readonly cost?: string;
  readonly breakEvenPrice: string;
  readonly markPrice: string;
  readonly unrealizedProfit: string;
  readonly marginType: MarginType;
  /** Whole number, 1 to 125. */
  readonly leverage: number;
  /** Margin set aside for an isolated position (without unrealised PnL); `0` when crossed. */
  readonly isolatedWallet: string;
  /** Liquidation price; null when there is none (flat, or no price reaches it). */
  readonly liquidationPrice: string | null;
  /** Maintenance margin rate of the bracket the position is in, e.g. `0.004`. */
  readonly maintenanceMarginRate: string;
  /** Maintenance margin, in the margin asset. */
  readonly maintenanceMargin: string;
  /** Realised PnL since the position opened, fees and funding left out (S40). */
  readonly realizedPnl: string;
  /** The exchange's time of the last change, Unix ms; 0: not reported. */
  readonly updateTime: number;
}

/**
 * One tier of a symbol (exchange leverage bracket). `cumulative`: maintenance amount deducted, `notional *
 * rate - cumulative`.
 */
export interface LeverageBracket {
  readonly initialLeverage: number;
  readonly notionalFloor: string;
  readonly notionalCap: string;
  readonly maintenanceMarginRate: string;
  readonly cumulative: string;
}

export interface LeverageInfo {
  readonly symbol: string;
  readonly side: PositionSide;
  readonly leverage: number;
  readonly marginType: MarginType;
  readonly realizedPnl: string;
  /** The exchange's time of this state, Unix ms; left out: not reported. */
  readonly time?: number;
}

/** 1 = single-asset, 2 = multi-asset, 3 = portfolio, 4 = other (specification, "Margin mode values"). */
export type MarginMode = 1 | 2 | 3 | 4;

/** Outcome of a setting. Setting what is already set is `done`. */
export type SettingOutcome =
  /** `dust`: the result of a conversion. */
  | { readonly kind: 'done'; readonly dust?: DustConversion }
  | { readonly kind: 'rejected'; readonly code: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly cause: string };

/** A change of how an account trades, or a conversion: a request to the exchange as a whole. */
export type Setting =
  | {
      readonly kind: 'leverage';
      readonly symbol: string;
      readonly leverage: number;
      readonly marginType?: MarginType;
      readonly side?: PositionSide;
    }
  | { readonly kind: 'marginType'; readonly symbol: string; readonly marginType: MarginType }
  | { readonly kind: 'marginMode'; readonly mode: MarginMode }
  | { readonly kind: 'hedgeMode'; readonly on: boolean }
  | { readonly kind: 'dust'; readonly assets: readonly string[]; readonly toAsset?: string };

/** A conversion of small balances (S11). Decimal strings; the paper exchange takes its fee in BNB. */
export interface DustConversion {
  readonly converted: readonly {
    readonly asset: string;
    readonly amount: string;
    readonly received: string;
    readonly fee: string;
  }[];
  readonly toAsset: string;
  readonly received: string;
}

/** Returns the key of a position among the positions of its account. */
export function positionKey(symbol: string, side: PositionSide): string {
  return `${symbol} ${side}`;
}
