/**
 * What a change of a resting limit order comes to, before money is looked at: spot and futures go on from here each in its own
 * way. What is left of the order is checked as a new one would be. Reads only.
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

/** Told of an order whose new quantity it has executed already. */
export const AMENDED_AWAY = 'amended to no more than was executed';

export interface Amended {
  readonly price: Dec;
  readonly qty: Dec;
  /** It stays where it is among the orders of its price. */
  readonly keepsPlace: boolean;
  /** It is for no more than it has executed: it ends. */
  readonly isOver: boolean;
  /** What is left of it, as if it were sent now. */
  readonly rest: ExchangeOrder;
}

/** Null: nothing changes. */
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

/** Takes over the new values; the order must be in no list. */
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

/** Null: it cannot be read. */
function read(text: string | undefined, now: Dec): Dec | null {
  if (text === undefined) return now;
  try {
    const value = dec(text);
    return value > ZERO ? value : null;
  } catch {
    return null;
  }
}
