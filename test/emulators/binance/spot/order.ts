/**
 * A spot order, and the three forms in which the exchange reports it: answers, rows of a query, execution
 * reports. Sources: binance-spot-api-docs rest-api.md, user-data-stream.md.
 */
import { type Dec, fixed, ZERO } from '../../../../src/domain/decimal.ts';

export type SpotType =
  | 'LIMIT'
  | 'LIMIT_MAKER'
  | 'MARKET'
  | 'STOP_LOSS'
  | 'STOP_LOSS_LIMIT'
  | 'TAKE_PROFIT'
  | 'TAKE_PROFIT_LIMIT';
export type Side = 'BUY' | 'SELL';
export type SpotStatus = 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'EXPIRED' | 'REJECTED';

export interface SpotFill {
  readonly id: number;
  readonly price: Dec;
  readonly qty: Dec;
  readonly commission: Dec;
  readonly commissionAsset: string;
  readonly time: number;
  readonly isMaker: boolean;
}

export interface SpotOrder {
  readonly account: string;
  readonly symbol: string;
  readonly orderId: number;
  clientOrderId: string;
  readonly side: Side;
  readonly type: SpotType;
  readonly timeInForce: 'GTC' | 'IOC' | 'FOK';
  readonly price: Dec;
  qty: Dec;
  readonly quoteQty: Dec;
  readonly stopPrice: Dec;
  /** Basis points; 0: it does not trail. */
  readonly trailingDelta: number;
  /** Time since which it trails; -1: not yet. */
  trailingTime: number;
  extreme: Dec;
  readonly icebergQty: Dec;
  readonly stp: string;
  status: SpotStatus;
  executed: Dec;
  quote: Dec;
  readonly time: number;
  updateTime: number;
  /** Time since which it is in the book; -1: it waits for its trigger. */
  workingTime: number;
  isWorking: boolean;
  /** The amount that it locks. */
  locked: Dec;
  readonly fills: SpotFill[];
  expiryReason: string | null;
  readonly amendments: {
    readonly time: number;
    readonly was: Dec;
    readonly is: Dec;
    readonly origId: string;
    readonly newId: string;
  }[];
  /** The number of the newest report on it. */
  executionId: number;
}

export const isOpen = (order: SpotOrder): boolean =>
  order.status === 'NEW' || order.status === 'PARTIALLY_FILLED';
export const isConditional = (type: SpotType): boolean => type.startsWith('STOP') || type.startsWith('TAKE');
export const hasLimit = (type: SpotType): boolean => type.includes('LIMIT');

const eight = (value: Dec): string => fixed(value, 8);

/** Common fields of a placement and a cancellation. */
function common(order: SpotOrder): Record<string, unknown> {
  return {
    price: eight(order.price),
    origQty: eight(order.qty),
    executedQty: eight(order.executed),
    origQuoteOrderQty: eight(order.quoteQty),
    cummulativeQuoteQty: eight(order.quote),
    status: order.status,
    timeInForce: order.timeInForce,
    type: order.type,
    side: order.side,
  };
}

/** Fields that are present only where they apply. */
function sometimes(order: SpotOrder): Record<string, unknown> {
  return {
    ...(order.stopPrice > ZERO ? { stopPrice: eight(order.stopPrice) } : {}),
    ...(order.icebergQty > ZERO ? { icebergQty: eight(order.icebergQty) } : {}),
    ...(order.trailingDelta > 0
      ? { trailingDelta: order.trailingDelta, trailingTime: order.trailingTime }
      : {}),
    ...(order.expiryReason === null ? {} : { expiryReason: order.expiryReason }),
  };
}

