/**
 * The orders of an account: all of them in their order, the open ones, and each by its number and by its
 * client id.
 */

export class OrderStore<T, I = number> {
  readonly #id: (order: T) => I;
  readonly #isOpen: (order: T) => boolean;
  readonly all: T[] = [];
  readonly #byId = new Map<I, T>();
  readonly #byClient = new Map<string, T>();
  readonly #open = new Set<T>();

  constructor(id: (order: T) => I, isOpen: (order: T) => boolean) {
    this.#id = id;
    this.#isOpen = isOpen;
  }

  add(order: T, client: string): void {
    this.all.push(order);
    this.#byId.set(this.#id(order), order);
    this.#byClient.set(client, order);
    this.#open.add(order);
  }

  /** Changes the client id of an order; the old one finds nothing any more. */
  rename(order: T, was: string, client: string): void {
    if (this.#byClient.get(was) === order) this.#byClient.delete(was);
    this.#byClient.set(client, order);
  }

  byId(id: I): T | null {
    return this.#byId.get(id) ?? null;
  }

  /** The newest order with that client id. */
  byClient(client: string): T | null {
    return this.#byClient.get(client) ?? null;
  }

  /** The open orders, in the order in which they came. */
  open(): T[] {
    for (const order of this.#open) if (!this.#isOpen(order)) this.#open.delete(order);
    return [...this.#open];
  }
}

/** Trades of an account, a list per symbol, ascending by number. */
export class TradeStore<T extends { readonly id: number }> {
  readonly #bySymbol = new Map<string, T[]>();

  add(symbol: string, trade: T): void {
    const trades = this.#bySymbol.get(symbol);
    if (trades) trades.push(trade);
    else this.#bySymbol.set(symbol, [trade]);
  }

  of(symbol: string): readonly T[] {
    return this.#bySymbol.get(symbol) ?? [];
  }

  /** Trades from this number on. */
  from(symbol: string, id: number): readonly T[] {
    const trades = this.of(symbol);
    let low = 0;
    let high = trades.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((trades[middle] as T).id < id) low = middle + 1;
      else high = middle;
    }
    return trades.slice(low);
  }
}
