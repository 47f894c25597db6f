/**
 * Reads the messages of Binance spot, field by field (SPOTDOC rest-api.md, web-socket-api.md,
 * user-data-stream.md). Fields that are not needed are left out; numbers of orders and executions too large
 * for a double are texts.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { ANSWER, FRAME } from '../../kit/bounds.ts';
import { parseExact } from '../../kit/json.ts';
import { messageReader } from '../../kit/messages.ts';

/** A number that the exchange has given. */
const Id = Type.Union([Type.Integer(), Type.String({ pattern: '^-?\\d+$' })]);
const Time = Type.Integer({ minimum: 0 });
const Figure = Type.String({ pattern: '^-?\\d{1,30}(?:\\.\\d{1,30})?$' });
const Side = Type.Union([Type.Literal('BUY'), Type.Literal('SELL')]);
const optional = <S extends TSchema>(schema: S) => Type.Optional(schema);

/** Fields of an order in every message. `status`, `type` and `timeInForce` may hold new words. */
const ORDER = {
  symbol: Type.String(),
  orderId: Id,
  price: Figure,
  origQty: Figure,
  executedQty: Figure,
  cummulativeQuoteQty: Figure,
  status: Type.String(),
  timeInForce: Type.String(),
  type: Type.String(),
  side: Side,
  stopPrice: optional(Figure),
  icebergQty: optional(Figure),
  /** On the book since then; -1 or left out: it waits for its trigger. */
  workingTime: optional(Type.Integer()),
  trailingTime: optional(Type.Integer()),
  expiryReason: optional(Type.String()),
};

/** The answer to a placement (RESULT, FULL). */
const Placed = Type.Object({ ...ORDER, clientOrderId: Type.String(), transactTime: Time });
/** One row of a cancellation: `clientOrderId` names the cancel request itself. */
const Cancelled = Type.Object({
  ...ORDER,
  origClientOrderId: Type.String(),
  transactTime: optional(Time),
});
/** The cancellation of an order list; none are made here. */
const CancelledList = Type.Object({ orderReports: Type.Array(Cancelled) });
const Queried = Type.Object({
  ...ORDER,
  clientOrderId: Type.String(),
  updateTime: Time,
  isWorking: Type.Boolean(),
});

const Amended = Type.Object({
  transactTime: Time,
  amendedOrder: Type.Object({
    symbol: Type.String(),
    orderId: Id,
    origClientOrderId: Type.String(),
    clientOrderId: Type.String(),
    price: Figure,
    qty: Figure,
    executedQty: Figure,
    cumulativeQuoteQty: Figure,
    status: Type.String(),
    timeInForce: Type.String(),
    type: Type.String(),
    side: Side,
  }),
});

const Trade = Type.Object({
  symbol: Type.String(),
  id: Id,
  orderId: Id,
  price: Figure,
  qty: Figure,
  commission: Figure,
  commissionAsset: Type.String(),
  time: Time,
  isBuyer: Type.Boolean(),
  isMaker: Type.Boolean(),
});

const Account = Type.Object({
  updateTime: Time,
  canTrade: optional(Type.Boolean()),
  uid: optional(Id),
  balances: Type.Array(Type.Object({ asset: Type.String(), free: Figure, locked: Figure })),
});

const Rates = Type.Object({ maker: Figure, taker: Figure, buyer: Figure, seller: Figure });
const Commission = Type.Object({
  standardCommission: Rates,
  specialCommission: optional(Rates),
  taxCommission: optional(Rates),
});

const Restrictions = Type.Object({
  ipRestrict: Type.Boolean(),
  enableWithdrawals: Type.Boolean(),
  enableInternalTransfer: optional(Type.Boolean()),
  permitsUniversalTransfer: optional(Type.Boolean()),
  enableSpotAndMarginTrading: Type.Boolean(),
  enableFutures: optional(Type.Boolean()),
  enablePortfolioMarginTrading: optional(Type.Boolean()),
  tradingAuthorityExpirationTime: optional(Type.Integer()),
});

