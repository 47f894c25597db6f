/**
 * Converts an order into the parameters of `POST /api/v3/order`. Exact: what the exchange has no form for is
 * refused in words and not sent. Pure.
 */
import type { ExchangeOrder, Rejected } from '../../../domain/exchange.ts';
import type { OrderType } from '../../../schemas/order.ts';

export type WireParameters = Readonly<Record<string, string>>;

/** Order types in the words of spot. */
export const SPOT_TYPES: Readonly<Record<OrderType, string>> = {
  MARKET: 'MARKET',
  LIMIT: 'LIMIT',
  LIMIT_MAKER: 'LIMIT_MAKER',
  STOP_MARKET: 'STOP_LOSS',
  STOP_LIMIT: 'STOP_LOSS_LIMIT',
  TAKE_PROFIT_MARKET: 'TAKE_PROFIT',
  TAKE_PROFIT_LIMIT: 'TAKE_PROFIT_LIMIT',
};

const HAS_LIMIT: ReadonlySet<OrderType> = new Set([
  'LIMIT',
  'LIMIT_MAKER',
  'STOP_LIMIT',
  'TAKE_PROFIT_LIMIT',
]);

export function spotOrder(
  order: ExchangeOrder,
): { readonly kind: 'wire'; readonly parameters: WireParameters } | Rejected {
  const problem = problemOf(order);
  if (problem !== null)
    return { kind: 'rejected', reason: 'UNSUPPORTED', code: 'FORM', message: `not sent: ${problem}` };
  const { type, symbol, side, price, stopPrice, quantity, quoteOrderQty, icebergQty, trailingDelta } = order;
  const isLimit = HAS_LIMIT.has(type);
  return {
    kind: 'wire',
    parameters: {
      symbol,
      side,
      type: SPOT_TYPES[type],
      // A post-only order and one without a limit have no time in force.
      ...(isLimit && type !== 'LIMIT_MAKER' ? { timeInForce: order.timeInForce } : {}),
      ...(quoteOrderQty === undefined ? { quantity: quantity ?? '' } : { quoteOrderQty }),
      ...(isLimit ? { price: price ?? '' } : {}),
      ...(stopPrice === undefined ? {} : { stopPrice }),
      ...(trailingDelta === undefined ? {} : { trailingDelta: String(trailingDelta) }),
      ...(icebergQty === undefined ? {} : { icebergQty }),
      newClientOrderId: order.clientId,
      // RESULT gives the outcome of a MARKET order; a conditional order would only get an ACK by default.
      newOrderRespType: 'RESULT',
    },
  };
}

function problemOf(order: ExchangeOrder): string | null {
  const { type, quantity, quoteOrderQty, price, stopPrice, icebergQty, timeInForce, trailingDelta } = order;
  const isLimit = HAS_LIMIT.has(type);
  if ((quantity === undefined) === (quoteOrderQty === undefined))
    return 'it needs either quantity or quoteOrderQty';
  if (quoteOrderQty !== undefined && type !== 'MARKET') return 'quoteOrderQty goes with MARKET only';
  if (isLimit !== (price !== undefined)) return isLimit ? 'it needs a price' : `${type} takes no price`;
  const waits = type.startsWith('STOP_') || type.startsWith('TAKE_PROFIT_');
  if (waits !== (stopPrice !== undefined || trailingDelta !== undefined))
    return waits ? 'it needs stopPrice or trailingDelta' : `${type} takes no stopPrice`;
  if (icebergQty !== undefined && (!isLimit || timeInForce !== 'GTC'))
    return 'icebergQty goes with a limit and GTC';
  if (order.activationPrice !== undefined) return 'a trailing stop of Binance spot trails at once';
  if (order.goodTillDate !== undefined) return 'Binance spot has no end dates';
  return null;
}
