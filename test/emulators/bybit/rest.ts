/**
 * Handles one REST request from the first byte to the last: address, path, authentication headers, key, time,
 * signature, permission, rate, then the endpoint. Refusals of the gate are pages with an HTTP status, all
 * others are codes in a body of 200. Sources: guide.mdx "Create A Request", error.mdx "HTTP Code",
 * rate-limit.mdx.
 */
import type { EmulatorAnswer, EmulatorRequest } from '../kit/wire.ts';
import { answerOf, tooFrequentPage } from './gate.ts';
import { checkTime, type Keys } from './keys.ts';
import { type Limits, tooManyVisits } from './limits.ts';
import { bad, Params } from './params.ts';
import { type Call, type Category, type Endpoint, GateRefusal, Refusal } from './wire.ts';

export interface RestOptions {
  readonly endpoints: readonly Endpoint[];
  readonly keys: Keys;
  readonly limits: Limits;
  readonly now: () => number;
  readonly refusesUnknown: boolean;
  /** Refuses everybody: maintenance, a classic account. Throws Refusal. */
  readonly admit: (endpoint: Endpoint) => void;
}

const OK: Readonly<Record<string, string>> = {
  '/v5/user/query-api': '',
  '/v5/account/query-dcp-info': 'success',
  '/v5/order/disconnected-cancel-all': 'success',
};

export class Rest {
  readonly #o: RestOptions;
  readonly #byPath = new Map<string, Endpoint>();

  constructor(o: RestOptions) {
    this.#o = o;
    for (const endpoint of o.endpoints) this.#byPath.set(`${endpoint.method} ${endpoint.path}`, endpoint);
  }

  answer(request: EmulatorRequest): EmulatorAnswer {
    const { limits, now } = this.#o;
    const headers: Record<string, string> = {};
    try {
      limits.address(request.ip ?? '127.0.0.1', now());
      const cut = request.path.indexOf('?');
      const path = cut < 0 ? request.path : request.path.slice(0, cut);
      const endpoint = this.#byPath.get(`${request.method} ${path}`);
      if (!endpoint) throw new GateRefusal(404, '404 page not found');
      const query = cut < 0 ? '' : request.path.slice(cut + 1);
      const result = this.#run(request, endpoint, query, headers);
      return answerOf(
        200,
        { retCode: 0, retMsg: OK[path] ?? 'OK', result, retExtInfo: {}, time: now() },
        headers,
      );
    } catch (error) {
      if (error instanceof GateRefusal) {
        if (error.message === 'access too frequent') return tooFrequentPage;
        return { status: error.status, headers: { 'content-type': 'text/plain' }, body: error.message };
      }
      if (!(error instanceof Refusal)) throw error;
      const { retCode, message, result } = error;
      return answerOf(200, { retCode, retMsg: message, result, retExtInfo: {}, time: now() }, headers);
    }
  }

  #run(
    request: EmulatorRequest,
    endpoint: Endpoint,
    query: string,
    headers: Record<string, string>,
  ): unknown {
    const body = request.body ?? '';
    const isGet = request.method === 'GET';
    // A GET with a JSON body is refused (error.mdx 403).
    if (isGet && body !== '') throw new GateRefusal(403, 'Forbidden');
    const read = () => (isGet ? Params.ofQuery(query) : Params.ofBody(body));
    let call: Call;
    if (endpoint.security === 'none') call = { params: read(), account: '', apiKey: '' };
    else {
      const { account, apiKey } = this.#authenticate(request, isGet ? query : body);
      call = { params: read(), account, apiKey };
      this.#permit(endpoint, call);
      this.#count(endpoint, call, headers);
    }
    this.#o.admit(endpoint);
    const unread = call.params.check(endpoint.parameters);
    if (unread.length > 0 && this.#o.refusesUnknown)
      throw bad(`no page has a parameter ${unread.join(', ')}`);
    return endpoint.handle(call);
  }

  #authenticate(request: EmulatorRequest, signed: string): { account: string; apiKey: string } {
    const { keys, now } = this.#o;
    const apiKey = request.headers['x-bapi-api-key'];
    const timestamp = request.headers['x-bapi-timestamp'];
    const sign = request.headers['x-bapi-sign'];
    const recvWindow = request.headers['x-bapi-recv-window'];
    if (!apiKey || !timestamp || !sign) throw new GateRefusal(401, 'Unauthorized');
    const key = keys.admit(apiKey, request.ip);
    checkTime(timestamp, recvWindow, now());
    const payload = `${timestamp}${apiKey}${recvWindow ?? ''}${signed}`;
    if (!keys.isSigned(key, payload, sign))
      throw new Refusal(10_004, `error sign! origin_string[${payload.slice(0, 300)}]`);
    return { account: key.account ?? 'main', apiKey };
  }

  #permit(endpoint: Endpoint, { params, apiKey }: Call): void {
    const { right = 'read' } = endpoint;
    const name = typeof right === 'string' ? right : right[categoryOf(params)];
    this.#o.keys.permit(this.#o.keys.of(apiKey), name, endpoint.method === 'POST');
  }

  #count(endpoint: Endpoint, { params, account }: Call, headers: Record<string, string>): void {
    const { perSecond } = endpoint;
    if (perSecond === undefined) return;
    const category = categoryOf(params);
    const isSplit = typeof perSecond !== 'number';
    const limit = isSplit ? perSecond[category] : perSecond;
    const { over, ...said } = this.#o.limits.endpoint(
      account,
      isSplit ? `${endpoint.path} ${category}` : endpoint.path,
      limit,
      this.#o.now(),
    );
    Object.assign(headers, said);
    if (over !== undefined) throw tooManyVisits();
  }
}

function categoryOf(params: Params): Category {
  return params.text('category') === 'spot' ? 'spot' : 'linear';
}
