/** Orders as a client or the exchange itself gives them to the matching side. */
import type { Dec } from '../../../src/domain/decimal.ts';
import type { OrderFilter, PositionIdx, Side } from './order.ts';
import type { Category } from './wire.ts';

/** A requested order, read and checked. */
export interface Wish {
  readonly category: Category;
  readonly symbol: string;
  readonly side: Side;
  readonly orderType: 'Limit' | 'Market';
  readonly timeInForce: string;
  readonly price: Dec;
  readonly qty: Dec;
  readonly marketUnit: '' | 'baseCoin' | 'quoteCoin';
  readonly positionIdx: PositionIdx;
  readonly orderFilter: OrderFilter;
  readonly orderLinkId: string;
  readonly triggerPrice: Dec;
  readonly triggerDirection: 0 | 1 | 2;
  readonly triggerBy: string;
  readonly reduceOnly: boolean;
  readonly closeOnTrigger: boolean;
  readonly takeProfit: Dec;
  readonly stopLoss: Dec;
}

/** Additional fields of an order that the exchange makes itself. */
export interface Made {
  readonly createType?: string;
  readonly stopOrderType?: string;
  readonly parentOrderLinkId?: string;
  readonly distance?: Dec;
}

export function stopTypeOf(wish: Wish, isConditional: boolean): string {
  if (!isConditional) return '';
  return wish.orderFilter === 'tpslOrder' ? 'tpslOrder' : 'Stop';
}

/** Whether side and index close in hedge mode, whatever the position is. */
export function closesByForm(order: { readonly side: Side; readonly positionIdx: PositionIdx }): boolean {
  return (
    (order.positionIdx === 1 && order.side === 'Sell') || (order.positionIdx === 2 && order.side === 'Buy')
  );
}
