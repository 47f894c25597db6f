/**
 * Depth of Bybit: fifty prices on each side, a snapshot at first and whenever the exchange sends one again,
 * then changes, up to fifty times a second (DOC websocket/public/orderbook).
 */
import { Type } from 'typebox';
import { dec, ZERO } from '../../../domain/decimal.ts';
import { FRAME } from '../../kit/bounds.ts';
import type { DepthNews } from '../../kit/depth-book.ts';
import type { StreamItem } from '../../kit/market-streams.ts';
import { type Message, messageReader } from '../../kit/messages.ts';
import { replyOf } from './messages.ts';

const LEVELS = 50;
const FIGURE = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,18})?$' });
const SIDE = Type.Array(Type.Tuple([FIGURE, FIGURE]), { maxItems: 1_000 });
const readBook = messageReader(
  Type.Object({
    topic: Type.String({ minLength: 1, maxLength: 100 }),
    type: Type.Union([Type.Literal('snapshot'), Type.Literal('delta')]),
    data: Type.Object({
      b: SIDE,
      a: SIDE,
      u: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    }),
  }),
  FRAME,
);
/** The topic is within so many characters of the start. */
const TOPIC_WITHIN = 200;

export function depthTopic(symbol: string): string {
  return `orderbook.${LEVELS}.${symbol}`;
}

/**
 * Reads one message of a depth socket. A message with `u` 1 is a snapshot after a restart of the exchange,
 * which then restarts its counting.
 */
export function readDepth(text: string): Message<StreamItem<DepthNews>> {
  const topic = /"topic"\s*:\s*"([^"]{1,100})"/.exec(text.slice(0, TOPIC_WITHIN))?.[1];
  if (topic === undefined) return replyOf(text);
  if (!topic.startsWith('orderbook.')) return { ok: true, value: { kind: 'other' } };
  const read = readBook(text);
  if (!read.ok) return read;
  const { type, data } = read.value;
  if ([...data.b, ...data.a].some(([price]) => dec(price) <= ZERO))
    return { ok: false, problem: `a price of zero: ${topic}` };
  const isWhole = type === 'snapshot' || data.u === 1;
  const event: DepthNews = { stream: topic, isWhole, bids: data.b, asks: data.a, at: data.u };
  return { ok: true, value: { kind: 'event', event } };
}
