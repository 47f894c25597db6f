/**
 * Orders: place, amend, cancel, the lists of open and recent ones, their history, executions. Sources:
 * order/create-order.mdx, amend-order.mdx, cancel-order.mdx, cancel-all.mdx, open-order.mdx, order-list.mdx,
 * execution.mdx.
 */
import type { Account } from './account.ts';
import { readAmend } from './amend.ts';
import type { Exchange } from './exchange.ts';
import { type Execution, executionRow, isOpen, type Order, type OrderFilter, orderRow } from './order.ts';
import { bad, type Params } from './params.ts';
import { paged } from './public-endpoints.ts';
import { readOrder } from './rules.ts';
import { type Category, type Endpoint, Refusal } from './wire.ts';

export interface OrderOptions {
  readonly exchange: Exchange;
  readonly account: (name: string) => Account;
  readonly now: () => number;
  /** Time for which a new order cannot be queried, ms. */
  readonly hiddenMs: () => number;
  /** Delay of history and executions, ms. */
  readonly lagMs: () => number;
  /**
   * Whether the refused cancel of a finished order has the code of its end (listed), instead of the common
   * one.
   */
  readonly namesTheEnd: () => boolean;
  /** Writes a row in the chosen spelling. */
  readonly spelt: (row: Record<string, unknown>) => Record<string, unknown>;
}

const DAY = 86_400_000;
const WEEK = 7 * DAY;
const TWO_YEARS = 730 * DAY;
const RIGHT = { spot: 'SpotTrade', linear: 'Order' } as const;
const FILTERS = [
  'Order',
  'StopOrder',
  'tpslOrder',
  'OcoOrder',
  'BidirectionalTpslOrder',
  'OpenOrder',
] as const;

const CREATE =
  'category! symbol! isLeverage:i side! orderType! qty! marketUnit rpiTakerAccess:b slippageToleranceType slippageTolerance price triggerDirection:i orderFilter triggerPrice triggerBy orderIv timeInForce positionIdx:i orderLinkId takeProfit stopLoss tpTriggerBy slTriggerBy reduceOnly:b closeOnTrigger:b smpType mmp:b tpslMode tpLimitPrice slLimitPrice tpOrderType slOrderType bboSideType bboLevel';

