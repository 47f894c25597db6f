/**
 * Converts Binance spot's orders and executions into the words of the port. `seq` is the time of the order's
 * last change, given alike by events (`T`), answers (`transactTime`) and queries (`updateTime`): so a lagging
 * answer is older than the event. Pure.
 */
import { dec, str, ZERO } from '../../../domain/decimal.ts';
import type {
  ExchangeFill,
  ExchangeOrderState,
  ExchangeOrderStatus,
  ExchangeOrderTerms,
} from '../../../domain/exchange.ts';
import type { OrderType, Side } from '../../../schemas/order.ts';
import type {
  AccountTrade,
  AmendedOrder,
  CancelledOrder,
  ExecutionReport,
  PlacedOrder,
  QueriedOrder,
} from './messages.ts';
import { SPOT_TYPES } from './wire-order.ts';

const TYPES: ReadonlyMap<string, OrderType> = new Map(
  Object.entries(SPOT_TYPES).map(([ours, theirs]) => [theirs, ours as OrderType]),
);

/** Statuses of the port by the exchange's word (SPOTDOC enums.md, "Order status"). */
const STATUSES: ReadonlyMap<string, ExchangeOrderStatus> = new Map([
  ['NEW', 'WORKING'],
  // An order of a list that waits for the list's first order.
  ['PENDING_NEW', 'PENDING'],
  ['PARTIALLY_FILLED', 'WORKING'],
  ['FILLED', 'FILLED'],
  ['CANCELED', 'CANCELLED'],
  ['PENDING_CANCEL', 'WORKING'],
  ['REJECTED', 'REJECTED'],
  ['EXPIRED', 'CANCELLED'],
  ['EXPIRED_IN_MATCH', 'CANCELLED'],
]);

const WAITING_TYPES: ReadonlySet<string> = new Set([
  'STOP_LOSS',
  'STOP_LOSS_LIMIT',
  'TAKE_PROFIT',
  'TAKE_PROFIT_LIMIT',
]);

interface Described {
  readonly clientId: string;
  readonly symbol: string;
  readonly orderId: number | string;
  readonly status: string;
  readonly type: string;
  readonly side: Side;
  readonly timeInForce: string;
  readonly price: string;
  readonly stopPrice: string | undefined;
  readonly icebergQty: string | undefined;
  readonly origQty: string;
  readonly executed: string;
  readonly quote: string;
  readonly time: number;
  readonly isWorking: boolean;
  readonly why: string | undefined;
  readonly armedAt: number | undefined;
}

/** Makes the port's state. Null: a word is not known here. */
function stateOf(one: Described): ExchangeOrderState | null {
  const known = STATUSES.get(one.status);
  const type = TYPES.get(one.type);
  if (!known) return null;
  const waits =
    known === 'WORKING' && WAITING_TYPES.has(one.type) && !one.isWorking && dec(one.executed) === ZERO;
  const status = waits ? 'PENDING' : known;
  // Documented: less than zero when not available, for very old orders.
  const quoteQty = one.quote.startsWith('-') ? undefined : one.quote;
  return {
    clientId: one.clientId,
    symbol: one.symbol,
    status,
    origQty: plain(one.origQty),
    cumQty: plain(one.executed),
    ...(quoteQty === undefined ? {} : { quoteQty: plain(quoteQty) }),
    seq: one.time,
    time: one.time,
    ...(status === 'CANCELLED' || status === 'REJECTED' ? { text: endWords(one) } : {}),
    ...(one.armedAt !== undefined && one.armedAt > 0 && waits ? { armedAt: one.armedAt } : {}),
    venueIds: [String(one.orderId)],
    ...(type ? { terms: termsOf(one, type) } : {}),
  };
}

function endWords({ status, why }: Described): string {
  const words = {
    CANCELED: 'cancelled',
    EXPIRED: 'expired',
    EXPIRED_IN_MATCH: 'expired: self-trade prevention',
  };
  const word = words[status as keyof typeof words] ?? 'rejected';
  return why === undefined || why === 'NONE' ? word : `${word}: ${why.slice(0, 100)}`;
}

function termsOf(one: Described, type: OrderType): ExchangeOrderTerms {
  const { timeInForce: inForce } = one;
  const price = positive(one.price);
  const stopPrice = positive(one.stopPrice);
  const icebergQty = positive(one.icebergQty);
  return {
    side: one.side,
    type,
    ...(price === undefined ? {} : { price }),
    ...(stopPrice === undefined ? {} : { stopPrice }),
    timeInForce: inForce === 'IOC' || inForce === 'FOK' ? inForce : 'GTC',
    ...(icebergQty === undefined ? {} : { icebergQty }),
    reduceOnly: false,
    closePosition: false,
    positionSide: 'BOTH',
    workingType: 'CONTRACT_PRICE',
  };
}

