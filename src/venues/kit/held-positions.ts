/** Calculations on an account's positions as last reported, by `positionKey`. Pure. */
import { dec, str, ZERO } from '../../domain/decimal.ts';
import { type ExchangePosition, positionKey } from '../../domain/position.ts';
import type { PositionSide, Side } from '../../schemas/order.ts';

/** Whether there is a position that an order of this side would reduce, as far as is known. */
export function hasToReduce(
  positions: ReadonlyMap<string, Pick<ExchangePosition, 'amount'>>,
  symbol: string,
  side: Side,
  positionSide: PositionSide,
): boolean {
  const amount = dec(positions.get(positionKey(symbol, positionSide))?.amount ?? '0');
  if (positionSide !== 'BOTH') return amount !== ZERO && (positionSide === 'LONG') === (side === 'SELL');
  return side === 'SELL' ? amount > ZERO : amount < ZERO;
}

/**
 * Adds the profit that an execution has realised to its position, before the exchange reports the position
 * again.
 */
export function realize(
  positions: Map<string, ExchangePosition>,
  symbol: string,
  side: PositionSide,
  amount: string,
): void {
  const key = positionKey(symbol, side);
  const position = positions.get(key);
  if (position && dec(amount) !== ZERO)
    positions.set(key, { ...position, realizedPnl: str(dec(position.realizedPnl) + dec(amount)) });
}
