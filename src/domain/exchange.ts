/**
 * The messages between the engine and an exchange, as plain data: orders sent, their states, fills, balances.
 * The port itself is `venues/venue.ts`. All money fields are decimal strings in base units.
 */
import type { OrderType, PositionSide, Side, WorkingType } from '../schemas/order.ts';
import { OWNER } from './actor.ts';
import type { DeadManCaps } from './dead-man.ts';
import type { FormRow } from './order-form.ts';
import type { RejectCode } from './reject-code.ts';

export interface ExchangeAccount {
  /** `<venue>-<market kind>`, e.g. `paper-spot`. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'spot' | 'futures';
  /** The market it trades on (`marketOf`); left out: the market that all accounts of its venue share. */
  readonly market?: string;
  /** The user who owns it (S27); left out: the one local user. */
  readonly user?: string;
  /**
   * Name of the wallet that it shares with other accounts (`walletOf`); left out: it has a wallet of its own.
   */
  readonly wallet?: string;
}

/** Returns the wallet that an account trades with. */
export function walletOf(account: ExchangeAccount): string {
  return account.wallet ?? account.id;
}

/**
 * Returns the user an exchange account belongs to: nobody else sees it, trades on it or receives its events
 * (S27).
 */
export function holderOf(account: ExchangeAccount): string {
  return account.user ?? OWNER;
}

/**
 * Returns the market of an account, the place where its prices form (exchanges.md 1): `paper`,
 * `binance-spot`.
 */
export function marketOf(account: ExchangeAccount): string {
  return account.market ?? venueOf(account);
}

/** Returns the record key of a symbol of a market; names of markets contain no spaces. */
export function marketKey(market: string, symbol: string): string {
  return `${market} ${symbol}`;
}

/**
 * Returns the account that a request means when it names none: the first account of that kind at the venue
 * (specification, "Portfolio"); undefined when the venue has none.
 */
export function defaultAccount(
  accounts: readonly ExchangeAccount[],
  kind: ExchangeAccount['kind'],
): ExchangeAccount | undefined {
  const venue = venueOf(accounts[0]);
  return accounts.find((account) => account.kind === kind && venueOf(account) === venue);
}

/** Returns the venue of an account: `paper-spot` -> `paper`. */
export function venueOf(account: ExchangeAccount | undefined): string {
  return account?.id.replace(/-[^-]*$/, '') ?? '';
}

/** What an exchange does by itself; everything else the engine holds and fires (S26). */
export interface ExchangeCaps {
  /** Which orders it takes, and which of them it keeps waiting by itself (`order-form.ts`). */
  readonly forms: readonly FormRow[];
  /** How long after signing a request may still take effect, ms (Binance recvWindow). */
  readonly validityWindowMs: number;
  /**
   * How long its adapter may hold a request before it sends it or reports that it was not sent, ms; left out:
   * not at all.
   */
  readonly sendWithinMs?: number;
  /**
   * Largest lag of its replicas, ms: for this long after an order has ended, an execution from before its end
   * may still appear, and a list of open orders may still contain the order. Left out: no lag.
   */
  readonly settleMs?: number;
  /** The fees of its highest public tier: assumed until the account's own rates are known. */
  readonly highestFees?: FeeRates;
  /** Prefix of order ids on this exchange (S19). */
  readonly idPrefix: string;
  /**
   * When an order that waits at the exchange triggers, the exchange makes another order with an id of its
   * own, and may report executions of that order before the order itself: an execution of an unknown order
   * may belong to a waiting one.
   */
  readonly triggersMakeOrders?: boolean;
  /**
   * Nobody but this desk trades on the account; only liquidations come from orders that were not sent from
   * here.
   */
  readonly ownOrdersOnly?: boolean;
  /** Whether it takes closing orders below the minimum; left out: `flag` on futures, `no` on spot. */
  readonly closeBelowMinimum?: CloseBelowMinimum;
  /** Which changes of resting orders it takes; left out: none. */
  readonly amends?: AmendCaps;
  /** How it ends open orders by itself when it does not hear from this desk; left out: it does not. */
  readonly deadMan?: DeadManCaps;
  /**
   * It matches on exactly the prices that the desk receives, and fills at none before the desk has it: no
   * fill reveals a newer price.
   */
  readonly pricesFirst?: boolean;
  /**
   * No event reports a leverage that is changed elsewhere while the contract is flat: the known value may be
   * old.
   */
  readonly leverageUntold?: true;
}

/**
 * Whether an exchange takes a closing order below its minimum notional: `flag`: where the order is marked as
 * closing (reduceOnly, closePosition, the closing side in hedge mode); `any`: always; `no`: never.
 */
