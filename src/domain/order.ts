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

/**
 * Where an order stands between us and the exchange; finer than `status`:
 * `held` by the engine until its trigger; `sending` = intent stored, outcome not known yet; `unresolved` = the outcome
 * got lost, the resolver asks; `live` at the exchange; `done` = terminal.
 */
export type OrderPhase = 'held' | 'sending' | 'unresolved' | 'live' | 'done';

/** Stored whole with every change (`order.put`). Money fields are decimal strings; times Unix ms. */
export interface OrderRecord {
  readonly id: string;
  readonly user: string;
  readonly exchange: string;
  readonly symbol: string;
  readonly side: Side;
  readonly type: OrderType;
  status: OrderStatus;
  phase: OrderPhase;
  readonly positionSide: PositionSide;
  readonly price?: string;
  readonly stopPrice?: string;
  origQty: string;
  executedQty: string;
  /** Sum of price x quantity over the fill rows. */
  quoteQty: string;
  readonly quoteOrderQty?: string;
  readonly timeInForce: TimeInForce;
  readonly goodTillDate?: number;
  readonly icebergQty?: string;
  readonly reduceOnly: boolean;
  readonly closePosition: boolean;
  readonly workingType: WorkingType;
  readonly isContract: boolean;
  isWorking: boolean;
  /** Held or sent as something the exchange lacks (S26). */
  readonly emulated: boolean;
  /** Made by the exchange itself or by others, not by us (S30). */
  readonly external?: boolean;
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
  /** The order this one was split from. */
  readonly splitFrom?: string;
  /** Highest exchange sequence applied; older states are ignored. */
  seq: number;
  /** Why it ended, in words. */
  text?: string;
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
    /** Wall time of the next question. */
    nextAskAt: number;
    /** From this wall time on "not found" is an answer. */
    readonly settlesAt: number;
  };
}

export interface CancelState {
  /** `wanted` until it can be sent, `sent` while the answer is out, `unknown` once the answer got lost. */
  state: 'wanted' | 'sent' | 'unknown';
  readonly by: string;
  nextAskAt?: number;
  asked: number;
}

/** One stored execution. The key is (exchange, tradeId). */
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
}

/** A split as a plan (engine.md, submission rule 7). Stored until complete, so that a restart resumes it. */
export interface SplitPlan {
  /** Id of the order that is split. */
  readonly id: string;
  readonly user: string;
  readonly exchange: string;
  readonly prices: readonly string[];
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
  readonly splitFrom?: string;
  readonly text?: string;
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
    | 'cancel-wanted'
    | 'cancel-sent'
    | 'cancel-refused'
    | 'cancelled'
    | 'closed'
    | 'expired'
    | 'split';
  /** One sentence. */
  readonly text: string;
  /** Status after the event; a status change has exactly one event (testing.md, invariant 6). */
  readonly status: OrderStatus;
}

export const TERMINAL: ReadonlySet<OrderStatus> = new Set<OrderStatus>(['CLOSED', 'CANCELLED', 'ERROR']);
