/**
 * Order schemas of the API (specification, "Resources and their fields"): the one source of the types, the
 * request validation and the documentation of orders, fills and splits. A `title` makes a schema a component
 * of the OpenAPI document. No logic.
 */
import { type Static, Type } from 'typebox';
import { described } from './described.ts';
import { MARKET_NAME_FORMAT, MARKET_NAME_MAX, MARKET_NAME_PATTERN } from './market-name.ts';

/**
 * At most 20 digits on each side, no sign, exponent or leading zeros (D29, S33). Zero is refused later, with
 * the field's rule.
 */
export const DecimalText = Type.String({
  title: 'PositiveDecimal',
  description:
    'A decimal number above zero, as a string: at most 20 digits on each side of the point; no sign, exponent, space or leading zeros.',
  pattern: '^(0|[1-9]\\d{0,19})(\\.\\d{1,20})?$',
  maxLength: 41,
});
/** Amounts, prices and quantities in responses. */
export const Decimal = Type.String({
  title: 'Decimal',
  description: 'An exact decimal number as a string, without exponent; negative where the field allows it.',
  pattern: '^-?(0|[1-9]\\d*)(\\.\\d+)?$',
});

export const Side = Type.Union([Type.Literal('BUY'), Type.Literal('SELL')], { title: 'Side' });
export const OrderType = Type.Union(
  [
    Type.Literal('MARKET'),
    Type.Literal('LIMIT'),
    Type.Literal('LIMIT_MAKER'),
    Type.Literal('STOP_MARKET'),
    Type.Literal('STOP_LIMIT'),
    Type.Literal('TAKE_PROFIT_MARKET'),
    Type.Literal('TAKE_PROFIT_LIMIT'),
  ],
  {
    title: 'OrderType',
    description:
      'A trailing stop has the type STOP_MARKET. LIMIT_MAKER is post-only: refused if it would take.',
  },
);
export const OrderStatus = Type.Union(
  [
    Type.Literal('NEW'),
    Type.Literal('OPENED'),
    Type.Literal('CLOSED'),
    Type.Literal('CANCELLED'),
    Type.Literal('ERROR'),
  ],
  {
    title: 'OrderStatus',
    description:
      'NEW: accepted, not on the book yet (conditional orders wait in it). OPENED: rests on the book. CLOSED: filled. CANCELLED: ended without its rest. ERROR: rejected.',
  },
);
export const TimeInForce = Type.Union([
  Type.Literal('GTC'),
  Type.Literal('IOC'),
  Type.Literal('FOK'),
  Type.Literal('GTD'),
]);
export const PositionSide = Type.Union([Type.Literal('LONG'), Type.Literal('SHORT'), Type.Literal('BOTH')], {
  title: 'PositionSide',
  description: 'BOTH in one-way mode; LONG or SHORT in hedge mode.',
});
export const WorkingType = Type.Union([Type.Literal('MARK_PRICE'), Type.Literal('CONTRACT_PRICE')]);
export const MarginType = Type.Union([Type.Literal('ISOLATED'), Type.Literal('CROSSED')], {
  title: 'MarginType',
});
export const MarketType = Type.Union([Type.Literal('spot'), Type.Literal('margin'), Type.Literal('futures')]);

/** Text that names an exchange account or a target: printable ASCII without spaces. */
export const Name = Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9._:-]+$' });
export const ExchangeName = described(
  Name,
  'Exchange account, `<venue>-<market kind>` such as `paper-spot`; `GET /exchange/supported` lists the valid ones.',
);
/** Name of a symbol or an asset. */
export const MarketName = Type.String({
  minLength: 1,
  maxLength: MARKET_NAME_MAX,
  pattern: MARKET_NAME_PATTERN,
  format: MARKET_NAME_FORMAT,
});
export const SymbolName = described(
  MarketName,
  'Trading pair, such as `BTCUSDT`. Letters and numbers of any script (`币安人生USDT`) and `. _ : -`, at most 64 UTF-16 code units, in Unicode form NFC.',
);
export const UnixMs = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000, format: 'int64' });

