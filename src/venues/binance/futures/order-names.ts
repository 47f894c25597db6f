/**
 * What this account's orders are called: by our ids, by numbers of the matching engine, and by numbers of the service in which
 * conditional orders wait. The trigger of one of these makes an order with a number of its own, and both are one order here.
 * In memory, bounded: what is forgotten or was never heard is asked for.
 */

import type { Side } from '../../../schemas/order.ts';
import { algoName } from '../../kit/algo-names.ts';
import { keep } from '../../kit/bounded-map.ts';

export interface Names {
  /** Empty: not known. */
  readonly clientId: string;
  /** Of a conditional one its own first, then that of what it has made. */
  readonly venueIds: readonly string[];
}

interface Known {
  clientId: string;
  algoId?: string;
}

export class OrderNamesKept {
  /** Number of the matching engine -> what it is. Numbers are a symbol's. */
  readonly #orders = new Map<string, Known>();
  /** Our ids of conditional orders that were sent from here. */
  readonly #sentAlgos = new Map<string, true>();
  /** Conditional orders that wait, by their number: of which symbol and side. */
  readonly #waiting = new Map<string, string>();

  /** An order of the matching engine, as a message calls it. */
  order(symbol: string, orderId: string, clientId: string): Names {
    const key = `${symbol} ${orderId}`;
    const known = this.#orders.get(key);
    if (known?.algoId !== undefined)
      return { clientId: known.clientId, venueIds: [algoName(known.algoId), orderId] };
    if (clientId !== '') keep(this.#orders, key, { clientId });
    return { clientId: clientId || (known?.clientId ?? ''), venueIds: [orderId] };
  }

  /** A conditional order; `child`: the number of the order that its trigger has made, null: none, or not told. */
  algo(symbol: string, algoId: string, clientId: string, child: string | null): Names {
    if (child === null) return { clientId, venueIds: [algoName(algoId)] };
    keep(this.#orders, `${symbol} ${child}`, { clientId, algoId });
    return { clientId, venueIds: [algoName(algoId), child] };
  }

  /** What is known of a number; null: nothing. */
  known(symbol: string, orderId: string): Names | null {
    const known = this.#orders.get(`${symbol} ${orderId}`);
    if (!known) return null;
    const { clientId, algoId } = known;
    return { clientId, venueIds: algoId === undefined ? [orderId] : [algoName(algoId), orderId] };
  }

  /** It is being sent to the service of conditional orders. */
  sendsAlgo(clientId: string): void {
    keep(this.#sentAlgos, clientId, true);
  }

  wasAlgo(clientId: string): boolean {
    return this.#sentAlgos.has(clientId);
  }

  /** A conditional order waits for its trigger, or does not any more. */
  waits(algoId: string, { symbol, side }: { symbol: string; side: Side }, does: boolean): void {
    if (does) keep(this.#waiting, algoId, `${symbol} ${side}`);
    else this.#waiting.delete(algoId);
  }

  stillWaits(algoId: string): boolean {
    return this.#waiting.has(algoId);
  }

  /** An order of this symbol and side that is not known may have been made by a trigger. */
  mayBeChild(symbol: string, side: Side): boolean {
    const key = `${symbol} ${side}`;
    for (const one of this.#waiting.values()) if (one === key) return true;
    return false;
  }

  /** A trigger has made it. */
  isChild(symbol: string, orderId: string): boolean {
    return this.#orders.get(`${symbol} ${orderId}`)?.algoId !== undefined;
  }
}
