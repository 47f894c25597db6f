/**
 * What exchanges call orders. An order's own id is one of all exchanges, and nearly always what its exchange knows it by; where
 * it is not (the id was another order's already, or is none that a path can carry), a row of its own says so (S56). Pure.
 */
import type { OrderNames } from '../domain/exchange.ts';
import type { WireId } from '../domain/order.ts';

/** Ids that API and console can address. */
const ADDRESSABLE = /^[A-Za-z0-9_-]{1,64}$/;

/** The names beside the order's own id; of orders in memory. */
export class WireIds {
  readonly #orders = new Map<string, string>();
  readonly #names = new Map<string, WireId[]>();

  add(name: WireId): void {
    const { exchange, symbol, wireId, orderId } = name;
    const key = keyOf(exchange, wireId, symbol);
    if (this.#orders.get(key) === orderId) return;
    this.#orders.set(key, orderId);
    const names = this.#names.get(orderId);
    if (names) names.push(name);
    else this.#names.set(orderId, [name]);
  }

  /** Id of the order that the exchange calls so; with a symbol: by an id that the exchange has given itself. */
  orderId(exchange: string, wireId: string, symbol?: string): string | undefined {
    return this.#orders.get(keyOf(exchange, wireId, symbol));
  }

  has(exchange: string, wireId: string): boolean {
    return this.#orders.has(keyOf(exchange, wireId));
  }

  /** The id that was given to its exchange with it. */
  of(orderId: string): string {
    const given = this.#names.get(orderId)?.find(({ symbol }) => symbol === undefined);
    return given?.wireId ?? orderId;
  }

  /** Ids that its exchange has given it, oldest first. */
  venueIds(orderId: string): string[] {
    const names = this.#names.get(orderId) ?? [];
    return names.flatMap(({ symbol, wireId }) => (symbol === undefined ? [] : [wireId]));
  }

  /** The ids that its exchange has given `from` are of `to`: names of theirs from now on. */
  moveVenueIds(from: string, to: string): WireId[] {
    const names = this.#names.get(from) ?? [];
    const moved = names.filter(({ symbol }) => symbol !== undefined);
    this.#names.set(
      from,
      names.filter(({ symbol }) => symbol === undefined),
    );
    return moved.map((name) => {
      const own = { ...name, orderId: to };
      this.add(own);
      return own;
    });
  }

  forget(orderId: string): void {
    for (const { exchange, wireId, symbol } of this.#names.get(orderId) ?? []) {
      const key = keyOf(exchange, wireId, symbol);
      if (this.#orders.get(key) === orderId) this.#orders.delete(key);
    }
    this.#names.delete(orderId);
  }
}

/** Begins the ids of orders of others that have none which can be used here. */
const FOREIGN = 'ext-';

/**
 * The id of an order that others have made: the id that was given with it, unless there is none or it cannot be used here. Then
 * it is the moment of its arrival and a digest of its names, and `isTaken` has the last word.
 */
export function idOfForeign(
  exchange: string,
  { clientId, symbol, venueIds = [] }: OrderNames,
  wall: number,
  isTaken: (id: string) => boolean,
): string {
  if (ADDRESSABLE.test(clientId) && !isTaken(clientId)) return clientId;
  const names = [exchange, symbol, clientId, ...venueIds].join('\0');
  for (let n = 0; ; n++) {
    const id = `${FOREIGN}${wall.toString(36)}-${digestOf(`${names}\0${n}`)}`;
    if (!isTaken(id)) return id;
  }
}

/** An id that was made here for an order of others. */
export function isMadeId(id: string): boolean {
  return id.startsWith(FOREIGN);
}

/** FNV-1a, 32 bit. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

function keyOf(exchange: string, wireId: string, symbol?: string): string {
  return symbol === undefined ? `${exchange}\0${wireId}` : `${exchange}\0${symbol}\0${wireId}`;
}
