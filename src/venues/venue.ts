/**
 * The exchange port. Implementations never throw for what an exchange may say: a lost answer is `unknown`, a refusal is
 * `rejected`. One object serves one exchange account. Money fields are decimal strings in base units.
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

/** By its own ids where some are known; `clientId` is empty when those are all there is. */
export type OrderRef = OrderNames;

/**
 * Until when a request may leave. What has not left by then is never sent: of an order it is rejected as UNREACHED, of a cancel
 * or a change unknown. What proves that an order never arrived counts from here.
 */
export interface Deadline {
  /** `Clock.monotonic`, ms; where none is given it leaves at once. */
  readonly notAfter: number;
}

/** How a request may leave, and what is told of it meanwhile. An adapter that keeps nothing back needs `notAfter` only. */
export interface Dispatch extends Deadline {
  readonly lane: Lane;
  /** `Clock.monotonic`, ms; so long it may wait for its turn. Infinity: without limit. */
  readonly waitUntil: number;
  /** It has to wait. `takeBack`: it is not wanted any more; what has not left by then never does, and is `withdrawn`. */
  onWaits(takeBack: () => void): void;
  /** It has its turn, and leaves in this turn of the event loop or by this deadline. To be called of what has waited. */
  leaves(): Deadline;
}

/** Executions of one symbol, from where they are known. */
export interface FillsQuery {
  readonly symbol: string;
  /** `next` of the page before, of this process or an earlier one; null: from `since` on. */
  readonly after: string | null;
  /** The exchange's time, Unix ms. */
  readonly since: number;
}

export interface FillsPage {
  readonly fills: readonly ExchangeFill[];
  /** Where to go on, in the exchange's own terms: an execution may be told twice by it, none is left out. Null: there is none yet. */
  readonly next: string | null;
  /** There is another page by now. */
  readonly more: boolean;
}

/** What changed the wallets of an account and is no fill, from where it is known. */
export interface LedgerQuery {
  /** `next` of the page before, of this process or an earlier one; null, or one that is not known any more: from `since` on. */
  readonly after: string | null;
  /** The exchange's time, Unix ms. */
  readonly since: number;
  /** Rows at most. */
  readonly limit: number;
}

export interface LedgerPage {
  readonly rows: readonly LedgerEntry[];
  /** Where to go on, in the exchange's own terms: a row may be told twice by it, none is left out. Null: there is none yet. */
  readonly next: string | null;
  /** There is another page by now. */
  readonly more: boolean;
  /** Symbols of which it names executions beside the rows: something was traded there, perhaps by somebody else while nobody listened. */
  readonly traded?: readonly string[];
}

/** Called in the exchange's order. Each call is one input of the engine. */
export interface VenueSink {
  order(state: ExchangeOrderState): void;
  fill(fill: ExchangeFill): void;
  /** Absolute balances of the assets that changed, each with the exchange's time where it tells one (S58). */
  balances(changed: readonly ExchangeBalance[]): void;
  /** Absolute state of the positions that changed, flat ones included. Futures only. */
  positions?(changed: readonly ExchangePosition[]): void;
  /**
   * What the account trades has changed: the whole list, which `instruments()` gives from now on. A symbol that is missing is
   * not traded any more; a question about it is answered all the same, an empty page where the exchange knows none of it.
   */
  instruments?(list: readonly Instrument[]): void;
  /** A wallet has changed by something that is no fill: it is in the ledger, now or soon. */
  ledger?(): void;
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
  /** Symbols that its list names and that could not be read: they are there. Left out: there are none. */
  unreadSymbols?(): readonly string[];
  submit(order: ExchangeOrder, dispatch?: Dispatch): Promise<SubmitOutcome>;
  cancel(ref: OrderRef, dispatch?: Dispatch): Promise<CancelOutcome>;
  /**
   * Whether an order of the symbol that came now would leave within `SEND_WITHIN_MS`; if not, when it may be worth asking again.
   * Left out: it always would.
   */
  canSend?(lane: Lane, symbol: string): { readonly retryAfterMs: number } | null;
  /**
   * Ends every open order of the symbol, those that wait for a trigger too, whoever made them: only where all of them are meant.
   * What becomes of each is told by events and answers. Left out: the exchange has no such request.
   */
  cancelAll?(symbol: string, dispatch?: Dispatch): Promise<CancelAllOutcome>;
  /**
   * Changes a resting order in its place: it stays one order, under its ids, and no more than the new quantity is executed of
   * it. Present where `caps.amends` says what it can change; asked for nothing else.
   */
  amend?(ref: OrderRef, change: OrderChange, dispatch?: Dispatch): Promise<AmendOutcome>;
  /** `absent` is what the exchange says; what it proves is for the engine to decide. */
  query(ref: OrderRef): Promise<QueryOutcome>;
  /** null: the question failed and proves nothing. */
  openOrders(): Promise<readonly ExchangeOrderState[] | null>;
  /** Ascending, one page; null: the question failed. */
  fills(q: FillsQuery): Promise<FillsPage | null>;
  /**
   * Absolute, each with the exchange's time as of which it is so: of its last change, or of the answer's making. Left out
   * where the exchange tells none: then it is as old as the question (S58). Never the time of its arrival here.
   */
  balances(): Promise<readonly ExchangeBalance[] | null>;
  /** Present on futures accounts only. */
  readonly futures?: FuturesVenue;
  /** Present where small balances can be converted to the native token. */
  readonly conversion?: DustVenue;
  /**
   * Every change of a wallet that is no fill, each once and with what is charged in no fill; one page, null: the question
   * failed. Left out: the exchange tells none, and nothing is said of what its wallets are made of.
   */
  ledger?(q: LedgerQuery): Promise<LedgerPage | null>;
  /** What the account pays now; null: the question failed. Left out: its fees are set on this desk. */
  feeRates?(): Promise<FeeRates | null>;
  /**
   * What the account's key may do now; null: the question failed. Until it is answered after a start the account takes no new
   * entry. Left out: there is no key, or the exchange cannot say.
   */
  permissions?(): Promise<Permissions | null>;
  /**
   * Which account the key is of; null: the question failed. Nothing is sent after a start before it is answered. Left out: the
   * exchange cannot say.
   */
  identity?(): Promise<AccountIdentity | null>;
  /** Present where `caps.deadMan` says how. */
  readonly deadMan?: DeadManVenue;
  /** What is known of the exchange's clock and of what it lets requests use; left out: nothing. */
  health?(): VenueHealth;
}

export interface VenueHealth {
  /** The exchange's clock less ours, ms; null: not measured. */
  readonly clockOffsetMs: number | null;
  /** Empty: it sets no limit. */
  readonly budgets: readonly RequestBudget[];
}

/** A switch of the exchange that ends open orders when it hears nothing of this desk for so long. */
export interface DeadManVenue {
  /**
   * Starts its countdown anew, or with 0 s takes it back. `symbol` null: of the whole account. Present where requests renew it. One
   * that has no answer may have arrived.
   */
  arm?(
    countdown: { readonly symbol: string | null; readonly seconds: number },
    dispatch?: Dispatch,
  ): Promise<SettingOutcome>;
  /** How the account has one that the exchange watches itself; null: the question failed. Present where no request renews it. */
  offered?(): Promise<DeadManOffer | null>;
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
