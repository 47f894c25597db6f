/** What a terminal calls to change an open order in its place (S51: a console only). Types only. */
import type { Outcome } from '../../domain/errors.ts';
import type { Amendment, OrderView } from '../../domain/order.ts';
import type { AmendFigures } from '../../engine/order-preview.ts';

/** The order, and what it is to be: fields that are left out stay. */
export type AmendRequest = { readonly exchange: string; readonly id: string } & Amendment;

export interface AmendMethods {
  /** Answered when its exchange has said what came of it, or that nobody knows yet: `amendPending`. */
  'orders.amend': [AmendRequest, Outcome<OrderView>];
  /** What stands against it, and what would be left of the order. */
  'orders.amendCheck': [AmendRequest, AmendFigures];
}
