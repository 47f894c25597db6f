/** Orders that ended long ago and have left memory, put back when something about them comes. */
import type { OrderNames } from '../../domain/exchange.ts';
import type { StoredOrder } from '../../domain/order.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Store } from '../../store/store.ts';

export interface RecallOptions {
  /** The engine of now. */
  readonly engine: () => Engine;
  readonly store: Pick<Store, 'order' | 'orderAt'>;
  /** Memory holds an order more. */
  readonly changed: () => void;
  /** The order could not be read. */
  readonly failed: (id: string, error: unknown) => void;
}

/** Orders of others that are remembered as not stored: each has a few events, and a busy account many orders. */
const STRANGERS_MAX = 10_000;

export class Recall {
  readonly #options: RecallOptions;
  /**
   * Names of orders of others that the store does not have, each with the exchanges that have told of it, so that the store is
   * not read for every event of theirs.
   */
  readonly #strangers = new Map<string, Set<string>>();

  constructor(options: RecallOptions) {
    this.#options = options;
  }

  /** By the order's own id, for commands about it. False: the store could not be read. */
  order(id: string): boolean {
    if (this.#options.engine().memory.orders.has(id)) return true;
    return this.#read(id, () => this.#options.store.order(id)) !== null;
  }

  /**
   * By what an exchange calls it. Where only another exchange's order, or another one of that name, has that id, that one is put
   * back, so that the engine sees that the id is taken. `makes`: what has come makes an order where there is none. False: the store could not be read.
   */
  at(exchange: string, names: OrderNames, makes: boolean): boolean {
    const known = this.#options.engine().memory.orderAt(exchange, names);
    // One that is known by its executions alone is called what an earlier one may have been called.
    if (known) return !known.untold || names.clientId === '' || this.order(names.clientId);
    const name = [names.symbol, names.clientId, ...(names.venueIds ?? [])].join('\0');
    const isStranger = this.#strangers.get(name)?.has(exchange) === true;
    // From now on it may be stored, and leave memory again.
    if (makes) this.#strangers.delete(name);
    if (isStranger) return true;
    const found = this.#read(names.clientId, () => this.#options.store.orderAt(exchange, names));
    const isFound = found === true && this.#options.engine().memory.orderAt(exchange, names) !== undefined;
    // An order of others is to be made, and may not take the id of an earlier one of its name.
    if (found === true && !isFound && !this.order(names.clientId)) return false;
    if (found === false && !makes) this.#remember(exchange, name);
    return found !== null;
  }

  /** Null: it could not be read. */
  #read(id: string, read: () => StoredOrder | null): boolean | null {
    try {
      const stored = read();
      if (!stored) return false;
      this.#options.engine().adopt(stored);
      this.#options.changed();
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
