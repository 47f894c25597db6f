/**
 * Reads Bybit's price messages: those of the public sockets, and answers about prices, candles and funding
 * (DOC websocket/public/, market/). Each is bounded and matches its schema, or is unreadable as a whole.
 */
import { Type } from 'typebox';
import { dec, str, ZERO } from '../../../domain/decimal.ts';
import { isMarketName } from '../../../domain/market-name.ts';
import type { Candle } from '../../../domain/rows.ts';
import type { FundingPayment } from '../../../market/market-data.ts';
import { ANSWER, FRAME } from '../../kit/bounds.ts';
import { candleOf } from '../../kit/candles.ts';
import type { MarketEvent, Prices } from '../../kit/market-form.ts';
import type { StreamItem } from '../../kit/market-streams.ts';
import { type Message, messageReader } from '../../kit/messages.ts';

const FIGURE = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,18})?$' });
const SIGNED = Type.String({ pattern: '^-?\\d{1,20}(\\.\\d{1,18})?$' });
const TIME = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const TIME_TEXT = Type.String({ pattern: '^\\d{1,16}$' });
const SYMBOL = Type.String({ minLength: 1, maxLength: 64 });
const NONE = Type.Literal('');

const TRADES = Type.Object({
  data: Type.Array(
    Type.Object({
      T: TIME,
      s: SYMBOL,
      S: Type.Optional(Type.String({ maxLength: 8 })),
      v: FIGURE,
      p: FIGURE,
      i: Type.String({ minLength: 1, maxLength: 64 }),
      BT: Type.Optional(Type.Boolean()),
    }),
  ),
});
/** Tickers of contracts: all fields at first, then only those that have changed. */
const TICKER = Type.Object({
  ts: TIME,
  data: Type.Object({
    symbol: SYMBOL,
    markPrice: Type.Optional(Type.Union([FIGURE, NONE])),
    fundingRate: Type.Optional(Type.Union([SIGNED, NONE])),
    nextFundingTime: Type.Optional(Type.Union([TIME_TEXT, NONE])),
  }),
});
const KLINE = Type.Object({
  topic: SYMBOL,
  data: Type.Array(
    Type.Object({
      start: TIME,
      interval: Type.String({ maxLength: 8 }),
      open: FIGURE,
      high: FIGURE,
      low: FIGURE,
      close: FIGURE,
      volume: FIGURE,
      confirm: Type.Boolean(),
    }),
  ),
});
const REPLY = Type.Object({
  op: Type.Optional(Type.String({ maxLength: 40 })),
  success: Type.Optional(Type.Boolean()),
  ret_msg: Type.Optional(Type.String()),
  req_id: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
});

const readTrades = messageReader(TRADES, FRAME);
const readTicker = messageReader(TICKER, FRAME);
const readKline = messageReader(KLINE, FRAME);
const readReply = messageReader(REPLY, FRAME);

const OTHER: Message<StreamItem<never>> = { ok: true, value: { kind: 'other' } };
/** The topic is within so many characters of the start. */
const TOPIC_WITHIN = 200;

/** Reads one message of a public socket. */
export function readStream(text: string): Message<StreamItem<MarketEvent>> {
  const topic = /"topic"\s*:\s*"([^"]{1,100})"/.exec(text.slice(0, TOPIC_WITHIN))?.[1];
  if (topic === undefined) return replyOf(text);
  if (topic.startsWith('publicTrade.')) return tradesOf(text);
  if (topic.startsWith('tickers.')) return markOf(text);
  return topic.startsWith('kline.') ? closedOf(text) : OTHER;
}

/** Reads messages without data: answers to subscriptions, pongs. */
export function replyOf(text: string): Message<StreamItem<never>> {
  const read = readReply(text);
  if (!read.ok) return read;
  const { op = '', success = true, ret_msg = '', req_id } = read.value;
  // The pong of a public socket has the name `ping`.
  if (op === 'ping' || op === 'pong') return OTHER;
  const id = Number(req_id ?? '');
  if (!req_id || !Number.isSafeInteger(id)) return { ok: false, problem: ret_msg || 'an answer to nothing' };
  return { ok: true, value: { kind: 'reply', id, problem: success ? null : ret_msg || 'refused' } };
}

/** Reads trades without block trades, which are agreed elsewhere at a price that is not the market's. */
function tradesOf(text: string): Message<StreamItem<MarketEvent>> {
  const read = readTrades(text);
  if (!read.ok) return read;
  const rows = read.value.data.filter(({ BT }) => BT !== true);
  const [first] = rows;
  if (!first) return OTHER;
  if (rows.some(({ s, p }) => s !== first.s || dec(p) <= ZERO)) return odd(first.s);
  const trades = rows.map(({ i, p, v, T, S }) => ({
    id: i,
    price: plain(p),
    volume: plain(v),
    time: T,
    ...(S === 'Buy' ? { side: 'BUY' as const } : S === 'Sell' ? { side: 'SELL' as const } : {}),
  }));
  return named(first.s, { kind: 'trades', symbol: first.s, trades });
}

