/**
 * The names of this account's orders besides our ids: numbers of the order book, and numbers of the book in
 * which conditional orders wait. Rows of orders show whose trigger has made them; rows of executions do not,
 * so it is kept here. In memory, bounded: what is forgotten or was never heard is asked for.
 */
import { keep } from '../kit/bounded-map.ts';

interface Sent {
  readonly isAlgo: boolean;
  /** Latest time at which it may have left, monotonic. */
  at: number;
}

export class OrderNamesKept {
  /** Number of an order -> our id of it, or the id of others. */
  readonly #clientIds = new Map<string, string>();
  readonly #sent = new Map<string, Sent>();
  readonly #ended = new Map<string, true>();

  /** Notes an order's number and id. */
  heard(ordId: string, clientId: string): void {
    keep(this.#clientIds, ordId, clientId);
  }

  /** Returns the id of an order. Undefined: it was never reported. */
  clientId(ordId: string): string | undefined {
    return this.#clientIds.get(ordId);
  }

  /** Notes that an order has ended. */
  ends(ordId: string): void {
    keep(this.#ended, ordId, true);
  }

  hasEnded(ordId: string): boolean {
    return this.#ended.has(ordId);
  }

  /** Notes that an order is being sent, and to which book. */
  sends(clientId: string, isAlgo: boolean, at: number): void {
    keep(this.#sent, clientId, { isAlgo, at });
  }

  /** Notes that an order has left, or may have, at this moment. */
  left(clientId: string, at: number): void {
    const sent = this.#sent.get(clientId);
    if (sent) sent.at = Math.max(sent.at, at);
  }

  /** Returns where and when an order was sent. Undefined: this process did not send it. */
  sent(clientId: string): { readonly isAlgo: boolean; readonly at: number } | undefined {
    return this.#sent.get(clientId);
  }
}
