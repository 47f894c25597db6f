/**
 * What this account's orders are called beside our own ids: by numbers of the order book, and by numbers of the book in which
 * conditional ones wait. The rows of an order tell whose trigger has made it; those of an execution do not, so it is kept here. In
 * memory, bounded: what is forgotten or was never heard is asked for.
 */
import { keep } from '../kit/bounded-map.ts';

interface Sent {
  readonly isAlgo: boolean;
  /** When it may have left last, monotonic. */
  at: number;
}

export class OrderNamesKept {
  /** Number of an order -> our id of it, or that of others. */
  readonly #clientIds = new Map<string, string>();
  readonly #sent = new Map<string, Sent>();
  readonly #ended = new Map<string, true>();

  /** An order was told. */
  heard(ordId: string, clientId: string): void {
    keep(this.#clientIds, ordId, clientId);
  }

  /** Undefined: it was never told. */
  clientId(ordId: string): string | undefined {
    return this.#clientIds.get(ordId);
  }

  /** Its end was told. */
  ends(ordId: string): void {
    keep(this.#ended, ordId, true);
  }

  hasEnded(ordId: string): boolean {
    return this.#ended.has(ordId);
  }

  /** It is being sent, to one book or the other. */
  sends(clientId: string, isAlgo: boolean, at: number): void {
    keep(this.#sent, clientId, { isAlgo, at });
  }

  /** It has left, or may have, at this moment. */
  left(clientId: string, at: number): void {
    const sent = this.#sent.get(clientId);
    if (sent) sent.at = Math.max(sent.at, at);
  }

  /** Undefined: it was not sent by this process. */
  sent(clientId: string): { readonly isAlgo: boolean; readonly at: number } | undefined {
    return this.#sent.get(clientId);
  }
}
