/**
 * Placing a cancelled order again, for its remaining quantity and otherwise unchanged. A review follows; the
 * order is never sent at once. Pure.
 */
import { dec, str, ZERO } from '../../domain/decimal.ts';
import type { OrderView } from '../../domain/order.ts';
import type { CreateOrder } from '../../schemas/order.ts';

/** Largest number of orders cancelled at a terminal that can be placed again. */
export const CANCELLED_KEPT = 50;

export type Again =
  | { readonly order: CreateOrder; readonly problem: null }
  | { readonly order: null; readonly problem: string };

/**
 * The new order, or why there can be none. `now`: market time, Unix ms, compared with the order's end date.
 */
export function again(order: OrderView, now: number): Again {
  const left = dec(order.origQty) - dec(order.executedQty);
  const problem = refusal(order, left, now);
  if (problem !== null) return { order: null, problem };
  const { exchange, symbol, side, type, price, stopPrice, timeInForce, goodTillDate } = order;
  const market = type === 'MARKET' || type === 'STOP_MARKET' || type === 'TAKE_PROFIT_MARKET';
  const { icebergQty } = order.specific;
  const iceberg = typeof icebergQty === 'string' && dec(icebergQty) < left ? { icebergQty } : {};
  return {
    order: {
      exchange,
      symbol,
      side,
      type,
      quantity: order.closePosition ? '0' : str(left),
      ...(price === undefined ? {} : { price }),
      ...(stopPrice === null ? {} : { stopPrice }),
      ...(market ? {} : { timeInForce }),
      ...(market || goodTillDate === undefined ? {} : { goodTillDate }),
      ...iceberg,
      ...(order.isContract ? futuresOf(order) : {}),
    },
    problem: null,
  };
}

function futuresOf({
  positionSide,
  reduceOnly,
  closePosition,
  workingType,
}: OrderView): Partial<CreateOrder> {
  return {
    positionSide,
    ...(closePosition ? { closePosition } : reduceOnly ? { reduceOnly } : {}),
    ...(workingType === undefined ? {} : { workingType }),
  };
}

function refusal(order: OrderView, left: bigint, now: number): string | null {
  const what = `${order.side} ${order.symbol}`;
  if (order.creator === 'BOT') return `${what} was an order of a bot: start that again`;
  if (order.trailing) return `${what} trailed the price and would begin anew: a new order says from where`;
  if (left <= ZERO && !order.closePosition) return `${what} has filled: nothing of it is left`;
  if (order.goodTillDate !== undefined && order.goodTillDate <= now)
    return `${what} was good until a time that has passed`;
  return null;
}
