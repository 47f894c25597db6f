/**
 * Order schemas of the API (specification, "Resources and their fields"): the one source of the types, the request
 * validation and the documentation of orders, fills and splits. No logic.
 */
import { type Static, Type } from 'typebox';

/** D29, S33: at most 20 digits on each side, no sign, exponent or leading zeros. Zero is refused later, with the field's rule. */
export const DecimalText = Type.String({ pattern: '^(0|[1-9]\\d{0,19})(\\.\\d{1,20})?$', maxLength: 41 });

export const Side = Type.Union([Type.Literal('BUY'), Type.Literal('SELL')]);
export const OrderType = Type.Union([
  Type.Literal('MARKET'),
  Type.Literal('LIMIT'),
  Type.Literal('LIMIT_MAKER'),
  Type.Literal('STOP_MARKET'),
  Type.Literal('STOP_LIMIT'),
  Type.Literal('TAKE_PROFIT_MARKET'),
  Type.Literal('TAKE_PROFIT_LIMIT'),
]);
export const OrderStatus = Type.Union([
  Type.Literal('NEW'),
  Type.Literal('OPENED'),
  Type.Literal('CLOSED'),
  Type.Literal('CANCELLED'),
  Type.Literal('ERROR'),
]);
export const TimeInForce = Type.Union([
  Type.Literal('GTC'),
  Type.Literal('IOC'),
  Type.Literal('FOK'),
  Type.Literal('GTD'),
]);
export const PositionSide = Type.Union([Type.Literal('LONG'), Type.Literal('SHORT'), Type.Literal('BOTH')]);
export const WorkingType = Type.Union([Type.Literal('MARK_PRICE'), Type.Literal('CONTRACT_PRICE')]);
export const MarginType = Type.Union([Type.Literal('ISOLATED'), Type.Literal('CROSSED')]);
export const MarketType = Type.Union([Type.Literal('spot'), Type.Literal('margin'), Type.Literal('futures')]);

/** Text that names something (symbol, exchange, id): printable ASCII without spaces. */
export const Name = Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9._:-]+$' });
export const UnixMs = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 });

/** POST /orders body. Unknown fields are refused (D30). */
export const CreateOrder = Type.Object(
  {
    exchange: Name,
    symbol: Name,
    side: Side,
    type: OrderType,
    quantity: Type.Optional(DecimalText),
    quoteOrderQty: Type.Optional(DecimalText),
    price: Type.Optional(DecimalText),
    stopPrice: Type.Optional(DecimalText),
    timeInForce: Type.Optional(TimeInForce),
    goodTillDate: Type.Optional(UnixMs),
    icebergQty: Type.Optional(DecimalText),
    trailingDelta: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000 })),
    activationPrice: Type.Optional(DecimalText),
    percentPrice: Type.Optional(DecimalText),
    closePosition: Type.Optional(Type.Boolean()),
    reduceOnly: Type.Optional(Type.Boolean()),
    positionSide: Type.Optional(PositionSide),
    workingType: Type.Optional(WorkingType),
    marginType: Type.Optional(MarginType),
    marketType: Type.Optional(MarketType),
  },
  { additionalProperties: false },
);

/** POST /orders/{id}/split body. */
export const SplitOrder = Type.Object(
  { exchange: Name, prices: Type.Array(DecimalText, { minItems: 2, maxItems: 50 }) },
  { additionalProperties: false },
);

export const Trailing = Type.Object({ delta: Type.Number(), time: Type.Number() });

/** An order as the API and the console show it. */
export const Order = Type.Object({
  id: Type.String(),
  exchange: Type.String(),
  symbol: Type.String(),
  side: Side,
  type: OrderType,
  status: OrderStatus,
  positionSide: PositionSide,
  price: Type.Optional(Type.String()),
  stopPrice: Type.Union([Type.String(), Type.Null()]),
  fillPrice: Type.Union([Type.String(), Type.Null()]),
  origQty: Type.String(),
  executedQty: Type.String(),
  reduceOnly: Type.Boolean(),
  closePosition: Type.Boolean(),
  trailing: Type.Union([Trailing, Type.Null()]),
  isContract: Type.Boolean(),
  isWorking: Type.Boolean(),
  creator: Type.Union([Type.Literal('API'), Type.Literal('UI'), Type.Literal('BOT')]),
  creatorId: Type.String(),
  metadata: Type.String(),
  specific: Type.Record(Type.String(), Type.Unknown()),
  orderTime: Type.Integer(),
});

/** One execution (GET /orders/trades item). */
export const Trade = Type.Object({
  symbol: Type.String(),
  side: Side,
  price: Type.String(),
  qty: Type.String(),
  comm: Type.String(),
  commAsset: Type.String(),
  buyer: Type.Boolean(),
  rPnl: Type.Union([Type.String(), Type.Null()]),
  posSide: Type.String(),
  time: Type.Integer(),
});

export type Side = Static<typeof Side>;
export type OrderType = Static<typeof OrderType>;
export type OrderStatus = Static<typeof OrderStatus>;
export type TimeInForce = Static<typeof TimeInForce>;
export type PositionSide = Static<typeof PositionSide>;
export type WorkingType = Static<typeof WorkingType>;
export type MarginType = Static<typeof MarginType>;
export type CreateOrder = Static<typeof CreateOrder>;
export type SplitOrder = Static<typeof SplitOrder>;
export type Order = Static<typeof Order>;
export type Trade = Static<typeof Trade>;
