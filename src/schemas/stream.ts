/**
 * Messages of the WebSocket (specification, "Events"; S13 to S15): the one source of the types that the
 * service and the client agree on, and of their documentation. No logic.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { PublicBot } from './bot.ts';
import { Position } from './futures.ts';
import { Order } from './order.ts';

export const STREAM_CHANNELS = ['orders', 'balance', 'positions', 'botStatus'] as const;

/** All codes of an error message. */
export const STREAM_ERROR_CODES = [
  'AUTH_REQUIRED',
  'AUTH_TIMEOUT',
  'AUTH_IN_PROGRESS',
  'CHALLENGE_MISSING',
  'TIMESTAMP_INVALID',
  'TIMESTAMP_EXPIRED',
  'INVALID_ARGS',
  'INVALID_KEY',
  'INVALID_SIGNATURE',
  'UNAUTHORIZED',
  'IP_REJECTED',
  'INSUFFICIENT_PERMISSIONS',
  'TOO_MANY_ATTEMPTS',
  'KEY_REVOKED',
  'RATE_LIMITED',
  'INVALID_JSON',
  'INTERNAL_ERROR',
] as const;

/** Codes with which the service closes a socket (specification, "Close codes and heartbeat"). */
export const STREAM_CLOSE_CODES = {
  /** More messages than allowed; the error RATE_LIMITED is sent first. */
  rateLimited: 1008,
  frameTooLarge: 1009,
  /** Not authenticated in time (AUTH_TIMEOUT) or too many attempts (TOO_MANY_ATTEMPTS). */
  authFailed: 4001,
  /** The error KEY_REVOKED is sent first. The client must not reconnect. */
  keyRevoked: 4003,
} as const;

export const StreamChannel = Type.Union([
  Type.Literal('orders'),
  Type.Literal('balance'),
  Type.Literal('positions'),
  Type.Literal('botStatus'),
]);
const UnixMs = Type.Integer();
/** Id that the client chooses; the reply repeats it. */
const Id = Type.Optional(Type.String());

export const AuthMessage = Type.Object({
  op: Type.Literal('auth'),
  id: Id,
  args: Type.Object({ key: Type.String(), sign: Type.String(), timestamp: UnixMs }),
});
export const PingMessage = Type.Object({ op: Type.Literal('ping'), id: Id });

/**
 * `exchange` limits orders, balance and positions; `symbol` limits only orders, and only together with
 * `exchange`. A subscription with anything else receives nothing.
 */
export const SubscribeArgs = Type.Object({
  channel: StreamChannel,
  exchange: Type.Optional(Type.String()),
  symbol: Type.Optional(Type.String()),
});
export const SubscribeMessage = Type.Object({ op: Type.Literal('subscribe'), id: Id, args: SubscribeArgs });
export const UnsubscribeMessage = Type.Object({
  op: Type.Literal('unsubscribe'),
  id: Id,
  args: SubscribeArgs,
});

/** A message from a client. */
export const ClientMessage = Type.Union([AuthMessage, PingMessage, SubscribeMessage, UnsubscribeMessage]);

const Text = Type.String();

export const OrdersUpdate = Type.Object({
  event: Type.Union([Type.Literal('ORDER_CREATE'), Type.Literal('ORDER_UPDATE')]),
  order: Order,
});
export const BalanceChange = Type.Object({
  free: Text,
  wallet: Text,
  locked: Text,
  lockedByBot: Type.Optional(Text),
  usd: Type.Optional(Text),
});
export const BalanceTotal = Type.Object({
  ts: Type.Optional(UnixMs),
  mmr: Type.Optional(Text),
  imr: Type.Optional(Text),
  upnl: Type.Optional(Text),
  crossUpnl: Type.Optional(Text),
  crossWallet: Type.Optional(Text),
});
/** `changes` by asset; spot and futures have the same shape, and `marketType` distinguishes them. */
export const BalanceUpdate = Type.Object({
  event: Type.Literal('BALANCE_UPDATE'),
  exchange: Text,
  marketType: Type.Optional(Text),
  changes: Type.Record(Text, BalanceChange),
  total: Type.Optional(BalanceTotal),
});
/** `changes` by symbol: only the fields that have changed. */
export const PositionsUpdate = Type.Object({
  event: Type.Literal('POSITION_UPDATE'),
  exchange: Text,
  changes: Type.Record(Text, Type.Partial(Position)),
});
/** Open object: more fields may be added. */
export const BotStatusUpdate = Type.Object({
  event: Type.Union([
    Type.Literal('BOT_STARTED'),
    Type.Literal('BOT_STOPPED'),
    Type.Literal('BOT_ERROR'),
    Type.Literal('BOT_UPDATE'),
  ]),
  bot: Type.Object(
    {
      id: Text,
      type: Text,
      status: Text,
      exchange: Text,
      symbol: Type.Optional(Type.Unknown()),
      runId: Type.Optional(Text),
      state: PublicBot.properties.state,
      stats: PublicBot.properties.stats,
      alert: PublicBot.properties.alert,
    },
    { additionalProperties: true },
  ),
});

