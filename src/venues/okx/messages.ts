/**
 * The form of answers and events of OKX v5 (OD, one page an endpoint or channel): only the fields that are
 * read here. All values are texts; an empty one means none.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { ANSWER, FRAME } from '../kit/bounds.ts';
import { messageReader } from '../kit/messages.ts';

const WORD = Type.String();
const FIGURE = Type.String({ pattern: '^-?\\d{1,30}(\\.\\d{1,30})?$' });
const MAYBE = Type.Union([FIGURE, Type.Literal('')]);
const ID = Type.String({ pattern: '^[0-9A-Za-z]{1,32}$' });
const MAYBE_ID = Type.Union([ID, Type.Literal('')]);
const TIME = Type.String({ pattern: '^\\d{1,16}$' });
const MAYBE_TIME = Type.Union([TIME, Type.Literal('')]);
const SIDE = Type.Enum(['buy', 'sell']);
const POS_SIDE = Type.Enum(['long', 'short', 'net', '']);
const FLAG = Type.Union([Type.Enum(['true', 'false', '']), Type.Boolean()]);
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

/** `data` of a successful answer. */
const rowsOf = <T extends TSchema>(row: T) =>
  messageReader(Type.Object({ code: Type.Literal('0'), data: Type.Array(row) }), ANSWER);

/** A row in the answer to a change: these rows decide. */
const ACK = Type.Object({
  ordId: optional(WORD),
  clOrdId: optional(WORD),
  algoId: optional(WORD),
  algoClOrdId: optional(WORD),
  sCode: WORD,
  sMsg: optional(WORD),
  ts: optional(MAYBE_TIME),
});
export type Ack = Static<typeof ACK>;
export const readAcks = messageReader(
  Type.Object({ code: WORD, msg: optional(WORD), data: optional(Type.Array(ACK)) }),
  ANSWER,
);

const ORDER_FIELDS = {
  instId: WORD,
  instType: optional(WORD),
  ordId: ID,
  clOrdId: WORD,
  algoId: optional(MAYBE_ID),
  algoClOrdId: optional(WORD),
  side: SIDE,
  posSide: optional(POS_SIDE),
  ordType: WORD,
  state: WORD,
  sz: MAYBE,
  px: optional(MAYBE),
  accFillSz: MAYBE,
  tgtCcy: optional(WORD),
  reduceOnly: optional(FLAG),
  category: optional(WORD),
  cancelSource: optional(WORD),
  cTime: TIME,
  uTime: TIME,
};
const ORDER = Type.Object(ORDER_FIELDS);
export type OrderRow = Static<typeof ORDER>;
export const readOrders = rowsOf(ORDER);

/** An order in a channel message: the same fields, with the execution that it reports. */
const ORDER_PUSH = Type.Object({
  ...ORDER_FIELDS,
  tradeId: optional(WORD),
  fillSz: optional(MAYBE),
  fillPx: optional(MAYBE),
  fillTime: optional(MAYBE_TIME),
  fillFee: optional(MAYBE),
  fillFeeCcy: optional(WORD),
  fillPnl: optional(MAYBE),
  execType: optional(WORD),
});
export type OrderPush = Static<typeof ORDER_PUSH>;

const ALGO = Type.Object({
  instId: WORD,
  instType: optional(WORD),
  algoId: ID,
  algoClOrdId: optional(WORD),
  ordId: optional(MAYBE_ID),
  ordIdList: optional(Type.Array(MAYBE_ID, { maxItems: 100 })),
  ordType: WORD,
  state: WORD,
  side: SIDE,
  posSide: optional(POS_SIDE),
  sz: MAYBE,
  closeFraction: optional(MAYBE),
  tgtCcy: optional(WORD),
  reduceOnly: optional(FLAG),
  slTriggerPx: optional(MAYBE),
  slOrdPx: optional(MAYBE),
  slTriggerPxType: optional(WORD),
  tpTriggerPx: optional(MAYBE),
  tpOrdPx: optional(MAYBE),
  tpTriggerPxType: optional(WORD),
  triggerPx: optional(MAYBE),
  ordPx: optional(MAYBE),
  triggerPxType: optional(WORD),
  activePx: optional(MAYBE),
  moveTriggerPx: optional(MAYBE),
  failCode: optional(WORD),
  cTime: TIME,
  uTime: optional(MAYBE_TIME),
});
export type AlgoRow = Static<typeof ALGO>;
export const readAlgos = rowsOf(ALGO);

const FILL = Type.Object({
  instId: WORD,
  tradeId: Type.String({ pattern: '^-?\\d{1,25}$' }),
  ordId: WORD,
  clOrdId: optional(WORD),
  billId: Type.String({ pattern: '^\\d{1,25}$' }),
  subType: optional(WORD),
  fillPx: FIGURE,
  fillSz: FIGURE,
  fillPnl: optional(MAYBE),
  fillTime: optional(MAYBE_TIME),
  side: SIDE,
  posSide: optional(POS_SIDE),
  execType: optional(WORD),
  fee: optional(MAYBE),
  feeCcy: optional(WORD),
  ts: TIME,
});
export type FillRow = Static<typeof FILL>;
export const readFills = rowsOf(FILL);

