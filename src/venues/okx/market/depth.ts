/**
 * Depth of OKX: four hundred prices a side, first a snapshot, then changes, each message naming the one
 * before (OD "Order book channel", `books`: `seqId`, `prevSeqId`), on separate sockets. Sizes of swaps come
 * in contracts.
 */
import { Type } from 'typebox';
import { dec, ZERO } from '../../../domain/decimal.ts';
import type { DepthLevel } from '../../../domain/depth.ts';
import { FRAME } from '../../kit/bounds.ts';
import type { DepthNews } from '../../kit/depth-book.ts';
import type { StreamItem } from '../../kit/market-streams.ts';
import { type Message, messageReader } from '../../kit/messages.ts';
import { type Listing, quantityOf } from '../instruments.ts';
import { channelKey, type PriceEvent, readPrices } from './messages.ts';

const FIGURE = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,18})?$' });
const SIDE = Type.Array(Type.Array(FIGURE, { minItems: 2, maxItems: 6 }), { maxItems: 1_000 });
/** A sequence number; -1: it follows nothing. */
const SEQUENCE = Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER });
const readBook = messageReader(
  Type.Object({
    arg: Type.Object({ instId: Type.String({ minLength: 1, maxLength: 64 }) }),
    action: Type.Union([Type.Literal('snapshot'), Type.Literal('update')]),
    data: Type.Array(Type.Object({ bids: SIDE, asks: SIDE, seqId: SEQUENCE, prevSeqId: SEQUENCE }), {
      minItems: 1,
      maxItems: 1,
    }),
  }),
  FRAME,
);
const CHANNEL = 'books';
/** The argument comes within this many characters. */
const HEAD = 200;

export function depthChannel(instId: string): string {
  return channelKey(CHANNEL, instId);
}

/**
 * Reads one message of a depth socket. `listing` finds an instrument by the exchange's name; undefined: it is
 * not listed.
 */
export function readDepth(
  text: string,
  listing: (instId: string) => Listing | undefined,
): Message<readonly StreamItem<DepthNews>[]> {
  if (!/"channel"\s*:\s*"books"/.test(text.slice(0, HEAD)) || !text.includes('"action"')) {
    const read = readPrices(text, true);
    return read.ok ? { ok: true, value: read.value.map(answerOf) } : read;
  }
  const read = readBook(text);
  if (!read.ok) return read;
  const { arg, action, data } = read.value;
  const [{ bids, asks, seqId, prevSeqId } = { bids: [], asks: [], seqId: -1, prevSeqId: -1 }] = data;
  const of = listing(arg.instId);
  if (!of) return { ok: true, value: [] };
  const [buyers, sellers] = [bids, asks].map((side) => side.map((row) => levelOf(row, of))) as [
    DepthLevel[],
    DepthLevel[],
  ];
  if ([...buyers, ...sellers].some(([price]) => dec(price) <= ZERO))
    return { ok: false, problem: `a price of zero: ${arg.instId}` };
  const isWhole = action === 'snapshot';
  const news: DepthNews = {
    stream: depthChannel(arg.instId),
    isWhole,
    bids: buyers,
    asks: sellers,
    at: seqId,
    ...(isWhole ? {} : { after: prevSeqId }),
  };
  return { ok: true, value: [{ kind: 'event', event: news }] };
}

function levelOf([price = '0', size = '0']: readonly string[], of: Listing): DepthLevel {
  return [price, quantityOf(of, size)];
}

/** An answer of the socket about its channels. */
function answerOf(event: PriceEvent): StreamItem<never> {
  if ('channel' in event) return { kind: event.kind, stream: event.channel };
  return event.kind === 'refused' || event.kind === 'shutdown' ? event : { kind: 'other' };
}
