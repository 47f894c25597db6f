/**
 * The engine's record of one order, how it is stored, and how the API and the console see it. Plain data and
 * pure views.
 */
import type {
  Order,
  OrderStatus,
  OrderType,
  PositionSide,
  Side,
  TimeInForce,
  WorkingType,
} from '../schemas/order.ts';
import type { OrderChange } from './exchange.ts';
import type { RejectCode } from './reject-code.ts';

/**
 * The progress of an order between this desk and the exchange, finer than `status`: `held` by the engine
 * until its trigger; `waiting` for a setting that is made before the send, so certainly not sent; `sending` =
 * intent stored, outcome not known yet; `unresolved` = the outcome got lost, the resolver asks; `live` at the
 * exchange; `done` = terminal.
 */
export type OrderPhase = 'held' | 'waiting' | 'sending' | 'unresolved' | 'live' | 'done';

/**
 * An order as it is stored, whole with every change (`order.put`). Money fields are decimal strings; times
 * Unix ms.
 */
export interface OrderRecord {
  /** Unique over all exchanges; also the id used at its exchange, unless a `WireId` says otherwise. */
  readonly id: string;
  readonly user: string;
  readonly exchange: string;
  readonly symbol: string;
  readonly side: Side;
  type: OrderType;
  status: OrderStatus;
  phase: OrderPhase;
  readonly positionSide: PositionSide;
  price?: string;
  stopPrice?: string;
  origQty: string;
  executedQty: string;
  /** Sum of price x quantity over the fill rows. */
  quoteQty: string;
  readonly quoteOrderQty?: string;
  timeInForce: TimeInForce;
  goodTillDate?: number;
  icebergQty?: string;
  reduceOnly: boolean;
  closePosition: boolean;
  workingType: WorkingType;
  readonly isContract: boolean;
  isWorking: boolean;
  /**
   * The exchange does not do everything that the order asks for (S26): its trigger or its end date is watched
   * here.
   */
  readonly emulated: boolean;
  /**
   * The exchange does not know the order before its trigger, which is watched here. Decided once, when the
   * order is made.
   */
  readonly firedHere?: true;
  /** Made by the exchange itself or by others, not by this desk (S30). */
  readonly external?: boolean;
  /** Only on an external order: the exchange made it to liquidate a position. */
  readonly liquidation?: true;
  /**
   * Only on an external order that is known by its executions alone: its terms and its open rest are being
   * queried.
   */
  untold?: true;
  trailing?: TrailingState;
  readonly creator: 'API' | 'UI' | 'BOT';
  readonly creatorId: string;
  readonly metadata: string;
  /** Market time of the submission. */
  readonly orderTime: number;
  /** Wall time at which the intent was stored. */
  readonly createdAt: number;
  /** Wall time of the last change. */
  updatedAt: number;
  /** Wall time at which it became terminal; the age for `recent` counts from here. */
  endedAt?: number;
  /** State of the submission, set from the intent to send until the exchange's response is known. */
  submission?: SubmissionState;
  /** A requested cancel and its progress. */
  cancel?: CancelState;
  /** A change in place that was requested of the exchange, until its outcome is known. */
  change?: ChangeState;
  /** How many changes were requested of its exchange. */
  changes?: number;
  /** The order this one was split from. */
  readonly splitFrom?: string;
  /**
   * The order that this one replaces: one that certainly did not reach the exchange (S53), or was cancelled
   * to be changed.
   */
  readonly replaces?: string;
  /** The order that replaces this one. */
  replacedBy?: string;
  /** How many orders before it have attempted the same. */
  readonly tries?: number;
  /** Its account is not configured any more: its state is unknown. */
  notConnected?: true;
  /** Highest exchange sequence applied; older states are ignored. */
  seq: number;
  /** The order has ended here, but its exchange has shown afterwards that it was still alive there (S62). */
  contradiction?: ContradictionState;
  /** Why it ended, in words: for people only, no code decides by them. */
  text?: string;
  /** Why its status is ERROR; missing: OTHER. */
  rejectCode?: RejectCode;
  /** Its trigger was met at its exchange without any effect there: it does not count as protection. */
  stuck?: true;
  /** Amount that the engine subtracts from `free` until the exchange has locked it itself. */
  lock?: { readonly asset: string; readonly amount: string };
}

export interface TrailingState {
  /** Callback in basis points. */
  readonly delta: number;
  readonly activationPrice?: string;
  /** Market time of arming; left out until armed. */
  armedAt?: number;
  /** Best price seen since armed. */
  best?: string;
}

