/** The engine's record of one order, how it is stored, and how API and console see it. Plain data and pure views. */
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
 * Where an order stands between us and the exchange; finer than `status`:
 * `held` by the engine until its trigger; `waiting` for a setting that is made before the send, so certainly not sent;
 * `sending` = intent stored, outcome not known yet; `unresolved` = the outcome got lost, the resolver asks; `live` at the
 * exchange; `done` = terminal.
 */
export type OrderPhase = 'held' | 'waiting' | 'sending' | 'unresolved' | 'live' | 'done';

/** Stored whole with every change (`order.put`). Money fields are decimal strings; times Unix ms. */
export interface OrderRecord {
  /** One of all exchanges; what its exchange calls it, unless a `WireId` says otherwise. */
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
  /** Some of what it asks for its exchange does not do by itself (S26): its trigger or its end date is watched here. */
  readonly emulated: boolean;
  /** Its exchange is not told of it before its trigger, which is watched here. Decided once, when it is made. */
  readonly firedHere?: true;
  /** Made by the exchange itself or by others, not by us (S30). */
  readonly external?: boolean;
  /** An external one: the exchange's own, to liquidate a position. */
  readonly liquidation?: true;
  /** An external one that is known by its executions alone: what it is and what is left of it is being asked for. */
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
  /** Wall time at which it became terminal; `recent` counts from here. */
  endedAt?: number;
  /** Set from the intent to send until the exchange's answer is known. */
  submission?: SubmissionState;
  /** A cancel that is wanted, and how far it got. */
  cancel?: CancelState;
  /** A change in its place that was asked of its exchange, until it is known what came of it. */
  change?: ChangeState;
  /** So many changes were asked of its exchange. */
  changes?: number;
  /** The order this one was split from. */
  readonly splitFrom?: string;
  /** The order whose place this one takes: that certainly did not reach the exchange (S53), or was cancelled to be changed. */
  readonly replaces?: string;
  /** The one that takes its place. */
  replacedBy?: string;
  /** How many orders before it have tried the same. */
  readonly tries?: number;
  /** Its account is not configured any more: what has become of it is not known. */
  notConnected?: true;
  /** Highest exchange sequence applied; older states are ignored. */
  seq: number;
  /** It has ended here, and its exchange has shown afterwards that it had not ended there (S62). */
  contradiction?: ContradictionState;
  /** Why it ended, in words: for people, nothing decides by them. */
  text?: string;
  /** Why it is ERROR; missing: OTHER. */
  rejectCode?: RejectCode;
  /** Its trigger is met at its exchange and nothing has come of it there: it does not count as protection. */
  stuck?: true;
  /** Amount taken out of `free` by the engine until the exchange has locked it itself. */
  lock?: { readonly asset: string; readonly amount: string };
}

export interface TrailingState {
  /** Basis points. */
  readonly delta: number;
  readonly activationPrice?: string;
  /** Market time of arming; absent until armed. */
  armedAt?: number;
  /** Best price seen since armed. */
  best?: string;
}

export interface SubmissionState {
  /** Wall time of the one send (the start of the desk after a crash: it cannot have been sent later). */
  sentAt: number;
  /** Set once the outcome got lost. */
  unresolved?: {
    readonly since: number;
    readonly cause: string;
    /** Questions asked so far. */
    asked: number;
    /** Wall time of the next question, for display: what decides is in the engine's memory (S57). */
    nextAskAt: number;
    /** From about this wall time on "not found" is an answer; for display, too. */
    settlesAt: number;
  };
}

export interface CancelState {
  /**
   * `wanted` until it can be sent, `sent` while the answer is out, `unknown` once the answer got lost, `refused` when the
   * exchange has refused it and it is asked for again at `nextAskAt`.
   */
  state: 'wanted' | 'sent' | 'unknown' | 'refused';
  by: string;
  /** Nobody looks after it who would ask again: a refusal does not end it. */
  keep?: true;
  /** Refusals so far, of a cancel that is kept. */
  refusals?: number;
  /** First step of a plan: of a split, or of a change by another order. A cancel that somebody asks for ends that plan. */
  forSplit?: true;
  /** That plan is a change. */
  forChange?: true;
  /** Wall time of the next question, or of the next try, for display. */
  nextAskAt?: number;
  asked: number;
}

/** Of an order that rests at its exchange: what it is to be, and how far that got. */
export interface ChangeState {
  /** Which of the order's changes it is: an answer to an earlier one says nothing of it. */
  readonly n: number;
  readonly to: OrderChange;
  /** Its end date from then on, which is watched here; left out: stays. */
  readonly goodTillDate?: number;
  readonly by: string;
  /** `sent` while the answer is out, `unknown` once it got lost. */
  state: 'sent' | 'unknown';
  /** Questions asked so far. */
  asked: number;
  /** Wall time of the next question, for display. */
  nextAskAt?: number;
}