/** POST /orders body. Unknown fields are refused (D30). */
export const CreateOrder = Type.Object(
  {
    exchange: ExchangeName,
    symbol: SymbolName,
    side: described(Side, 'On futures BUY opens a long or closes a short, SELL the reverse.'),
    type: OrderType,
    quantity: Type.Optional(
      described(
        DecimalText,
        'Base amount. Required unless `quoteOrderQty` (MARKET) or `closePosition` stands for it; `0` goes with `closePosition` only.',
      ),
    ),
    quoteOrderQty: Type.Optional(
      described(DecimalText, 'Quote amount, MARKET only; when set, `quantity` is ignored.'),
    ),
    price: Type.Optional(
      described(
        DecimalText,
        'Limit price; required for LIMIT, LIMIT_MAKER, STOP_LIMIT and TAKE_PROFIT_LIMIT. A multiple of the tick size.',
      ),
    ),
    stopPrice: Type.Optional(
      described(DecimalText, 'Trigger price; required for STOP_* (but a trailing stop) and TAKE_PROFIT_*.'),
    ),
    timeInForce: Type.Optional(described(TimeInForce, 'Default GTC; ignored for the MARKET types.')),
    goodTillDate: Type.Optional(
      described(
        UnixMs,
        'When a GTD order is cancelled, Unix ms; required with GTD, refused without, never in the past.',
      ),
    ),
    icebergQty: Type.Optional(
      described(
        DecimalText,
        'Visible part of an iceberg order (LIMIT, GTC): a multiple of the quantity step, at most 100 parts.',
      ),
    ),
    trailingDelta: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 10_000,
        description:
          'Callback of a trailing stop in basis points (100 = 1 %). Makes a STOP_MARKET a trailing stop.',
      }),
    ),
    activationPrice: Type.Optional(
      described(DecimalText, 'Price at which a trailing stop arms; left out: at once.'),
    ),
    percentPrice: Type.Optional(
      described(
        DecimalText,
        'Trailing stops: arms this many percent from the current price (above for a SELL, below for a BUY); not together with `activationPrice`.',
      ),
    ),
    closePosition: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Futures only: closes the whole position; `quantity` is ignored.',
      }),
    ),
    reduceOnly: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Futures only: the order can only shrink the position, never turn it.',
      }),
    ),
    positionSide: Type.Optional(
      described(PositionSide, 'Futures only. Default BOTH; in hedge mode LONG or SHORT is required.'),
    ),
    workingType: Type.Optional(
      described(WorkingType, 'Price that triggers; default MARK_PRICE. On spot the last price does.'),
    ),
    marginType: Type.Optional(
      described(
        MarginType,
        "Futures only. Other than the symbol's: set first when the symbol has no position and no order, else refused.",
      ),
    ),
    marketType: Type.Optional(described(MarketType, 'Target market; must agree with the exchange account.')),
  },
  {
    title: 'CreateOrder',
    description:
      'MARKET needs `quantity` or `quoteOrderQty`; LIMIT and LIMIT_MAKER need `price`; STOP_MARKET and TAKE_PROFIT_MARKET need `stopPrice`; STOP_LIMIT and TAKE_PROFIT_LIMIT need both. A trailing stop is a STOP_MARKET with `trailingDelta` and, if wanted, `activationPrice`. A whole position is closed by MARKET with `closePosition: true` and `quantity` `0`. Unknown fields are refused.',
    additionalProperties: false,
  },
);

/** POST /orders/{id}/split body. */
export const SplitOrder = Type.Object(
  {
    exchange: ExchangeName,
    prices: Type.Array(DecimalText, {
      minItems: 2,
      maxItems: 50,
      description: 'Price of each new order; all are of equal quantity.',
    }),
  },
  { title: 'SplitOrder', additionalProperties: false },
);

export const Trailing = Type.Object({
  delta: Type.Number({ description: 'Basis points, 100 = 1 %.' }),
  time: Type.Number({ description: 'When it was armed, Unix ms; 0 before.' }),
});

/** An order as the API and the console show it. */
export const Order = Type.Object(
  {
    id: Type.String({
      description:
        "Made here and stable for the order's life; the exchange's own id is never shown. Orders of bots end with `_{runId}`.",
    }),
    exchange: Type.String({ description: 'Exchange account.' }),
    symbol: Type.String({ description: 'Trading pair.' }),
    side: Side,
    type: OrderType,
    status: OrderStatus,
    positionSide: PositionSide,
    price: Type.Optional(described(Decimal, 'Limit price.')),
    stopPrice: Type.Union([Decimal, Type.Null()], { description: 'Trigger price.' }),
    fillPrice: Type.Union([Decimal, Type.Null()], {
      description: 'Volume-weighted average price of the fills; null until the first.',
    }),
    origQty: described(Decimal, 'Requested base quantity.'),
    executedQty: described(Decimal, 'Filled base quantity.'),
    reduceOnly: Type.Boolean(),
    closePosition: Type.Boolean(),
    trailing: Type.Union([Trailing, Type.Null()], { description: 'Set for trailing stops.' }),
    isContract: Type.Boolean({ description: 'True on futures, false on spot.' }),
    isWorking: Type.Boolean({ description: 'True while the order rests on the book of the exchange.' }),
    creator: Type.Union([Type.Literal('API'), Type.Literal('UI'), Type.Literal('BOT')]),
    creatorId: Type.String({ description: "The bot's id, or the user's short id." }),
    metadata: Type.String({ description: 'A JSON document as a string; empty when there is none.' }),
    specific: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'What else is known, shape by exchange: `timeInForce`, `goodTillDate`, `icebergQty`; `emulated` (held and fired here, since the exchange lacks the type), `external` (made elsewhere), `unresolved` (its outcome at the exchange is not known yet), `contradiction` (it ended here and proved alive at the exchange afterwards; its status stays, it is cancelled there, `unresolved` until it is gone), `cancelPending`, `amendPending` (a change of it was asked for, and whether it was made is not known yet), `splitFrom`.',
    }),
    orderTime: Type.Integer({ format: 'int64', description: 'Submission time, Unix ms.' }),
  },
  { title: 'Order' },
);

/** One execution (GET /orders/trades item). */
export const Trade = Type.Object(
  {
    symbol: Type.String(),
    side: Side,
    price: Decimal,
    qty: Decimal,
    comm: described(Decimal, 'Commission.'),
    commAsset: Type.String(),
    buyer: Type.Boolean({ description: 'True when this account bought.' }),
    rPnl: Type.Union([Decimal, Type.Null()], {
      description: 'Realised PnL of a fill that closes a futures position; null for all others.',
    }),
    posSide: Type.String({ description: 'LONG, SHORT or BOTH.' }),
    time: Type.Integer({ format: 'int64', description: 'Unix ms.' }),
  },
  { title: 'Trade', description: 'One execution; an order may have many.' },
);

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
