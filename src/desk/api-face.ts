/** The desk as the API sees it (`api-port.ts`): commands to the engine, reads after the commit of their turn. */
import { TERMINAL } from '../domain/order.ts';
import { portfolioOf } from '../engine/balances.ts';
import { orderOf, tradeOf } from '../engine/views.ts';
import type { Order } from '../schemas/order.ts';
import type { Store } from '../store/store.ts';
import type { ApiDesk } from './api-port.ts';
import type { DeskCore } from './desk-core.ts';
import { apiLeverage, apiPositions } from './futures-view.ts';

export interface ApiFaceOptions {
  readonly core: DeskCore;
  readonly store: Store;
  readonly version: string;
  readonly startedAt: number;
  readonly wall: () => number;
}

type OrdersQuery = Parameters<ApiDesk['orders']>[1];

/** Different questions whose answers are kept. */
const KEPT_LISTS = 64;

/** Lists of orders, kept until the engine changes: a client that polls gets the very list of before. */
class OrderLists {
  readonly #core: DeskCore;
  readonly #lists = new Map<string, Order[]>();
  #engine: DeskCore['engine'] | null = null;
  #changes = -1;

  constructor(core: DeskCore) {
    this.#core = core;
  }

  get(key: string): Order[] | undefined {
    const { engine, turn } = this.#core;
    if (this.#engine !== engine || this.#changes !== turn.changes) {
      this.#lists.clear();
      this.#engine = engine;
      this.#changes = turn.changes;
    }
    return this.#lists.get(key);
  }

  /** Right after `get`. Frozen, since several readers get it. */
  keep(key: string, list: Order[]): Order[] {
    if (this.#lists.size >= KEPT_LISTS) this.#lists.clear();
    this.#lists.set(key, list);
    Object.freeze(list);
    return list;
  }
}

function listOrders(core: DeskCore, user: string, q: OrdersQuery): Order[] {
  const orders = [];
  for (const order of core.engine.memory.orders.values()) {
    if (order.user !== user) continue;
    if (q.exchange !== undefined && order.exchange !== q.exchange) continue;
    if (q.symbol !== undefined && order.symbol !== q.symbol) continue;
    if (q.status === 'open' && TERMINAL.has(order.status)) continue;
    orders.push(orderOf(order));
  }
  return orders;
}

export function apiFace(options: ApiFaceOptions): ApiDesk {
  const { core, store, version, startedAt, wall } = options;
  const lists = new OrderLists(core);
  return {
    now: wall,
    startedAt,
    version,
    accounts: () => [...core.engine.memory.accounts.values()].map(({ account }) => account),
    activeKey: (id) => core.keys.active(id),
    touchKey: (id, from) => {
      const row = core.keys.touch(id, from, wall());
      if (row) core.turn.store([row], false);
      core.mark({ kind: 'keys' });
    },
    command: (actor, command, context) => core.execute(actor, command, context),
    orders: (user, q) =>
      core.turn.read(() => {
        const key = JSON.stringify([user, q.exchange, q.symbol, q.status]);
        return lists.get(key) ?? lists.keep(key, listOrders(core, user, q));
      }),
    trades: (user, q) => core.turn.read(() => store.trades({ user, ...q }).map(tradeOf)),
    portfolio: (_user, q) =>
      core.turn.read(() => {
        const { memory } = core.engine;
        return portfolioOf(memory, memory.account(q.exchange), q);
      }),
    positions: (_user, exchange) => core.turn.read(() => apiPositions(core.engine.memory, exchange)),
    leverage: (_user, q) => core.turn.read(() => apiLeverage(core.engine.memory, q)),
    marginMode: (_user, exchange) => core.marginMode(exchange),
    hedgeMode: (_user, exchange) => core.turn.read(() => core.hedgeMode(exchange)),
    brackets: (_user, q) => core.turn.read(() => core.brackets(q.exchange, q.symbol)),
    dust: (_user, exchange) => core.dust(exchange),
    // Nothing is told yet: the WebSocket brings the hub.
    onEvent: () => () => {},
    log: (level, text) => core.report(level, 'api', text),
  };
}