function markOf(text: string): Message<StreamItem<MarketEvent>> {
  const read = readTicker(text);
  if (!read.ok) return read;
  const { ts, data } = read.value;
  const { symbol, markPrice, fundingRate, nextFundingTime } = data;
  if (markPrice && dec(markPrice) <= ZERO) return odd(symbol);
  const at = Number(nextFundingTime || 0);
  const funding = {
    ...(fundingRate ? { rate: plain(fundingRate) } : {}),
    ...(at > 0 ? { at } : {}),
  };
  return named(symbol, {
    kind: 'mark',
    symbol,
    time: ts,
    funding,
    ...(markPrice ? { price: plain(markPrice) } : {}),
  });
}

/** Reads a closed candle; candles that are still open, which are most messages, are ignored. */
function closedOf(text: string): Message<StreamItem<MarketEvent>> {
  if (!/"confirm"\s*:\s*true/.test(text)) return OTHER;
  const read = readKline(text);
  if (!read.ok) return read;
  const { topic, data } = read.value;
  const symbol = topic.split('.').slice(2).join('.');
  const row = data.find(({ confirm }) => confirm);
  if (!row) return OTHER;
  const candle = candleOf({ ...row, time: row.start });
  return candle ? named(symbol, { kind: 'closed', symbol, interval: row.interval, candle }) : odd(symbol);
}

function named(symbol: string, event: MarketEvent): Message<StreamItem<MarketEvent>> {
  if (!isMarketName(symbol)) return { ok: false, problem: 'it is of a symbol that none can have' };
  return { ok: true, value: { kind: 'event', event } };
}

function odd(symbol: string): Message<StreamItem<MarketEvent>> {
  return { ok: false, problem: `its figures cannot be: ${symbol.slice(0, 64)}` };
}

function plain(text: string): string {
  return str(dec(text));
}

const readKlineRows = messageReader(
  Type.Object({
    result: Type.Object({ list: Type.Array(Type.Array(Type.String(), { minItems: 6, maxItems: 20 })) }),
  }),
  ANSWER,
);
const readTickers = messageReader(
  Type.Object({
    result: Type.Object({ list: Type.Array(Type.Object({ symbol: SYMBOL, lastPrice: Type.String() })) }),
  }),
  ANSWER,
);
const readFundingRows = messageReader(
  Type.Object({
    result: Type.Object({
      list: Type.Array(Type.Object({ fundingRate: SIGNED, fundingRateTimestamp: TIME_TEXT })),
    }),
  }),
  ANSWER,
);

const IS_FIGURE = /^\d{1,20}(\.\d{1,18})?$/;

/**
 * Reads rows `[start, open, high, low, close, volume, ...]`, newest first; one invalid row makes all of them
 * unreadable.
 */
export function readKlines(text: string): Message<readonly Candle[]> {
  const read = readKlineRows(text);
  if (!read.ok) return read;
  const candles: Candle[] = [];
  for (const [
    start = '',
    open = '',
    high = '',
    low = '',
    close = '',
    volume = '',
  ] of read.value.result.list.toReversed()) {
    const isSound =
      /^\d{1,16}$/.test(start) && [open, high, low, close, volume].every((one) => IS_FIGURE.test(one));
    const candle = isSound ? candleOf({ time: Number(start), open, high, low, close, volume }) : null;
    if (candle === null || candle.time <= (candles.at(-1)?.time ?? -1))
      return { ok: false, problem: 'a row is no candle, or not later than the one before' };
    candles.push(candle);
  }
  return { ok: true, value: candles };
}

/** Reads last prices; symbols without a price or with an invalid name are left out. */
export function readPrices(text: string): Message<Prices> {
  const read = readTickers(text);
  if (!read.ok) return read;
  const value = read.value.result.list.flatMap(({ symbol, lastPrice }) =>
    isMarketName(symbol) && IS_FIGURE.test(lastPrice) && dec(lastPrice) > ZERO
      ? [[symbol, plain(lastPrice)] as const]
      : [],
  );
  return { ok: true, value };
}

/** Reads funding payments, oldest first. The mark price of a payment is not known. */
export function readFunding(text: string): Message<readonly FundingPayment[]> {
  const read = readFundingRows(text);
  if (!read.ok) return read;
  const rows = read.value.result.list.map(({ fundingRate, fundingRateTimestamp }) => ({
    at: Number(fundingRateTimestamp),
    rate: plain(fundingRate),
    mark: null,
  }));
  return { ok: true, value: rows.sort((a, b) => a.at - b.at) };
}
