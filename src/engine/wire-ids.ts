/**
 * What exchanges call orders. An order's own id is one of all exchanges, and nearly always what its exchange knows it by; where
 * it is not (the id was another order's already, or is none that a path can carry), a row of its own says so (S56). Pure.
 */
import type { WireId } from '../domain/order.ts';

/** Ids that API and console can address. */
const ADDRESSABLE = /^[A-Za-z0-9_-]{1,64}$/;

/** The names that are not the order's own id; of orders in memory. */
export class WireIds {
  /** Key: exchange + NUL + wire id. */
  readonly #orders = new Map<string, string>();
  readonly #names = new Map<string, WireId>();

  add(name: WireId): void {
    this.#orders.set(keyOf(name.exchange, name.wireId), name.orderId);
    this.#names.set(name.orderId, name);
  }

  /** Id of the order that the exchange calls so by a name of its own. */
  orderId(exchange: string, wireId: string): string | undefined {
    return this.#orders.get(keyOf(exchange, wireId));
  }

  /** What its exchange calls an order. */
  of(orderId: string): string {
    return this.#names.get(orderId)?.wireId ?? orderId;
  }

  forget(orderId: string): void {
    const name = this.#names.get(orderId);
    if (!name) return;
    this.#names.delete(orderId);
    this.#orders.delete(keyOf(name.exchange, name.wireId));
  }
}

/**
 * The id of an order that others have made: what its exchange calls it, unless that cannot be used here. Then it is the moment
 * of its arrival and a digest of its name, and `isTaken` has the last word.
 */
export function idOfForeign(
  exchange: string,
  wireId: string,
  wall: number,
  isTaken: (id: string) => boolean,
): string {
  if (ADDRESSABLE.test(wireId) && !isTaken(wireId)) return wireId;
  for (let n = 0; ; n++) {
    const id = `ext-${wall.toString(36)}-${digestOf(`${keyOf(exchange, wireId)}\0${n}`)}`;
    if (!isTaken(id)) return id;
  }
}

/** FNV-1a, 32 bit. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

function keyOf(exchange: string, wireId: string): string {
  return `${exchange}\0${wireId}`;
}
