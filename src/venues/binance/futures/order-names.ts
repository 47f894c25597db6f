/**
 * The names of this account's orders: our ids, numbers of the matching engine, and numbers of the service in
 * which conditional orders wait. A trigger makes an order with a number of its own; here both are one order.
 * In memory, bounded: what is forgotten or was never heard is asked for.
 */

import type { Side } from '../../../schemas/order.ts';
import { algoName } from '../../kit/algo-names.ts';
import { keep } from '../../kit/bounded-map.ts';

export interface Names {
  /** Our id of the order; empty: not known. */
  readonly clientId: string;
  /** A conditional order's own number first, then that of the order that its trigger has made. */
  readonly venueIds: readonly string[];
}

interface Known {
  clientId: string;
  algoId?: string;
}

export class OrderNamesKept {
  /** Number of the matching engine -> its names. Numbers are unique within a symbol. */
  readonly #orders = new Map<string, Known>();
  /** Our ids of conditional orders that were sent from here. */
  readonly #sentAlgos = new Map<string, true>();
  /** Waiting conditional orders: number -> symbol and side. */
  readonly #waiting = new Map<string, string>();

  /** Notes an order of the matching engine under the names in a message. */
  order(symbol: string, orderId: string, clientId: string): Names {
    const key = `${symbol} ${orderId}`;
    const known = this.#orders.get(key);
    if (known?.algoId !== undefined)
      return { clientId: known.clientId, venueIds: [algoName(known.algoId), orderId] };
    if (clientId !== '') keep(this.#orders, key, { clientId });
    return { clientId: clientId || (known?.clientId ?? ''), venueIds: [orderId] };
  }

  /**
   * Notes a conditional order; `child`: the number of the order that its trigger has made, null: none, or not
   * given.
   */
  algo(symbol: string, algoId: string, clientId: string, child: string | null): Names {
    if (child === null) return { clientId, venueIds: [algoName(algoId)] };
    keep(this.#orders, `${symbol} ${child}`, { clientId, algoId });
    return { clientId, venueIds: [algoName(algoId), child] };
  }

  /** Returns the names known for a number; null: none. */
  known(symbol: string, orderId: string): Names | null {
    const known = this.#orders.get(`${symbol} ${orderId}`);
    if (!known) return null;
    const { clientId, algoId } = known;
    return { clientId, venueIds: algoId === undefined ? [orderId] : [algoName(algoId), orderId] };
  }

  /** Notes that an order is being sent to the service of conditional orders. */
  sendsAlgo(clientId: string): void {
    keep(this.#sentAlgos, clientId, true);
  }

  wasAlgo(clientId: string): boolean {
    return this.#sentAlgos.has(clientId);
  }

  /** Notes whether a conditional order still waits for its trigger. */
  waits(algoId: string, { symbol, side }: { symbol: string; side: Side }, does: boolean): void {
    if (does) keep(this.#waiting, algoId, `${symbol} ${side}`);
    else this.#waiting.delete(algoId);
  }

  stillWaits(algoId: string): boolean {
    return this.#waiting.has(algoId);
  }

  /** Whether an unknown order of this symbol and side may have been made by a trigger. */
  mayBeChild(symbol: string, side: Side): boolean {
    const key = `${symbol} ${side}`;
    for (const one of this.#waiting.values()) if (one === key) return true;
    return false;
  }

  /** Whether a trigger has made this order. */
  isChild(symbol: string, orderId: string): boolean {
    return this.#orders.get(`${symbol} ${orderId}`)?.algoId !== undefined;
  }
}
