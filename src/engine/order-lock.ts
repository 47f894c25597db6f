/** The amount of the available balance that an order locks until the exchange has locked it itself. Pure. */
import { type Dec, mul, ZERO } from '../domain/decimal.ts';
import type { Instrument } from '../domain/instrument.ts';
import type { PositionSide, Side } from '../schemas/order.ts';
import type { AccountMemory } from './memory.ts';
import { openingMargin } from './validate-futures.ts';

export interface OrderLock {
  readonly asset: string;
  readonly amount: Dec;
}

/** The fields of an order that decide how much it locks. */
export interface LockedOrder {
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly quantity: Dec;
  readonly price: Dec;
  /** The amount to spend, for an order that is sized by it. */
  readonly quoteOrderQty: Dec | null;
  /** Futures: it can only shrink a position. */
  readonly closes: boolean;
  /** Futures: size of the position that it shrinks before it opens anything. */
  readonly reducible: Dec;
}

/**
 * Returns the lock. Spot: the quantity sold, or the amount paid. Futures: the margin of the part that opens.
 */
export function lockOf(account: AccountMemory, instrument: Instrument, order: LockedOrder): OrderLock {
  const { base, quote, symbol } = instrument;
  if (account.futures) {
    const opens = order.closes ? ZERO : order.quantity - order.reducible;
    return {
      asset: quote,
      amount: openingMargin(account, { symbol, side: order.positionSide }, opens, order.price),
    };
  }
  if (order.side === 'SELL') return { asset: base, amount: order.quantity };
  return { asset: quote, amount: order.quoteOrderQty ?? mul(order.quantity, order.price) };
}
