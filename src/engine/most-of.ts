/** What an order may be for at its exchange: while it is being changed there, the larger of what it was and what it is to be. Pure. */
import { type Dec, dec, maxDec } from '../domain/decimal.ts';
import type { OrderRecord } from '../domain/order.ts';

type Changing = Pick<OrderRecord, 'origQty' | 'price' | 'change'>;

export function mostQuantityOf({ origQty, change }: Changing): Dec {
  const now = dec(origQty);
  return change?.to.quantity === undefined ? now : maxDec(now, dec(change.to.quantity));
}

/** The one that is worth more; null: it has no limit. */
export function mostPriceOf({ price, change }: Changing): Dec | null {
  if (price === undefined) return null;
  return change?.to.price === undefined ? dec(price) : maxDec(dec(price), dec(change.to.price));
}
