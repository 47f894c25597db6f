/**
 * The form of answers and events of USD-M futures (developers.binance.com, USD-M): only the fields that are
 * read here. Each way of the exchange to write "none" ("", null, "null", a missing field) is allowed where it
 * occurs.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { ANSWER, FRAME } from '../../kit/bounds.ts';
import { parseExact } from '../../kit/json.ts';
import { messageReader } from '../../kit/messages.ts';

/** Ids have up to 19 digits; those too large for a double come as texts (`kit/json.ts`). */
const ID = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^\\d{1,25}$' })]);
const FIGURE = Type.String({ pattern: '^-?\\d{1,30}(\\.\\d{1,30})?$' });
/** A figure, or one of the ways to write "none". */
const MAYBE = Type.Union([FIGURE, Type.Literal(''), Type.Literal('null'), Type.Null()]);
const WORD = Type.String();
const MAYBE_WORD = Type.Union([WORD, Type.Null()]);
const TIME = Type.Integer({ minimum: 0 });
const SIDE = Type.Enum(['BUY', 'SELL']);
const POSITION_SIDE = Type.Enum(['BOTH', 'LONG', 'SHORT']);
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const answer = <T extends TSchema>(schema: T) => messageReader(schema, ANSWER, parseExact);

/**
 * `GET` and `DELETE /fapi/v1/order`; a placed or changed one has no `cumQuote` and no `time` (2026-07-15).
 */
const ORDER = Type.Object({
  orderId: ID,
  clientOrderId: WORD,
  symbol: WORD,
  side: SIDE,
  positionSide: optional(POSITION_SIDE),
  status: WORD,
  type: WORD,
  origType: optional(WORD),
  timeInForce: WORD,
  price: FIGURE,
  stopPrice: optional(MAYBE),
  origQty: FIGURE,
  executedQty: FIGURE,
  cumQuote: optional(FIGURE),
  reduceOnly: optional(Type.Boolean()),
  closePosition: optional(Type.Boolean()),
  workingType: optional(WORD),
  time: optional(TIME),
  updateTime: TIME,
});
export type FuturesOrder = Static<typeof ORDER>;
export const readOrder = answer(ORDER);
export const readOrders = answer(Type.Array(ORDER));

/** `/fapi/v1/algoOrder`; a finished one also has its result. */
const ALGO = Type.Object({
  algoId: ID,
  clientAlgoId: WORD,
  symbol: WORD,
  side: SIDE,
  positionSide: optional(POSITION_SIDE),
  orderType: WORD,
  timeInForce: optional(MAYBE_WORD),
  quantity: optional(MAYBE),
  algoStatus: WORD,
  triggerPrice: optional(MAYBE),
  price: optional(MAYBE),
  workingType: optional(WORD),
  closePosition: optional(Type.Boolean()),
  reduceOnly: optional(Type.Boolean()),
  activatePrice: optional(MAYBE),
  callbackRate: optional(MAYBE),
  actualOrderId: optional(Type.Union([ID, Type.Literal(''), Type.Null()])),
  actualQty: optional(MAYBE),
  createTime: optional(TIME),
  updateTime: TIME,
});
export type AlgoOrder = Static<typeof ALGO>;
export const readAlgo = answer(ALGO);
export const readAlgos = answer(Type.Array(ALGO));

/** Reads from `allAlgoOrders` which order each conditional order has made; nothing else of it is used. */
export const readAlgoLinks = answer(
  Type.Array(Type.Pick(ALGO, ['algoId', 'clientAlgoId', 'actualOrderId', 'symbol'])),
);

/** The answer to cancelling a conditional order: `code` is the text "200" here and the number elsewhere. */
export const readDone = answer(Type.Object({ code: Type.Union([Type.Integer(), WORD]) }));

export const readCountdown = answer(Type.Object({ symbol: WORD }));

const TRADE = Type.Object({
  id: ID,
  orderId: ID,
  symbol: WORD,
  side: SIDE,
  positionSide: optional(POSITION_SIDE),
  price: FIGURE,
  qty: FIGURE,
  commission: FIGURE,
  commissionAsset: WORD,
  realizedPnl: optional(FIGURE),
  maker: Type.Boolean(),
  time: TIME,
});
export type FuturesTrade = Static<typeof TRADE>;
export const readTrades = answer(Type.Array(TRADE));

export const readTime = answer(Type.Object({ serverTime: Type.Integer({ minimum: 1 }) }));

export const readBalances = answer(
  Type.Array(
    Type.Object({
      asset: WORD,
      balance: FIGURE,
      accountAlias: optional(WORD),
      updateTime: optional(TIME),
    }),
  ),
);

const POSITION = Type.Object({
  symbol: WORD,
  positionSide: POSITION_SIDE,
  positionAmt: FIGURE,
  entryPrice: FIGURE,
  breakEvenPrice: optional(FIGURE),
  markPrice: FIGURE,
  unRealizedProfit: FIGURE,
  liquidationPrice: FIGURE,
  isolatedWallet: optional(FIGURE),
  maintMargin: optional(FIGURE),
  notional: optional(FIGURE),
  updateTime: TIME,
});
export type FuturesPosition = Static<typeof POSITION>;
export const readPositions = answer(Type.Array(POSITION));

