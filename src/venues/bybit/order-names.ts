/**
 * Remembers facts about this account's orders that the exchange does not send: what was sent under our ids,
 * the position side of an order, and whether it was ever open. In memory and bounded: what was dropped or
 * never seen is asked for or inferred.
 */

import type { ExchangeOrder } from '../../domain/exchange.ts';
import type { PositionSide } from '../../schemas/order.ts';
import { keep } from '../kit/bounded-map.ts';

export type SentOrder = Pick<ExchangeOrder, 'type' | 'side' | 'quoteOrderQty'>;

interface Known {
  readonly clientId: string;
  readonly positionIdx: number;
  /** The order was reported as resting, or as waiting for its trigger. */
  wasOpen: boolean;
}

export class OrderNamesKept {
  /** Our id -> the order sent under it. */
  readonly #sent = new Map<string, SentOrder>();
  /** The exchange's id -> the facts about the order. */
  readonly #orders = new Map<string, Known>();

  sends({ clientId, type, side, quoteOrderQty }: ExchangeOrder): void {
    keep(this.#sent, clientId, { type, side, ...(quoteOrderQty === undefined ? {} : { quoteOrderQty }) });
  }

  sent(clientId: string): SentOrder | undefined {
    return this.#sent.get(clientId);
  }

  /** Takes a message about an order. Returns whether the order was reported as open before. */
  heard(orderId: string, clientId: string, positionIdx: number, isOpen: boolean): boolean {
    const known = this.#orders.get(orderId);
    const wasOpen = known?.wasOpen ?? false;
    if (known) known.wasOpen ||= isOpen;
    else keep(this.#orders, orderId, { clientId, positionIdx, wasOpen: isOpen });
    return wasOpen;
  }

  /** The position side of an order; null: no message has named the order. */
  positionSide(orderId: string): PositionSide | null {
    const known = this.#orders.get(orderId);
    return known ? sideOf(known.positionIdx) : null;
  }
}

/** The position side of a `positionIdx` (DOC enum). */
export function sideOf(index: number): PositionSide {
  if (index === 1) return 'LONG';
  return index === 2 ? 'SHORT' : 'BOTH';
}
