/**
 * The exchange port. Implementations never throw for anything an exchange may answer: a lost answer is
 * `unknown`, a refusal is `rejected`. One object serves one exchange account. Money fields are decimal
 * strings in base units.
 */
import type { AccountIdentity } from '../domain/account-identity.ts';
import type { DeadManOffer } from '../domain/dead-man.ts';
import type {
  AmendOutcome,
  CancelAllOutcome,
  CancelOutcome,
  ExchangeAccount,
  ExchangeBalance,
  ExchangeCaps,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
  FeeRates,
  OrderChange,
  OrderNames,
  QueryOutcome,
  SubmitOutcome,
} from '../domain/exchange.ts';
import type { Instrument } from '../domain/instrument.ts';
import type { Lane } from '../domain/lane.ts';
import type { LedgerEntry } from '../domain/ledger.ts';
import type { Permissions } from '../domain/permissions.ts';
import type {
  ExchangePosition,
  LeverageBracket,
  LeverageInfo,
  MarginMode,
  SettingOutcome,
} from '../domain/position.ts';
import type { Dust } from '../schemas/futures.ts';
import type { MarginType, PositionSide } from '../schemas/order.ts';

/**
 * Names an order by the exchange's ids where some are known; `clientId` is empty when the exchange's ids are
 * all there is.
 */
export type OrderRef = OrderNames;

/**
 * Until when a request may leave. After that it is never sent: an order is then rejected as UNREACHED, a
 * cancel or a change is unknown. The time after which silence proves that an order never arrived counts from
 * here.
 */
export interface Deadline {
  /** `Clock.monotonic`, ms; without a deadline the request leaves at once. */
  readonly notAfter: number;
}

/**
 * How a request may leave, and callbacks about its wait. An adapter that never holds requests back needs only
 * `notAfter`.
 */
export interface Dispatch extends Deadline {
  readonly lane: Lane;
  /** Until when the request may wait for its turn, `Clock.monotonic`, ms. Infinity: without limit. */
  readonly waitUntil: number;
  /**
   * Called when the request has to wait. `takeBack` takes it back while it still waits: it is then never
   * sent, and the outcome is `withdrawn`.
   */
  onWaits(takeBack: () => void): void;
  /**
   * Called when a request that has waited gets its turn: it leaves in this turn of the event loop, or by the
   * deadline returned.
   */
  leaves(): Deadline;
}

/** Asks for executions of one symbol, from a known position on. */
export interface FillsQuery {
  readonly symbol: string;
  /** `next` of the page before, from this process or an earlier one; null: from `since` on. */
  readonly after: string | null;
  /** The exchange's time, Unix ms. */
  readonly since: number;
}

export interface FillsPage {
  readonly fills: readonly ExchangeFill[];
  /**
   * The cursor of the next page, in the exchange's own terms: an execution may be returned twice, none is
   * left out. Null: there is no cursor yet.
   */
  readonly next: string | null;
  /** Another page can be read at once. */
  readonly more: boolean;
}

/** Asks for changes of an account's wallets that are not fills, from a known position on. */
export interface LedgerQuery {
  /**
   * `next` of the page before, from this process or an earlier one; null, or one that the exchange does not
   * know any more: from `since` on.
   */
  readonly after: string | null;
  /** The exchange's time, Unix ms. */
  readonly since: number;
  /** The largest number of rows. */
  readonly limit: number;
}

export interface LedgerPage {
  readonly rows: readonly LedgerEntry[];
  /**
   * The cursor of the next page, in the exchange's own terms: a row may be returned twice, none is left out.
   * Null: there is no cursor yet.
   */
  readonly next: string | null;
  /** Another page can be read at once. */
  readonly more: boolean;
  /**
   * Symbols whose executions the exchange's ledger mentions beside these rows: somebody, perhaps not this
   * desk, traded them while no stream was connected.
   */
  readonly traded?: readonly string[];
}

/** Receives the events of an account, in the exchange's order. Each call is one input of the engine. */
export interface VenueSink {
  order(state: ExchangeOrderState): void;
  fill(fill: ExchangeFill): void;
  /**
   * Absolute balances of the assets that changed, each with the exchange's time where the exchange sends one
   * (S58).
   */
  balances(changed: readonly ExchangeBalance[]): void;
  /** The absolute state of the positions that changed, flat ones included. Futures only. */
  positions?(changed: readonly ExchangePosition[]): void;
  /**
   * The list of tradable instruments has changed: the whole list, which `instruments()` returns from now on.
   * A symbol that is missing can no longer be traded; a question about it is still answered, with an empty
   * page where the exchange knows nothing of it.
   */
  instruments?(list: readonly Instrument[]): void;
  /** A wallet has changed by something other than a fill: the change is in the ledger, now or soon. */
  ledger?(): void;
  /** `gap`: events may be missing, so the desk reconciles the account. */
  stream(state: 'up' | 'down' | 'gap'): void;
}

