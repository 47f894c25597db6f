/**
 * An order of either category and its executions, and their rows in REST and streams. Sources:
 * order/open-order.mdx, order/order-list.mdx, order/execution.mdx, websocket/private/order.mdx,
 * execution.mdx, enum.mdx.
 */
import { type Dec, div, floorTo, str, ZERO } from '../../../src/domain/decimal.ts';
import { UNIT } from './account.ts';
import type { Market } from './market.ts';
import type { Category } from './wire.ts';

export type Side = 'Buy' | 'Sell';
export type PositionIdx = 0 | 1 | 2;
export type OrderFilter = 'Order' | 'StopOrder' | 'tpslOrder';
export type OrderStatus =
  | 'New'
  | 'PartiallyFilled'
  | 'Untriggered'
  | 'Triggered'
  | 'Filled'
  | 'Cancelled'
  | 'PartiallyFilledCanceled'
  | 'Deactivated'
  | 'Rejected';

export interface Execution {
  readonly order: Order;
  readonly execId: string;
  readonly price: Dec;
  readonly qty: Dec;
  readonly fee: Dec;
  readonly feeCurrency: string;
  readonly feeRate: Dec;
  readonly execType: string;
  readonly isMaker: boolean;
  readonly time: number;
  readonly seq: number;
  readonly closedSize: Dec;
  readonly pnl: Dec;
  readonly leavesQty: Dec;
  readonly markPrice: Dec;
}

export interface Order {
  readonly account: string;
  readonly category: Category;
  readonly symbol: string;
  readonly orderId: string;
  readonly orderLinkId: string;
  readonly parentOrderLinkId: string;
  readonly side: Side;
  readonly orderType: 'Limit' | 'Market';
  readonly timeInForce: string;
  readonly marketUnit: '' | 'baseCoin' | 'quoteCoin';
  readonly positionIdx: PositionIdx;
  readonly orderFilter: OrderFilter;
  readonly createType: string;
  readonly stopOrderType: string;
  readonly triggerBy: string;
  readonly reduceOnly: boolean;
  readonly closeOnTrigger: boolean;
  readonly takeProfit: Dec;
  readonly stopLoss: Dec;
  readonly createdTime: number;
  /** The last price at the placement. */
  readonly lastPrice: Dec;
  triggerDirection: 0 | 1 | 2;
  triggerPrice: Dec;
  /** Trailing stops: the distance, and the best price since activation; zero before. */
  readonly distance: Dec;
  best: Dec;
  price: Dec;
  qty: Dec;
  status: OrderStatus;
  cancelType: string;
  rejectReason: string;
  executed: Dec;
  value: Dec;
  closedPnl: Dec;
  readonly fees: Map<string, Dec>;
  readonly executions: Execution[];
  updatedTime: number;
  /** Time that gives its place in the queue: older orders of the same price come first. */
  queuedAt: number;
  /** Whether its placement or last amendment was reported. */
  isTold: boolean;
}

const OPEN: ReadonlySet<OrderStatus> = new Set(['New', 'PartiallyFilled', 'Untriggered']);
export const isOpen = (order: Order): boolean => OPEN.has(order.status);
/** Whether the order is in the book: a conditional one that still waits is not. */
export const isActive = (order: Order): boolean => isOpen(order) && order.status !== 'Untriggered';

export const leaves = (order: Order): Dec =>
  !isOpen(order) || order.marketUnit === 'quoteCoin' ? ZERO : order.qty - order.executed;

/**
 * The row by open-order.mdx for REST or the stream: the stream leaves texts empty where REST writes zeros.
 */
