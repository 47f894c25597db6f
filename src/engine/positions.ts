/**
 * Positions as the engine sees them: how much an order may reduce, the value at the mark price, and whether a
 * protective stop rests at the exchange. Reads only; the exchange decides what is true (`venue.positions`).
 */
import { type Dec, dec, maxDec, minDec, mul, str, ZERO } from '../domain/decimal.ts';
import { isContradicted, type OrderRecord } from '../domain/order.ts';
import { type ExchangePosition, positionKey } from '../domain/position.ts';
import type { Position } from '../schemas/futures.ts';
import type { PositionSide, Side } from '../schemas/order.ts';
import type { AccountMemory, EngineMemory, FuturesMemory } from './memory.ts';

/**
 * Returns the size of the position that an order of this side and position side would shrink; zero when it
 * would open or add.
 */
export function reducible(
  futures: FuturesMemory,
  symbol: string,
  side: Side,
  positionSide: PositionSide,
): Dec {
  const position = futures.positions.get(positionKey(symbol, positionSide));
  if (!position) return ZERO;
  const amount = dec(position.amount);
  if (positionSide === 'LONG') return side === 'SELL' ? amount : ZERO;
  if (positionSide === 'SHORT') return side === 'BUY' ? amount : ZERO;
  if (side === 'SELL') return amount > ZERO ? amount : ZERO;
  return amount < ZERO ? -amount : ZERO;
}

/**
 * Returns the part of that size which is certain: the report plus executions since. A doubtful execution
 * counts only where it leaves less to shrink.
 */
export function surelyReducible(
  { futures, wallet }: AccountMemory,
  symbol: string,
  side: Side,
  positionSide: PositionSide,
): Dec {
  if (!futures) return ZERO;
  const told = reducible(futures, symbol, side, positionSide);
  const key = positionKey(symbol, positionSide);
  const untold = wallet.untold.positions.get(key);
  if (told === ZERO || !untold || untold.isTold) return told;
  // An execution that opens on this side leaves less of the other side to close.
  const closes = side === 'SELL' ? 1n : -1n;
  let size = told;
  for (const { movement, doubtful } of untold.movements()) {
    const moved = (movement.by[0] ?? ZERO) * closes;
    if (!doubtful || moved < ZERO) size += moved;
  }
  return maxDec(minDec(size, told), ZERO);
}

/**
 * Returns the largest possible such size: the report plus every execution that may have enlarged it since.
 */
export function mostReducible(
  { futures, wallet }: AccountMemory,
  symbol: string,
  side: Side,
  positionSide: PositionSide,
): Dec {
  if (!futures) return ZERO;
  let size = reducible(futures, symbol, side, positionSide);
  const untold = wallet.untold.positions.get(positionKey(symbol, positionSide));
  if (!untold || untold.isTold) return size;
  const closes = side === 'SELL' ? 1n : -1n;
  for (const { movement } of untold.movements()) size += maxDec((movement.by[0] ?? ZERO) * closes, ZERO);
  return size;
}

/** Returns the signed size: positive long, negative short, in both modes. */
export function signedAmount(position: ExchangePosition): Dec {
  const amount = dec(position.amount);
  return position.side === 'SHORT' ? -amount : amount;
}

/** Returns the last mark price, else the one the position came with. */
export function markOf(futures: FuturesMemory, position: ExchangePosition): Dec {
  return futures.marks.get(position.symbol) ?? dec(position.markPrice);
}

export function unrealized(futures: FuturesMemory, position: ExchangePosition): Dec {
  return mul(signedAmount(position), markOf(futures, position)) - costOf(position);
}

/** Returns the signed sum of price x size over the open part. */
export function costOf(position: ExchangePosition): Dec {
  return position.cost === undefined
    ? mul(signedAmount(position), dec(position.entryPrice))
    : dec(position.cost);
}

/**
 * How much of a position the resting stops at the exchange would close, and since when (engine.md, "Advanced
 * orders").
 */
export interface Protection {
  /** Base size covered, at most the size of the position. */
  readonly cover: string;
  /** Wall time of the oldest of those stops; null without one. */
  readonly since: number | null;
  /**
   * Further base size that stops held by this desk would close; they do not work while the desk is stopped.
   */
  readonly held: string;
}

export function protection(
  memory: EngineMemory,
  account: AccountMemory,
  position: ExchangePosition,
): Protection {
  const size = dec(position.amount) < ZERO ? -dec(position.amount) : dec(position.amount);
  const closing: Side = signedAmount(position) > ZERO ? 'SELL' : 'BUY';
  let cover = ZERO;
  let held = ZERO;
  let since: number | null = null;
  for (const order of memory.orders.values()) {
    if (!protects(order, account.account.id, position, closing)) continue;
    if (order.phase === 'held') {
      held += order.closePosition ? size : dec(order.origQty) - dec(order.executedQty);
      continue;
    }
    cover += order.closePosition ? size : dec(order.origQty) - dec(order.executedQty);
    since = since === null ? order.createdAt : Math.min(since, order.createdAt);
  }
  const covered = minDec(cover, size);
  return { cover: str(covered), since, held: str(minDec(held, size - covered)) };
}

/** Returns the API's position (specification, "Position") for one with current figures. */
export function positionOf(account: AccountMemory, position: ExchangePosition): Position {
  return {
    symbol: position.symbol,
    quote: account.instruments.get(position.symbol)?.quote ?? 'USDT',
    marketType: 'futures',
    amount: position.amount,
    entryPrice: position.entryPrice,
    unrealizedProfit: position.unrealizedProfit,
    type: position.marginType,
    leverage: String(position.leverage),
    side: position.side,
    isolatedWallet: position.isolatedWallet,
    liquidationPrice: position.liquidationPrice,
    bepPrice: position.breakEvenPrice,
    mmr: position.maintenanceMargin,
    updateTime: position.updateTime,
  };
}

/**
 * Returns whether the order is a stop of the closing side, live at the exchange or held here, that only
 * shrinks the position.
 */
function protects(order: OrderRecord, exchange: string, position: ExchangePosition, closing: Side): boolean {
  if (
    isContradicted(order)
      ? order.contradiction?.at === 'ENDED'
      : order.phase !== 'live' && order.phase !== 'held'
  )
    return false;
  if (order.exchange !== exchange || order.symbol !== position.symbol || order.side !== closing) return false;
  if (order.stuck || (order.type !== 'STOP_MARKET' && order.type !== 'STOP_LIMIT')) return false;
  return (
    order.positionSide === position.side &&
    (order.reduceOnly || order.closePosition || position.side !== 'BOTH')
  );
}