const SYMBOL_CONFIG = Type.Object({
  symbol: WORD,
  marginType: WORD,
  leverage: Type.Integer({ minimum: 1, maximum: 1_000 }),
});
export type SymbolConfig = Static<typeof SYMBOL_CONFIG>;
export const readSymbolConfigs = answer(Type.Array(SYMBOL_CONFIG));

export const readAccountConfig = answer(
  Type.Object({
    canTrade: optional(Type.Boolean()),
    dualSidePosition: Type.Boolean(),
    multiAssetsMargin: Type.Boolean(),
  }),
);

export const readCommission = answer(
  Type.Object({ symbol: WORD, makerCommissionRate: FIGURE, takerCommissionRate: FIGURE }),
);

const INCOME = Type.Object({
  symbol: optional(MAYBE_WORD),
  incomeType: WORD,
  income: FIGURE,
  asset: WORD,
  time: TIME,
  tranId: Type.Union([ID, WORD]),
});
export type Income = Static<typeof INCOME>;
export const readIncome = answer(Type.Array(INCOME));

export const readLeverage = answer(
  Type.Object({ symbol: WORD, leverage: Type.Integer({ minimum: 1, maximum: 1_000 }) }),
);
export const readListenKey = answer(
  Type.Object({ listenKey: Type.String({ minLength: 1, maxLength: 200 }) }),
);

const EVENT_TIMES = { E: TIME, T: optional(TIME) };

const ORDER_EVENT = Type.Object({
  ...EVENT_TIMES,
  T: TIME,
  o: Type.Object({
    s: WORD,
    c: WORD,
    S: SIDE,
    o: WORD,
    ot: optional(MAYBE_WORD),
    f: WORD,
    q: FIGURE,
    p: FIGURE,
    sp: optional(MAYBE),
    x: WORD,
    X: WORD,
    i: ID,
    l: MAYBE,
    z: FIGURE,
    L: optional(MAYBE),
    N: optional(MAYBE_WORD),
    n: optional(MAYBE),
    T: optional(TIME),
    t: optional(ID),
    m: optional(Type.Boolean()),
    R: optional(Type.Boolean()),
    wt: optional(MAYBE_WORD),
    ps: optional(POSITION_SIDE),
    cp: optional(Type.Boolean()),
    rp: optional(MAYBE),
    er: optional(Type.Union([WORD, Type.Integer(), Type.Null()])),
  }),
});
export type OrderEvent = Static<typeof ORDER_EVENT>;

const ALGO_EVENT = Type.Object({
  ...EVENT_TIMES,
  T: TIME,
  o: Type.Object({
    caid: WORD,
    aid: ID,
    o: WORD,
    s: WORD,
    S: SIDE,
    ps: optional(POSITION_SIDE),
    f: optional(MAYBE_WORD),
    q: optional(MAYBE),
    X: WORD,
    ai: optional(Type.Union([ID, Type.Literal(''), Type.Null()])),
    aq: optional(MAYBE),
    tp: optional(MAYBE),
    p: optional(MAYBE),
    wt: optional(MAYBE_WORD),
    cp: optional(Type.Boolean()),
    R: optional(Type.Boolean()),
    /** Whether a trailing order follows the price (2026-08-21). */
    ia: optional(Type.Boolean()),
    rm: optional(MAYBE_WORD),
  }),
});
export type AlgoEvent = Static<typeof ALGO_EVENT>;

const ACCOUNT_EVENT = Type.Object({
  ...EVENT_TIMES,
  T: TIME,
  a: Type.Object({
    m: WORD,
    B: optional(Type.Array(Type.Object({ a: WORD, wb: FIGURE }))),
    P: optional(
      Type.Array(
        Type.Object({
          s: WORD,
          pa: FIGURE,
          ep: FIGURE,
          bep: optional(MAYBE),
          cr: optional(MAYBE),
          up: optional(MAYBE),
          mt: WORD,
          iw: optional(MAYBE),
          ps: POSITION_SIDE,
        }),
      ),
    ),
  }),
});
export type AccountEvent = Static<typeof ACCOUNT_EVENT>;
export type PositionRow = NonNullable<AccountEvent['a']['P']>[number];

const CONFIG_EVENT = Type.Object({
  ...EVENT_TIMES,
  ac: optional(Type.Object({ s: WORD, l: Type.Integer({ minimum: 1, maximum: 1_000 }) })),
  ai: optional(Type.Object({ j: Type.Boolean() })),
});
export type ConfigEvent = Static<typeof CONFIG_EVENT>;

/** Which event a message is. `st` 2 is coin-M futures, which are not traded here. */
const KIND = Type.Object({ e: WORD, st: optional(Type.Integer()) });

const frame = <T extends TSchema>(schema: T) => messageReader(schema, FRAME, parseExact);
export const readKind = frame(KIND);
export const readOrderEvent = frame(ORDER_EVENT);
export const readAlgoEvent = frame(ALGO_EVENT);
export const readAccountEvent = frame(ACCOUNT_EVENT);
export const readConfigEvent = frame(CONFIG_EVENT);
