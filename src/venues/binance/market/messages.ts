/**
 * Reads Binance's market data: events of the market streams, and answers about time, prices, candles and
 * funding. Each message is bounded and must have its form, or all of it is unreadable. Sources:
 * binance-spot-api-docs web-socket-streams.md and rest-api.md; USD-M "Websocket Market Streams" (recorded
 * ones in the tests' shared data).
 */
import { Type } from 'typebox';
import { dec, str, ZERO } from '../../../domain/decimal.ts';
import { isMarketName } from '../../../domain/market-name.ts';
import type { Candle } from '../../../domain/rows.ts';
import { ANSWER, FRAME } from '../../kit/bounds.ts';
import type { MarketEvent } from '../../kit/market-form.ts';
import type { StreamItem } from '../../kit/market-streams.ts';
import { type Message, messageReader } from '../../kit/messages.ts';

/** A price or a quantity; figures with more digits are not accepted. */
const FIGURE = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,18})?$' });
const SIGNED = Type.String({ pattern: '^-?\\d{1,20}(\\.\\d{1,18})?$' });
const TIME = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const SYMBOL = Type.String({ minLength: 1, maxLength: 64 });
/** `st` 2 marks coin-margined contracts, which share these streams since 2026-06. */
const OF_USDM = { st: Type.Optional(Type.Integer()) };

const TRADE = Type.Object({
  e: Type.Literal('aggTrade'),
  E: TIME,
  s: SYMBOL,
  a: TIME,
  p: FIGURE,
  q: FIGURE,
  // Only for people: a price is valid without these.
  T: Type.Optional(TIME),
  m: Type.Optional(Type.Boolean()),
  ...OF_USDM,
});
const MARK = Type.Object({
  e: Type.Literal('markPriceUpdate'),
  E: TIME,
  s: SYMBOL,
  p: FIGURE,
  // Empty for a contract without funding, such as one being delivered.
  r: Type.Optional(Type.Union([SIGNED, Type.Literal('')])),
  T: Type.Optional(TIME),
  ...OF_USDM,
});
const KLINE = Type.Object({
  e: Type.Literal('kline'),
  E: TIME,
  s: SYMBOL,
  k: Type.Object({
    t: TIME,
    i: Type.String({ maxLength: 8 }),
    o: FIGURE,
    c: FIGURE,
    h: FIGURE,
    l: FIGURE,
    v: FIGURE,
    x: Type.Boolean(),
  }),
  ...OF_USDM,
});
/** `id` null or missing: the answer to a message that the exchange could not even read. */
const REPLY = Type.Object({
  id: Type.Optional(Type.Union([Type.Integer(), Type.String({ maxLength: 64 }), Type.Null()])),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(
    Type.Object({ code: Type.Optional(Type.Integer()), msg: Type.Optional(Type.String()) }),
  ),
  code: Type.Optional(Type.Integer()),
  msg: Type.Optional(Type.String()),
});

const readTrade = messageReader(TRADE, FRAME);
const readMark = messageReader(MARK, FRAME);
const readKline = messageReader(KLINE, FRAME);
const readReply = messageReader(REPLY, FRAME);

const OTHER: Message<StreamItem<never>> = { ok: true, value: { kind: 'other' } };
/**
 * The kind comes within this many characters. So running candles, most of what comes, are skipped cheaply.
 */
const KIND_WITHIN = 200;

/** Reads one message of a market stream, in its raw form (`/ws`). */
export function readStream(text: string): Message<StreamItem<MarketEvent>> {
  const head = text.slice(0, KIND_WITHIN);
  const kind = /"e"\s*:\s*"(\w{1,40})"/.exec(head)?.[1];
  if (kind === undefined) return replyOf(text);
  if (kind === 'aggTrade') {
    const read = readTrade(text);
    if (!read.ok) return read;
    const { s, a, p, q, T, m, st } = read.value;
    if (st === 2) return OTHER;
    const more = { ...(T === undefined ? {} : { time: T }), ...(m === undefined ? {} : { side: sideOf(m) }) };
    const trade = { id: a, price: plain(p), volume: plain(q), ...more };
    return named(s, { kind: 'trades', symbol: s, trades: [trade] }, dec(p) > ZERO);
  }
  if (kind === 'kline') {
    if (!/"x"\s*:\s*true/.test(text)) return OTHER;
    const read = readKline(text);
    if (!read.ok) return read;
    const { s, k, st } = read.value;
    if (st === 2 || !k.x) return OTHER;
    const candle = candleOf(k.t, k.o, k.h, k.l, k.c, k.v);
    return named(s, { kind: 'closed', symbol: s, interval: k.i, candle: candle ?? NONE }, candle !== null);
  }
  if (kind === 'markPriceUpdate') {
    const read = readMark(text);
    if (!read.ok) return read;
    const { s, E, p, r = '', T = 0, st } = read.value;
    if (st === 2) return OTHER;
    const funding = r === '' || T === 0 ? null : { rate: plain(r), at: T };
    return named(s, { kind: 'mark', symbol: s, time: E, price: plain(p), funding }, dec(p) > ZERO);
  }
  return kind === 'serverShutdown' ? { ok: true, value: { kind: 'shutdown' } } : OTHER;
}

