/**
 * The largest size and price that an order may have at its exchange: while it is being changed there, the
 * larger of old and new. Pure.
 */
import { type Dec, dec, maxDec } from '../domain/decimal.ts';
import type { OrderRecord } from '../domain/order.ts';

type Changing = Pick<OrderRecord, 'origQty' | 'price' | 'change'>;

export function mostQuantityOf({ origQty, change }: Changing): Dec {
  const now = dec(origQty);
  return change?.to.quantity === undefined ? now : maxDec(now, dec(change.to.quantity));
}

/** Returns the higher price; null: the order has no limit. */
export function maxPriceOf({ price, change }: Changing): Dec | null {
  if (price === undefined) return null;
  return change?.to.price === undefined ? dec(price) : maxDec(dec(price), dec(change.to.price));
}