export function placed(order: SpotOrder, form: 'ACK' | 'RESULT' | 'FULL'): Record<string, unknown> {
  const ack = {
    symbol: order.symbol,
    orderId: order.orderId,
    orderListId: -1,
    clientOrderId: order.clientOrderId,
    transactTime: order.updateTime,
  };
  if (form === 'ACK') return ack;
  return {
    ...ack,
    ...common(order),
    workingTime: order.workingTime,
    ...(form === 'FULL'
      ? {
          fills: order.fills.map((fill) => ({
            price: eight(fill.price),
            qty: eight(fill.qty),
            commission: eight(fill.commission),
            commissionAsset: fill.commissionAsset,
            tradeId: fill.id,
          })),
        }
      : {}),
    selfTradePreventionMode: order.stp,
    ...sometimes(order),
  };
}

/** The row of a cancellation. `cancelId`: the id of the cancel request itself. */
export function cancelled(order: SpotOrder, cancelId: string): Record<string, unknown> {
  return {
    symbol: order.symbol,
    origClientOrderId: order.clientOrderId,
    orderId: order.orderId,
    orderListId: -1,
    clientOrderId: cancelId,
    transactTime: order.updateTime,
    ...common(order),
    selfTradePreventionMode: order.stp,
    ...sometimes(order),
  };
}

export function queried(order: SpotOrder): Record<string, unknown> {
  return {
    symbol: order.symbol,
    orderId: order.orderId,
    orderListId: -1,
    clientOrderId: order.clientOrderId,
    ...common(order),
    stopPrice: eight(order.stopPrice),
    icebergQty: eight(order.icebergQty),
    time: order.time,
    updateTime: order.updateTime,
    isWorking: order.isWorking,
    workingTime: order.workingTime,
    origQuoteOrderQty: eight(order.quoteQty),
    selfTradePreventionMode: order.stp,
    ...(order.trailingDelta > 0
      ? { trailingDelta: order.trailingDelta, trailingTime: order.trailingTime }
      : {}),
    ...(order.expiryReason === null ? {} : { expiryReason: order.expiryReason }),
  };
}

export interface ReportOf {
  readonly execution: 'NEW' | 'CANCELED' | 'REPLACED' | 'REJECTED' | 'TRADE' | 'EXPIRED';
  readonly fill?: SpotFill;
  /** On a cancellation: the id of the request, which replaces the order's own. */
  readonly cancelId?: string;
  /** On an amendment: the order's previous client id. */
  readonly origId?: string;
  readonly time: number;
}

export function report(order: SpotOrder, of: ReportOf): Record<string, unknown> {
  const { fill } = of;
  const original = of.origId ?? (of.cancelId === undefined ? '' : order.clientOrderId);
  return {
    e: 'executionReport',
    E: of.time,
    s: order.symbol,
    c: of.cancelId ?? order.clientOrderId,
    S: order.side,
    o: order.type,
    f: order.timeInForce,
    q: eight(order.qty),
    p: eight(order.price),
    P: eight(order.stopPrice),
    F: eight(order.icebergQty),
    g: -1,
    C: original,
    x: of.execution,
    X: order.status,
    r: 'NONE',
    i: order.orderId,
    l: eight(fill?.qty ?? ZERO),
    z: eight(order.executed),
    L: eight(fill?.price ?? ZERO),
    n: fill ? eight(fill.commission) : '0',
    N: fill ? fill.commissionAsset : null,
    T: of.time,
    t: fill?.id ?? -1,
    v: order.executionId,
    I: order.orderId * 10 + order.executionId,
    w: order.isWorking && isOpen(order),
    m: fill?.isMaker ?? false,
    M: fill !== undefined,
    O: order.time,
    Z: eight(order.quote),
    Y: fill ? eight((fill.price * fill.qty) / 10n ** 30n) : '0.00000000',
    Q: eight(order.quoteQty),
    ...(order.workingTime > 0 ? { W: order.workingTime } : {}),
    V: order.stp,
    ...(order.trailingDelta > 0
      ? { d: order.trailingDelta, ...(order.trailingTime > 0 ? { D: order.trailingTime } : {}) }
      : {}),
    ...(of.execution === 'EXPIRED' && order.expiryReason !== null ? { eR: order.expiryReason } : {}),
  };
}
