/**
 * What is known here of this account's orders beside what the exchange tells: what was sent under our ids, whose position an order is
 * of, and whether it was ever open. In memory, bounded: what is forgotten or was never heard is asked for or concluded.
 */

import type { ExchangeOrder } from '../../domain/exchange.ts';
import type { PositionSide } from '../../schemas/order.ts';
import { keep } from '../kit/bounded-map.ts';

export type SentOrder = Pick<ExchangeOrder, 'type' | 'side' | 'quoteOrderQty'>;

interface Known {
  readonly clientId: string;
  readonly positionIdx: number;
  /** It was told as resting, or as waiting for its trigger. */
  wasOpen: boolean;
}

export class OrderNamesKept {
  /** Our id -> what was sent under it. */
  readonly #sent = new Map<string, SentOrder>();
  /** The exchange's id -> what it is. */
  readonly #orders = new Map<string, Known>();

  sends({ clientId, type, side, quoteOrderQty }: ExchangeOrder): void {
    keep(this.#sent, clientId, { type, side, ...(quoteOrderQty === undefined ? {} : { quoteOrderQty }) });
  }

  sent(clientId: string): SentOrder | undefined {
    return this.#sent.get(clientId);
  }

  /** A message speaks of an order. Whether it was told as open before. */
  heard(orderId: string, clientId: string, positionIdx: number, isOpen: boolean): boolean {
    const known = this.#orders.get(orderId);
    const wasOpen = known?.wasOpen ?? false;
    if (known) known.wasOpen ||= isOpen;
    else keep(this.#orders, orderId, { clientId, positionIdx, wasOpen: isOpen });
    return wasOpen;
  }

  /** Null: it was never heard of. */
  positionSide(orderId: string): PositionSide | null {
    const known = this.#orders.get(orderId);
    return known ? sideOf(known.positionIdx) : null;
  }
}

/** `positionIdx` (DOC enum). */
export function sideOf(index: number): PositionSide {
  if (index === 1) return 'LONG';
  return index === 2 ? 'SHORT' : 'BOTH';
}
