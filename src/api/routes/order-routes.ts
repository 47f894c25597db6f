/**
 * Routes for orders: list, place, cancel, split, trades. The engine decides what an order must be on its
 * exchange.
 */
import { type Static, Type } from 'typebox';
import { isAllowed } from '../../access/shield.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { OrderCommand } from '../../engine/step.ts';
import { described } from '../../schemas/described.ts';
import {
  CreateOrder,
  ExchangeName,
  Order,
  SplitOrder,
  SymbolName,
  Trade,
  UnixMs,
} from '../../schemas/order.ts';
import { unknownExchange } from '../exchange-field.ts';
import { isDecimal } from '../expectation.ts';
import { command, PATH_ID, type Route, type RouteInput, read } from '../route-table.ts';

const DEFAULT_TRADES = 100;
const ZERO = /^0(\.0+)?$/;

const NoQuery = Type.Object({});
const OrderId = Type.String({
  pattern: PATH_ID.source,
  'x-must-be': 'an order id of 1 to 64 characters from A-Z a-z 0-9 _ -',
  description: 'Id of the order; must agree with the path, if that names one too.',
});
const OrdersQuery = Type.Object({
  exchange: Type.Optional(described(ExchangeName, 'Exchange account; left out: all of them.')),
  symbol: Type.Optional(described(SymbolName, 'Trading pair; left out: all of them.')),
  status: Type.Optional(
    Type.Union([Type.Literal('open'), Type.Literal('recent')], {
      default: 'open',
      description: '`open`: NEW and OPENED. `recent`: also what ended within about the last hour.',
    }),
  ),
});
const TradesQuery = Type.Object({
  exchange: ExchangeName,
  symbol: SymbolName,
  startTime: Type.Optional(described(UnixMs, 'Fills from this time on, Unix ms.')),
  endTime: Type.Optional(described(UnixMs, 'Fills up to this time, Unix ms; not before `startTime`.')),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 500,
      default: DEFAULT_TRADES,
      description: 'Most fills in the answer: the first ones from `startTime`, without it the last ones.',
    }),
  ),
});
const CancelQuery = Type.Object({ exchange: ExchangeName, order: Type.Optional(OrderId) });
const CancelBody = Type.Object({ order: Type.Optional(OrderId) }, { additionalProperties: false });

type CancelInput = RouteInput<Static<typeof CancelQuery>, Static<typeof CancelBody> | undefined>;

/**
 * Makes the command that cancels an order. Its id may be in path, query and body; all of them must be equal
 * (D31).
 */
function cancelCommand({ desk, user, id, query, body }: CancelInput): Outcome<OrderCommand> {
  const given = [id === '' ? undefined : id, query.order, body?.order].filter((one) => one !== undefined);
  const [first] = given;
  if (first === undefined) {
    return refuse(
      'INVALID_REQUEST',
      'order is missing; name the order in the path (DELETE /v2/orders/{id}) or as "order" in query or body',
      'FIELD',
    );
  }
  if (given.some((one) => one !== first)) {
    return refuse('INVALID_REQUEST', 'path, query and body name different orders', 'FIELD');
  }
  return (
    unknownExchange(desk, user, query.exchange) ?? ok({ type: 'cancel', exchange: query.exchange, id: first })
  );
}

/** Parts shared by both routes that cancel. */
const CANCEL = {
  errors: [400, 401, 403, 404, 409, 429, 500],
  query: CancelQuery,
  body: CancelBody,
  bodyNeeded: false,
  response: Order,
  command: cancelCommand,
} as const;

