/** What an order takes out of the available balance until the exchange has locked it itself. Pure. */
import { type Dec, mul, ZERO } from '../domain/decimal.ts';
import type { Instrument } from '../domain/instrument.ts';
import type { PositionSide, Side } from '../schemas/order.ts';
import type { AccountMemory } from './memory.ts';
import { openingMargin } from './validate-futures.ts';

export interface OrderLock {
  readonly asset: string;
  readonly amount: Dec;
}

/** What of an order decides how much it locks. */
export interface LockedOrder {
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly quantity: Dec;
  readonly price: Dec;
  /** Of an order sized by what it spends. */
  readonly quoteOrderQty: Dec | null;
  /** Futures: it can only shrink a position. */
  readonly closes: boolean;
  /** Futures: size of the position that it shrinks before it opens anything. */
  readonly reducible: Dec;
}

/** Spot: what is sold, or what is paid. Futures: the margin of what the order opens. */
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
