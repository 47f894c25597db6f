/**
 * Handles one REST request from the first byte to the last: bans and weight, the key, the parameters, time
 * and signature, then the endpoint. The order of the checks is the exchange's as far as known: an unknown
 * name is refused before a missing one.
 */
import type { EmulatorKey, Keys } from './keys.ts';
import { checkTimestamp, restPayload } from './keys.ts';
import type { Limits } from './limits.ts';
import { missing, Params } from './params.ts';
import {
  type Call,
  type EmulatorAnswer,
  type EmulatorRequest,
  type Endpoint,
  type Kind,
  Refusal,
} from './wire.ts';

export interface RestOptions {
  readonly endpoints: readonly Endpoint[];
  readonly keys: Keys;
  readonly limits: Readonly<Record<Kind, Limits>>;
  readonly now: () => number;
  /** Refuses a whole account: portfolio margin. Throws Refusal. */
  readonly admit: (key: EmulatorKey, endpoint: Endpoint) => void;
}

const GONE_HTML =
  '<html>\r\n<head><title>410 Gone</title></head>\r\n<body>\r\n<center><h1>410 Gone</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n';
const NOT_FOUND_HTML =
  '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n';

export class Rest {
  readonly #o: RestOptions;
  readonly #byPath = new Map<string, Endpoint>();
  readonly #paths = new Set<string>();

  constructor(o: RestOptions) {
    this.#o = o;
    for (const endpoint of o.endpoints) {
      this.#byPath.set(`${endpoint.method} ${endpoint.path}`, endpoint);
      this.#paths.add(endpoint.path);
    }
  }

  answer(request: EmulatorRequest): EmulatorAnswer {
    const cut = request.path.indexOf('?');
    const path = cut < 0 ? request.path : request.path.slice(0, cut);
    const query = cut < 0 ? '' : request.path.slice(cut + 1);
    // The spot listenKey was removed on 2026-02-20; nginx answers with its own page.
    if (path === '/api/v3/userDataStream') return html(410, GONE_HTML);
    const endpoint = this.#byPath.get(`${request.method} ${path}`);
    if (!endpoint) return html(this.#paths.has(path) ? 405 : 404, NOT_FOUND_HTML);
    const kind: Kind = path.startsWith('/fapi') ? 'futures' : 'spot';
    const limits = this.#o.limits[kind];
    const now = this.#o.now();
    let account = '';
    try {
      const body = request.body ?? '';
      const params = Params.read(kind, query, body);
      const weight = endpoint.weight(params);
      limits.take(weight, now);
      const call = this.#admit(request, endpoint, params, query, body, kind);
      account = call.account;
      params.check(endpoint.parameters);
      if (endpoint.orders) limits.order(account, endpoint.orders, now);
      const result = endpoint.handle(call);
      if (endpoint.weightOfSuccess !== undefined) limits.giveBack(weight - endpoint.weightOfSuccess, now);
      return json(200, result, {
        ...limits.weightHeaders(now),
        ...(endpoint.orders ? limits.orderHeaders(account, now) : {}),
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const body = error.body();
      // Futures and the wallet name the sender's address (ccxt#7822).
      if (error.code === -2015 && !path.startsWith('/api'))
        body.msg = `${error.message.replace(/\.$/, '')}, request ip: ${request.ip ?? '127.0.0.1'}`;
      return json(error.status, body, { ...limits.weightHeaders(now), ...error.headers });
    }
  }

  /** Handles a request of the WebSocket API whose sender is already known. Throws Refusal. */
  call(method: string, path: string, call: Call, kind: Kind): unknown {
    const endpoint = this.#byPath.get(`${method} ${path}`);
    if (!endpoint) throw new Refusal(-1000, `no such endpoint: ${method} ${path}`, 404);
    const limits = this.#o.limits[kind];
    const now = this.#o.now();
    const weight = endpoint.weight(call.params);
    limits.take(weight, now);
    call.params.check(`${endpoint.parameters} apiKey`);
    if (endpoint.orders) limits.order(call.account, endpoint.orders, now);
    const result = endpoint.handle(call);
    if (endpoint.weightOfSuccess !== undefined) limits.giveBack(weight - endpoint.weightOfSuccess, now);
    return result;
  }

  #admit(
    request: EmulatorRequest,
    endpoint: Endpoint,
    params: Params,
    query: string,
    body: string,
    kind: Kind,
  ): Call {
    if (endpoint.security === 'none') return { params, account: '', apiKey: '' };
    const { keys, now } = this.#o;
    const key = keys.admit(request.headers['x-mbx-apikey'], undefined, request.ip);
    const { payload, signature } = restPayload(query, body);
    if (endpoint.security === 'signed') {
      checkTimestamp(params.required('timestamp'), params.text('recvWindow'), now());
      if (signature === null || signature === '') throw missing('signature');
      if (kind === 'spot' && !/^[A-Za-z0-9+/=]+$/.test(signature))
        throw new Refusal(
          -1100,
          "Illegal characters found in parameter 'signature'; legal range is '^[A-Fa-f0-9]{64}$'.",
        );
      keys.verify(key, payload, signature);
    }
    keys.admit(key.apiKey, endpoint.right, request.ip);
    this.#o.admit(key, endpoint);
    return { params, account: key.account ?? 'main', apiKey: key.apiKey };
  }
}

export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): EmulatorAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json;charset=UTF-8', ...headers },
    body: JSON.stringify(body),
  };
}

export function html(status: number, body: string): EmulatorAnswer {
  return { status, headers: { 'content-type': 'text/html' }, body };
}
