/**
 * Depth of OKX: four hundred prices a side, a whole at first, then what has changed of it, each message naming the one before
 * (OD "Order book channel", `books`: `seqId`, `prevSeqId`), on sockets of its own. Of a swap sizes come in contracts.
 */
import { Type } from 'typebox';
import type { Clock, Random } from '../../../domain/clock.ts';
import { dec, ZERO } from '../../../domain/decimal.ts';
import type { DepthLevel } from '../../../domain/depth.ts';
import type { Way } from '../../kit/addresses.ts';
import { FRAME } from '../../kit/bounds.ts';
import type { DepthNews } from '../../kit/depth-book.ts';
import type { DepthEvents, DepthWire } from '../../kit/depth-books.ts';
import { type Message, messageReader } from '../../kit/messages.ts';
import type { Net } from '../../kit/net.ts';
import { type Listing, quantityOf } from '../instruments.ts';
import { channelKey, type PriceEvent, readPrices } from './messages.ts';
import { CHANNEL_LIMITS, type ChannelLimits, PriceChannels } from './streams.ts';

const FIGURE = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,18})?$' });
const SIDE = Type.Array(Type.Array(FIGURE, { minItems: 2, maxItems: 6 }), { maxItems: 1_000 });
/** -1: it follows nothing. */
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
/** The argument stands first. */
const HEAD = 200;

export function depthChannel(instId: string): string {
  return channelKey(CHANNEL, instId);
}

/** One message of a socket of depths, in the exchange's own units. */
export function readDepth(text: string): Message<readonly PriceEvent[]> {
  if (!/"channel"\s*:\s*"books"/.test(text.slice(0, HEAD)) || !text.includes('"action"'))
    return readPrices(text, true);
  const read = readBook(text);
  if (!read.ok) return read;
  const { arg, action, data } = read.value;
  const [{ bids, asks, seqId, prevSeqId } = { bids: [], asks: [], seqId: -1, prevSeqId: -1 }] = data;
  const [buyers, sellers] = [bids.map(levelOf), asks.map(levelOf)];
  if ([...buyers, ...sellers].some(([price]) => dec(price) <= ZERO))
    return { ok: false, problem: `a price of zero: ${arg.instId}` };
  const isWhole = action === 'snapshot';
  const news: DepthNews = {
    ...{ stream: depthChannel(arg.instId), isWhole, bids: buyers, asks: sellers, at: seqId },
    ...(isWhole ? {} : { after: prevSeqId }),
  };
  return { ok: true, value: [{ kind: 'depth', news }] };
}

function levelOf([price = '0', size = '0']: readonly string[]): DepthLevel {
  return [price, size];
}

export interface DepthWireOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly way: Way;
  readonly address: string;
  readonly limits: Partial<ChannelLimits> | undefined;
  readonly listing: (instId: string) => Listing | undefined;
  readonly events: DepthEvents;
  readonly complain: (what: string, text: string) => void;
}

/** Asked for by symbol as `DepthBooks` has it; its channels name instruments. */
export function depthWire({ limits, listing, events, complain, ...rest }: DepthWireOptions): DepthWire {
  const inUnits = (size: Listing, side: readonly DepthLevel[]): DepthLevel[] =>
    side.map(([price, amount]) => [price, quantityOf(size, amount)]);
  const channels = new PriceChannels({
    ...{ ...rest, limits: { ...CHANNEL_LIMITS, ...limits }, read: readDepth, complain },
    event: (event) => {
      if (event.kind !== 'depth') return;
      const { news } = event;
      const of = listing(news.stream.slice(CHANNEL.length + 1));
      if (of) events.news({ ...news, bids: inUnits(of, news.bids), asks: inUnits(of, news.asks) });
    },
    state: (symbol, why) => events.state(symbol, why),
    gap: () => {},
    upgrade: () => channels.rotate(),
  });
  return channels;
}
