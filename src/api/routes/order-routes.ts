/** Orders: list, place, cancel, split, trades. What an order must be on its exchange is the engine's business. */
import { type Static, Type } from 'typebox';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { OrderCommand } from '../../engine/step.ts';
import { CreateOrder, Name, SplitOrder, UnixMs } from '../../schemas/order.ts';
import { unknownExchange } from '../exchange-field.ts';
import { isDecimal } from '../expectation.ts';
import { command, PATH_ID, type Route, type RouteInput, read } from '../route-table.ts';

const DEFAULT_TRADES = 100;
const ZERO = /^0(\.0+)?$/;

const NoQuery = Type.Object({});
const OrderId = Type.String({
  pattern: PATH_ID.source,
  description: 'an order id of 1 to 64 characters from A-Z a-z 0-9 _ -',
});
const OrdersQuery = Type.Object({
  exchange: Type.Optional(Name),
  symbol: Type.Optional(Name),
  status: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('recent')])),
});
const TradesQuery = Type.Object({
  exchange: Name,
  symbol: Name,
  startTime: Type.Optional(UnixMs),
  endTime: Type.Optional(UnixMs),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
});
const CancelQuery = Type.Object({ exchange: Name, order: Type.Optional(OrderId) });
const CancelBody = Type.Object({ order: Type.Optional(OrderId) }, { additionalProperties: false });

type CancelInput = RouteInput<Static<typeof CancelQuery>, Static<typeof CancelBody> | undefined>;

export const orderRoutes: readonly Route[] = [
  read('GET /orders', {
    query: OrdersQuery,
    async run({ desk, user, query }) {
      const unknown = unknownExchange(desk, query.exchange);
      if (unknown !== null) return unknown;
      return ok(await desk.orders(user, { ...query, status: query.status ?? 'open' }));
    },
  }),
  command('POST /orders', {
    query: NoQuery,
    body: CreateOrder,
    bodyNeeded: true,
    command({ desk, body }) {
      return (
        unknownExchange(desk, body.exchange) ?? zeroDecimal(body) ?? ok({ type: 'place', request: body })
      );
    },
  }),
  command('DELETE /orders/{id}', {
    query: CancelQuery,
    body: CancelBody,
    bodyNeeded: false,
    command: cancelCommand,
  }),
  command('DELETE /orders', {
    query: CancelQuery,
    body: CancelBody,
    bodyNeeded: false,
    command: cancelCommand,
  }),
  command('POST /orders/{id}/split', {
    query: NoQuery,
    body: SplitOrder,
    bodyNeeded: true,
    command({ desk, id, body }) {
      const unknown = unknownExchange(desk, body.exchange);
      if (unknown !== null) return unknown;
      const zero = body.prices.findIndex((price) => ZERO.test(price));
      if (zero >= 0) return notZero(`prices[${zero}]`);
      return ok({ type: 'split', exchange: body.exchange, id, prices: body.prices });
    },
  }),
  read('GET /orders/trades', {
    query: TradesQuery,
    async run({ desk, user, query }) {
      const unknown = unknownExchange(desk, query.exchange);
      if (unknown !== null) return unknown;
      if (query.startTime !== undefined && query.endTime !== undefined && query.startTime > query.endTime) {
        return refuse('INVALID_REQUEST', 'startTime must not be after endTime', 'FIELD');
      }
      return ok(await desk.trades(user, { ...query, limit: query.limit ?? DEFAULT_TRADES }));
    },
  }),
];

/** The id may stand in path, query and body; wherever it stands it must be the same (D31). */
function cancelCommand({ desk, id, query, body }: CancelInput): Outcome<OrderCommand> {
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
  return unknownExchange(desk, query.exchange) ?? ok({ type: 'cancel', exchange: query.exchange, id: first });
}

/** S33: a decimal is never zero, but for the quantity of an order that closes a position. */
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
