/**
 * A market BUY that the engine holds has locked its cost at the stop price. When it fires, the price may have
 * jumped beyond that, and the exchange would refuse the whole order: then it buys as much as the money
 * allows.
 */
import { type Dec, dec, div, floorTo, mul, str } from '../domain/decimal.ts';
import type { OrderRecord } from '../domain/order.ts';
import { availability } from './balances.ts';
import type { StepContext } from './step-context.ts';

/** A market order may pay a little more than the last price. */
const HEADROOM = dec('1.002');

/**
 * Lowers the order's quantity to what it can pay; returns the change in words, or null when none was needed.
 * A run sizes its orders itself.
 */
export function fitToFunds(step: StepContext, order: OrderRecord, price: Dec): string | null {
  if (order.side !== 'BUY' || order.isContract || order.price !== undefined || order.creator === 'BOT')
    return null;
  const account = step.memory.account(order.exchange);
  const n = account.numbers.get(order.symbol);
  if (!n || !order.lock) return null;
  const { asset, amount } = order.lock;
  const funds = dec(amount) + availability(account, asset).available;
  const wanted = order.origQty;
  if (mul(dec(wanted), price) <= funds) return null;
  const quantity = floorTo(div(funds, mul(price, HEADROOM)), n.step);
  // Too little for an order: the exchange refuses it in its own words.
  if (quantity < n.minQty || mul(quantity, price) < n.minNotional) return null;
  order.origQty = str(quantity);
  return `${order.origQty} of ${wanted}: ${str(funds)} ${asset} buy no more at ${str(price)}`;
}
