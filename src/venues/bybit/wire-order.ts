/**
 * Converts an order to the parameters of `POST /v5/order/create` (DOC order/create-order). Exact: an order
 * that the exchange cannot express is refused with an explanation and not sent. Pure.
 */
import { dec, ZERO } from '../../domain/decimal.ts';
import type { ExchangeOrder, Rejected } from '../../domain/exchange.ts';
import type { OrderType } from '../../schemas/order.ts';
import type { Category } from './category.ts';

export interface WireOrder {
  readonly kind: 'wire';
  readonly parameters: Readonly<Record<string, string>>;
}

const HAS_LIMIT: ReadonlySet<OrderType> = new Set([
  'LIMIT',
  'LIMIT_MAKER',
  'STOP_LIMIT',
  'TAKE_PROFIT_LIMIT',
]);

/** Whether the order waits for a trigger at the exchange. */
export function waits({ type }: Pick<ExchangeOrder, 'type'>): boolean {
  return type.startsWith('STOP_') || type.startsWith('TAKE_PROFIT_');
}

/**
 * Whether the price has to rise (1) or fall (2) to the trigger: a stop follows the move, a take-profit is
 * against it.
 */
export function directionOf({ type, side }: Pick<ExchangeOrder, 'type' | 'side'>): 1 | 2 {
  return (side === 'BUY') === type.startsWith('STOP_') ? 1 : 2;
}

export function wireOrder(order: ExchangeOrder, category: Category): WireOrder | Rejected {
  const problem = problemOf(order, category);
  if (problem !== null)
    return { kind: 'rejected', reason: 'UNSUPPORTED', code: 'FORM', message: `not sent: ${problem}` };
  const { symbol, side, type, price, clientId } = order;
  const isLimit = HAS_LIMIT.has(type);
  return {
    kind: 'wire',
    parameters: {
      category,
      symbol,
      side: side === 'BUY' ? 'Buy' : 'Sell',
      orderType: isLimit ? 'Limit' : 'Market',
      qty: order.quantity ?? order.quoteOrderQty ?? '0',
      ...(isLimit ? { price: price ?? '', timeInForce: inForceOf(order) } : {}),
      ...(category === 'spot' ? spotTerms(order, isLimit) : linearTerms(order)),
      orderLinkId: clientId,
    },
  };
}

function inForceOf({ type, timeInForce }: ExchangeOrder): string {
  return type === 'LIMIT_MAKER' ? 'PostOnly' : timeInForce;
}

/**
 * The parameters of spot orders. Nothing is reserved for a StopOrder before its trigger. Spot takes no
 * trigger direction: the exchange takes it from the market price.
 */
function spotTerms(order: ExchangeOrder, isLimit: boolean): Record<string, string> {
  return {
    ...(isLimit ? {} : { marketUnit: order.quoteOrderQty === undefined ? 'baseCoin' : 'quoteCoin' }),
    orderFilter: waits(order) ? 'StopOrder' : 'Order',
    ...(waits(order) ? { triggerPrice: order.stopPrice ?? '' } : {}),
    // The order must not borrow.
    isLeverage: '0',
  };
}

function linearTerms(order: ExchangeOrder): Record<string, string> {
  const { side, positionSide = 'BOTH', stopPrice, workingType = 'MARK_PRICE' } = order;
  const index = positionSide === 'BOTH' ? '0' : positionSide === 'LONG' ? '1' : '2';
  const closesSide = positionSide !== 'BOTH' && (positionSide === 'LONG') === (side === 'SELL');
  const reduces = order.reduceOnly === true || order.closePosition === true || closesSide;
  // Without a quantity: closes the whole position, whatever its size is then.
  const closesAll = order.closePosition === true && order.quantity === undefined;
  return {
    ...(waits(order)
      ? {
          triggerPrice: stopPrice ?? '',
          triggerDirection: String(directionOf(order)),
          // Without this parameter the last price would decide.
          triggerBy: workingType === 'MARK_PRICE' ? 'MarkPrice' : 'LastPrice',
        }
      : {}),
    ...(reduces ? { reduceOnly: 'true' } : {}),
    ...(closesAll ? { closeOnTrigger: 'true' } : {}),
    positionIdx: index,
  };
}

function problemOf(order: ExchangeOrder, category: Category): string | null {
  const { type, quantity, quoteOrderQty, price, stopPrice, icebergQty, trailingDelta, goodTillDate } = order;
  if (icebergQty !== undefined) return 'Bybit has no iceberg orders; use split';
  if (trailingDelta !== undefined) return 'a trailing stop of Bybit belongs to a position: it is held here';
  if (goodTillDate !== undefined) return 'Bybit has no end dates';
  if (quoteOrderQty !== undefined && (type !== 'MARKET' || category !== 'spot'))
    return 'quoteOrderQty goes with MARKET on spot only; give quantity';
  if (quoteOrderQty !== undefined && quantity !== undefined) return 'it has both quantity and quoteOrderQty';
  const size = quantity ?? quoteOrderQty;
  const closesAll = category === 'linear' && order.closePosition === true && !HAS_LIMIT.has(type);
  if (size === undefined ? !closesAll : dec(size) <= ZERO) return 'its quantity is not known';
  if (HAS_LIMIT.has(type) !== (price !== undefined))
    return price === undefined ? 'it needs a price' : `${type} takes no price`;
  if (waits(order) !== (stopPrice !== undefined))
    return stopPrice === undefined ? 'it needs stopPrice' : `${type} takes no stopPrice`;
  return null;
}
