/**
 * What the engine and an exchange tell each other, as plain data: orders sent, their states, fills, balances. The port
 * itself is `venues/venue.ts`. All money fields are decimal strings in base units.
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
  /** The market it trades on (`marketOf`); left out: the one that all accounts of its venue share. */
  readonly market?: string;
  /** Whose it is (S27); left out: the one local user's. */
  readonly user?: string;
  /** Name of the wallet that it shares with other accounts (`walletOf`); left out: it has one of its own. */
  readonly wallet?: string;
}

/** The wallet that an account trades with. */
export function walletOf(account: ExchangeAccount): string {
  return account.wallet ?? account.id;
}

/** The user an exchange account belongs to: nobody else sees it, trades on it or hears of it (S27). */
export function holderOf(account: ExchangeAccount): string {
  return account.user ?? OWNER;
}

/** The place where the prices form that an account trades at (exchanges.md 1): `paper`, `binance-spot`. */
export function marketOf(account: ExchangeAccount): string {
  return account.market ?? venueOf(account);
}

/** A symbol of a market, as the key of a record; markets have no spaces in their names. */
export function marketKey(market: string, symbol: string): string {
  return `${market} ${symbol}`;
}

/**
 * The account that a request means when it names none: the first venue's of that kind (specification, "Portfolio");
 * undefined when that venue has none.
 */
export function defaultAccount(
  accounts: readonly ExchangeAccount[],
  kind: ExchangeAccount['kind'],
): ExchangeAccount | undefined {
  const venue = venueOf(accounts[0]);
  return accounts.find((account) => account.kind === kind && venueOf(account) === venue);
}

/** `paper-spot` -> `paper`. */
export function venueOf(account: ExchangeAccount | undefined): string {
  return account?.id.replace(/-[^-]*$/, '') ?? '';
}

/** What an exchange does by itself; everything else the engine holds and fires (S26). */
export interface ExchangeCaps {
  /** Which orders it takes, and which of them wait there by themselves (`order-form.ts`). */
  readonly forms: readonly FormRow[];
  /** How long after signing a request may still take effect, ms (Binance recvWindow). */
  readonly validityWindowMs: number;
  /** How long its adapter may keep a request back before it sends it or says that it has not, ms; left out: not at all. */
  readonly sendWithinMs?: number;
  /**
   * How far its replicas lag at most, ms: so long after an order has ended an execution that it crossed may still come to light,
   * and a list of open orders may still have it. Left out: not at all.
   */
  readonly settleMs?: number;
  /** What its highest public tier pays: reckoned with until the account's own rates are known. */
  readonly highestFees?: FeeRates;
  /** Prefix of order ids on this exchange (S19). */
  readonly idPrefix: string;
  /**
   * The trigger of an order that waits at the exchange makes another one, with an id of its own, whose executions may be told
   * before that is: an execution of an unknown order may be of one that waits.
   */
  readonly triggersMakeOrders?: boolean;
  /** Nobody but this desk trades on the account; only liquidations are not of orders that were sent from here. */
  readonly ownOrdersOnly?: boolean;
  /** Left out: `flag` on futures, `no` on spot. */
  readonly closeBelowMinimum?: CloseBelowMinimum;
  /** Which orders it changes while they rest; left out: none. */
  readonly amends?: AmendCaps;
  /** How it ends open orders by itself when it hears nothing of this desk; left out: it does not. */
  readonly deadMan?: DeadManCaps;
  /** It matches the very prices that the desk is told, and fills at none before the desk has it: no fill tells of a newer one. */
  readonly pricesFirst?: boolean;
  /** No event tells of a leverage that is changed elsewhere while the contract is flat: what is known of one may be old. */
  readonly leverageUntold?: true;
}

/**
 * Whether an exchange takes an order below its least value that only closes: where it is marked as one (reduceOnly, closePosition,
 * the closing side in hedge mode), always, or never.
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

/** How an exchange changes an order that rests, without a second one. */
export interface AmendCaps {
  readonly types: readonly OrderType[];
  readonly fields: readonly (keyof OrderChange)[];
  /** A quantity can only fall. */
  readonly onlyLess?: true;
  /** When it keeps its place among the orders of its price: `less`: where only its quantity falls. */
  readonly keepsPlace: 'never' | 'less' | 'always';
  /** Where that is written. */
  readonly source: string;
}

/** What an account pays for executions, as a part of what is traded: `0.001` is 0.1 %. Below zero: it is paid. */
export interface FeeRates {
  readonly maker: string;
  readonly taker: string;
}

/** An order as it is sent. `clientId` is our order id and fixed before the first and only send. */
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
  /** Conditional order accepted and waiting for its trigger. */
  | 'PENDING'
  /** On the book, perhaps partly filled. */
  | 'WORKING'
  | 'FILLED'
  /** Cancelled, expired, or its remainder not taken; `cumQty` holds what was filled. */
  | 'CANCELLED'
  /** Refused by the exchange after it had been taken in. */
  | 'REJECTED';

