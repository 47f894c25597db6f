/**
 * The schemas of Bybit's answers and events (DOC, one page for each endpoint or topic): only the fields that
 * are used here. Figures are texts; a missing value is "", null or "0".
 */
import { type Static, type TSchema, Type } from 'typebox';
import { ANSWER, FRAME, INSTRUMENT_LIST, type TextBounds } from '../kit/bounds.ts';
import { parseExact } from '../kit/json.ts';
import { messageReader } from '../kit/messages.ts';

const FIGURE = Type.String({ pattern: '^-?\\d{1,30}(\\.\\d{1,30})?$' });
/** A figure, or an empty value. */
const MAYBE = Type.Union([FIGURE, Type.Literal(''), Type.Null()]);
const WORD = Type.String();
/** Times are milliseconds written as text. */
const TIME = Type.String({ pattern: '^\\d{1,16}$' });
const NUMBER_TIME = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const SIDE = Type.Enum(['Buy', 'Sell']);
const INDEX = Type.Integer({ minimum: 0, maximum: 2 });
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

/** A successful answer: its `result`, and the time at which it was made. */
const answer = <T extends TSchema>(result: T, bounds: TextBounds = ANSWER) =>
  messageReader(Type.Object({ result, time: optional(NUMBER_TIME) }), bounds, parseExact);
/** A page of a list, with the cursor of the next page; empty: there is none. */
const page = <T extends TSchema>(row: T, bounds: TextBounds = ANSWER) =>
  answer(
    Type.Object({ list: Type.Array(row), nextPageCursor: optional(Type.Union([WORD, Type.Null()])) }),
    bounds,
  );

export const readTime = answer(Type.Object({ timeNano: Type.String({ pattern: '^\\d{16,22}$' }) }));

/** A list of instruments, each of which is checked later by itself. */
export const readInstrumentPage = page(Type.Unknown(), INSTRUMENT_LIST);

/** The rates of risk limits are numbers; in older answers they are texts. */
const RATE = Type.Union([Type.Number({ minimum: 0, maximum: 1 }), FIGURE]);
const RISK = Type.Object({
  symbol: WORD,
  riskLimitValue: FIGURE,
  maintenanceMargin: RATE,
  maxLeverage: FIGURE,
  mmDeduction: optional(MAYBE),
});
export type RiskRow = Static<typeof RISK>;
export const readRiskLimits = page(RISK);

/**
 * The acknowledgement of placing, changing or cancelling: the request was accepted, and nothing more is
 * known.
 */
export const readAck = answer(Type.Object({ orderId: WORD, orderLinkId: optional(WORD) }));
export const readAckAll = answer(
  Type.Object({
    list: Type.Array(Type.Object({ orderId: WORD, orderLinkId: optional(WORD) })),
    success: optional(WORD),
  }),
);

const ORDER = Type.Object({
  category: optional(WORD),
  orderId: WORD,
  orderLinkId: optional(WORD),
  symbol: WORD,
  side: SIDE,
  orderType: WORD,
  orderStatus: WORD,
  price: optional(MAYBE),
  qty: FIGURE,
  cumExecQty: MAYBE,
  cumExecValue: optional(MAYBE),
  timeInForce: optional(WORD),
  stopOrderType: optional(WORD),
  marketUnit: optional(WORD),
  triggerPrice: optional(MAYBE),
  triggerDirection: optional(Type.Integer()),
  triggerBy: optional(WORD),
  lastPriceOnCreated: optional(MAYBE),
  reduceOnly: optional(Type.Boolean()),
  closeOnTrigger: optional(Type.Boolean()),
  positionIdx: optional(INDEX),
  cancelType: optional(WORD),
  rejectReason: optional(WORD),
  createType: optional(WORD),
  createdTime: optional(TIME),
  updatedTime: TIME,
});
export type OrderRow = Static<typeof ORDER>;
export const readOrders = page(ORDER);

const EXECUTION = Type.Object({
  category: optional(WORD),
  symbol: WORD,
  orderId: WORD,
  orderLinkId: optional(WORD),
  side: SIDE,
  execId: WORD,
  execType: WORD,
  execPrice: MAYBE,
  execQty: MAYBE,
  execFee: optional(MAYBE),
  feeCurrency: optional(WORD),
  feeRate: optional(MAYBE),
  extraFees: optional(Type.Unknown()),
  execPnl: optional(MAYBE),
  closedSize: optional(MAYBE),
  isMaker: optional(Type.Boolean()),
  createType: optional(WORD),
  execTime: TIME,
});
export type ExecutionRow = Static<typeof EXECUTION>;
export const readExecutions = page(EXECUTION);