const BILL = Type.Object({
  billId: Type.String({ pattern: '^\\d{1,25}$' }),
  type: WORD,
  subType: optional(WORD),
  ts: TIME,
  balChg: FIGURE,
  ccy: WORD,
  instId: optional(WORD),
  instType: optional(WORD),
});
export type Bill = Static<typeof BILL>;
export const readBills = rowsOf(BILL);

export const readTime = rowsOf(Type.Object({ ts: TIME }));

const ASSET = Type.Object({
  ccy: WORD,
  cashBal: MAYBE,
  frozenBal: optional(MAYBE),
  ordFrozen: optional(MAYBE),
  uTime: TIME,
});
export type AssetRow = Static<typeof ASSET>;
const BALANCE = Type.Object({ details: Type.Array(ASSET), uTime: optional(MAYBE_TIME) });
export const readBalances = rowsOf(BALANCE);

/** What has changed, as the channel of balances and positions tells it; only there a currency is told at zero. */
const CHANGED = Type.Object({
  pTime: TIME,
  balData: optional(Type.Array(Type.Object({ ccy: WORD, cashBal: MAYBE, uTime: TIME }))),
});
export type ChangedRow = Static<typeof CHANGED>;

const POSITION = Type.Object({
  instId: WORD,
  instType: WORD,
  mgnMode: WORD,
  posSide: POS_SIDE,
  pos: MAYBE,
  avgPx: MAYBE,
  bePx: optional(MAYBE),
  markPx: optional(MAYBE),
  upl: optional(MAYBE),
  lever: optional(MAYBE),
  liqPx: optional(MAYBE),
  margin: optional(MAYBE),
  mmr: optional(MAYBE),
  pnl: optional(MAYBE),
  uTime: TIME,
});
export type PositionRow = Static<typeof POSITION>;
export const readPositions = rowsOf(POSITION);

const CONFIG = Type.Object({
  uid: ID,
  mainUid: optional(MAYBE_ID),
  acctLv: WORD,
  posMode: WORD,
  perm: WORD,
  ip: optional(WORD),
  autoLoan: optional(Type.Boolean()),
  enableSpotBorrow: optional(Type.Boolean()),
  roleType: optional(WORD),
  spotRoleType: optional(WORD),
  stgyType: optional(WORD),
});
export type Config = Static<typeof CONFIG>;
export const readConfig = rowsOf(CONFIG);

export const readLeverage = rowsOf(
  Type.Object({ instId: WORD, mgnMode: optional(WORD), posSide: optional(POS_SIDE), lever: MAYBE }),
);
export const readDone = rowsOf(Type.Object({}));
export const readCountdown = rowsOf(Type.Object({ triggerTime: WORD, tag: optional(WORD) }));

const TIER = Type.Object({
  instFamily: WORD,
  tier: WORD,
  minSz: FIGURE,
  maxSz: FIGURE,
  mmr: FIGURE,
  maxLever: FIGURE,
});
export type TierRow = Static<typeof TIER>;
export const readTiers = rowsOf(TIER);
export const readMarks = rowsOf(Type.Object({ instId: WORD, markPx: FIGURE, ts: TIME }));

export const readFees = rowsOf(
  Type.Object({
    maker: optional(MAYBE),
    taker: optional(MAYBE),
    makerU: optional(MAYBE),
    takerU: optional(MAYBE),
    feeGroup: optional(Type.Array(Type.Object({ groupId: optional(WORD), maker: MAYBE, taker: MAYBE }))),
  }),
);

export const readSmallBalances = rowsOf(
  Type.Object({
    fromData: Type.Array(Type.Object({ fromCcy: WORD, fromAmt: FIGURE })),
    toCcy: Type.Array(WORD),
  }),
);
export const readConverted = rowsOf(
  Type.Object({ fromCcy: WORD, fillFromSz: FIGURE, fillToSz: FIGURE, toCcy: WORD, status: WORD }),
);

/**
 * The kind of a frame: an event of the socket itself, or data of a channel. `pong` is no JSON and no frame.
 */
const HEAD = Type.Object({
  id: optional(WORD),
  event: optional(WORD),
  code: optional(WORD),
  msg: optional(WORD),
  arg: optional(Type.Object({ channel: WORD, instId: optional(WORD), instType: optional(WORD) })),
  channel: optional(WORD),
  eventType: optional(WORD),
});
export type FrameHead = Static<typeof HEAD>;

const frame = <T extends TSchema>(row: T) => messageReader(Type.Object({ data: Type.Array(row) }), FRAME);
export const readHead = messageReader(HEAD, FRAME);
export const readOrderPush = frame(ORDER_PUSH);
export const readAlgoPush = frame(ALGO);
export const readAccountPush = frame(BALANCE);
export const readChangedPush = frame(CHANGED);
export const readPositionPush = frame(POSITION);
