/**
 * The spot WebSocket API: sessions, subscriptions to the account's events, and the requests that exist over
 * REST, too. Source: binance-spot-api-docs web-socket-api.md, user-data-stream.md (and their CHANGELOG up to
 * 2026-06-09).
 */
import { checkTimestamp, type EmulatorKey, type Keys, socketPayload } from '../keys.ts';
import type { Limits } from '../limits.ts';
import { Params } from '../params.ts';
import type { Rest } from '../rest.ts';
import { Refusal, type SocketPeer, type SocketSession } from '../wire.ts';

export interface SocketApiOptions {
  readonly keys: Keys;
  readonly limits: Limits;
  readonly rest: Rest;
  readonly now: () => number;
  readonly ip: string | undefined;
  readonly returnRateLimits: boolean;
  readonly gone: (session: SpotSocketSession) => void;
}

/** Requests that REST has as well. */
const AS_REST: Readonly<Record<string, string>> = {
  ping: 'GET /api/v3/ping',
  time: 'GET /api/v3/time',
  exchangeInfo: 'GET /api/v3/exchangeInfo',
  klines: 'GET /api/v3/klines',
  depth: 'GET /api/v3/depth',
  'ticker.price': 'GET /api/v3/ticker/price',
  'ticker.book': 'GET /api/v3/ticker/bookTicker',
  'trades.aggregate': 'GET /api/v3/aggTrades',
  'order.place': 'POST /api/v3/order',
  'order.test': 'POST /api/v3/order/test',
  'order.status': 'GET /api/v3/order',
  'order.cancel': 'DELETE /api/v3/order',
  'order.cancelReplace': 'POST /api/v3/order/cancelReplace',
  'order.amend.keepPriority': 'PUT /api/v3/order/amend/keepPriority',
  'openOrders.status': 'GET /api/v3/openOrders',
  'openOrders.cancelAll': 'DELETE /api/v3/openOrders',
  allOrders: 'GET /api/v3/allOrders',
  myTrades: 'GET /api/v3/myTrades',
  'account.status': 'GET /api/v3/account',
  'account.commission': 'GET /api/v3/account/commission',
  'account.rateLimits.orders': 'GET /api/v3/rateLimit/order',
};
const PUBLIC = new Set([
  'ping',
  'time',
  'exchangeInfo',
  'klines',
  'depth',
  'ticker.price',
  'ticker.book',
  'trades.aggregate',
]);
const SUBSCRIPTIONS_OF_A_LIFE = 65_535;

interface Subscription {
  readonly id: number;
  readonly account: string;
  readonly apiKey: string;
  /** Whether the session made it; such a subscription ends with the session. */
  readonly bySession: boolean;
}

export class SpotSocketSession implements SocketSession {
  readonly #peer: SocketPeer;
  readonly #o: SocketApiOptions;
  readonly #subscriptions: Subscription[] = [];
  readonly #since: number;
  #subscribed = 0;
  #key: EmulatorKey | null = null;
  #authorizedSince = 0;

  constructor(peer: SocketPeer, o: SocketApiOptions) {
    this.#peer = peer;
    this.#o = o;
    this.#since = o.now();
    o.limits.take(2, o.now());
  }

  message(text: string): void {
    let frame: { id?: unknown; method?: unknown; params?: unknown };
    try {
      frame = JSON.parse(text) as typeof frame;
      if (frame === null || typeof frame !== 'object') throw new SyntaxError('no object');
    } catch {
      this.#fail(null, new Refusal(-1000, 'Invalid JSON: expected value at line 1 column 1'));
      return;
    }
    const id = typeof frame.id === 'string' || typeof frame.id === 'number' ? frame.id : null;
    if (this.#key && this.#o.keys.isRevoked(this.#key.apiKey)) {
      this.#key = null;
      this.#fail(null, new Refusal(-2015, 'Invalid API-key, IP, or permissions for action.', 401));
      return;
    }
    try {
      const params = (frame.params ?? {}) as Record<string, unknown>;
      this.#succeed(id, this.#handle(String(frame.method), params), params);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#fail(id, error);
    }
  }

  ponged(): void {}

  closed(): void {
    this.#o.gone(this);
  }

  tell(account: string, event: Record<string, unknown>): void {
    for (const subscription of this.#subscriptions) {
      if (subscription.account === account)
        this.#peer.message(JSON.stringify({ subscriptionId: subscription.id, event }));
    }
  }

  shutdown(): void {
    this.#peer.message(JSON.stringify({ event: { e: 'serverShutdown', E: this.#o.now() } }));
  }

  /** Ends the subscriptions of a deleted key. */
  revoked(apiKey: string): void {
    this.#end((subscription) => subscription.apiKey === apiKey);
  }

  close(code: number, reason: string): void {
    this.#peer.close(code, reason);
  }

  ping(): void {
    this.#peer.ping();
  }