export interface Venue {
  readonly account: ExchangeAccount;
  readonly caps: ExchangeCaps;
  /** Connects; resolves when instruments and balances can be read. */
  open(sink: VenueSink): Promise<void>;
  close(): Promise<void>;
  instruments(): readonly Instrument[];
  /**
   * Reads the list of instruments again; a change is told by `VenueSink.instruments`. Left out: each change is
   * told anyway.
   */
  relist?(): void;
  /** Symbols in the exchange's list that exist but could not be read. Left out: there are none. */
  unreadSymbols?(): readonly string[];
  submit(order: ExchangeOrder, dispatch?: Dispatch): Promise<SubmitOutcome>;
  cancel(ref: OrderRef, dispatch?: Dispatch): Promise<CancelOutcome>;
  /**
   * Says whether an order for the symbol that came now would leave within `SEND_WITHIN_MS` (null), or else
   * when to ask again. Left out: it always would.
   */
  canSend?(lane: Lane, symbol: string): { readonly retryAfterMs: number } | null;
  /**
   * Cancels every open order of the symbol, conditional orders and orders made elsewhere included: only where
   * all of them are meant. Events and answers tell what becomes of each order. Left out: the exchange has no
   * such request.
   */
  cancelAll?(symbol: string, dispatch?: Dispatch): Promise<CancelAllOutcome>;
  /**
   * Changes a resting order in place: it stays one order, under the same ids, and no more than the new
   * quantity of it is executed. Present where `caps.amends` says what can be changed; called for nothing
   * else.
   */
  amend?(ref: OrderRef, change: OrderChange, dispatch?: Dispatch): Promise<AmendOutcome>;
  /** Asks about one order. `absent` is what the exchange says; the engine decides what that proves. */
  query(ref: OrderRef): Promise<QueryOutcome>;
  /** Returns all open orders; null: the question failed and proves nothing. */
  openOrders(): Promise<readonly ExchangeOrderState[] | null>;
  /** Returns one page of executions, ascending; null: the question failed. */
  fills(q: FillsQuery): Promise<FillsPage | null>;
  /**
   * Returns absolute balances, each with the exchange's time at which it was true: that of its last change,
   * or of the making of the answer. The time is left out where the exchange sends none: then the balance is
   * as old as the question (S58). It is never the time of arrival here.
   */
  balances(): Promise<readonly ExchangeBalance[] | null>;
  /** Present on futures accounts only. */
  readonly futures?: FuturesVenue;
  /** Present where small balances can be converted to the native token. */
  readonly conversion?: DustVenue;
  /**
   * Returns one page of wallet changes that are not fills, each change once, including charges that no fill
   * contains; null: the question failed. Left out: the exchange has no such list, and nothing is said about
   * what its wallets are made of.
   */
  ledger?(q: LedgerQuery): Promise<LedgerPage | null>;
  /**
   * Returns the fee rates that the account pays now; null: the question failed. Left out: fees are configured
   * on this desk.
   */
  feeRates?(): Promise<FeeRates | null>;
  /**
   * Returns what the account's key may do now; null: the question failed. After a start the account takes no
   * new entry until this is answered. Left out: there is no key, or the exchange cannot say.
   */
  permissions?(): Promise<Permissions | null>;
  /**
   * Returns the account that the key belongs to; null: the question failed. After a start nothing is sent
   * until this is answered. Left out: the exchange cannot say.
   */
  identity?(): Promise<AccountIdentity | null>;
  /** The dead-man switch, present where `caps.deadMan` says how it works. */
  readonly deadMan?: DeadManVenue;
  /**
   * Returns the clock offset and the request budgets as far as they are known; left out: nothing is known.
   */
  health?(): VenueHealth;
}

export interface VenueHealth {
  /** The exchange's clock minus ours, ms; null: not measured. */
  readonly clockOffsetMs: number | null;
  /** Empty: the exchange sets no limit. */
  readonly budgets: readonly RequestBudget[];
}

/**
 * A dead-man switch: the exchange cancels open orders when it has heard nothing from this desk for a set
 * time.
 */
export interface DeadManVenue {
  /**
   * Restarts the countdown, or stops it with 0 s. `symbol` null: the whole account. Present where the switch
   * is renewed by requests. A request without an answer may have arrived.
   */
  arm?(
    countdown: { readonly symbol: string | null; readonly seconds: number },
    dispatch?: Dispatch,
  ): Promise<SettingOutcome>;
  /**
   * Says how the account has a switch that the exchange watches by itself; null: the question failed. Present
   * where no request renews the switch.
   */
  offered?(): Promise<DeadManOffer | null>;
}

/** A limit on requests within a time, in the exchange's own unit. */
export interface RequestBudget {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  readonly windowMs: number;
}

/** Conversion of small balances (specification, "dust"). */
export interface DustVenue {
  list(): Promise<Dust | null>;
  /** Returns the time until a conversion is allowed again, ms; 0: now. */
  waitMs(): number;
  /**
   * Converts the assets. A `toAsset` other than the native token is rejected with an explanation. At most
   * once every 6 hours.
   */
  convert(assets: readonly string[], toAsset?: string): Promise<SettingOutcome>;
}

/** The requests that only futures accounts have. */
export interface FuturesVenue {
  /** Returns every position that is not flat; null: the question failed. */
  positions(): Promise<readonly ExchangePosition[] | null>;
  /** Returns the last known mark price of a symbol; null before the first. */
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