export function orderEndpoints(o: OrderOptions): Endpoint[] {
  const { exchange, now } = o;
  const write = { method: 'POST', security: 'signed', right: RIGHT } as const;
  const read = { method: 'GET', security: 'signed', right: 'read', perSecond: 50 } as const;
  return [
    {
      ...write,
      path: '/v5/order/create',
      parameters: CREATE,
      perSecond: { spot: 20, linear: 10 },
      source: 'order/create-order.mdx',
      handle: (call) => {
        const account = o.account(call.account);
        const order = exchange.place(account, readOrder(call.params, exchange, account));
        return named(order);
      },
    },
    {
      ...write,
      path: '/v5/order/amend',
      parameters:
        'category! symbol! orderId orderLinkId orderIv triggerPrice qty price tpslMode takeProfit stopLoss tpTriggerBy slTriggerBy triggerBy tpLimitPrice slLimitPrice',
      perSecond: 10,
      source: 'order/amend-order.mdx',
      handle: (call) => {
        const account = o.account(call.account);
        const order = one(call.params, account, null);
        const change = readAmend(call.params, order, exchange, account);
        exchange.later(() => exchange.amend(account, order, change));
        return named(order);
      },
    },
    {
      ...write,
      path: '/v5/order/cancel',
      parameters: 'category! symbol! orderId orderLinkId orderFilter',
      perSecond: { spot: 20, linear: 10 },
      source: 'order/cancel-order.mdx',
      handle: (call) => {
        const { params } = call;
        const account = o.account(call.account);
        const filter = params.oneOf('orderFilter', ['Order', 'StopOrder', 'tpslOrder']) ?? 'Order';
        const order = one(params, account, params.traded() === 'spot' ? filter : null);
        exchange.later(() => exchange.cancel(account, order));
        return named(order);
      },
    },
    {
      ...write,
      path: '/v5/order/cancel-all',
      parameters: 'category! symbol baseCoin settleCoin orderFilter stopOrderType',
      perSecond: { spot: 20, linear: 10 },
      source: 'order/cancel-all.mdx',
      handle: (call) => {
        const account = o.account(call.account);
        const orders = swept(call.params, account);
        exchange.later(() =>
          exchange.teller.together(account, () => {
            for (const order of orders) exchange.cancel(account, order);
          }),
        );
        return { list: orders.map(named), success: '1' };
      },
    },
    {
      ...read,
      path: '/v5/order/realtime',
      parameters:
        'category! symbol baseCoin settleCoin orderId orderLinkId openOnly:i orderFilter limit:i cursor',
      source: 'order/open-order.mdx',
      handle: (call) => {
        const { params } = call;
        const category = params.category();
        if (category === null) return { category: params.text('category'), list: [], nextPageCursor: '' };
        const account = o.account(call.account);
        if (
          category === 'linear' &&
          !params.has('symbol') &&
          !params.has('baseCoin') &&
          !params.has('settleCoin')
        )
          throw bad('Missing some parameters that must be filled in, symbol, settleCoin or baseCoin');
        if (params.has('symbol')) exchange.market(category).of(params.required('symbol'));
        const byId = params.has('orderId') || params.has('orderLinkId');
        const closed = byId || params.integer('openOnly') === 1 ? account.recent[category].slice(-500) : [];
        const open = params.integer('openOnly') === 1 && !byId ? [] : exchange.openOrders(account, category);
        const rows = [...open, ...closed]
          .filter((order) => now() - order.createdTime >= o.hiddenMs() && order.isTold)
          .filter((order) => isMeant(params, order))
          .sort((a, b) => b.createdTime - a.createdTime);
        return listed(params, category, rows, params.limit(20, 50));
      },
    },
    {
      ...read,
      path: '/v5/order/history',
      parameters:
        'category! symbol baseCoin settleCoin orderId orderLinkId orderFilter orderStatus startTime:i endTime:i limit:i cursor',
      source: 'order/order-list.mdx',
      handle: (call) => {
        const { params } = call;
        const category = params.category();
        if (category === null) return { category: params.text('category'), list: [], nextPageCursor: '' };
        const account = o.account(call.account);
        const { from, to } = windowOf(params, now(), WEEK);
        const rows = account.orders[category].all
          .filter((order) => !isOpen(order) && isKept(order, now()) && now() - order.updatedTime >= o.lagMs())
          .filter(({ createdTime }) => createdTime >= from && createdTime <= to)
          .filter((order) => isMeant(params, order))
          .filter((order) => (params.text('orderStatus') ?? order.status) === order.status)
          .reverse();
        return listed(params, category, rows, params.limit(20, 50));
      },
    },
    {
      ...read,
      path: '/v5/execution/list',
      parameters:
        'category! symbol orderId orderLinkId baseCoin settleCoin startTime:i endTime:i execType limit:i cursor',
      source: 'order/execution.mdx',
      handle: (call) => {
        const { params } = call;
        const category = params.category();
        if (category === null) return { category: params.text('category'), list: [], nextPageCursor: '' };
        const account = o.account(call.account);
        const byId = params.has('orderId') || params.has('orderLinkId');
        const { from, to } = byId ? { from: now() - TWO_YEARS, to: now() } : windowOf(params, now(), WEEK);
        const rows = account.executions[category]
          .filter((e) => e.time >= from && e.time <= to && now() - e.time >= o.lagMs())
          .filter((e) => isMeant(params, e.order, byId))
          .filter(({ execType }) => (params.text('execType') ?? execType) === execType);
        const { rows: page, next } = paged(params, newestFirst(rows), params.limit(50, 100));
        return {
          category,
          list: page.map((e) => o.spelt(executionRow(e, exchange.market(category), 'rest'))),
          nextPageCursor: next,
        };
      },
    },
  ];

  /**
   * Returns the named order; `orderId` has silent precedence. Throws Refusal 110001, 170213 and similar ones.
   */
  function one(params: Params, account: Account, filter: OrderFilter | null): Order {
    const category = params.traded();
    exchange.market(category).of(params.required('symbol'));
    const id = params.text('orderId');
    const link = params.text('orderLinkId');
    if (id === null && link === null) throw bad('Either orderId or orderLinkId is required');
    const store = account.orders[category];
    const order = id !== null ? store.byId(id) : store.byClient(link ?? '');
    const isHere =
      order !== null &&
      order.symbol === params.text('symbol') &&
      (filter === null || order.orderFilter === filter);
    if (!isHere || !order) throw gone(category, null);
    if (!isOpen(order)) throw gone(category, o.namesTheEnd() ? order : null);
    return order;
  }

  function swept(params: Params, account: Account): Order[] {
    const category = params.traded();
    const filter = params.oneOf('orderFilter', FILTERS);
    const symbol = params.text('symbol');
    const [base, settle] = [params.text('baseCoin'), params.text('settleCoin')];
    if (symbol !== null) exchange.market(category).of(symbol);
    if (category === 'linear' && symbol === null && base === null && settle === null)
      throw bad('Missing some parameters that must be filled in, symbol, settleCoin or baseCoin');
    return exchange.openOrders(account, category).filter((order) => {
      const { spec } = exchange.market(category).of(order.symbol);
      if (category === 'spot')
        return (symbol ?? order.symbol) === order.symbol && order.orderFilter === (filter ?? 'Order');
      if (symbol !== null ? order.symbol !== symbol : base === null && spec.settle !== settle) return false;
      const waits = order.status === 'Untriggered';
      if (filter === 'Order') return !waits;
      if (filter === 'StopOrder')
        return waits && (params.text('stopOrderType') ?? order.stopOrderType) === order.stopOrderType;
      return true;
    });
  }

  function listed(params: Params, category: Category, orders: readonly Order[], limit: number) {
    const { rows, next } = paged(params, orders, limit);
    return {
      category,
      list: rows.map((order) => o.spelt(orderRow(order, exchange.market(category), 'rest'))),
      nextPageCursor: next,
    };
  }

  /** Whether a request names this order: by id before symbol before coin. */
  function isMeant(params: Params, order: Order, onlyById = false): boolean {
    if (params.has('orderId')) return order.orderId === params.text('orderId');
    if (params.has('orderLinkId')) return order.orderLinkId === params.text('orderLinkId');
    if (onlyById) return false;
    const { spec } = exchange.market(order.category).of(order.symbol);
    const filter = params.text('orderFilter');
    if (filter !== null && filterOf(order) !== filter) return false;
    if (params.has('symbol')) return order.symbol === params.text('symbol');
    if (params.has('baseCoin')) return spec.base === params.text('baseCoin');
    return (
      !params.has('settleCoin') || order.category === 'spot' || spec.settle === params.text('settleCoin')
    );
  }
}