export interface SubmissionState {
  /** Wall time of the one send (after a crash the start of the desk: it cannot have been sent later). */
  sentAt: number;
  /** Set once the outcome got lost. */
  unresolved?: {
    readonly since: number;
    readonly cause: string;
    /** Number of queries so far. */
    asked: number;
    /** Wall time of the next query, for display only: the engine decides by a time in its memory (S57). */
    nextAskAt: number;
    /** Wall time from which on a "not found" is reliable; for display only, too. */
    settlesAt: number;
  };
}

export interface CancelState {
  /**
   * `wanted` until it can be sent, `sent` while the response is awaited, `unknown` once the response got
   * lost, `refused` when the exchange has refused it and it is sent again at `nextAskAt`.
   */
  state: 'wanted' | 'sent' | 'unknown' | 'refused';
  by: string;
  /** The cancel is kept after a refusal, because nobody else would repeat it. */
  keep?: true;
  /** Number of refusals so far, for a cancel that is kept. */
  refusals?: number;
  /**
   * The cancel is the first step of a plan: a split, or a change by another order. A cancel that somebody
   * requests ends that plan.
   */
  forSplit?: true;
  /** That plan is a change. */
  forChange?: true;
  /** Wall time of the next query, or of the next try, for display. */
  nextAskAt?: number;
  asked: number;
}

/** The requested change of an order that rests at its exchange, and its progress. */
export interface ChangeState {
  /** Number of this change among the order's changes: responses to earlier ones are ignored. */
  readonly n: number;
  readonly to: OrderChange;
  /** The new end date, which is watched here; left out: it stays. */
  readonly goodTillDate?: number;
  readonly by: string;
  /** `sent` while the response is awaited, `unknown` once it got lost. */
  state: 'sent' | 'unknown';
  /** Number of queries so far. */
  asked: number;
  /** Wall time of the next query, for display. */
  nextAskAt?: number;
}

/** An order that ended here but not at its exchange: its state there, and what is done about it (S62). */
export interface ContradictionState {
  /** Wall time at which it was noticed. */
  readonly since: number;
  /** What proved it, in words. */
  readonly proof: string;
  /**
   * Its state at the exchange: it waits there for its trigger, rests on the book, or has ended and owes
   * executions.
   */
  at: 'PENDING' | 'WORKING' | 'ENDED';
  /** The executed quantity by the exchange's count. */
  cumQty: string;
  /**
   * The one cancel: `sent` while its response is awaited, `unknown` once that got lost, `unsent` when it
   * certainly has not arrived and is sent as soon as the order is seen open, `refused` when the exchange does
   * not do it. Missing when the order had ended by itself.
   */
  cancel?: 'sent' | 'unknown' | 'unsent' | 'refused';
  /** Number of queries so far. */
  asked: number;
  /** Wall time of the next query, for display. */
  nextAskAt?: number;
  /** Wall time since which the exchange does not know the order any more. */
  goneAt?: number;
}

/**
 * An id that an exchange uses for an order beside the order's own id (S56). The key is (exchange, symbol,
 * wireId).
 */
export interface WireId {
  readonly exchange: string;
  /**
   * The symbol, for an id that the exchange has given, which is unique per symbol only; left out: the id was
   * given with the order.
   */
  readonly symbol?: string;
  readonly wireId: string;
  readonly orderId: string;
}

/**
 * One stored execution. The key is (exchange, symbol, tradeId, orderId): trade ids are unique per symbol, and
 * both sides of a trade with oneself have the same one.
 */
export interface FillRecord {
  readonly exchange: string;
  readonly tradeId: string;
  readonly orderId: string;
  readonly user: string;
  readonly symbol: string;
  readonly side: Side;
  readonly price: string;
  readonly qty: string;
  readonly comm: string;
  readonly commAsset: string;
  readonly maker: boolean;
  readonly rPnl: string | null;
  readonly posSide: PositionSide;
  readonly time: number;
  /** Not reported by an exchange: inferred from the executed quantity of its order (`owed-fills.ts`). */
  readonly inferred?: true;
}

/** An order to be cancelled or queried. */
export interface OrderAtExchange {
  readonly exchange: string;
  readonly orderId: string;
  /** The client id at the exchange; empty: it is known there only by its own ids. */
  readonly clientId: string;
  readonly symbol: string;
  /** The exchange's own ids of the order, oldest first; left out: none is known. */
  readonly venueIds?: readonly string[];
}

/** An order as read from a store, with the records that belong to it. */
export interface StoredOrder {
  readonly order: OrderRecord;
  readonly fills: readonly FillRecord[];
  readonly wireIds: readonly WireId[];
}

