/**
 * What a change of a resting limit order amounts to, before money is considered: spot and futures continue
 * from here each in their own way. The rest of the order is checked like a new one. Reads only.
 */
import { type Dec, dec, str, ZERO } from '../../domain/decimal.ts';
import type { AmendCaps, ExchangeOrder, OrderChange, Rejected } from '../../domain/exchange.ts';
import { refusal } from './filters.ts';
import { type PaperOrder, remaining } from './paper-order.ts';

export const PAPER_AMENDS: AmendCaps = {
  types: ['LIMIT', 'LIMIT_MAKER'],
  fields: ['price', 'quantity'],
  keepsPlace: 'less',
  source: 'as Binance USDM futures: PUT /fapi/v1/order; the place as Binance spot: order/amend/keepPriority',
};

/** The text for an order that has already executed its new quantity. */
export const AMENDED_AWAY = 'amended to no more than was executed';

export interface Amended {
  readonly price: Dec;
  readonly qty: Dec;
  /** The order keeps its place among the orders of its price. */
  readonly keepsPlace: boolean;
  /** The new quantity is no more than has been executed: the order ends. */
  readonly isOver: boolean;
  /** The rest of the order, as if it were sent now. */
  readonly rest: ExchangeOrder;
}

/** Calculates the change; null: nothing changes. */
export function amendedOf(order: PaperOrder, change: OrderChange): Amended | Rejected | null {
  if (order.price === null || order.status !== 'WORKING' || !PAPER_AMENDS.types.includes(order.type))
    return refusal('-1106', 'Only a LIMIT order that rests can be amended.');
  if (order.iceberg !== null) return refusal('-1106', 'An iceberg order cannot be amended.');
  const price = read(change.price, order.price);
  const qty = read(change.quantity, order.qty);
  if (price === null || qty === null)
    return refusal('-1100', 'price and quantity must be decimal numbers above zero.');
  if (price === order.price && qty === order.qty) return null;
  return {
    price,
    qty,
    keepsPlace: price === order.price && qty < order.qty,
    isOver: qty <= order.cum,
    rest: restOf(order, price, qty),
  };
}

/** Sets the new values; the order must be in no list at this moment. */
export function applyAmend(order: PaperOrder, { price, qty }: Amended): void {
  order.price = price;
  order.qty = qty;
  order.visible = remaining(order);
  order.amended = true;
}

function restOf(order: PaperOrder, price: Dec, qty: Dec): ExchangeOrder {
  const { clientId, symbol, side, type, timeInForce, cum, terms } = order;
  return {
    clientId,
    symbol,
    side,
    type,
    timeInForce,
    price: str(price),
    quantity: str(qty - cum),
    ...(terms
      ? {
          positionSide: terms.positionSide,
          workingType: terms.workingType,
          ...(terms.reduceOnly && terms.positionSide === 'BOTH' ? { reduceOnly: true } : {}),
        }
      : {}),
  };
}

/** Reads a new value; null: it is not a positive decimal. */
function read(text: string | undefined, now: Dec): Dec | null {
  if (text === undefined) return now;
  try {
    const value = dec(text);
    return value > ZERO ? value : null;
  } catch {
    return null;
  }
}
