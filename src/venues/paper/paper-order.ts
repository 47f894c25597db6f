/**
 * An order in the paper exchange, its stored document, and the state that is sent to the desk. Plain data and
 * pure functions.
 */
import { type Dec, dec, str, ZERO } from '../../domain/decimal.ts';
import type {
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
  ExchangeOrderStatus,
  ExchangeOrderTerms,
} from '../../domain/exchange.ts';
import type { RejectCode } from '../../domain/reject-code.ts';
import type { OrderType, PositionSide, Side, WorkingType } from '../../schemas/order.ts';

/** The order types that this exchange matches by itself; the engine holds the others (S26). */
export const NATIVE_TYPES = [
  'MARKET',
  'LIMIT',
  'LIMIT_MAKER',
  'STOP_LIMIT',
  'TAKE_PROFIT_LIMIT',
] as const satisfies readonly OrderType[];

/** The futures-only part of an order. */
export interface FuturesTerms {
  /** `BOTH` in one-way mode. */
  readonly positionSide: PositionSide;
  /** The order can only reduce the position; also set on closing orders in hedge mode. */
  readonly reduceOnly: boolean;
  readonly closePosition: boolean;
  readonly workingType: WorkingType;
  /** Callback rate of a trailing stop, basis points; null for other orders. */
  readonly trailing: number | null;
  readonly activationPrice: Dec | null;
  /** The best price since the trailing stop was armed; null before. */
  best: Dec | null;
  /** The market time of the arming; null before. */
  armedAt: number | null;
}

export interface PaperOrder {
  /** The exchange's own number, never used twice unlike `clientId`. Later orders have higher numbers. */
  readonly id: number;
  readonly clientId: string;
  readonly symbol: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: ExchangeOrder['timeInForce'];
  /** The limit; null for MARKET. */
  price: Dec | null;
  readonly stopPrice: Dec | null;
  /** 0 for a closePosition order that has not triggered yet: the trigger sets it. */
  qty: Dec;
  /** The size of one visible part; null for other orders than icebergs. */
  readonly iceberg: Dec | null;
  status: ExchangeOrderStatus;
  cum: Dec;
  /** The rest of the visible part; without iceberg the whole remaining quantity. */
  visible: Dec;
  /** The amount still locked: quote for a BUY, base for a SELL. */
  lock: Dec;
  /**
   * The place in the queue at its price: lower is earlier. A trigger and each iceberg refill assign a new
   * one.
   */
  age: number;
  /** The rank among the finished orders; 0 while open. */
  end: number;
  /** Rises with each change that is sent. */
  seq: number;
  /** Market time of the last change. */
  time: number;
  text: string | undefined;
  /** The reason of a REJECTED order. */
  reason?: RejectCode;
  /** The order was changed while it rested: its states include its current terms. */
  amended?: true;
  /** Null on spot. */
  readonly terms: FuturesTerms | null;
  /** The order's executions, oldest first, as far as they are still kept. */
  readonly fills: ExchangeFill[];
}

/** The stored form: money as decimal strings. */
export interface PaperOrderDoc {
  readonly id: number;
  readonly clientId: string;
  readonly symbol: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: ExchangeOrder['timeInForce'];
  readonly price: string | null;
  readonly stopPrice: string | null;
  readonly qty: string;
  readonly iceberg: string | null;
  readonly status: ExchangeOrderStatus;
  readonly cum: string;
  readonly visible: string;
  readonly lock: string;
  readonly age: number;
  readonly end: number;
  readonly seq: number;
  readonly time: number;
  readonly text: string | null;
  readonly reason?: RejectCode;
  readonly amended?: true;
  readonly terms?: FuturesTermsDoc;
}

interface FuturesTermsDoc extends Omit<FuturesTerms, 'activationPrice' | 'best' | 'armedAt'> {
  readonly activationPrice: string | null;
  readonly best: string | null;
  /** Missing in documents of older versions. */
  readonly armedAt?: number | null;
}

export function isOpen(order: PaperOrder): boolean {
  return order.status === 'WORKING' || order.status === 'PENDING';
}

export function remaining(order: PaperOrder): Dec {
  return order.qty - order.cum;
}

export function isConditional(type: OrderType): boolean {
  return type.startsWith('STOP') || type.startsWith('TAKE_PROFIT');
}