/** New terms of an order; fields that are left out stay. Decimal strings. */
export interface Amendment {
  readonly price?: string;
  /** The new total quantity, including what is already executed. */
  readonly quantity?: string;
  readonly stopPrice?: string;
  /** Unix ms, market time. */
  readonly goodTillDate?: number;
}

/**
 * A plan by which an order is cancelled and placed again (engine.md, submission rule 7): in parts, or as one
 * changed order. Stored until complete, so that a restart resumes it.
 */
export interface SplitPlan {
  /** Id of the order that is split or changed. */
  readonly id: string;
  readonly user: string;
  readonly exchange: string;
  /** The prices of the parts; empty for a change. */
  readonly prices: readonly string[];
  /** The terms of the one order that replaces it. Left out: a split. */
  readonly change?: Amendment;
  /** For a change: the order had triggered before, so its replacement waits for no trigger. */
  readonly triggered?: true;
  stage: 'cancelling' | 'placing' | 'done';
  children: string[];
  readonly startedAt: number;
  readonly creator: 'API' | 'UI' | 'BOT';
  readonly creatorId: string;
}

/** An order on a console: the API's view plus what only the console shows. */
export interface OrderView extends Order {
  readonly timeInForce: TimeInForce;
  readonly goodTillDate?: number;
  /** The price that triggers it; left out: the usual one. */
  readonly workingType?: WorkingType;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly unresolved?: {
    readonly since: number;
    readonly cause: string;
    readonly asked: number;
    readonly nextAskAt: number;
    readonly settlesAt: number;
  };
  readonly cancelPending: boolean;
  /** A change of the order is under way, or its outcome is not known yet. */
  readonly amendPending?: true;
  /** The order has ended here but is open at its exchange: it counts as open until it is gone (S62). */
  readonly contradiction?: true;
  /**
   * The cancel is the first step of a split, or of a change (`amendPending`); a cancel by request ends the
   * plan.
   */
  readonly splitting?: true;
  /** Not sent yet: a setting is made first. */
  readonly waiting?: true;
  /** The position it should protect has no stop: too many tries have not reached the exchange (S53). */
  readonly withoutStop?: true;
  readonly splitFrom?: string;
  /** The order that it replaced, and the one that replaced it. */
  readonly replaces?: string;
  readonly replacedBy?: string;
  readonly text?: string;
  /** Kept by the engine until it fires, because the exchange has no such order. */
  readonly held?: true;
  /**
   * For an armed trailing stop that the engine holds: the best price since, and the price at which it fires
   * now.
   */
  readonly trail?: { readonly best: string; readonly level: string };
}

/** One line of an order's history: what happened, who requested it, what the exchange said. */
export interface OrderEvent {
  readonly orderId: string;
  readonly user: string;
  /** Wall and market time, Unix ms. */
  readonly at: number;
  readonly market: number;
  readonly kind:
    | 'created'
    | 'held'
    | 'armed'
    | 'triggered'
    | 'sent'
    | 'accepted'
    | 'rejected'
    | 'unknown'
    | 'asked'
    | 'fill'
    | 'amend-sent'
    | 'amended'
    | 'amend-refused'
    | 'cancel-wanted'
    | 'cancel-sent'
    | 'cancel-refused'
    | 'cancelled'
    | 'closed'
    | 'expired'
    | 'split'
    | 'contradiction';
  /** One sentence. */
  readonly text: string;
  /** Status after the event; every status change has exactly one event (testing.md, invariant 6). */
  readonly status: OrderStatus;
}

export const TERMINAL: ReadonlySet<OrderStatus> = new Set<OrderStatus>(['CLOSED', 'CANCELLED', 'ERROR']);

/** Returns whether the order has ended here, but not at its exchange as far as is known (S62). */
export function isContradicted({ contradiction }: Pick<OrderRecord, 'contradiction'>): boolean {
  return contradiction !== undefined && contradiction.goneAt === undefined;
}

/** Returns whether the order is open at its exchange, or about to be, whatever its status says. */
export function mayBeOpen(order: Pick<OrderRecord, 'status' | 'contradiction'>): boolean {
  return !TERMINAL.has(order.status) || isContradicted(order);
}

/** After this many other failed tries of a protective order, its position counts as without a stop (S53). */
export const TRIES_BEFORE_ALARM = 5;

/**
 * Returns whether the position of this order has no stop: the order has not reached the exchange for too
 * long.
 */
export function isWithoutStop({ tries = 0, phase }: Pick<OrderRecord, 'tries' | 'phase'>): boolean {
  return tries > TRIES_BEFORE_ALARM && phase !== 'live' && phase !== 'done';
}
