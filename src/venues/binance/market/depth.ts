/**
 * Depth of Binance: the ten best prices of each side, complete, ten times a second, on separate sockets. A
 * spot message names no symbol, so these are combined sockets (`/stream`), whose messages name their stream.
 * Sources: binance-spot-api-docs web-socket-streams.md "Partial Book Depth Streams"; USD-M "Partial Book
 * Depth Streams", on the root `/public`.
 */
import { Type } from 'typebox';
import { dec, ZERO } from '../../../domain/decimal.ts';
import { DEPTH_LEVELS } from '../../../domain/depth.ts';
import { FRAME } from '../../kit/bounds.ts';
import type { DepthNews } from '../../kit/depth-book.ts';
import type { StreamItem } from '../../kit/market-streams.ts';
import { type Message, messageReader } from '../../kit/messages.ts';
import { replyOf } from './messages.ts';

const FIGURE = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,18})?$' });
const COUNT = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const SIDE = Type.Array(Type.Tuple([FIGURE, FIGURE]), { maxItems: 1_000 });
const FIELDS = { bids: Type.Optional(SIDE), asks: Type.Optional(SIDE) };
/** A depth message: spot names its fields with words, futures with letters. */
const MESSAGE = Type.Object({
  stream: Type.String({ minLength: 1, maxLength: 100 }),
  data: Type.Object({
    lastUpdateId: Type.Optional(COUNT),
    ...FIELDS,
    u: Type.Optional(COUNT),
    b: Type.Optional(SIDE),
    a: Type.Optional(SIDE),
  }),
});
const readMessage = messageReader(MESSAGE, FRAME);

const HEAD = 200;

/** A symbol in the name of a stream: ASCII letters become lower case, others stay as they are. */
export function inStreams(symbol: string): string {
  return symbol.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export function depthStream(symbol: string): string {
  return `${inStreams(symbol)}@depth${DEPTH_LEVELS}@100ms`;
}

/** Reads one message of a combined depth socket. */
export function readDepth(text: string): Message<StreamItem<DepthNews>> {
  const stream = /"stream"\s*:\s*"([^"]{1,100})"/.exec(text.slice(0, HEAD))?.[1];
  if (stream === undefined) return replyOf(text);
  if (stream.startsWith('!serverShutdown')) return { ok: true, value: { kind: 'shutdown' } };
  const read = readMessage(text);
  if (!read.ok) return read;
  const { lastUpdateId, bids, asks, u, b, a } = read.value.data;
  const at = lastUpdateId ?? u;
  const [buyers, sellers] = [bids ?? b, asks ?? a];
  if (at === undefined || !buyers || !sellers) return { ok: false, problem: `it is no depth: ${stream}` };
  if ([...buyers, ...sellers].some(([price]) => dec(price) <= ZERO))
    return { ok: false, problem: `a price of zero: ${stream}` };
  const event: DepthNews = { stream, isWhole: true, bids: buyers, asks: sellers, at };
  return { ok: true, value: { kind: 'event', event } };
}
