/** The WebSocket: its authentication, messages, errors, close codes and limits. */
import { type Item, prefixed, section } from '../item.ts';

export const STREAM_ITEMS: readonly Item[] = [
  ...section('WebSocket authentication', {
    'rule ws-challenge':
      '(1) On connecting the server sends a one-time hex challenge bound to the connection.',
    'rule ws-sign': '(2) The client signs WSAuth, timestamp and challenge and sends {key, sign, timestamp}.',
    'rule ws-sign-form':
      '(2) sign may be standard Base64 or Base64url; timestamp is an integer within 5000 ms.',
    'rule ws-auth-reply': '(3) The reply says authenticated and userId.',
    'rule ws-auth-deadline': '(4) Without auth within 5 s the socket closes with 4001.',
    'rule ws-auth-attempts': '(4) Five attempts, then TOO_MANY_ATTEMPTS and 4001.',
    'rule ws-challenge-single-use': '(4) A challenge serves one auth; for another one, connect anew.',
    'rule ws-ip-list': '(4) The key’s IP list holds for the client’s real address.',
    'rule ws-subscribe-needs-key': '(4) Subscribing needs a valid key with read at least.',
  }),
  ...section('Events in general', {
    'rule ws-one-socket': 'One socket carries every channel.',
    'rule ws-per-user': 'Only events of the account that owns the key are delivered.',
    'rule ws-no-public-channels': 'There are no public channels.',
    'rule ws-not-persisted': 'Subscriptions end with their connection.',
  }),
  ...section('Client messages', {
    ...prefixed('ws-op', {
      auth: 'key, sign and timestamp, all needed.',
      ping: 'Answered with pong.',
      subscribe: 'channel, with exchange and symbol if wanted; needs auth.',
      unsubscribe: 'The same arguments; takes the subscription away.',
    }),
    ...prefixed('ws-channel', {
      orders: 'Can be subscribed to.',
      balance: 'Can be subscribed to.',
      positions: 'Can be subscribed to.',
      botStatus: 'Can be subscribed to.',
    }),
    'rule ws-id-echo': 'A string id is given back on the matching reply.',
    'rule ws-filter-exchange': 'exchange narrows orders, balance and positions.',
    'rule ws-filter-bot-status': 'exchange with botStatus is acknowledged and never delivers.',
    'rule ws-filter-symbol':
      'symbol narrows orders, together with exchange only; anywhere else it never delivers.',
    'rule ws-unknown-op': 'An unknown op after auth is ignored without an answer.',
  }),
  ...section('Server messages', {
    'rule ws-ts': 'Every message carries ts in Unix ms.',
    ...prefixed('ws-message', {
      challenge: 'data.challenge, hex.',
      auth: 'data.authenticated and data.userId.',
      pong: 'The reply to ping.',
      subscribed: 'channel.',
      unsubscribed: 'channel.',
      'update.orders': 'channel and data {event, order}.',
      'update.balance': 'data {event, exchange, marketType, changes, total}.',
      'update.positions': 'data {event, exchange, changes}.',
      'update.botStatus': 'data {event, bot}.',
      error: 'data {code, message}.',
    }),
    'rule ws-order-create': '(1) ORDER_CREATE once when an order is made.',
    'rule ws-order-update': '(1) ORDER_UPDATE for every later change, fills and cancellations too.',
    'rule ws-balance-changes':
      '(2) changes by asset, each {free, wallet, locked}, with lockedByBot and usd at times.',
    'rule ws-balance-total': '(2) total carries ts and on futures mmr, imr, upnl, crossUpnl and crossWallet.',
    'rule ws-balance-market': '(2) Spot and futures are told apart by marketType.',
    'rule ws-position-changes': '(3) changes by symbol, changed fields only, futures only, no marketType.',
    'rule ws-update-ops': '(5) The op of an update and the events of balance and positions are fixed words.',
    'rule ws-error-fields': '(6) An error has code and message; only those of the close table close.',
  }),
  ...section('Server messages', {
    'rule ws-bot-status': '(4) bot is a cleaned object with id, type, status, exchange and symbol.',
  }),
  ...section(
    'WebSocket error codes',
    prefixed('ws-error', {
      AUTH_REQUIRED: 'Subscribing before auth.',
      AUTH_TIMEOUT: 'No auth in time.',
      AUTH_IN_PROGRESS: 'An auth while another is being checked.',
      CHALLENGE_MISSING: 'An auth without an open challenge.',
      TIMESTAMP_INVALID: 'A timestamp that is none.',
      TIMESTAMP_EXPIRED: 'A timestamp out of the window.',
      INVALID_ARGS: 'Arguments of another form.',
      INVALID_KEY: 'A key that is not known.',
      INVALID_SIGNATURE: 'A signature that does not match.',
      UNAUTHORIZED: 'An auth that fails otherwise.',
      IP_REJECTED: 'An address outside the key’s list.',
      INSUFFICIENT_PERMISSIONS: 'A key that may not read.',
      TOO_MANY_ATTEMPTS: 'The fifth failed auth.',
      KEY_REVOKED: 'A key that was revoked meanwhile.',
      RATE_LIMITED: 'Too many messages.',
      INVALID_JSON: 'A frame that is not JSON.',
      INTERNAL_ERROR: 'Our own fault, without its inside.',
    }),
  ),
  ...section('Close codes and heartbeat', {
    ...prefixed('ws-close', {
      1008: 'Too many messages.',
      1009: 'A frame over 64 KiB.',
      4001: 'Auth too late or too often.',
      4003: 'The key was revoked.',
    }),
    'rule ws-heartbeat': 'A control ping every 20 s; who does not answer is gone after 20 to 40 s.',
    'rule ws-slow-reader': 'Over 4 MiB unsent: dropped without a close frame.',
    'rule ws-reconnect':
      'After a disconnect: a new socket, challenge, auth and subscriptions; not after 4003.',
  }),
  ...section('WebSocket limits', {
    'limit ws-connections-per-address': '50 per address; the upgrade is answered 429.',
    'limit ws-connections': '10,000 in all; the upgrade is answered 503.',
    'limit frame-size': '64 KiB; close 1009.',
    'limit ws-messages': '200 in 10 s; RATE_LIMITED and close 1008.',
    'limit auth-attempts': '5; TOO_MANY_ATTEMPTS and close 4001.',
    'limit auth-time': '5 s; close 4001.',
    'limit ws-backlog': '4 MiB; terminated.',
  }),
];