/** Zero means none. */
function positive(figure: string | undefined): string | undefined {
  return figure === undefined || dec(figure) <= ZERO ? undefined : plain(figure);
}

/** A figure without trailing zeros, which the exchange always writes. */
export function plain(figure: string): string {
  return str(dec(figure));
}

type Answered = PlacedOrder | CancelledOrder | QueriedOrder;

function described(order: Answered, clientId: string, time: number, isWorking: boolean): Described {
  const { symbol, orderId, status, type, side, timeInForce, price, stopPrice, icebergQty, origQty } = order;
  return {
    symbol,
    orderId,
    status,
    type,
    side,
    timeInForce,
    price,
    stopPrice,
    icebergQty,
    origQty,
    clientId,
    time,
    isWorking,
    executed: order.executedQty,
    quote: order.cummulativeQuoteQty,
    why: order.expiryReason,
    armedAt: order.trailingTime,
  };
}

export function stateOfPlaced(order: PlacedOrder): ExchangeOrderState | null {
  return stateOf(described(order, order.clientOrderId, order.transactTime, (order.workingTime ?? -1) >= 0));
}

/**
 * Converts a cancelled order. `heardAt`: the exchange's time of the answer, for rows without a time of their
 * own.
 */
export function stateOfCancelled(order: CancelledOrder, heardAt: number): ExchangeOrderState | null {
  return stateOf(described(order, order.origClientOrderId, order.transactTime ?? heardAt, true));
}

export function stateOfQueried(order: QueriedOrder): ExchangeOrderState | null {
  return stateOf(described(order, order.clientOrderId, order.updateTime, order.isWorking));
}

export function stateOfAmended({
  transactTime,
  amendedOrder: order,
}: AmendedOrder): ExchangeOrderState | null {
  const { symbol, orderId, status, type, side, timeInForce, price } = order;
  return stateOf({
    symbol,
    orderId,
    status,
    type,
    side,
    timeInForce,
    price,
    stopPrice: undefined,
    icebergQty: undefined,
    clientId: order.clientOrderId,
    origQty: order.qty,
    executed: order.executedQty,
    quote: order.cumulativeQuoteQty,
    time: transactTime,
    isWorking: true,
    why: undefined,
    armedAt: undefined,
  });
}

export function stateOfReport(report: ExecutionReport): ExchangeOrderState | null {
  return stateOf({
    clientId: idIn(report),
    symbol: report.s,
    orderId: report.i,
    status: report.X,
    type: report.o,
    side: report.S,
    timeInForce: report.f,
    price: report.p,
    stopPrice: report.P,
    icebergQty: report.F,
    origQty: report.q,
    executed: report.z,
    quote: report.Z,
    time: report.T,
    isWorking: report.w,
    why: report.eR ?? report.r,
    armedAt: report.D,
  });
}

/** The order's id before the request that ended or changed it. */
function idIn({ c, C }: ExecutionReport): string {
  return C === '' ? c : C;
}

/**
 * The fill in a report. Null: it reports no execution. `quoteAsset`: the asset in which a fee of zero is
 * reported.
 */
export function fillOfReport(report: ExecutionReport, quoteAsset: string): ExchangeFill | null {
  const { x, t, l, n, N } = report;
  if (x !== 'TRADE' || String(t).startsWith('-') || dec(l) <= ZERO) return null;
  return {
    tradeId: String(t),
    clientId: idIn(report),
    venueId: String(report.i),
    symbol: report.s,
    side: report.S,
    price: plain(report.L),
    qty: plain(l),
    comm: plain(n ?? '0'),
    commAsset: N ?? quoteAsset,
    maker: report.m,
    rPnl: null,
    posSide: 'BOTH',
    time: report.T,
  };
}

/** Converts an execution of a list. `clientId`: our id of its order, if known. */
export function fillOfTrade(trade: AccountTrade, clientId = ''): ExchangeFill {
  const { symbol, time } = trade;
  return {
    symbol,
    time,
    clientId,
    price: plain(trade.price),
    qty: plain(trade.qty),
    tradeId: String(trade.id),
    venueId: String(trade.orderId),
    side: trade.isBuyer ? 'BUY' : 'SELL',
    comm: plain(trade.commission),
    commAsset: trade.commissionAsset,
    maker: trade.isMaker,
    rPnl: null,
    posSide: 'BOTH',
  };
}