const NONE: Candle = { time: 0, open: '0', high: '0', low: '0', close: '0', volume: '0' };

/** Reads a message that is no event: the answer to a subscription. */
export function replyOf(text: string): Message<StreamItem<never>> {
  const read = readReply(text);
  if (!read.ok) return read;
  const { id, error, code, msg } = read.value;
  if (typeof id !== 'number') return { ok: false, problem: `${error?.msg ?? msg ?? 'an answer to nothing'}` };
  const refused = error ?? (code === undefined ? undefined : { code, msg });
  const problem = refused ? `${refused.code ?? ''} ${refused.msg ?? ''}`.trim() || 'refused' : null;
  return { ok: true, value: { kind: 'reply', id, problem } };
}

function sideOf(buyerIsMaker: boolean): 'BUY' | 'SELL' {
  return buyerIsMaker ? 'SELL' : 'BUY';
}

function named(symbol: string, event: MarketEvent, isSound: boolean): Message<StreamItem<MarketEvent>> {
  if (!isMarketName(symbol)) return { ok: false, problem: 'it is of a symbol that none can have' };
  return isSound
    ? { ok: true, value: { kind: 'event', event } }
    : { ok: false, problem: `its figures cannot be: ${symbol}` };
}

function plain(text: string): string {
  return str(dec(text));
}

/** Makes a candle. Null: its figures contradict each other. */
function candleOf(
  time: number,
  open: string,
  high: string,
  low: string,
  close: string,
  volume: string,
): Candle | null {
  const [o, h, l, c] = [dec(open), dec(high), dec(low), dec(close)];
  if (l <= ZERO || h < l || o < l || o > h || c < l || c > h) return null;
  return { time, open: str(o), high: str(h), low: str(l), close: str(c), volume: plain(volume) };
}

const KLINES = Type.Array(Type.Array(Type.Unknown(), { minItems: 6, maxItems: 20 }));
const PRICE = Type.Object({ symbol: SYMBOL, price: FIGURE });
const PRICES = Type.Union([Type.Array(PRICE), PRICE]);
const SERVER_TIME = Type.Object({ serverTime: TIME });
const FUNDING = Type.Array(
  Type.Object({
    symbol: SYMBOL,
    fundingTime: TIME,
    fundingRate: SIGNED,
    markPrice: Type.Optional(Type.String({ maxLength: 40 })),
  }),
);

const readKlineRows = messageReader(KLINES, ANSWER);
const readPriceRows = messageReader(PRICES, ANSWER);
const readServerTime = messageReader(SERVER_TIME, ANSWER);
const readFundingRows = messageReader(FUNDING, ANSWER);

/**
 * Reads rows `[open time, open, high, low, close, volume, ...]`, oldest first; one wrong row makes all of
 * them unreadable.
 */
export function readKlines(text: string): Message<readonly Candle[]> {
  const read = readKlineRows(text);
  if (!read.ok) return read;
  const candles: Candle[] = [];
  for (const [time, ...figures] of read.value) {
    const [o, h, l, c, v] = figures.map((figure) =>
      typeof figure === 'string' && /^\d{1,20}(\.\d{1,18})?$/.test(figure) ? figure : null,
    );
    const isTime = typeof time === 'number' && Number.isSafeInteger(time) && time >= 0;
    const candle = isTime && o && h && l && c && v ? candleOf(time, o, h, l, c, v) : null;
    if (candle === null || candle.time <= (candles.at(-1)?.time ?? -1))
      return {
        ok: false,
        problem: `row ${candles.length + 1} is no candle, or not later than the one before`,
      };
    candles.push(candle);
  }
  return { ok: true, value: candles };
}

/** Reads the last prices. Rows without a price or with an impossible name are left out. */
export function readPrices(text: string): Message<readonly (readonly [symbol: string, price: string])[]> {
  const read = readPriceRows(text);
  if (!read.ok) return read;
  const rows = Array.isArray(read.value) ? read.value : [read.value];
  const value = rows.flatMap(({ symbol, price }) =>
    isMarketName(symbol) && dec(price) > ZERO ? [[symbol, plain(price)] as const] : [],
  );
  return { ok: true, value };
}

export function readTime(text: string): Message<number> {
  const read = readServerTime(text);
  return read.ok ? { ok: true, value: read.value.serverTime } : read;
}

/** A past funding payment: time, rate and mark. `mark` null: not given. */
export interface FundingRow {
  readonly at: number;
  readonly rate: string;
  readonly mark: string | null;
}

/** Reads past funding payments, oldest first. */
export function readFunding(text: string): Message<readonly FundingRow[]> {
  const read = readFundingRows(text);
  if (!read.ok) return read;
  const rows = read.value.map(({ fundingTime, fundingRate, markPrice = '' }) => ({
    at: fundingTime,
    rate: plain(fundingRate),
    mark: /^\d{1,20}(\.\d{1,18})?$/.test(markPrice) && dec(markPrice) > ZERO ? plain(markPrice) : null,
  }));
  return { ok: true, value: rows.sort((a, b) => a.at - b.at) };
}