const named = ({ orderId, orderLinkId }: Order) => ({ orderId, orderLinkId });

function filterOf(order: Order): string {
  if (order.category === 'spot') return order.orderFilter;
  return order.stopOrderType === '' ? 'Order' : 'StopOrder';
}

/** The refusal of a cancel or amendment that finds no open order (error.mdx). */
function gone(category: Category, order: Order | null): Refusal {
  if (category === 'spot') {
    if (order?.status === 'Filled') return new Refusal(170139, 'Order has been filled.');
    if (order) return new Refusal(170142, 'Order has been cancelled.');
    return new Refusal(170213, 'Order does not exist.');
  }
  if (order?.status === 'Filled') return new Refusal(110008, 'The order has been completed or cancelled.');
  if (order) return new Refusal(110010, 'The order has been cancelled.');
  return new Refusal(110001, 'order not exists or too late to cancel');
}

/**
 * Whether the history still has the order, by order-list.mdx: 24 hours without a fill, 7 days for all others,
 * two years with fills.
 */
function isKept(order: Order, now: number): boolean {
  const age = now - order.updatedTime;
  if (order.executed > 0n) return age <= TWO_YEARS;
  const isShort =
    order.status === 'Cancelled' || order.status === 'Rejected' || order.status === 'Deactivated';
  return age <= (isShort ? DAY : WEEK);
}

/** The time range of a query. `usual`: its length without times; both ends are at most seven days apart. */
export function windowOf(params: Params, now: number, usual: number): { from: number; to: number } {
  const start = params.integer('startTime');
  const end = params.integer('endTime');
  if (start !== null && end !== null) {
    if (end < start) throw bad('endTime is before startTime');
    if (end - start > WEEK)
      throw new Refusal(10001, 'The time range between startTime and endTime cannot exceed 7 days');
    return { from: start, to: end };
  }
  if (start !== null) return { from: start, to: start + usual };
  if (end !== null) return { from: end - usual, to: end };
  return { from: now - usual, to: now };
}

/** Sorts executions; those of one moment have no order (execution.mdx). */
function newestFirst(rows: readonly Execution[]): Execution[] {
  return [...rows].sort((a, b) => b.time - a.time || a.seq - b.seq);
}
