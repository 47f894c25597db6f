/**
 * The WebSocket in the OpenAPI document, as the extension `x-websocket`, since OpenAPI itself cannot describe
 * it. Data only.
 */
import { STREAM_CLOSE_CODES, STREAM_ERROR_CODES } from '../../schemas/stream.ts';
import type { JsonObject } from './schema-document.ts';

/** Each message: `op`, its content, what follows. */
const CLIENT_MESSAGES: JsonObject = {
  auth: '`args: {key, sign, timestamp}`: signs the text `WSAuth` + timestamp + challenge; `key` and `timestamp` as in the headers of a request, `timestamp` as an integer. Once per connection, within 5 s, at most 5 attempts.',
  ping: 'answered with `pong`',
  subscribe:
    '`args: {channel, exchange?, symbol?}`; `exchange` narrows orders, balance and positions, `symbol` only orders and only together with `exchange`. Any other combination is acknowledged and never delivers.',
  unsubscribe: 'the same `args` as the subscription',
};

const SERVER_MESSAGES: JsonObject = {
  challenge: '`data.challenge`: hexadecimal, sent on connecting',
  auth: '`data: {authenticated, userId}`',
  pong: 'the reply to `ping`',
  subscribed: '`channel`',
  unsubscribed: '`channel`',
  'update.orders': '`data: {event: ORDER_CREATE or ORDER_UPDATE, order}`',
  'update.balance':
    '`data: {event: BALANCE_UPDATE, exchange, marketType, changes: {ASSET: {free, wallet, locked, lockedByBot?, usd?}}, total?}`',
  'update.positions':
    '`data: {event: POSITION_UPDATE, exchange, changes: {SYMBOL: {symbol, side, ...changed fields}}}`; read the positions over REST first',
  'update.botStatus': '`data: {event: BOT_STARTED, BOT_STOPPED, BOT_ERROR or BOT_UPDATE, bot}`',
  error: '`data: {code, message, op?}`',
};

const CLOSE_CODES: JsonObject = {
  [STREAM_CLOSE_CODES.rateLimited]: 'more than 200 messages in 10 s',
  [STREAM_CLOSE_CODES.frameTooLarge]: 'a frame of more than 64 KiB',
  [STREAM_CLOSE_CODES.authFailed]: 'not authenticated within 5 s, or after 5 attempts',
  [STREAM_CLOSE_CODES.keyRevoked]: 'the key was revoked: do not connect again with it',
};

export const STREAM: JsonObject = {
  path: '/v2/ws',
  description:
    'One socket carries all channels (orders, balance, positions, botStatus) of the account that owns the key. Messages are JSON with an `op`; a client may give its messages an `id`, which the reply echoes. Everything from the service has `ts` (Unix ms). The service pings every 20 s and drops a socket that does not answer, or that lets 4 MiB pile up. After a disconnect: new socket, new challenge, subscribe again.',
  clientMessages: CLIENT_MESSAGES,
  serverMessages: SERVER_MESSAGES,
  errorCodes: [...STREAM_ERROR_CODES],
  closeCodes: CLOSE_CODES,
};