export const orderRoutes: readonly Route[] = [
  read('GET /orders', {
    summary: 'Open and recent orders',
    description:
      'Answered from memory, not paged. Older activity is found as fills: `GET /v2/orders/trades`.',
    errors: [401, 429, 500],
    query: OrdersQuery,
    response: Type.Array(Order),
    async run({ desk, user, allowedExchanges, query }) {
      const unknown = unknownExchange(desk, user, query.exchange);
      if (unknown !== null) return unknown;
      const orders = await desk.orders(user, { ...query, status: query.status ?? 'open' });
      if (allowedExchanges === null) return ok(orders);
      return ok(orders.filter(({ exchange }) => isAllowed(allowedExchanges, exchange)));
    },
  }),
  command('POST /orders', {
    summary: 'Places an order',
    description:
      'The answer is the order as the exchange took it. What the exchange rejects is answered with 400 and its words. An order whose outcome at the exchange is unknown is answered with status NEW and `specific.unresolved`: read it again; it is never sent twice.',
    errors: [400, 401, 403, 409, 429, 500],
    query: NoQuery,
    body: CreateOrder,
    bodyNeeded: true,
    response: Order,
    command({ desk, user, body }) {
      return (
        unknownExchange(desk, user, body.exchange) ??
        zeroDecimal(body) ??
        ok({ type: 'place', request: body })
      );
    },
  }),
  command('DELETE /orders/{id}', {
    summary: 'Cancels an order',
    description:
      'The answer is the order as it stands. One that is filled or cancelled already is answered with 200, too. `specific.cancelPending` says that the outcome of the cancel is not known yet.',
    ...CANCEL,
  }),
  command('DELETE /orders', {
    summary: 'Cancels an order named in query or body',
    description: 'As `DELETE /v2/orders/{id}`, which is preferred, with the id as `order` in query or body.',
    ...CANCEL,
  }),
  command('POST /orders/{id}/split', {
    summary: 'Splits a resting limit order',
    description:
      'Cancels the order and places new ones at the given prices, of equal quantity, with ids of their own. The answer lists them; one that the exchange refused is in it with status ERROR.',
    errors: [400, 401, 403, 404, 409, 429, 500],
    query: NoQuery,
    body: SplitOrder,
    bodyNeeded: true,
    response: Type.Array(Order),
    command({ desk, user, id, body }) {
      const unknown = unknownExchange(desk, user, body.exchange);
      if (unknown !== null) return unknown;
      const zero = body.prices.findIndex((price) => ZERO.test(price));
      if (zero >= 0) return notZero(`prices[${zero}]`);
      return ok({ type: 'split', exchange: body.exchange, id, prices: body.prices });
    },
  }),
  read('GET /orders/trades', {
    summary: 'Fills of one trading pair',
    description:
      'In the order of time. An account of a real exchange is asked for what is not known yet, one page and at most two seconds, those of other programs included; when it cannot be asked, what is known is the answer.',
    errors: [401, 429, 500, 503],
    query: TradesQuery,
    response: Type.Array(Trade),
    async run({ desk, user, query }) {
      const unknown = unknownExchange(desk, user, query.exchange);
      if (unknown !== null) return unknown;
      if (query.startTime !== undefined && query.endTime !== undefined && query.startTime > query.endTime) {
        return refuse('INVALID_REQUEST', 'startTime must not be after endTime', 'FIELD');
      }
      return desk.trades(user, { ...query, limit: query.limit ?? DEFAULT_TRADES });
    },
  }),
];

/** Refuses zero decimals: only the quantity of an order that closes a position may be zero (S33). */
function zeroDecimal(order: CreateOrder): ReturnType<typeof refuse> | null {
  for (const [name, schema] of Object.entries(CreateOrder.properties)) {
    if (!isDecimal(schema)) continue;
    const value = order[name as keyof CreateOrder];
    if (typeof value !== 'string' || !ZERO.test(value)) continue;
    if (name === 'quantity' && order.closePosition === true) continue;
    return notZero(name);
  }
  return null;
}

function notZero(field: string): ReturnType<typeof refuse> {
  const exception = field === 'quantity' ? ' (zero goes with closePosition only)' : '';
  return refuse('INVALID_REQUEST', `${field} must be greater than zero${exception}`, 'FIELD');
}
