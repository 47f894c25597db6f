/**
 * Lists of orders and fills, and how long each row is kept: canceled orders without any fill two hours,
 * others seven days or three months. Sources: OKX v5 "Order details", "Order List", "Order history",
 * "Transaction details".
 */
import { ZERO } from '../../../src/domain/decimal.ts';
import type { Account, Fill } from './account.ts';
import type { Exchange } from './exchange.ts';
import { fillRow, isOpen, type OkxOrder, orderRow } from './order.ts';
import { newestFirst, within, wordsOf } from './paging.ts';
import type { Params } from './params.ts';
import { named } from './trade-endpoints.ts';
import { type Call, type Endpoint, Refusal } from './wire.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TYPES = ['SPOT', 'MARGIN', 'SWAP', 'FUTURES', 'OPTION', 'EVENTS'] as const;

export function listEndpoints(exchange: Exchange, hiddenMs: () => number): Endpoint[] {
  const { now } = exchange.o;
  const accountOf = ({ account }: Call): Account => exchange.account(account);
  const isHidden = ({ cTime }: { cTime: number }): boolean => now() - cTime < hiddenMs();
  const read = { method: 'GET', permission: 'read_only' } as const;

  /** Whether the exchange still has it. */
  const isKept = (order: OkxOrder, days: number): boolean => {
    if (isOpen(order)) return true;
    const age = now() - order.uTime;
    return order.filled === ZERO ? age <= 2 * HOUR : age <= days * DAY;
  };
  const history = (call: Call, days: number): Record<string, unknown>[] => {
    const { params } = call;
    const isWanted = wanted(params);
    const isTimely = within(params);
    return newestFirst(
      accountOf(call).orders.all,
      params,
      ({ ordId }) => ordId,
      (order) =>
        !isOpen(order) && !isHidden(order) && isKept(order, days) && isTimely(order.cTime) && isWanted(order),
    ).map(orderRow);
  };
  const fills = (call: Call, days: number): Record<string, unknown>[] => {
    const { params } = call;
    const instType = params.oneOf('instType', TYPES);
    const isTimely = within(params);
    const [instId, ordId, subType] = [params.text('instId'), params.text('ordId'), params.text('subType')];
    const family = params.text('instFamily');
    return newestFirst(
      accountOf(call).fills,
      params,
      ({ billId }) => billId,
      (fill: Fill) =>
        now() - fill.ts <= days * DAY &&
        isTimely(fill.ts) &&
        !isHidden(fill.order) &&
        (instType === '' || fill.order.instType === instType) &&
        (instId === '' || fill.order.instId === instId) &&
        (family === '' || fill.order.instId.startsWith(`${family}-`)) &&
        (ordId === '' || fill.order.ordId === ordId) &&
        (subType === '' || fill.subType === subType),
    ).map(fillRow);
  };
  const historyNames = 'instFamily instId ordType state category after before begin end limit';
  const fillNames = 'instFamily instId ordId subType after before begin end limit';

  return [
    {
      ...read,
      path: '/api/v5/trade/order',
      parameters: 'instId! ordId clOrdId',
      limit: [60, 2000],
      rule: 'user+inst',
      source: 'Trade "Order details"',
      handle: (call) => {
        exchange.o.market.of(call.params.required('instId'));
        const order = named(accountOf(call), call.params);
        if (!order || isHidden(order) || !isKept(order, 90))
          throw new Refusal('51603', 'Order does not exist.');
        return [orderRow(order)];
      },
    },
    {
      ...read,
      path: '/api/v5/trade/orders-pending',
      parameters: 'instType instFamily instId ordType state after before limit',
      limit: [60, 2000],
      rule: 'user',
      source: 'Trade "Order List"',
      handle: (call) => {
        const isWanted = wanted(call.params);
        return newestFirst(
          accountOf(call)
            .orders.open()
            .sort((a, b) => (a.ordId < b.ordId ? -1 : 1)),
          call.params,
          ({ ordId }) => ordId,
          (order) => !isHidden(order) && isWanted(order),
        ).map(orderRow);
      },
    },
    {
      ...read,
      path: '/api/v5/trade/orders-history',
      parameters: `instType! ${historyNames}`,
      limit: [40, 2000],
      rule: 'user',
      source: 'Trade "Order history (last 7 days)"',
      handle: (call) => history(call, 7),
    },
    {
      ...read,
      path: '/api/v5/trade/orders-history-archive',
      parameters: `instType! ${historyNames}`,
      limit: [20, 2000],
      rule: 'user',
      source: 'Trade "Order history (last 3 months)"',
      handle: (call) => history(call, 90),
    },
    {
      ...read,
      path: '/api/v5/trade/fills',
      parameters: `instType ${fillNames}`,
      limit: [60, 2000],
      rule: 'user',
      source: 'Trade "Transaction details (last 3 days)"',
      handle: (call) => fills(call, 3),
    },
    {
      ...read,
      path: '/api/v5/trade/fills-history',
      parameters: `instType! ${fillNames}`,
      limit: [10, 2000],
      rule: 'user',
      source: 'Trade "Transaction details (last 3 months)"',
      handle: (call) => fills(call, 90),
    },
  ];
}

function wanted(params: Params): (order: OkxOrder) => boolean {
  const instType = params.oneOf('instType', TYPES);
  const [instId, family, category] = [
    params.text('instId'),
    params.text('instFamily'),
    params.text('category'),
  ];
  const ordTypes = wordsOf(params, 'ordType');
  const states = wordsOf(params, 'state');
  return (order) =>
    (instType === '' || order.instType === instType) &&
    (instId === '' || order.instId === instId) &&
    (family === '' || order.instId.startsWith(`${family}-`)) &&
    (category === '' || order.category === category) &&
    (!ordTypes || ordTypes.has(order.ordType)) &&
    (!states || states.has(order.state));
}
