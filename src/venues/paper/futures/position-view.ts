/** A position as the port shows it, with every figure of the moment. Reads only. */
import { type Dec, ONE, str, ZERO } from '../../../domain/decimal.ts';
import type { ExchangePosition } from '../../../domain/position.ts';
import type { PositionSide } from '../../../schemas/order.ts';
import { tierAt } from './brackets.ts';
import type { FuturesState, Position } from './futures-state.ts';
import { liquidationPrice } from './liquidation-price.ts';
import { crossed, crossWallet, maintenanceOf, markOf, profitOf } from './margin.ts';
import { abs, breakEvenPrice, entryPrice, notional, priceOf } from './position-math.ts';

/** A flat position has zeros; its side, leverage and margin type stand. */
export function positionView(state: FuturesState, symbol: string, side: PositionSide): ExchangePosition {
  const position = state.position(symbol, side);
  const setting = state.setting(symbol);
  const book = state.bookFor(symbol);
  const mark = position ? markOf(state, position) : (book.mark() ?? ZERO);
  const common = { symbol, side, markPrice: str(mark), ...setting };
  if (!position) {
    return {
      ...common,
      amount: '0',
      entryPrice: '0',
      breakEvenPrice: '0',
      unrealizedProfit: '0',
      isolatedWallet: '0',
      liquidationPrice: null,
      maintenanceMarginRate: str(tierAt(book.tiers, ZERO).rate),
      maintenanceMargin: '0',
      realizedPnl: '0',
      updateTime: state.time,
    };
  }
  const price = liquidationPriceFor(state, position);
  return {
    ...common,
    amount: str(side === 'SHORT' ? abs(position.amount) : position.amount),
    entryPrice: str(entryPrice(position)),
    breakEvenPrice: str(breakEvenPrice(position)),
    unrealizedProfit: str(profitOf(state, position)),
    isolatedWallet: str(position.isolated),
    liquidationPrice: price === null ? null : str(priceOf(price, ONE)),
    maintenanceMarginRate: str(tierAt(book.tiers, notional(position.amount, mark)).rate),
    maintenanceMargin: str(maintenanceOf(state, position)),
    realizedPnl: str(position.realized),
    updateTime: position.updateTime,
  };
}

/** Unrounded. Crossed: both sides of hedge mode share one price. */
export function liquidationPriceFor(state: FuturesState, position: Position): Dec | null {
  const { tiers } = state.bookFor(position.symbol);
  const mark = markOf(state, position);
  if (state.isolated(position.symbol)) {
    return liquidationPrice(position.isolated, [position], tiers, mark);
  }
  const legs = state.positionsOf(position.symbol);
  const all = crossed(state);
  let others = crossWallet(state) + all.profit - all.maintenance;
  for (const leg of legs) others += maintenanceOf(state, leg) - profitOf(state, leg);
  return liquidationPrice(others, legs, tiers, mark);
}
