/**
 * What the paper futures exchange requires of orders and reports about its account. The margins themselves
 * are computed by `domain/margin`, as the engine does between two events. Reads only. Source: Binance FAQ
 * 87fa7ee33b574f7084d42bd2ce2e463b (cost of an order).
 */
import { type Dec, maxDec, minDec, mul, str, ZERO } from '../../../domain/decimal.ts';
import type { ExchangeBalance } from '../../../domain/exchange.ts';
import { lockedOf, type MarginOrder, orderMargin } from '../../../domain/margin/account.ts';
import { abs } from '../../../domain/margin/position.ts';
import type { PositionSide, Side } from '../../../schemas/order.ts';
import { type PaperOrder, remaining } from '../paper-order.ts';
import { type FuturesState, MARGIN_ASSET } from './futures-state.ts';

/** An order that is not on the book yet; `price`: its limit, or the execution price of a market order. */
export interface Wanted extends MarginOrder {
  readonly positionSide: PositionSide;
}

/** The part of an order that opens; the rest closes an opposite position. */
export function openingPart(state: FuturesState, symbol: string, wanted: Wanted): Dec {
  if (wanted.positionSide !== 'BOTH') {
    return (wanted.positionSide === 'LONG') === (wanted.side === 'BUY') ? wanted.qty : ZERO;
  }
  const held = state.position(symbol, 'BOTH')?.amount ?? ZERO;
  const against = wanted.side === 'BUY' ? held < ZERO : held > ZERO;
  return against ? maxDec(wanted.qty - abs(held), ZERO) : wanted.qty;
}

/**
 * Cost of an order = initial margin + open loss (FAQ 87fa7ee3...: size x |min(0, direction x (mark -
 * price))|), here plus the taker fee of the opening part, so that no fill finds an empty wallet.
 */
export function orderCost(state: FuturesState, symbol: string, wanted: Wanted): Dec {
  const opening = openingPart(state, symbol, wanted);
  if (opening === ZERO) return ZERO;
  const margin = orderMargin(state, symbol, wanted) - orderMargin(state, symbol);
  const mark = state.mark(symbol) ?? wanted.price;
  const distance = wanted.side === 'BUY' ? wanted.price - mark : mark - wanted.price;
  const fee = mul(mul(opening, wanted.price), state.options.takerRate);
  return margin + mul(opening, maxDec(distance, ZERO)) + fee;
}

/** The balance as the exchange reports it. */
export function toldBalance(state: FuturesState): ExchangeBalance {
  const { wallet } = state.amounts;
  const locked = lockedOf(state);
  return { asset: MARGIN_ASSET, free: str(wallet - locked), locked: str(locked), time: state.time };
}

/** Whether the order may only reduce its position: as requested, or as a closing order in hedge mode. */
export function isClosing(order: PaperOrder): boolean {
  return order.terms?.reduceOnly === true;
}

/** How much of the order can execute: a closing order at most the position it reduces. */
export function executable(state: FuturesState, order: PaperOrder): Dec {
  const rest = remaining(order);
  if (!isClosing(order)) return rest;
  return minDec(rest, closable(state, order.symbol, order.terms?.positionSide ?? 'BOTH', order.side));
}

/** The size of the position that an order of this side can close. */
export function closable(state: FuturesState, symbol: string, positionSide: PositionSide, side: Side): Dec {
  const held = state.position(symbol, positionSide)?.amount ?? ZERO;
  return held !== ZERO && held > ZERO === (side === 'SELL') ? abs(held) : ZERO;
}