export type CloseBelowMinimum = 'flag' | 'any' | 'no';

export function closeBelowMinimum({
  account,
  caps,
}: {
  readonly account: Pick<ExchangeAccount, 'kind'>;
  readonly caps: Pick<ExchangeCaps, 'closeBelowMinimum'>;
}): CloseBelowMinimum {
  return caps.closeBelowMinimum ?? (account.kind === 'futures' ? 'flag' : 'no');
}

/** How an exchange changes a resting order without replacing it by a second one. */
export interface AmendCaps {
  readonly types: readonly OrderType[];
  readonly fields: readonly (keyof OrderChange)[];
  /** A quantity can only be reduced. */
  readonly onlyLess?: true;
  /** When the order keeps its place in the queue at its price; `less`: if only its quantity is reduced. */
  readonly keepsPlace: 'never' | 'less' | 'always';
  /** Where the exchange documents this. */
  readonly source: string;
}

/**
 * The fees of an account for executions, as a fraction of the notional: `0.001` is 0.1 %. Negative: a rebate.
 */
export interface FeeRates {
  readonly maker: string;
  readonly taker: string;
}

/** An order as it is sent. `clientId` is the desk's order id, fixed before the first and only send. */
export interface ExchangeOrder {
  readonly clientId: string;
  readonly symbol: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly quantity?: string;
  readonly quoteOrderQty?: string;
  readonly price?: string;
  readonly stopPrice?: string;
  readonly timeInForce: 'GTC' | 'IOC' | 'FOK';
  /** When the exchange is to end it by itself, Unix ms; left out: never. */
  readonly goodTillDate?: number;
  readonly icebergQty?: string;
  readonly reduceOnly?: boolean;
  readonly closePosition?: boolean;
  readonly positionSide?: PositionSide;
  readonly workingType?: WorkingType;
  /** Callback of a trailing stop in basis points (100 = 1 %): a STOP_MARKET without stopPrice. */
  readonly trailingDelta?: number;
  /** Price at which the trailing stop arms; left out: at once. */
  readonly activationPrice?: string;
}

export type ExchangeOrderStatus =
  /** A conditional order that was accepted and waits for its trigger. */
  | 'PENDING'
  /** On the book, perhaps partly filled. */
  | 'WORKING'
  | 'FILLED'
  /** Cancelled, expired, or its remainder not taken; `cumQty` holds what was filled. */
  | 'CANCELLED'
  /** Refused by the exchange after it had accepted the order first. */
  | 'REJECTED';

/** The states of the exchange after which nothing more changes. */
export const ENDS: ReadonlySet<ExchangeOrderStatus> = new Set(['FILLED', 'CANCELLED', 'REJECTED']);

/**
 * Absolute, cumulative state of one order. States may arrive twice and in any sequence: `seq` tells which one
 * is newer.
 */
export interface ExchangeOrderState {
  /** The client id that the order was sent with; empty: it had none, then `venueIds` are given. */
  readonly clientId: string;
  readonly symbol: string;
  readonly status: ExchangeOrderStatus;
  /**
   * Current quantity (for a quoteOrderQty order the quantity that it bought); differs from the quantity sent:
   * the order was amended.
   */
  readonly origQty: string;
  readonly cumQty: string;
  /** Sum of price x quantity over what was executed; left out: not reported. */
  readonly quoteQty?: string;
  /**
   * The exchange's own time or version of the change, which survives restarts of both sides. When two changes
   * have the same, the one with more executions is newer, and after that the one with the later status.
   */
  readonly seq: number;
  /** Market time of the change, Unix ms. */
  readonly time: number;
  /** Why the order ended, in the exchange's words. */
  readonly text?: string;
  /** For a trailing stop that follows the price: market time since when, Unix ms. */
  readonly armedAt?: number;
  /**
   * For a PENDING order: its trigger was met, but no order has come of it within the usual time; it may
   * protect nothing.
   */
  readonly stuck?: true;
  /** For a REJECTED order: the reason; left out: OTHER. */
  readonly reason?: RejectCode;
  /**
   * The exchange's own ids of the order, unique per symbol; for a triggered order also the id of the order
   * that its trigger made. Left out: not reported.
   */
  readonly venueIds?: readonly string[];
  /**
   * The current terms of the order; left out: not reported. An order made elsewhere becomes known by the
   * first message that has them.
   */
  readonly terms?: ExchangeOrderTerms;
}

