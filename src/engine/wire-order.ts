/** An order as it goes over the wire, and which orders do not before their trigger. */
import type { ExchangeCaps, ExchangeOrder } from '../domain/exchange.ts';
import type { OrderRecord, TrailingState } from '../domain/order.ts';
import type { OrderType } from '../schemas/order.ts';

/** The exchange does not know the order before its trigger. */
export function isHeldHere(order: OrderRecord, caps: ExchangeCaps): boolean {
  return order.trailing ? !caps.trailing : !caps.nativeTypes.includes(order.type);
}

/** A held order is sent as what it turns into. */
export function sentAs(order: OrderRecord, caps: ExchangeCaps): OrderType {
  if (!isHeldHere(order, caps)) return order.type;
  return order.price === undefined ? 'MARKET' : 'LIMIT';
}

function trailingOf({ delta, activationPrice }: TrailingState) {
  return { trailingDelta: delta, ...(activationPrice === undefined ? {} : { activationPrice }) };
}

/** What goes over the wire; an end date stays here. */
export function exchangeOrderOf(order: OrderRecord, caps: ExchangeCaps): ExchangeOrder {
  const held = isHeldHere(order, caps);
  const type = sentAs(order, caps);
  return {
    clientId: order.id,
    symbol: order.symbol,
    side: order.side,
    type,
    ...(order.quoteOrderQty === undefined
      ? { quantity: order.origQty }
      : { quoteOrderQty: order.quoteOrderQty }),
    ...(order.price === undefined ? {} : { price: order.price }),
    ...(order.stopPrice === undefined || held ? {} : { stopPrice: order.stopPrice }),
    timeInForce: order.timeInForce === 'GTD' ? 'GTC' : order.timeInForce,
    ...(order.icebergQty === undefined ? {} : { icebergQty: order.icebergQty }),
    reduceOnly: order.reduceOnly,
    closePosition: order.closePosition,
    positionSide: order.positionSide,
    workingType: order.workingType,
    ...(order.trailing && !held ? trailingOf(order.trailing) : {}),
  };
}
