/**
 * The desk as the API sees it (`api-port.ts`): commands to the engine, reads after the commit of their turn.
 */
import { ok } from '../../domain/errors.ts';
import { isContradicted, TERMINAL } from '../../domain/order.ts';
import { portfolioOf } from '../../engine/balances.ts';
import { RECENT_MS } from '../../engine/engine.ts';
import { unknownYet } from '../../engine/unread.ts';
import { orderOf, tradeOf } from '../../engine/views.ts';
import type { Order } from '../../schemas/order.ts';
import type { Store } from '../../store/store.ts';
import { apiLeverage, apiPositions } from '../console/futures-view.ts';
import { accountTrades } from '../core/account-trades.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { ApiDesk } from './api-port.ts';

export interface ApiFacadeOptions {
  readonly core: DeskCore;
  readonly store: Store;
  readonly version: string;
  readonly startedAt: number;
  readonly wall: () => number;
}

type OrdersQuery = Parameters<ApiDesk['orders']>[1];

/** Number of different queries whose answers are kept. */
const KEPT_LISTS = 64;

/** Lists of orders, kept until the engine changes: a client that polls gets the same list again. */
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

  /** Keeps a list; called right after `get`. Frozen, since several readers get it. */
  keep(key: string, list: Order[]): Order[] {
    if (this.#lists.size >= KEPT_LISTS) this.#lists.clear();
    this.#lists.set(key, list);
    Object.freeze(list);
    return list;
  }
}

/**
 * Returns the orders of a query. An order that was recalled long after its end (a cancel named it) is in
 * memory, but not recent.
 */
function listOrders(core: DeskCore, user: string, q: OrdersQuery, now: number): Order[] {
  const orders = [];
  for (const order of core.engine.memory.orders.values()) {
    if (order.user !== user) continue;
    if (q.exchange !== undefined && order.exchange !== q.exchange) continue;
    if (q.symbol !== undefined && order.symbol !== q.symbol) continue;
    if (q.status === 'open' && TERMINAL.has(order.status)) continue;
    const isOld = order.endedAt !== undefined && now - order.endedAt >= RECENT_MS;
    if (isOld && !isContradicted(order)) continue;
    orders.push(orderOf(order));
  }
  return orders;
}

export function apiFacade(options: ApiFacadeOptions): ApiDesk {
  const { core, store, version, startedAt, wall } = options;
  const lists = new OrderLists(core);
  /**
   * The routes have refused other users' accounts with an error; this hides their data even if a route
   * forgets to.
   */
  const own = (user: string, exchange: string): string => {
    if (core.engine.memory.holder(exchange) === user) return exchange;
    throw new Error(`${exchange} is not an account of the user who asks`);
  };
  return {
    now: wall,
    startedAt,
    version,
    replayMarks: core.replayMarks,
    accounts: (user) => core.engine.memory.accountsOf(user).map(({ account }) => account),
    activeKey: (id) => core.keys.active(id),
    touchKey: (id, from) => {
      const row = core.keys.touch(id, from, wall());
      if (row) core.turn.store([row], false);
      core.mark({ kind: 'keys' });
    },
    keyRefused: (id, code, from) => {
      const row = core.keys.refused(id, code, from, wall());
      if (row) core.turn.store([row], false);
      core.mark({ kind: 'keys' });
    },
    maintenance: () => core.maintenance,
    command: (actor, command, context) => core.execute(actor, command, context),
    orders: (user, q) =>
      core.turn.read(() => {
        const key = JSON.stringify([user, q.exchange, q.symbol, q.status]);
        return lists.get(key) ?? lists.keep(key, listOrders(core, user, q, wall()));
      }),
    async trades(user, q) {
      const given = {
        reader: core.links.get(own(user, q.exchange))?.trades ?? null,
        memory: core.engine.memory,
        store,
        read: <T>(run: () => T) => core.turn.read(run),
      };
      const found = await accountTrades(given, user, q);
      return found.ok ? ok(found.data.map(tradeOf)) : found;
    },
    portfolio: (user, q) =>
      core.turn.read(() => {
        const { memory } = core.engine;
        const account = memory.account(own(user, q.exchange));
        return unknownYet(account) ?? ok(portfolioOf(account, q));
      }),
    positions: (user, exchange) =>
      core.turn.read(() => apiPositions(core.engine.memory, own(user, exchange))),
    leverage: (user, q) =>
      core.turn.read(() => apiLeverage(core.engine.memory, { ...q, exchange: own(user, q.exchange) })),
    marginMode: async (user, exchange) => core.questions.marginMode(own(user, exchange)),
    hedgeMode: (user, exchange) => core.turn.read(() => core.questions.hedgeMode(own(user, exchange))),
    brackets: (user, q) => core.turn.read(() => core.questions.brackets(own(user, q.exchange), q.symbol)),
    dust: async (user, exchange) => core.questions.dust(own(user, exchange)),
    bots: (user, type) =>
      core.turn.read(() => {
        const { bots } = core;
        const list = bots?.book.of(user).filter((bot) => type === undefined || bot.type === type) ?? [];
        return list.flatMap((bot) => bots?.book.shown(bot) ?? []);
      }),
    bot: (user, id) =>
      core.turn.read(() => {
        const bot = core.bots?.book.one(user, id);
        return (bot && core.bots?.book.shown(bot)) ?? null;
      }),
    botExchange: (user, id) => core.bots?.book.one(user, id)?.exchange ?? null,
    onEvent: (listener) => core.events.listen(listener),
    log: (level, text) => core.report(level, 'api', text),
  };
}
