/**
 * Depth of Binance: the ten best prices a side, whole, ten times a second, on sockets of its own. A spot message names no symbol, so
 * these sockets are combined ones (`/stream`), whose messages name their stream. Sources: binance-spot-api-docs web-socket-streams.md
 * "Partial Book Depth Streams"; USD-M "Partial Book Depth Streams", on the root `/public`.
 */
import { Type } from 'typebox';
import type { Clock, Random } from '../../../domain/clock.ts';
import { dec, ZERO } from '../../../domain/decimal.ts';
import { DEPTH_LEVELS } from '../../../domain/depth.ts';
import { FRAME } from '../../kit/bounds.ts';
import type { DepthNews } from '../../kit/depth-book.ts';
import type { DepthEvents, DepthWire } from '../../kit/depth-books.ts';
import type { LineGate } from '../../kit/line.ts';
import { MarketStreams, type StreamDialect, type Told } from '../../kit/market-streams.ts';
import { type Message, messageReader } from '../../kit/messages.ts';
import type { Net } from '../../kit/net.ts';
import { readStream } from './messages.ts';
import type { StreamLimits } from './streams.ts';

const FIGURE = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,18})?$' });
const COUNT = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const SIDE = Type.Array(Type.Tuple([FIGURE, FIGURE]), { maxItems: 1_000 });
const FIELDS = { bids: Type.Optional(SIDE), asks: Type.Optional(SIDE) };
/** Of spot with whole words, of futures with letters. */
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

/** Streams of one subscription. */
const BATCH = 100;
const HEAD = 200;

/** A symbol in the name of a stream: small letters; others than of ASCII stay as they are. */
export function inStreams(symbol: string): string {
  return symbol.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export function depthStream(symbol: string): string {
  return `${inStreams(symbol)}@depth${DEPTH_LEVELS}@100ms`;
}

/** One message of a combined socket of depths. */
export function readDepth(text: string): Message<Told<DepthNews>> {
  const stream = /"stream"\s*:\s*"([^"]{1,100})"/.exec(text.slice(0, HEAD))?.[1];
  if (stream === undefined) {
    const read = readStream(text);
    if (!read.ok) return read;
    const { value } = read;
    return value.kind === 'reply' ? { ok: true, value } : { ok: true, value: { kind: 'other' } };
  }
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

const DIALECT: StreamDialect<DepthNews> = {
  subscription: (id, on, params) => JSON.stringify({ method: on ? 'SUBSCRIBE' : 'UNSUBSCRIBE', params, id }),
  read: readDepth,
};

export interface DepthWireOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly gate: LineGate;
  readonly limits: StreamLimits;
  /** Without `/stream`. */
  readonly address: string;
  readonly events: DepthEvents;
  readonly complain: (of: string, text: string) => void;
}

export function depthWire({ address, limits, events, complain, ...rest }: DepthWireOptions): DepthWire {
  return new MarketStreams<DepthNews>({
    ...{ ...rest, address: `${address}/stream`, dialect: DIALECT },
    limits: { ...limits, batch: BATCH },
    event: (news) => events.news(news),
    state: (symbol, why) => events.state(symbol, why),
    gap: () => {},
    complain: (kind, text) => complain(`depth, ${kind}`, text),
  });
}