/** An order that ended here and not at its exchange: how it stands there, and what is done about it (S62). */
export interface ContradictionState {
  /** Wall time at which it was noticed. */
  readonly since: number;
  /** What showed it, in words. */
  readonly proof: string;
  /** Waits there for its trigger, lies on the book, or has ended and owes executions. */
  at: 'PENDING' | 'WORKING' | 'ENDED';
  /** What the exchange counts as executed. */
  cumQty: string;
  /**
   * The one cancel: `sent` while its answer is out, `unknown` once that got lost, `unsent` when it certainly has not arrived and
   * is sent as soon as the order is seen open, `refused` when the exchange does not do it. Missing when it had ended by itself.
   */
  cancel?: 'sent' | 'unknown' | 'unsent' | 'refused';
  /** Questions asked so far. */
  asked: number;
  /** Wall time of the next question, for display. */
  nextAskAt?: number;
  /** Wall time since which the exchange has it no more. */
  goneAt?: number;
}

/** What an exchange calls an order beside the order's own id (S56). The key is (exchange, symbol, wireId). */
export interface WireId {
  readonly exchange: string;
  /** Of an id that the exchange has given, which is one of its symbol; left out: the id that was given with the order. */
  readonly symbol?: string;
  readonly wireId: string;
  readonly orderId: string;
}

/**
 * One stored execution. The key is (exchange, symbol, tradeId, orderId): trade ids are a symbol's, and both sides of a trade
 * with oneself have the same one.
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
  /** No exchange has told it: it stands for what its order counts as executed (`owed-fills.ts`). */
  readonly inferred?: true;
}

/** An order to be cancelled or asked for. */
export interface OrderAtExchange {
  readonly exchange: string;
  readonly orderId: string;
  /** What the exchange calls it; empty: it is known there by its own ids only. */
  readonly clientId: string;
  readonly symbol: string;
  /** The exchange's own ids of it, oldest first; left out: none is known. */
  readonly venueIds?: readonly string[];
}

/** An order as a store has it, with what belongs to it. */
export interface StoredOrder {
  readonly order: OrderRecord;
  readonly fills: readonly FillRecord[];
  readonly wireIds: readonly WireId[];
}

/** What an order is to be from now on; what is left out stays. Decimal strings. */
export interface Amendment {
  readonly price?: string;
  /** All of it, with what is executed already. */
  readonly quantity?: string;
  readonly stopPrice?: string;
  /** Unix ms, market time. */
  readonly goodTillDate?: number;
}

/**
 * An order that is cancelled to be placed anew, as a plan (engine.md, submission rule 7): in parts, or as one that is changed.
 * Stored until complete, so that a restart resumes it.
 */
export interface SplitPlan {
  /** Id of the order that is split or changed. */
  readonly id: string;
  readonly user: string;
  readonly exchange: string;
  /** Of the parts; none of a change. */
  readonly prices: readonly string[];
  /** One order takes its place, and it is so. Left out: a split. */
  readonly change?: Amendment;
  /** Of a change: the order had triggered before, so that what takes its place waits for nothing. */
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
  /** Left out: the usual price triggers it. */
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
  /** A change of it is on its way, or nobody knows yet whether it was made. */
  readonly amendPending?: true;
  /** It has ended here and is open at its exchange: it counts as open until it is gone (S62). */
  readonly contradiction?: true;
  /** The cancel is the first step of a split, or of a change (`amendPending`); one that is asked for ends that. */
  readonly splitting?: true;
  /** A setting is made first: not sent yet. */
  readonly waiting?: true;
  /** What it is to protect has no stop: too many tries have not reached the exchange (S53). */
  readonly withoutStop?: true;
  readonly splitFrom?: string;
  /** The order whose place it took, and the one that took its own. */
  readonly replaces?: string;
  readonly replacedBy?: string;
  readonly text?: string;
  /** Kept by the engine until it fires, since the exchange has nothing of the kind. */
  readonly held?: true;
  /** Of a trailing stop that the engine holds and has armed: the best price since, and where it fires now. */
  readonly trail?: { readonly best: string; readonly level: string };
}

/** One line of an order's "why": what happened, who asked, what the exchange said. */
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
  /** Status after the event; a status change has exactly one event (testing.md, invariant 6). */
  readonly status: OrderStatus;
}

export const TERMINAL: ReadonlySet<OrderStatus> = new Set<OrderStatus>(['CLOSED', 'CANCELLED', 'ERROR']);

/** Ended here, but not at its exchange as far as is known (S62). */
export function isContradicted({ contradiction }: Pick<OrderRecord, 'contradiction'>): boolean {
  return contradiction !== undefined && contradiction.goneAt === undefined;
}

/** Open at its exchange, or about to be, whatever its status says. */
export function mayBeOpen(order: Pick<OrderRecord, 'status' | 'contradiction'>): boolean {
  return !TERMINAL.has(order.status) || isContradicted(order);
}

/** S53: when this many other tries of a protective order have failed, what it protects counts as without a stop. */
export const TRIES_BEFORE_ALARM = 5;

/** Nothing protects what this order is to protect: it has not reached the exchange for too long. */
export function isWithoutStop({ tries = 0, phase }: Pick<OrderRecord, 'tries' | 'phase'>): boolean {
  return tries > TRIES_BEFORE_ALARM && phase !== 'live' && phase !== 'done';
}