const DustList = Type.Object({
  details: Type.Array(
    Type.Object({ asset: Type.String(), amountFree: Figure, toBTC: Figure, toBNBOffExchange: Figure }),
  ),
});
const DustDone = Type.Object({
  totalTransfered: Figure,
  transferResult: Type.Array(
    Type.Object({
      fromAsset: Type.String(),
      amount: Figure,
      serviceChargeAmount: Figure,
      transferedAmount: Figure,
    }),
  ),
});

/**
 * `data` of 429 and 418: when requests are accepted again, and the exchange's clock, Unix ms
 * (web-socket-api.md "Rate limits").
 */
const FRAME_ERROR = Type.Object({
  code: Type.Integer(),
  msg: Type.String(),
  data: optional(Type.Object({ serverTime: optional(Type.Integer()), retryAfter: optional(Type.Integer()) })),
});
export type FrameError = Static<typeof FRAME_ERROR>;

/** A frame of the WebSocket API: an answer to one of our requests, or an event of a subscription. */
const Frame = Type.Object({
  id: optional(Type.Union([Type.String(), Type.Integer(), Type.Null()])),
  status: optional(Type.Integer()),
  error: optional(FRAME_ERROR),
  result: optional(Type.Unknown()),
  subscriptionId: optional(Type.Integer()),
  event: optional(Type.Unknown()),
});

const EventKind = Type.Object({ event: Type.Object({ e: Type.String() }) });

/** An execution report. If a request ended the order, `c` is that request's id and `C` the order's own. */
const Report = Type.Object({
  event: Type.Object({
    s: Type.String(),
    c: Type.String(),
    C: Type.String(),
    S: Side,
    o: Type.String(),
    f: Type.String(),
    q: Figure,
    p: Figure,
    P: Figure,
    F: Figure,
    x: Type.String(),
    X: Type.String(),
    i: Id,
    l: Figure,
    z: Figure,
    L: Figure,
    n: optional(Type.Union([Figure, Type.Null()])),
    N: optional(Type.Union([Type.String(), Type.Null()])),
    T: Time,
    t: Id,
    w: Type.Boolean(),
    m: Type.Boolean(),
    Z: Figure,
    r: optional(Type.String()),
    eR: optional(Type.String()),
    D: optional(Type.Integer()),
  }),
});
const Position = Type.Object({
  event: Type.Object({
    u: Time,
    B: Type.Array(Type.Object({ a: Type.String(), f: Figure, l: Figure })),
  }),
});
const BalanceUpdate = Type.Object({
  event: Type.Object({ E: Time, a: Type.String(), d: Figure, T: Time }),
});

export const readTime = messageReader(Type.Object({ serverTime: Time }), ANSWER);
export const readPlaced = messageReader(Placed, ANSWER, parseExact);
export const readCancelled = messageReader(Cancelled, ANSWER, parseExact);
export const readCancelledAll = messageReader(
  Type.Array(Type.Union([Cancelled, CancelledList])),
  ANSWER,
  parseExact,
);
export const readAmended = messageReader(Amended, ANSWER, parseExact);
export const readQueried = messageReader(Queried, ANSWER, parseExact);
export const readOpenOrders = messageReader(Type.Array(Queried), ANSWER, parseExact);
export const readTrades = messageReader(Type.Array(Trade), ANSWER, parseExact);
export const readAccount = messageReader(Account, ANSWER, parseExact);
export const readCommission = messageReader(Commission, ANSWER);
export const readRestrictions = messageReader(Restrictions, ANSWER);
export const readDustList = messageReader(DustList, ANSWER);
export const readDustDone = messageReader(DustDone, ANSWER);
export const readFrame = messageReader(Frame, FRAME);
export const readEventKind = messageReader(EventKind, FRAME);
export const readReport = messageReader(Report, FRAME, parseExact);
export const readPosition = messageReader(Position, FRAME);
export const readBalanceUpdate = messageReader(BalanceUpdate, FRAME);

export type PlacedOrder = Static<typeof Placed>;
export type CancelledOrder = Static<typeof Cancelled>;
export type QueriedOrder = Static<typeof Queried>;
export type AmendedOrder = Static<typeof Amended>;
export type AccountTrade = Static<typeof Trade>;
export type SpotAccountBody = Static<typeof Account>;
export type ExecutionReport = Static<typeof Report>['event'];