const COIN = Type.Object({
  coin: WORD,
  walletBalance: MAYBE,
  locked: optional(MAYBE),
  spotBorrow: optional(MAYBE),
});
export type CoinRow = Static<typeof COIN>;
const WALLET = Type.Object({ accountType: optional(WORD), coin: Type.Array(COIN) });
export const readWallet = page(WALLET);

const LOG = Type.Object({
  id: WORD,
  type: WORD,
  symbol: optional(WORD),
  currency: WORD,
  transactionTime: TIME,
  change: MAYBE,
  cashFlow: optional(MAYBE),
  tradeId: optional(WORD),
});
export type LogRow = Static<typeof LOG>;
export const readLog = page(LOG);

const POSITION = Type.Object({
  category: optional(WORD),
  symbol: WORD,
  positionIdx: INDEX,
  side: optional(WORD),
  size: FIGURE,
  /** Used in answers; events have `entryPrice` instead. */
  avgPrice: optional(MAYBE),
  entryPrice: optional(MAYBE),
  breakEvenPrice: optional(MAYBE),
  markPrice: optional(MAYBE),
  positionValue: optional(MAYBE),
  unrealisedPnl: optional(MAYBE),
  leverage: optional(MAYBE),
  positionIM: optional(MAYBE),
  positionMM: optional(MAYBE),
  liqPrice: optional(MAYBE),
  updatedTime: optional(Type.Union([TIME, Type.Literal('')])),
});
export type PositionRow = Static<typeof POSITION>;
export const readPositions = page(POSITION);

export const readAccount = answer(Type.Object({ unifiedMarginStatus: Type.Integer(), marginMode: WORD }));
export const readFees = page(Type.Object({ symbol: WORD, takerFeeRate: FIGURE, makerFeeRate: FIGURE }));
export const readSet = answer(Type.Unknown());
/** The reasons why a margin mode was not set. */
export const readReasons = messageReader(
  Type.Object({
    result: Type.Object({
      reasons: Type.Array(Type.Object({ reasonCode: optional(WORD), reasonMsg: optional(WORD) })),
    }),
  }),
  ANSWER,
);

const WORDS = optional(Type.Union([Type.Array(WORD), Type.Null()]));
export const readKey = answer(
  Type.Object({
    readOnly: Type.Integer(),
    permissions: Type.Object({ ContractTrade: WORDS, Spot: WORDS, Wallet: WORDS, Derivatives: WORDS }),
    ips: optional(Type.Union([Type.Array(WORD), Type.Null()])),
    expiredAt: optional(Type.Union([WORD, Type.Null()])),
    userID: Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^\\d{1,20}$' })]),
    parentUid: optional(Type.Union([Type.Integer(), WORD])),
  }),
);

export const readDeadMan = answer(
  Type.Object({
    dcpInfos: optional(
      Type.Union([
        Type.Array(Type.Object({ product: WORD, dcpStatus: WORD, timeWindow: optional(WORD) })),
        Type.Null(),
      ]),
    ),
  }),
);

export const readDust = answer(
  Type.Object({
    smallAssetCoins: Type.Array(
      Type.Object({
        fromCoin: WORD,
        supportConvert: Type.Integer(),
        availableBalance: FIGURE,
        baseValue: FIGURE,
      }),
    ),
  }),
);
export const readDustQuote = answer(Type.Object({ quoteId: WORD }));
export const readDustTaken = answer(Type.Object({ status: WORD }));
export const readDustHistory = answer(
  Type.Object({
    records: Type.Array(
      Type.Object({
        toAmount: optional(MAYBE),
        status: WORD,
        subRecords: Type.Array(
          Type.Object({
            fromCoin: WORD,
            fromAmount: MAYBE,
            toAmount: MAYBE,
            feeAmount: optional(MAYBE),
            status: optional(WORD),
          }),
        ),
      }),
    ),
  }),
);

/** A message on the private socket: an event of a topic, or the answer to a message of ours. */
export const readFrame = messageReader(
  Type.Object({
    topic: optional(WORD),
    op: optional(WORD),
    req_id: optional(Type.Union([WORD, Type.Null()])),
    success: optional(Type.Boolean()),
    ret_msg: optional(WORD),
    retCode: optional(Type.Integer()),
    retMsg: optional(WORD),
  }),
  FRAME,
);
const event = <T extends TSchema>(row: T) =>
  messageReader(Type.Object({ creationTime: NUMBER_TIME, data: Type.Array(row) }), FRAME, parseExact);
export const readOrderEvent = event(ORDER);
export const readExecutionEvent = event(EXECUTION);
export const readWalletEvent = event(WALLET);
export const readPositionEvent = event(POSITION);
