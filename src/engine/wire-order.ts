/** The form in which an order is sent to its exchange. */
import type { ExchangeOrder } from '../domain/exchange.ts';
import type { OrderRecord, TrailingState } from '../domain/order.ts';
import type { OrderType } from '../schemas/order.ts';

/**
 * Returns the type in which it is sent: an order that is fired here is sent as the type that it turns into.
 */
export function sentAs(order: OrderRecord): OrderType {
  if (!order.firedHere) return order.type;
  return order.price === undefined ? 'MARKET' : 'LIMIT';
}

/** Returns whether the exchange itself ends the order at its end date. */
export function endsThere(order: OrderRecord): boolean {
  return order.timeInForce === 'GTD' && !order.emulated;
}

function trailingOf({ delta, activationPrice }: TrailingState) {
  return { trailingDelta: delta, ...(activationPrice === undefined ? {} : { activationPrice }) };
}

/** Returns the order as it is sent. */
export function exchangeOrderOf(order: OrderRecord): ExchangeOrder {
  const { firedHere } = order;
  return {
    clientId: order.id,
    symbol: order.symbol,
    side: order.side,
    type: sentAs(order),
    ...(order.quoteOrderQty === undefined
      ? { quantity: order.origQty }
      : { quoteOrderQty: order.quoteOrderQty }),
    ...(order.price === undefined ? {} : { price: order.price }),
    ...(order.stopPrice === undefined || firedHere ? {} : { stopPrice: order.stopPrice }),
    timeInForce: order.timeInForce === 'GTD' ? 'GTC' : order.timeInForce,
    ...(endsThere(order) ? { goodTillDate: order.goodTillDate } : {}),
    ...(order.icebergQty === undefined ? {} : { icebergQty: order.icebergQty }),
    reduceOnly: order.reduceOnly,
    closePosition: order.closePosition,
    positionSide: order.positionSide,
    workingType: order.workingType,
    ...(order.trailing && !firedHere ? trailingOf(order.trailing) : {}),
  };
}