/** States of the exchange after which nothing more changes. */
export const ENDS: ReadonlySet<ExchangeOrderStatus> = new Set(['FILLED', 'CANCELLED', 'REJECTED']);

/** Absolute, cumulative state of one order. Duplicates and any order of arrival are normal: `seq` tells the newer one. */
export interface ExchangeOrderState {
  /** The id that was given with it; empty: none, then `venueIds` are told. */
  readonly clientId: string;
  readonly symbol: string;
  readonly status: ExchangeOrderStatus;
  /** Final quantity (of a quoteOrderQty order the quantity that it bought); another than it was sent with: it was amended. */
  readonly origQty: string;
  readonly cumQty: string;
  /** Sum of price x quantity over what was executed; left out: not told. */
  readonly quoteQty?: string;
  /**
   * The exchange's own time or version of the change, which survives restarts of both sides. Two changes may have the same: then
   * more executions are newer, and after them the later status.
   */
  readonly seq: number;
  /** Market time of the change, Unix ms. */
  readonly time: number;
  /** Why it ended, in the exchange's words. */
  readonly text?: string;
  /** Of a trailing stop that follows the price: market time since when, Unix ms. */
  readonly armedAt?: number;
  /** Of a PENDING one: its trigger is met and nothing has come of it in the time that takes; it may protect nothing. */
  readonly stuck?: true;
  /** Of a REJECTED one: why; left out: OTHER. */
  readonly reason?: RejectCode;
  /** The exchange's own ids of it, unique per symbol: of a triggered one also of what its trigger made. Left out: not told. */
  readonly venueIds?: readonly string[];
  /** What it is now; left out: not told. An order of others is known here from the first message that tells it. */
  readonly terms?: ExchangeOrderTerms;
}

/** What an order is, as its exchange has it. */
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
  /** The id that was given with its order; empty: not told, then `venueId` is. */
  readonly clientId: string;
  /** The exchange's own id of its order; left out: not told. */
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
  /** The exchange made its order to liquidate a position. */
  readonly liquidation?: boolean;
  /** Told by no exchange: inferred from the sums of its order. */
  readonly inferred?: true;
}

/** What a message calls an order. */
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
  /** The exchange's time as of which it is so, Unix ms; left out: not told. */
  readonly time?: number;
}

/** A refusal: what it means for whatever decides, and the exchange's own code and words for people. */
export interface Rejected {
  readonly kind: 'rejected';
  readonly reason: RejectCode;
  readonly code: string;
  readonly message: string;
}

/** `accepted` carries the state at the answer; fills of it arrive as fills, before or after. */
export type SubmitOutcome =
  | { readonly kind: 'accepted'; readonly state: ExchangeOrderState }
  | Rejected
  /** Taken back before it has left: certainly never sent. */
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'unknown'; readonly cause: string };

export type CancelOutcome =
  | { readonly kind: 'done'; readonly state: ExchangeOrderState }
  /** Nothing open under that id; the state tells how it ended when the exchange knows it. */
  | { readonly kind: 'gone'; readonly state: ExchangeOrderState | null }
  | Rejected
  | { readonly kind: 'unknown'; readonly cause: string };

/** All open orders of a symbol: on the book or waiting for a trigger, whoever made them. */
export type CancelAllOutcome =
  /** The orders that the exchange names as ended by it; of those that it leaves out nothing is known yet. */
  | { readonly kind: 'done'; readonly states: readonly ExchangeOrderState[] }
  | Rejected
  | { readonly kind: 'unknown'; readonly cause: string };

/** What a resting order is to be from now on; what is left out stays. */
export interface OrderChange {
  readonly price?: string;
  /** All of it, with what is executed already. */
  readonly quantity?: string;
  /** What it is as this desk has it, for an exchange that wants the whole of it: its own answer may be older. Changes nothing. */
  readonly known?: { readonly side: Side; readonly price?: string; readonly quantity: string };
}

export type AmendOutcome =
  /** It is so now: or it has ended, where there was nothing left of the new quantity or the new price took. */
  | { readonly kind: 'done'; readonly state: ExchangeOrderState }
  /** Nothing open under that id, and nothing was changed; the state tells how it ended when the exchange knows it. */
  | { readonly kind: 'gone'; readonly state: ExchangeOrderState | null }
  /** It rests as it was. */
  | Rejected
  | { readonly kind: 'unknown'; readonly cause: string };

export type QueryOutcome =
  | { readonly kind: 'found'; readonly state: ExchangeOrderState; readonly fills: readonly ExchangeFill[] }
  | { readonly kind: 'absent' }
  /** `absent`: the exchange does not know it, but what it has executed could not be read. */
  | { readonly kind: 'unknown'; readonly cause: string; readonly absent?: true };
