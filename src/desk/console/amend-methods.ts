/** A terminal's calls to change an open order in place (S51: a console only). Types only. */
import type { Outcome } from '../../domain/errors.ts';
import type { Amendment, OrderView } from '../../domain/order.ts';
import type { AmendFigures } from '../../engine/order-preview.ts';

/** The order and its new values: fields that are left out stay. */
export type AmendRequest = { readonly exchange: string; readonly id: string } & Amendment;

export interface AmendMethods {
  /**
   * Answered when the exchange has reported the outcome, or when it stays unknown for now: `amendPending`.
   */
  'orders.amend': [AmendRequest, Outcome<OrderView>];
  /** Returns what speaks against the change, and what would be left of the order. */
  'orders.amendCheck': [AmendRequest, AmendFigures];
}
