/** Puts orders that ended long ago and have left memory back, when something about them comes. */
import type { OrderNames } from '../../domain/exchange.ts';
import type { OrderRecord, StoredOrder } from '../../domain/order.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Store } from '../../store/store.ts';

export interface RecallOptions {
  /** The current engine. */
  readonly engine: () => Engine;
  readonly store: Pick<Store, 'order' | 'orderAt'>;
  /** Memory holds this order again. */
  readonly changed: (order: OrderRecord) => void;
  /** The order could not be read. */
  readonly failed: (id: string, error: unknown) => void;
}

/**
 * Most names of foreign orders that are remembered as not stored: each has a few events, and a busy account
 * has many orders.
 */
const STRANGERS_MAX = 10_000;

export class Recall {
  readonly #options: RecallOptions;
  /**
   * Names of foreign orders that the store does not have, each with the exchanges that have reported it: the
   * store is not read for every event of such an order.
   */
  readonly #strangers = new Map<string, Set<string>>();

  constructor(options: RecallOptions) {
    this.#options = options;
  }

  /** Puts an order back by its own id, for commands about it. False: the store could not be read. */
  order(id: string): boolean {
    if (this.#options.engine().memory.orders.has(id)) return true;
    return this.#read(id, () => this.#options.store.order(id)) !== null;
  }

  /**
   * Puts an order back by its names at an exchange. Where only an order of another exchange, or another one
   * of that name, has the id, that order is put back, so that the engine sees that the id is taken. `makes`:
   * the report makes an order where there is none. False: the store could not be read.
   */
  at(exchange: string, names: OrderNames, makes: boolean): boolean {
    const known = this.#options.engine().memory.orderAt(exchange, names);
    // An order that is known by its executions alone may have the same id as an earlier one.
    if (known) return !known.untold || names.clientId === '' || this.order(names.clientId);
    const name = [names.symbol, names.clientId, ...(names.venueIds ?? [])].join('\0');
    const isStranger = this.#strangers.get(name)?.has(exchange) === true;
    // From now on it may be stored, and leave memory again.
    if (makes) this.#strangers.delete(name);
    if (isStranger) return true;
    const found = this.#read(names.clientId, () => this.#options.store.orderAt(exchange, names));
    const isFound = found === true && this.#options.engine().memory.orderAt(exchange, names) !== undefined;
    // A foreign order is about to be made, and must not take the id of an earlier order of its name.
    if (found === true && !isFound && !this.order(names.clientId)) return false;
    if (found === false && !makes) this.#remember(exchange, name);
    return found !== null;
  }

  /** Reads an order and puts it back. False: it is not stored; null: it could not be read. */
  #read(id: string, read: () => StoredOrder | null): boolean | null {
    try {
      const stored = read();
      if (!stored) return false;
      this.#options.engine().adopt(stored);
      this.#options.changed(stored.order);
      return true;
    } catch (error) {
      this.#options.failed(id, error);
      return null;
    }
  }

  #remember(exchange: string, name: string): void {
    const known = this.#strangers.get(name);
    this.#strangers.set(name, (known ?? new Set()).add(exchange));
    if (this.#strangers.size <= STRANGERS_MAX) return;
    for (const oldest of this.#strangers.keys()) {
      this.#strangers.delete(oldest);
      break;
    }
  }
}