/**
 * True when the order triggers at prices at or above its stop: a STOP that buys, a TAKE_PROFIT that sells.
 */
export function triggersUpward(type: OrderType, side: Side): boolean {
  return type.startsWith('STOP') === (side === 'BUY');
}

/** Whether a limit order would take at once when the last price is `last`: at the price or beyond it. */
export function isMarketable(side: Side, limit: Dec, last: Dec): boolean {
  return side === 'BUY' ? limit >= last : limit <= last;
}

export function stateOf(order: PaperOrder): ExchangeOrderState {
  return {
    clientId: order.clientId,
    symbol: order.symbol,
    status: order.status,
    origQty: str(order.qty),
    cumQty: str(order.cum),
    seq: order.seq,
    time: order.time,
    ...(order.text === undefined ? {} : { text: order.text }),
    ...(order.terms?.armedAt == null ? {} : { armedAt: order.terms.armedAt }),
    ...(order.reason === undefined ? {} : { reason: order.reason }),
    ...(order.amended ? { terms: orderTerms(order) } : {}),
  };
}

/** The state as the answer to a question: always with the order's terms, changed or not. */
export function wholeStateOf(order: PaperOrder): ExchangeOrderState {
  return { ...stateOf(order), terms: orderTerms(order) };
}

function orderTerms(order: PaperOrder): ExchangeOrderTerms {
  const { positionSide = 'BOTH', reduceOnly = false, closePosition = false } = order.terms ?? {};
  return {
    side: order.side,
    type: order.type,
    ...(order.price === null ? {} : { price: str(order.price) }),
    ...(order.stopPrice === null ? {} : { stopPrice: str(order.stopPrice) }),
    timeInForce: order.timeInForce,
    // In hedge mode the position side says so.
    reduceOnly: reduceOnly && positionSide === 'BOTH',
    closePosition,
    positionSide,
    workingType: order.terms?.workingType ?? 'CONTRACT_PRICE',
  };
}

export function orderDoc(order: PaperOrder): PaperOrderDoc {
  return {
    id: order.id,
    clientId: order.clientId,
    symbol: order.symbol,
    side: order.side,
    type: order.type,
    timeInForce: order.timeInForce,
    price: order.price === null ? null : str(order.price),
    stopPrice: order.stopPrice === null ? null : str(order.stopPrice),
    qty: str(order.qty),
    iceberg: order.iceberg === null ? null : str(order.iceberg),
    status: order.status,
    cum: str(order.cum),
    visible: str(order.visible),
    lock: str(order.lock),
    age: order.age,
    end: order.end,
    seq: order.seq,
    time: order.time,
    text: order.text ?? null,
    ...(order.reason === undefined ? {} : { reason: order.reason }),
    ...(order.amended ? { amended: true } : {}),
    ...(order.terms === null ? {} : { terms: termsDoc(order.terms) }),
  };
}

export function orderFromDoc(doc: PaperOrderDoc): PaperOrder {
  return {
    ...doc,
    price: doc.price === null ? null : dec(doc.price),
    stopPrice: doc.stopPrice === null ? null : dec(doc.stopPrice),
    qty: dec(doc.qty),
    iceberg: doc.iceberg === null ? null : dec(doc.iceberg),
    cum: dec(doc.cum),
    visible: dec(doc.visible),
    lock: dec(doc.lock),
    text: doc.text ?? undefined,
    terms: doc.terms === undefined ? null : termsFromDoc(doc.terms),
    fills: [],
  };
}

/** The size of the next visible part after a refill. */
export function nextVisible(order: PaperOrder): Dec {
  const rest = remaining(order);
  if (order.iceberg === null || rest < order.iceberg) return rest;
  return rest > ZERO ? order.iceberg : ZERO;
}

function termsDoc(terms: FuturesTerms): FuturesTermsDoc {
  const { activationPrice, best } = terms;
  return {
    ...terms,
    activationPrice: activationPrice === null ? null : str(activationPrice),
    best: best === null ? null : str(best),
  };
}

function termsFromDoc(doc: FuturesTermsDoc): FuturesTerms {
  return {
    ...doc,
    activationPrice: doc.activationPrice === null ? null : dec(doc.activationPrice),
    best: doc.best === null ? null : dec(doc.best),
    armedAt: doc.armedAt ?? null,
  };
}