export function orderRow(order: Order, market: Market, where: 'rest' | 'stream'): Record<string, unknown> {
  const m = market.of(order.symbol);
  const price = (value: Dec) => market.priceText(m, value);
  const none = where === 'rest' ? price(ZERO) : '';
  const given = (value: Dec) => (value > ZERO ? price(value) : none);
  const isSpot = order.category === 'spot';
  const qty = (value: Dec) =>
    order.marketUnit === 'quoteCoin' && value === order.qty ? str(value) : market.qtyText(m, value);
  const rest = leaves(order);
  return {
    ...(where === 'stream' ? { category: order.category } : {}),
    symbol: order.symbol,
    orderId: order.orderId,
    orderLinkId: order.orderLinkId,
    ...(isSpot ? {} : { parentOrderLinkId: order.parentOrderLinkId }),
    blockTradeId: '',
    side: order.side,
    positionIdx: order.positionIdx,
    orderStatus: order.status,
    ...(isSpot ? {} : { createType: order.createType }),
    cancelType: order.cancelType,
    rejectReason: order.rejectReason,
    timeInForce: order.timeInForce,
    isLeverage: isSpot ? '0' : '',
    price: order.price > ZERO ? price(order.price) : '0',
    qty: qty(order.qty),
    avgPrice: order.executed > ZERO ? str(floorTo(div(order.value, order.executed), UNIT)) : '',
    leavesQty: rest > ZERO ? qty(rest) : '0',
    leavesValue: rest > ZERO ? str((rest * order.price) / 10n ** 30n) : '0',
    cumExecQty: market.qtyText(m, order.executed),
    cumExecValue: str(order.value),
    cumExecFee: str([...order.fees.values()].reduce((sum, fee) => sum + fee, ZERO)),
    cumFeeDetail: Object.fromEntries([...order.fees].map(([coin, fee]) => [coin, str(fee)])),
    ...(where === 'stream' ? { closedPnl: str(order.closedPnl), feeCurrency: '' } : {}),
    orderType: order.orderType,
    stopOrderType: order.stopOrderType === '' && where === 'rest' ? 'UNKNOWN' : order.stopOrderType,
    orderIv: '',
    marketUnit: order.marketUnit,
    slippageToleranceType: 'UNKNOWN',
    slippageTolerance: '',
    triggerPrice: given(order.triggerPrice),
    takeProfit: given(order.takeProfit),
    stopLoss: given(order.stopLoss),
    ...(isSpot
      ? { ocoTriggerBy: 'OcoTriggerByUnknown' }
      : { tpslMode: order.takeProfit + order.stopLoss > ZERO ? 'Full' : '' }),
    tpLimitPrice: '',
    slLimitPrice: '',
    tpTriggerBy: where === 'rest' ? 'UNKNOWN' : '',
    slTriggerBy: where === 'rest' ? 'UNKNOWN' : '',
    triggerDirection: order.triggerDirection,
    triggerBy: order.triggerBy === '' && where === 'rest' ? 'UNKNOWN' : order.triggerBy,
    ...(isSpot && where === 'rest'
      ? { basePrice: price(order.lastPrice) }
      : { lastPriceOnCreated: isSpot ? '' : price(order.lastPrice) }),
    reduceOnly: order.reduceOnly,
    closeOnTrigger: order.closeOnTrigger,
    placeType: '',
    smpType: 'None',
    smpGroup: 0,
    smpOrderId: '',
    createdTime: String(order.createdTime),
    updatedTime: String(order.updatedTime),
    extraFees: '',
    rpiTakerAccess: false,
    rpiMatchedQty: '0',
  };
}

export function executionRow(
  e: Execution,
  market: Market,
  where: 'rest' | 'stream',
): Record<string, unknown> {
  const { order } = e;
  const m = market.of(order.symbol);
  const isFunding = e.execType === 'Funding';
  return {
    ...(where === 'stream' ? { category: order.category, isLeverage: '0', execPnl: str(e.pnl) } : {}),
    symbol: order.symbol,
    orderId: order.orderId,
    orderLinkId: order.orderLinkId,
    side: order.side,
    orderPrice: order.price > ZERO ? market.priceText(m, order.price) : '0',
    orderQty: order.marketUnit === 'quoteCoin' ? str(order.qty) : market.qtyText(m, order.qty),
    leavesQty: str(e.leavesQty),
    ...(order.category === 'spot' ? {} : { createType: isFunding ? '' : order.createType }),
    orderType: isFunding ? 'UNKNOWN' : order.orderType,
    stopOrderType: order.stopOrderType === '' ? 'UNKNOWN' : order.stopOrderType,
    marketUnit: order.marketUnit,
    execFee: str(e.fee),
    execId: e.execId,
    execPrice: market.priceText(m, e.price),
    execQty: market.qtyText(m, e.qty),
    execType: e.execType,
    execValue: str((e.price * e.qty) / 10n ** 30n),
    execTime: String(e.time),
    feeCurrency: e.feeCurrency,
    isMaker: e.isMaker,
    feeRate: str(e.feeRate),
    tradeIv: '',
    markIv: '',
    markPrice: order.category === 'spot' ? '' : market.priceText(m, e.markPrice),
    indexPrice: '',
    underlyingPrice: '',
    blockTradeId: '',
    closedSize: order.category === 'spot' ? '' : str(e.closedSize),
    extraFees: '',
    seq: e.seq,
  };
}
