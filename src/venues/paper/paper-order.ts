/** An order as the paper exchange holds it, its stored document and the state it tells. Plain data and pure views. */
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

/** What this exchange matches by itself; the rest is held by the engine (S26). */
export const NATIVE_TYPES = [
  'MARKET',
  'LIMIT',
  'LIMIT_MAKER',
  'STOP_LIMIT',
  'TAKE_PROFIT_LIMIT',
] as const satisfies readonly OrderType[];

/** What an order carries on futures only. */
export interface FuturesTerms {
  /** `BOTH` in one-way mode. */
  readonly positionSide: PositionSide;
  /** Can only shrink the position; also set on the closing direction of hedge mode. */
  readonly reduceOnly: boolean;
  readonly closePosition: boolean;
  readonly workingType: WorkingType;
  /** Callback of a trailing stop, basis points; null when it is none. */
  readonly trailing: number | null;
  readonly activationPrice: Dec | null;
  /** Best price since the trailing stop is armed; null before. */
  best: Dec | null;
  /** Market time of the arming; null before. */
  armedAt: number | null;
}

export interface PaperOrder {
  /** The exchange's own number: unlike `clientId` never used twice. Rises with age of creation. */
  readonly id: number;
  readonly clientId: string;
  readonly symbol: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: ExchangeOrder['timeInForce'];
  /** Limit; null on MARKET. */
  price: Dec | null;
  readonly stopPrice: Dec | null;
  /** Of a waiting closePosition order 0: its trigger sets it. */
  qty: Dec;
  /** Size of one visible part; null when the order is no iceberg. */
  readonly iceberg: Dec | null;
  status: ExchangeOrderStatus;
  cum: Dec;
  /** What is left of the visible part; the whole remainder without iceberg. */
  visible: Dec;
  /** Still locked for it: quote on a BUY, base on a SELL. */
  lock: Dec;
  /** Place in the queue at its price: lower is earlier. Renewed by a trigger and by each iceberg refill. */
  age: number;
  /** Rank among the finished orders; 0 while open. */
  end: number;
  /** Rises with each told change. */
  seq: number;
  /** Market time of the last change. */
  time: number;
  text: string | undefined;
  /** Of a REJECTED one. */
  reason?: RejectCode;
  /** It was changed while it rested: what it is now is told with its states. */
  amended?: true;
  /** Null on spot. */
  readonly terms: FuturesTerms | null;
  /** Its executions, oldest first, as far as they are still kept. */
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
  /** Missing in what older versions have stored. */
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

/** True when it triggers at prices at or above its stop: a STOP that buys, a TAKE_PROFIT that sells. */
export function triggersUpward(type: OrderType, side: Side): boolean {
  return type.startsWith('STOP') === (side === 'BUY');
}

/** Whether a limit would take at once at `last`: at the price or beyond it. */
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

/** As a question about it is answered: with what it is, changed or not. */
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
    // In hedge mode the side of the position says so.
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

/** Size of the next visible part after a refill. */
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
