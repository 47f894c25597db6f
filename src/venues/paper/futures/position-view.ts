/** A position in the form of the port, with its current figures. Reads only. */
import { ONE, str, ZERO } from '../../../domain/decimal.ts';
import { figuresOf, markOf } from '../../../domain/margin/account.ts';
import { abs, entryPrice, priceOf } from '../../../domain/margin/position.ts';
import { tierAt } from '../../../domain/margin/tiers.ts';
import type { ExchangePosition } from '../../../domain/position.ts';
import type { PositionSide } from '../../../schemas/order.ts';
import type { FuturesState } from './futures-state.ts';
import { breakEvenPrice } from './position-math.ts';

/** Returns a position; a flat one has zeros, but keeps its side, leverage and margin type. */
export function positionView(state: FuturesState, symbol: string, side: PositionSide): ExchangePosition {
  const position = state.position(symbol, side);
  const setting = state.setting(symbol);
  const mark = position ? markOf(state, position) : (state.mark(symbol) ?? ZERO);
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
      maintenanceMarginRate: str(tierAt(state.tiers(symbol), ZERO).rate),
      maintenanceMargin: '0',
      realizedPnl: '0',
      updateTime: state.time,
    };
  }
  const figures = figuresOf(state, position);
  const { liquidation } = figures;
  return {
    ...common,
    amount: str(side === 'SHORT' ? abs(position.amount) : position.amount),
    entryPrice: str(entryPrice(position)),
    cost: str(position.cost),
    breakEvenPrice: str(breakEvenPrice(position)),
    unrealizedProfit: str(figures.profit),
    isolatedWallet: str(position.isolated),
    liquidationPrice: liquidation === null ? null : str(priceOf(liquidation, ONE)),
    maintenanceMarginRate: str(figures.maintenanceRate),
    maintenanceMargin: str(figures.maintenance),
    realizedPnl: str(position.realized),
    updateTime: position.updateTime,
  };
}
