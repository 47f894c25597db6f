/**
 * The ids of orders at their exchanges. An order's own id is unique over all exchanges, and nearly always its
 * client id at the exchange; where it is not (the id belonged to another order already, or does not fit into
 * a path), a row of its own says so (S56). Pure.
 */
import type { OrderNames } from '../domain/exchange.ts';
import type { WireId } from '../domain/order.ts';

/** Ids that API and console can address. */
const ADDRESSABLE = /^[A-Za-z0-9_-]{1,64}$/;

/** The ids beside the orders' own; for orders in memory. */
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

  /**
   * Returns the id of the order with this id at the exchange; with a symbol: by an id that the exchange has
   * given itself.
   */
  orderId(exchange: string, wireId: string, symbol?: string): string | undefined {
    return this.#orders.get(keyOf(exchange, wireId, symbol));
  }

  has(exchange: string, wireId: string): boolean {
    return this.#orders.has(keyOf(exchange, wireId));
  }

  /** Returns the client id that was sent to its exchange. */
  of(orderId: string): string {
    const given = this.#names.get(orderId)?.find(({ symbol }) => symbol === undefined);
    return given?.wireId ?? orderId;
  }

  /** Returns the ids that its exchange has given it, oldest first. */
  venueIds(orderId: string): string[] {
    const names = this.#names.get(orderId) ?? [];
    return names.flatMap(({ symbol, wireId }) => (symbol === undefined ? [] : [wireId]));
  }

  /** Moves the ids that the exchange has given `from` to `to`. */
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

/** Prefix of the ids of external orders whose own id cannot be used here. */
const FOREIGN = 'ext-';

/**
 * Returns the id for an external order: its client id, unless there is none or it cannot be used here. Then
 * it is made from the moment of its arrival and a digest of its ids, and `isTaken` ensures that it is unused.
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

/** Returns whether an id was made here for an external order. */
export function isMadeId(id: string): boolean {
  return id.startsWith(FOREIGN);
}

/** Returns the FNV-1a hash, 32 bit. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

function keyOf(exchange: string, wireId: string, symbol?: string): string {
  return symbol === undefined ? `${exchange}\0${wireId}` : `${exchange}\0${symbol}\0${wireId}`;
}
