/**
 * Reads OKX's market data: data of public channels, and answers about prices, candles and funding (OD, one
 * page a channel or endpoint). Each message is bounded and must have its form, or all of it is unreadable.
 * Names and units of sizes are the exchange's own.
 */
import { Type } from 'typebox';
import { dec, str, ZERO } from '../../../domain/decimal.ts';
import type { Candle } from '../../../domain/rows.ts';
import { ANSWER, FRAME } from '../../kit/bounds.ts';
import { type Message, messageReader } from '../../kit/messages.ts';

const FIGURE = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,18})?$' });
const SIGNED = Type.String({ pattern: '^-?\\d{1,20}(\\.\\d{1,20})?$' });
const MAYBE = Type.Optional(Type.Union([SIGNED, Type.Literal('')]));
const TIME = Type.String({ pattern: '^\\d{1,16}$' });
const NAME = Type.String({ minLength: 1, maxLength: 64 });
const data = <T extends Parameters<typeof Type.Array>[0]>(row: T) =>
  messageReader(Type.Object({ data: Type.Array(row) }), FRAME);
const answer = <T extends Parameters<typeof Type.Array>[0]>(row: T) =>
  messageReader(Type.Object({ code: Type.Literal('0'), data: Type.Array(row) }), ANSWER);

const TRADE_ID = Type.String({ pattern: '^\\d{1,15}$' });
const CANDLE = Type.Array(Type.String({ maxLength: 40 }), { minItems: 9, maxItems: 12 });
const readTrades = data(
  Type.Object({
    instId: NAME,
    tradeId: TRADE_ID,
    px: FIGURE,
    sz: FIGURE,
    // Only for people: a price is valid without these.
    side: Type.Optional(Type.String({ maxLength: 8 })),
    ts: Type.Optional(TIME),
  }),
);
const readMarks = data(Type.Object({ instId: NAME, markPx: FIGURE, ts: TIME }));
const readFundings = data(
  Type.Object({
    instId: NAME,
    fundingRate: MAYBE,
    fundingTime: TIME,
    nextFundingTime: Type.Optional(Type.String()),
  }),
);
const readCandleRows = data(CANDLE);
const readHead = messageReader(
  Type.Object({
    id: Type.Optional(Type.String()),
    event: Type.Optional(Type.String()),
    code: Type.Optional(Type.String()),
    msg: Type.Optional(Type.String()),
    arg: Type.Optional(Type.Object({ channel: Type.String(), instId: Type.Optional(NAME) })),
  }),
  FRAME,
);

/** A candle in base units. */
export interface RawCandle extends Candle {
  readonly isClosed: boolean;
}

export type PriceEvent =
  | {
      readonly kind: 'trade';
      readonly instId: string;
      readonly id: number;
      readonly price: string;
      readonly size: string;
      /** Time of the trade, Unix ms, and the side of its taker; left out: not given. */
      readonly time?: number;
      readonly side?: 'BUY' | 'SELL';
    }
  | { readonly kind: 'mark'; readonly instId: string; readonly time: number; readonly price: string }
  | {
      readonly kind: 'funding';
      readonly instId: string;
      readonly rate: string;
      readonly at: number;
      readonly next: number | null;
    }
  | { readonly kind: 'closed'; readonly instId: string; readonly bar: string; readonly candle: RawCandle }
  /** A subscription was confirmed, or ended. */
  | { readonly kind: 'granted' | 'left'; readonly channel: string }
  /** The request with this number was refused; null: no number is named. */
  | { readonly kind: 'refused'; readonly id: number | null; readonly problem: string }
  /** The exchange is about to end the socket. */
  | { readonly kind: 'shutdown' }
  | { readonly kind: 'other' };

export function channelKey(channel: string, instId: string): string {
  return `${channel} ${instId}`;
}

const OTHER: Message<readonly PriceEvent[]> = { ok: true, value: [{ kind: 'other' }] };
const UPGRADE = '64008';

