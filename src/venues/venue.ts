/**
 * The exchange port. Implementations never throw for what an exchange may say: a lost answer is `unknown`, a refusal is
 * `rejected`. One object serves one exchange account. Money fields are decimal strings in base units.
 */
import type {
  CancelOutcome,
  ExchangeAccount,
  ExchangeBalance,
  ExchangeCaps,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
  QueryOutcome,
  SubmitOutcome,
} from '../domain/exchange.ts';
import type { Instrument } from '../domain/instrument.ts';
import type {
  ExchangePosition,
  LeverageBracket,
  LeverageInfo,
  MarginMode,
  SettingOutcome,
} from '../domain/position.ts';
import type { Dust } from '../schemas/futures.ts';
import type { MarginType, PositionSide } from '../schemas/order.ts';

export interface OrderRef {
  readonly clientId: string;
  readonly symbol: string;
}

/** Called in the exchange's order. Each call is one input of the engine. */
export interface VenueSink {
  order(state: ExchangeOrderState): void;
  fill(fill: ExchangeFill): void;
  /** Absolute balances of the assets that changed, each with the exchange's time where it tells one (S58). */
  balances(changed: readonly ExchangeBalance[]): void;
  /** Absolute state of the positions that changed, flat ones included. Futures only. */
  positions?(changed: readonly ExchangePosition[]): void;
  /** `gap`: events may be missing, the desk reconciles. */
  stream(state: 'up' | 'down' | 'gap'): void;
}

export interface Venue {
  readonly account: ExchangeAccount;
  readonly caps: ExchangeCaps;
  /** Connects; resolves when instruments and balances can be read. */
  open(sink: VenueSink): Promise<void>;
  close(): Promise<void>;
  instruments(): readonly Instrument[];
  submit(order: ExchangeOrder): Promise<SubmitOutcome>;
  cancel(ref: OrderRef): Promise<CancelOutcome>;
  /** `absent` is what the exchange says; what it proves is for the engine to decide. */
  query(ref: OrderRef): Promise<QueryOutcome>;
  /** null: the question failed and proves nothing. */
  openOrders(): Promise<readonly ExchangeOrderState[] | null>;
  fills(q: { symbol: string; from: number }): Promise<readonly ExchangeFill[] | null>;
  /**
   * Absolute, each with the exchange's time as of which it is so: of its last change, or of the answer's making. Left out
   * where the exchange tells none: then it is as old as the question (S58). Never the time of its arrival here.
   */
  balances(): Promise<readonly ExchangeBalance[] | null>;
  /** Present on futures accounts only. */
  readonly futures?: FuturesVenue;
  /** Present where small balances can be converted to the native token. */
  readonly conversion?: DustVenue;
  /** What is known of the exchange's clock and of what it lets requests use; left out: nothing. */
  health?(): VenueHealth;
}

export interface VenueHealth {
  /** The exchange's clock less ours, ms; null: not measured. */
  readonly clockOffsetMs: number | null;
  /** Empty: it sets no limit. */
  readonly budgets: readonly RequestBudget[];
}

/** What the exchange lets requests use within a time, in its own unit. */
export interface RequestBudget {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  readonly windowMs: number;
}

/** Conversion of small balances (specification, "dust"). */
export interface DustVenue {
  list(): Promise<Dust | null>;
  /** Until a conversion is allowed again, ms; 0: now. */
  waitMs(): number;
  /** `toAsset` other than the native token is rejected in words. At most once every 6 hours. */
  convert(assets: readonly string[], toAsset?: string): Promise<SettingOutcome>;
}

/** What only futures accounts have. */
export interface FuturesVenue {
  /** Every position that is not flat; null: the question failed. */
  positions(): Promise<readonly ExchangePosition[] | null>;
  /** Last known mark price of a symbol; null before the first. */
  markPrice(symbol: string): string | null;
  leverage(symbols: readonly string[]): Promise<readonly LeverageInfo[] | null>;
  setLeverage(change: { symbol: string; leverage: number; side?: PositionSide }): Promise<SettingOutcome>;
  setMarginType(symbol: string, marginType: MarginType): Promise<SettingOutcome>;
  marginMode(): Promise<MarginMode | null>;
  setMarginMode(mode: MarginMode): Promise<SettingOutcome>;
  hedgeMode(): Promise<boolean | null>;
  setHedgeMode(on: boolean): Promise<SettingOutcome>;
  brackets(symbol: string): readonly LeverageBracket[];
}
