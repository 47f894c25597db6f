/**
 * An amendment of an open order, read and checked like a new one. Source: order/amend-order.mdx, error.mdx.
 */
import { type Dec, dec, mul, ZERO } from '../../../src/domain/decimal.ts';
import type { Account } from './account.ts';
import type { Exchange } from './exchange.ts';
import { isActive, type Order } from './order.ts';
import { bad, type Params } from './params.ts';
import { checkBand, checkContracts, priceOf, spotQty } from './rules.ts';
import { Refusal } from './wire.ts';

export interface Change {
  readonly price: Dec | null;
  readonly qty: Dec | null;
  readonly triggerPrice: Dec | null;
}

/** Throws Refusal. */
export function readAmend(params: Params, order: Order, exchange: Exchange, account: Account): Change {
  const { category } = order;
  const market = exchange.market(category);
  const m = market.of(order.symbol);
  const isMarket = order.orderType === 'Market';
  const priceIf = (name: string) => (params.has(name) ? priceOf(params, name, m, category) : null);
  const price = isMarket ? null : priceIf('price');
  const triggerPrice = order.triggerPrice > ZERO ? priceIf('triggerPrice') : null;
  const at = { price: price ?? order.price, triggerPrice: triggerPrice ?? order.triggerPrice };
  let qty: Dec | null = null;
  if (params.has('qty')) {
    qty = category === 'spot' ? spotQty(params, m, at, order.marketUnit, isMarket) : params.positive('qty');
    if (qty !== null && qty <= order.executed) throw filled(category);
  }
  if (category === 'linear') {
    const max = dec(isMarket ? m.spec.maxMarketQty : m.spec.maxQty);
    checkContracts(qty ?? order.qty, at.price, m, max, exchange.reduces(account, order));
  }
  if (price !== null && order.triggerPrice === ZERO) checkBand({ ...order, price }, m, market);
  const isSame =
    at.price === order.price && (qty ?? order.qty) === order.qty && at.triggerPrice === order.triggerPrice;
  // No code is documented for this; the words are those of the exchange.
  if (isSame) throw bad('The order remains unchanged as the parameters entered match the existing ones.');
  const changed: Order = { ...order, price: at.price, qty: qty ?? order.qty, triggerPrice: at.triggerPrice };
  checkMoney(order, changed, exchange, account);
  return { price, qty, triggerPrice };
}

/** Checks that the additional amount to be locked is available. */
function checkMoney(order: Order, changed: Order, exchange: Exchange, account: Account): void {
  const { margin } = exchange;
  if (order.category === 'spot') {
    const [coin, was] = margin.reserved(order);
    const [, is] = margin.reserved(changed);
    if (is > was && is - was > margin.spendable(account, coin))
      throw new Refusal(170_131, 'Insufficient balance.');
    return;
  }
  if (!isActive(order) || exchange.reduces(account, order)) return;
  const more = margin.orderMargin(account, changed) - margin.orderMargin(account, order);
  const { settle, quote } = exchange.market('linear').of(order.symbol).spec;
  const fee = mul(mul(changed.qty, changed.price), account.fees.linear.taker);
  if (more > ZERO && more + fee > margin.available(account, settle ?? quote))
    throw new Refusal(110_007, 'ab not enough for new order');
}

function filled(category: Order['category']): Refusal {
  return category === 'spot'
    ? new Refusal(170_313, 'The modified contract quantity cannot be less than to the filled quantity')
    : new Refusal(
        110_064,
        'The modified contract quantity cannot be less than or equal to the filled quantity.',
      );
}