/** Reads one message of a public socket. `isSpot` decides which figure of a candle is in base units. */
export function readPrices(text: string, isSpot: boolean): Message<readonly PriceEvent[]> {
  if (text === 'pong') return OTHER;
  // Most messages are candles that still run.
  if (text.includes('"candle') && text.includes('"data"') && !/"1"\s*\]/.test(text)) return OTHER;
  const head = readHead(text);
  if (!head.ok) return head;
  const { id, event, code = '', msg = '', arg } = head.value;
  const channel = arg?.channel ?? '';
  const instId = arg?.instId ?? '';
  if (event === 'subscribe' || event === 'unsubscribe')
    return one({ kind: event === 'subscribe' ? 'granted' : 'left', channel: channelKey(channel, instId) });
  if (event === 'notice') return one({ kind: code === UPGRADE ? 'shutdown' : 'other' });
  if (event === 'error')
    return one({
      kind: 'refused',
      id: id !== undefined && /^\d{1,9}$/.test(id) ? Number(id) : null,
      problem: `${msg} (${code})`,
    });
  if (event !== undefined) return OTHER;
  if (channel === 'trades') {
    const read = readTrades(text);
    if (!read.ok) return read;
    if (read.value.data.some(({ px }) => dec(px) <= ZERO)) return odd('a price of zero');
    return all(
      read.value.data.map(({ instId: of, tradeId, px, sz, side, ts }) => ({
        kind: 'trade',
        instId: of,
        id: Number(tradeId),
        price: plain(px),
        size: plain(sz),
        ...(ts === undefined ? {} : { time: Number(ts) }),
        ...(side === 'buy' ? { side: 'BUY' } : side === 'sell' ? { side: 'SELL' } : {}),
      })),
    );
  }
  if (channel === 'mark-price') {
    const read = readMarks(text);
    if (!read.ok) return read;
    if (read.value.data.some(({ markPx }) => dec(markPx) <= ZERO)) return odd('a mark price of zero');
    return all(
      read.value.data.map(({ instId: of, markPx, ts }) => ({
        kind: 'mark',
        instId: of,
        time: Number(ts),
        price: plain(markPx),
      })),
    );
  }
  if (channel === 'funding-rate') {
    const read = readFundings(text);
    if (!read.ok) return read;
    return all(
      read.value.data.flatMap(({ instId: of, fundingRate, fundingTime, nextFundingTime = '' }) =>
        fundingRate
          ? [
              {
                kind: 'funding',
                instId: of,
                rate: plain(fundingRate),
                at: Number(fundingTime),
                next: /^\d{1,16}$/.test(nextFundingTime) ? Number(nextFundingTime) : null,
              },
            ]
          : [],
      ),
    );
  }
  if (!channel.startsWith('candle')) return OTHER;
  const read = readCandleRows(text);
  if (!read.ok) return read;
  const events: PriceEvent[] = [];
  for (const row of read.value.data) {
    const candle = candleOf(row, isSpot);
    if (candle === null) return odd(`a candle that cannot be: ${row.join(' ').slice(0, 100)}`);
    if (candle.isClosed) events.push({ kind: 'closed', instId, bar: channel.slice('candle'.length), candle });
  }
  return all(events);
}

function one(event: PriceEvent): Message<readonly PriceEvent[]> {
  return { ok: true, value: [event] };
}

function all(events: readonly unknown[]): Message<readonly PriceEvent[]> {
  return { ok: true, value: events as readonly PriceEvent[] };
}

function odd(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}

function plain(text: string): string {
  return str(dec(text));
}

const PLAIN = /^\d{1,20}(\.\d{1,18})?$/;

/**
 * Reads `[ts, o, h, l, c, vol, volCcy, volCcyQuote, confirm]`. Null: the figures contradict each other, or
 * are none.
 */
function candleOf(row: readonly string[], isSpot: boolean): RawCandle | null {
  const [ts = '', open = '', high = '', low = '', close = '', vol = '', volCcy = '', , confirm = ''] = row;
  const volume = isSpot ? vol : volCcy;
  if (!/^\d{1,16}$/.test(ts) || ![open, high, low, close, volume].every((one) => PLAIN.test(one)))
    return null;
  const [o, h, l, c] = [dec(open), dec(high), dec(low), dec(close)];
  if (l <= ZERO || h < l || o < l || o > h || c < l || c > h) return null;
  return {
    time: Number(ts),
    open: str(o),
    high: str(h),
    low: str(l),
    close: str(c),
    volume: plain(volume),
    isClosed: confirm === '1',
  };
}

const readCandleAnswer = answer(CANDLE);
const readTickerAnswer = answer(Type.Object({ instId: NAME, last: Type.Union([FIGURE, Type.Literal('')]) }));
const readFundingAnswer = answer(
  Type.Object({ instId: NAME, fundingTime: TIME, fundingRate: MAYBE, realizedRate: MAYBE }),
);

/**
 * Reads candles and returns them oldest first; a row of the answer that is no candle, or not older than the
 * row before it, makes all unreadable.
 */
export function readCandles(text: string, isSpot: boolean): Message<readonly RawCandle[]> {
  const read = readCandleAnswer(text);
  if (!read.ok) return read;
  const candles: RawCandle[] = [];
  for (const row of read.value.data) {
    const candle = candleOf(row, isSpot);
    if (candle === null || candle.time >= (candles.at(-1)?.time ?? Number.POSITIVE_INFINITY))
      return odd(`row ${candles.length + 1} is no candle, or not older than the one before`);
    candles.push(candle);
  }
  return { ok: true, value: candles.reverse() };
}

/** Reads last prices; rows without a price are left out. */
export function readTickers(text: string): Message<readonly (readonly [instId: string, price: string])[]> {
  const read = readTickerAnswer(text);
  if (!read.ok) return read;
  const value = read.value.data.flatMap(({ instId, last }) =>
    last !== '' && dec(last) > ZERO ? [[instId, plain(last)] as const] : [],
  );
  return { ok: true, value };
}

export interface FundingRow {
  readonly at: number;
  readonly rate: string;
  /** Null: OKX does not give it. */
  readonly mark: null;
}

/** Reads past funding payments, oldest first. */
export function readFunding(text: string): Message<readonly FundingRow[]> {
  const read = readFundingAnswer(text);
  if (!read.ok) return read;
  const rows = read.value.data.flatMap(({ fundingTime, fundingRate, realizedRate }) => {
    const rate = realizedRate || fundingRate;
    return rate ? [{ at: Number(fundingTime), rate: plain(rate), mark: null }] : [];
  });
  return { ok: true, value: rows.sort((a, b) => a.at - b.at) };
}