export const ChallengeMessage = Type.Object({
  op: Type.Literal('challenge'),
  ts: UnixMs,
  data: Type.Object({ challenge: Type.String({ pattern: '^[0-9a-f]+$' }) }),
});
export const AuthReply = Type.Object({
  op: Type.Literal('auth'),
  id: Id,
  ts: UnixMs,
  data: Type.Object({ authenticated: Type.Boolean(), userId: Text }),
});
export const PongReply = Type.Object({ op: Type.Literal('pong'), id: Id, ts: UnixMs });
export const SubscribedReply = Type.Object({
  op: Type.Literal('subscribed'),
  id: Id,
  ts: UnixMs,
  channel: StreamChannel,
});
export const UnsubscribedReply = Type.Object({
  op: Type.Literal('unsubscribed'),
  id: Id,
  ts: UnixMs,
  channel: StreamChannel,
});
/** `op` in `data`: the message that this error answers (S15). */
export const ErrorMessage = Type.Object({
  op: Type.Literal('error'),
  id: Id,
  ts: UnixMs,
  data: Type.Object({
    code: Type.Unsafe<StreamErrorCode>(Type.Union(STREAM_ERROR_CODES.map((code) => Type.Literal(code)))),
    message: Text,
    op: Type.Optional(Text),
  }),
});
export const OrdersMessage = updateMessage('orders', OrdersUpdate);
export const BalanceMessage = updateMessage('balance', BalanceUpdate);
export const PositionsMessage = updateMessage('positions', PositionsUpdate);
export const BotStatusMessage = updateMessage('botStatus', BotStatusUpdate);

/** A message from the service. */
export const ServerMessage = Type.Union([
  ChallengeMessage,
  AuthReply,
  PongReply,
  SubscribedReply,
  UnsubscribedReply,
  OrdersMessage,
  BalanceMessage,
  PositionsMessage,
  BotStatusMessage,
  ErrorMessage,
]);

function updateMessage<C extends StreamChannel, T extends TSchema>(channel: C, data: T) {
  return Type.Object({
    op: Type.Literal(`update.${channel}` as const),
    channel: Type.Literal(channel),
    ts: UnixMs,
    data,
  });
}

export type StreamChannel = (typeof STREAM_CHANNELS)[number];
export type StreamErrorCode = (typeof STREAM_ERROR_CODES)[number];
export type SubscribeArgs = Static<typeof SubscribeArgs>;
export type ClientMessage = Static<typeof ClientMessage>;
export type ServerMessage = Static<typeof ServerMessage>;
export type OrdersUpdate = Static<typeof OrdersUpdate>;
export type BalanceChange = Static<typeof BalanceChange>;
export type BalanceTotal = Static<typeof BalanceTotal>;
export type BalanceUpdate = Static<typeof BalanceUpdate>;
export type PositionsUpdate = Static<typeof PositionsUpdate>;
export type BotStatusUpdate = Static<typeof BotStatusUpdate>;

/** `data` of an update, by channel. */
export interface StreamUpdates {
  readonly orders: OrdersUpdate;
  readonly balance: BalanceUpdate;
  readonly positions: PositionsUpdate;
  readonly botStatus: BotStatusUpdate;
}