/** The terms of an order as its exchange has them. */
export interface ExchangeOrderTerms {
  readonly side: Side;
  readonly type: OrderType;
  readonly price?: string;
  readonly stopPrice?: string;
  readonly timeInForce: 'GTC' | 'IOC' | 'FOK';
  readonly icebergQty?: string;
  readonly reduceOnly: boolean;
  readonly closePosition: boolean;
  readonly positionSide: PositionSide;
  readonly workingType: WorkingType;
}

export interface ExchangeFill {
  /** Unique per symbol and order of an account. */
  readonly tradeId: string;
  /** The client id of its order; empty: not reported, then `venueId` is given. */
  readonly clientId: string;
  /** The exchange's own id of its order; left out: not reported. */
  readonly venueId?: string;
  readonly symbol: string;
  readonly side: Side;
  readonly price: string;
  readonly qty: string;
  readonly comm: string;
  readonly commAsset: string;
  readonly maker: boolean;
  readonly rPnl: string | null;
  readonly posSide: PositionSide;
  /** Market time, Unix ms. */
  readonly time: number;
  /** The order was made by the exchange to liquidate a position. */
  readonly liquidation?: boolean;
  /** Not reported by an exchange: inferred from the sums of its order. */
  readonly inferred?: true;
}

/** The ids by which a message names an order. */
export interface OrderNames {
  readonly clientId: string;
  readonly symbol: string;
  readonly venueIds?: readonly string[];
}

export function namesOf(what: ExchangeOrderState | ExchangeFill): OrderNames {
  const { clientId, symbol } = what;
  if ('tradeId' in what) return { clientId, symbol, ...(what.venueId ? { venueIds: [what.venueId] } : {}) };
  return { clientId, symbol, ...(what.venueIds ? { venueIds: what.venueIds } : {}) };
}

/** Absolute balance of one asset. `free + locked` is the wallet. */
export interface ExchangeBalance {
  readonly asset: string;
  readonly free: string;
  readonly locked: string;
  /** The exchange's time of this balance, Unix ms; left out: not reported. */
  readonly time?: number;
}

/** A refusal: its code for decisions, and the exchange's own code and words for people. */
export interface Rejected {
  readonly kind: 'rejected';
  readonly reason: RejectCode;
  readonly code: string;
  readonly message: string;
}

/**
 * The outcome of a submission. `accepted` carries the state at the time of the response; its fills arrive as
 * fills, before or after.
 */
export type SubmitOutcome =
  | { readonly kind: 'accepted'; readonly state: ExchangeOrderState }
  | Rejected
  /** Withdrawn before it was sent: it certainly never reached the exchange. */
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'unknown'; readonly cause: string };

export type CancelOutcome =
  | { readonly kind: 'done'; readonly state: ExchangeOrderState }
  /** No open order has that id; the state tells how it ended when the exchange knows it. */
  | { readonly kind: 'gone'; readonly state: ExchangeOrderState | null }
  | Rejected
  | { readonly kind: 'unknown'; readonly cause: string };

/**
 * The outcome of cancelling all open orders of a symbol: on the book or waiting for a trigger, whoever made
 * them.
 */
export type CancelAllOutcome =
  /**
   * The orders that the exchange reports as ended by it; about orders that it leaves out nothing is known
   * yet.
   */
  | { readonly kind: 'done'; readonly states: readonly ExchangeOrderState[] }
  | Rejected
  | { readonly kind: 'unknown'; readonly cause: string };

/** A change of a resting order; fields that are left out stay. */
export interface OrderChange {
  readonly price?: string;
  /** The new total quantity, including what is already executed. */
  readonly quantity?: string;
  /**
   * The order as this desk knows it, for an exchange that wants all of it in the request: the exchange's own
   * last response may be older. Changes nothing.
   */
  readonly known?: { readonly side: Side; readonly price?: string; readonly quantity: string };
}

export type AmendOutcome =
  /**
   * The change was made: or the order has ended, because nothing was left of the new quantity or the new
   * price was filled.
   */
  | { readonly kind: 'done'; readonly state: ExchangeOrderState }
  /**
   * No open order has that id, and nothing was changed; the state tells how it ended when the exchange knows
   * it.
   */
  | { readonly kind: 'gone'; readonly state: ExchangeOrderState | null }
  /** The order rests unchanged. */
  | Rejected
  | { readonly kind: 'unknown'; readonly cause: string };

export type QueryOutcome =
  | { readonly kind: 'found'; readonly state: ExchangeOrderState; readonly fills: readonly ExchangeFill[] }
  | { readonly kind: 'absent' }
  /** `absent`: the exchange does not know the order, but its executions could not be read. */
  | { readonly kind: 'unknown'; readonly cause: string; readonly absent?: true };