  #handle(method: string, params: Record<string, unknown>): unknown {
    const { limits, now } = this.#o;
    switch (method) {
      case 'session.logon': {
        limits.take(2, now());
        const key = this.#signed(params);
        if (!this.#o.keys.isEd25519(key))
          throw new Refusal(
            -1022,
            'Signature for this request is not valid. session.logon needs an Ed25519 key.',
          );
        this.#key = key;
        this.#authorizedSince = now();
        return this.#status();
      }
      case 'session.status':
        limits.take(2, now());
        return this.#status();
      case 'session.logout':
        limits.take(2, now());
        this.#key = null;
        this.#end(({ bySession }) => bySession);
        return this.#status();
      case 'session.subscriptions':
        limits.take(2, now());
        return this.#subscriptions.map(({ id }) => ({ subscriptionId: id }));
      case 'userDataStream.subscribe':
        limits.take(2, now());
        if (!this.#key)
          throw new Refusal(-2035, 'The current session is not authenticated; use session.logon first.');
        return this.#subscribe(this.#key, true);
      case 'userDataStream.subscribe.signature':
        limits.take(2, now());
        return this.#subscribe(this.#signed(params), false);
      case 'userDataStream.unsubscribe': {
        limits.take(2, now());
        const { subscriptionId } = params;
        this.#end(({ id }) => subscriptionId === undefined || id === subscriptionId);
        return {};
      }
      default:
        return this.#asRest(method, params);
    }
  }

  #asRest(method: string, params: Record<string, unknown>): unknown {
    const target = AS_REST[method];
    // userDataStream.start, ping and stop were removed on 2026-02-20.
    if (!target) throw new Refusal(-1000, `Method '${method}' is not supported.`);
    const [verb = '', path = ''] = target.split(' ');
    const isPublic = PUBLIC.has(method);
    let key: EmulatorKey | null = null;
    if (!isPublic)
      key = params.apiKey === undefined && this.#key ? this.#inSession(params) : this.#signed(params);
    const pairs = Object.entries(params)
      .filter(([name]) => name !== 'signature' && name !== 'returnRateLimits')
      .map(
        ([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)] as const,
      );
    const call = {
      params: new Params('spot', pairs),
      account: key?.account ?? (key ? 'main' : ''),
      apiKey: key?.apiKey ?? '',
    };
    return this.#o.rest.call(verb, path, call, 'spot');
  }

  #inSession(params: Record<string, unknown>): EmulatorKey {
    this.#checkTime(params);
    return this.#key as EmulatorKey;
  }

  #signed(params: Record<string, unknown>): EmulatorKey {
    const { keys } = this.#o;
    const key = keys.admit(params.apiKey as string | undefined, 'read', this.#o.ip);
    this.#checkTime(params);
    if (typeof params.signature !== 'string' || params.signature === '')
      throw new Refusal(-1102, "Mandatory parameter 'signature' was not sent, was empty/null, or malformed.");
    keys.verify(key, socketPayload(params), params.signature);
    return key;
  }

  #checkTime(params: Record<string, unknown>): void {
    if (params.timestamp === undefined)
      throw new Refusal(-1102, "Mandatory parameter 'timestamp' was not sent, was empty/null, or malformed.");
    const window = params.recvWindow === undefined ? null : String(params.recvWindow);
    checkTimestamp(String(params.timestamp), window, this.#o.now());
  }

  #subscribe(key: EmulatorKey, bySession: boolean): { subscriptionId: number } {
    const account = key.account ?? 'main';
    if (this.#subscriptions.some((subscription) => subscription.account === account))
      throw new Refusal(-2035, 'User Data Stream subscription already active.');
    if (this.#subscribed >= SUBSCRIPTIONS_OF_A_LIFE)
      throw new Refusal(-2035, 'Subscription limit of the connection reached.');
    const id = this.#subscribed++;
    this.#subscriptions.push({ id, account, apiKey: key.apiKey, bySession });
    return { subscriptionId: id };
  }

  #end(which: (subscription: Subscription) => boolean): void {
    for (const subscription of this.#subscriptions.filter(which)) {
      this.#subscriptions.splice(this.#subscriptions.indexOf(subscription), 1);
      const event = { e: 'eventStreamTerminated', E: this.#o.now() };
      this.#peer.message(JSON.stringify({ subscriptionId: subscription.id, event }));
    }
  }

  #status(): Record<string, unknown> {
    return {
      apiKey: this.#key?.apiKey ?? null,
      authorizedSince: this.#key ? this.#authorizedSince : null,
      connectedSince: this.#since,
      returnRateLimits: this.#o.returnRateLimits,
      serverTime: this.#o.now(),
      userDataStream: this.#subscriptions.length > 0,
    };
  }

  #succeed(id: string | number | null, result: unknown, params: Record<string, unknown>): void {
    const rateLimits = this.#rateLimits(params);
    this.#peer.message(JSON.stringify({ id, status: 200, result, ...rateLimits }));
  }

  #fail(id: string | number | null, error: Refusal): void {
    const after = error.headers['retry-after'];
    const serverTime = this.#o.now();
    // web-socket-api.md "Rate limits": fields of 429 and 418, both points in time.
    const data =
      after === undefined ? {} : { data: { serverTime, retryAfter: serverTime + Number(after) * 1000 } };
    const body = { ...error.body(), ...data };
    this.#peer.message(JSON.stringify({ id, status: error.status, error: body, ...this.#rateLimits({}) }));
  }

  #rateLimits(params: Record<string, unknown>): Record<string, unknown> {
    if (params.returnRateLimits === false || !this.#o.returnRateLimits) return {};
    const account = this.#key ? (this.#key.account ?? 'main') : '';
    return { rateLimits: this.#o.limits.rows(this.#o.now(), account).slice(0, 1) };
  }
}
