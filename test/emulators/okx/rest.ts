/**
 * Handles one REST request from the first byte to the last: the address, the form of the body, the key, the
 * rate limit, the deadline, then the endpoint. Answers are JSON whatever the status: HTTP 200 says nothing
 * about a row. Sources: OKX v5 "REST Authentication", "General Info", "Transaction Timeouts", "Error Code".
 */

import type { EmulatorAnswer, EmulatorRequest } from '../kit/wire.ts';
import type { EmulatorKey, Keys } from './keys.ts';
import type { Limits } from './limits.ts';
import { Params } from './params.ts';
import { type Call, type Endpoint, isRows, Refusal, type RowsEndpoint } from './wire.ts';

export interface RestOptions {
  readonly endpoints: readonly Endpoint[];
  readonly keys: Keys;
  readonly limits: Limits;
  readonly now: () => number;
  /** Returns why everything is refused: maintenance; null: nothing is. */
  readonly closed: () => Refusal | null;
  /** Called for undocumented parts: unknown names, numbers for texts. */
  readonly odd: (what: string) => void;
}

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
    const endpoint = this.#byPath.get(`${request.method} ${path}`);
    try {
      if (this.#o.limits.isBlocked(this.#o.now())) return page(403);
      if (!endpoint) {
        if (this.#paths.has(path)) throw new Refusal('50115', 'Invalid request method', 405);
        return json(404, { msg: 'Not Found', code: '404', data: [] });
      }
      const closed = this.#o.closed();
      if (closed) throw closed;
      const odd = (what: string) => this.#o.odd(`${request.method} ${path}: ${what}`);
      return isRows(endpoint)
        ? this.#rows(request, endpoint, odd)
        : this.#plain(request, endpoint, query, odd);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return json(error.status, { code: error.code, msg: error.message, data: [] });
    }
  }

  #plain(
    request: EmulatorRequest,
    endpoint: Exclude<Endpoint, RowsEndpoint>,
    query: string,
    odd: (what: string) => void,
  ): EmulatorAnswer {
    const { key, account } = this.#admit(request, endpoint);
    const params =
      request.method === 'GET' ? Params.ofQuery(query, odd) : new Params(objectOf(bodyOf(request)), odd);
    this.#take(endpoint, account, request.ip, params, 1);
    params.check(endpoint.parameters);
    const data = endpoint.handle({ params, account, apiKey: key?.apiKey ?? '' });
    return json(200, { code: '0', msg: '', data });
  }

  #rows(request: EmulatorRequest, endpoint: RowsEndpoint, odd: (what: string) => void): EmulatorAnswer {
    const inTime = this.#o.now();
    const { key, account } = this.#admit(request, endpoint);
    const body = bodyOf(request);
    const items = endpoint.rowsMax === null ? [objectOf(body)] : listOf(body, endpoint.rowsMax);
    const all = items.map((item) => new Params(item, odd));
    this.#takeRows(endpoint, account, request.ip, all);
    if (endpoint.expires) this.#deadline(request);
    const data = all.map((params) => this.#row(endpoint, { params, account, apiKey: key?.apiKey ?? '' }));
    const failed = data.filter(({ sCode }) => sCode !== '0').length;
    const code = failed === 0 ? '0' : failed === data.length ? '1' : '2';
    const msg = ['', 'All operations failed', 'Bulk operation partially succeeded.'][Number(code)];
    // Microseconds.
    const times = { inTime: `${inTime}123`, outTime: `${this.#o.now()}456` };
    return json(200, { code, data, msg, ...(endpoint.isTimed ? times : {}) });
  }

  #row(endpoint: RowsEndpoint, call: Call): Record<string, unknown> {
    try {
      call.params.check(endpoint.parameters);
      return { ...endpoint.row(call), sCode: '0', sMsg: '' };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, message, subCode } = error;
      const row = endpoint.refused(call.params);
      return { ...row, sCode: code, sMsg: message, ...('subCode' in row ? { subCode } : {}) };
    }
  }

  /** Checks `expTime`: the request may arrive too late, or have expired before it was sent. */
  #deadline({ headers }: EmulatorRequest): void {
    const text = headers.exptime ?? '';
    if (text === '') return;
    if (!/^\d{1,16}$/.test(text)) throw new Refusal('51000', 'Parameter expTime error', 400);
    if (Number(text) < this.#o.now())
      throw new Refusal(
        '50036',
        "The expTime can't be earlier than the current system time. Please adjust the expTime and try again.",
      );
  }

  #admit(request: EmulatorRequest, endpoint: Endpoint): { key: EmulatorKey | null; account: string } {
    if (endpoint.permission === 'public') return { key: null, account: '' };
    const key = this.#o.keys.verify(request, endpoint.permission, this.#o.now());
    return { key, account: key.account ?? 'main' };
  }

  #take(endpoint: Endpoint, account: string, ip = '127.0.0.1', params: Params, weight: number): void {
    const { limits, now } = this.#o;
    limits.take(nameOf(endpoint.path, endpoint.rule, account, ip, params), endpoint.limit, now(), weight);
  }

  #takeRows(endpoint: RowsEndpoint, account: string, ip: string | undefined, all: readonly Params[]): void {
    const single = endpoint.single
      ? this.#o.endpoints.find(({ path, method }) => path === endpoint.single && method === 'POST')
      : undefined;
    // A list of one counts as the single request.
    const counted = single && all.length === 1 ? single : endpoint;
    for (const params of all) this.#take(counted, account, ip, params, 1);
    // Spot orders do not count on the limit of the sub-account.
    const swaps = all.filter((params) => params.text('instId').endsWith('-SWAP')).length;
    if (endpoint.countsForAccount && swaps > 0) this.#o.limits.takeOrders(account, this.#o.now(), swaps);
  }
}

function nameOf(path: string, rule: Endpoint['rule'], account: string, ip: string, params: Params): string {
  switch (rule) {
    case 'ip':
      return `${path} ${ip}`;
    case 'ip+type':
      return `${path} ${ip} ${params.text('instType')}`;
    case 'ip+inst':
      return `${path} ${ip} ${params.text('instId')}`;
    case 'user':
      return `${path} ${account}`;
    case 'user+inst':
      return `${path} ${account} ${params.text('instId')}`;
    case 'user+tag':
      return `${path} ${account} ${params.text('tag')}`;
  }
}

function bodyOf(request: EmulatorRequest): unknown {
  const { body = '', headers } = request;
  if (body === '') throw new Refusal('50000', 'Body for POST request cannot be empty.', 400);
  if (!/^application\/json/i.test(headers['content-type'] ?? ''))
    throw new Refusal('50006', 'Invalid Content-Type. Please use "application/JSON".', 400);
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal('50002', 'JSON syntax error', 400);
  }
}

function objectOf(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal('50002', 'JSON syntax error', 400);
  return body as Record<string, unknown>;
}

function listOf(body: unknown, most: number): Record<string, unknown>[] {
  if (!Array.isArray(body) || body.length === 0) throw new Refusal('50002', 'JSON syntax error', 400);
  if (body.length > most) throw new Refusal('51111', `Maximum ${most} orders can be placed in bulk.`);
  return body.map(objectOf);
}

export function json(status: number, body: unknown): EmulatorAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The page of the gate in front. */
export function page(status: number): EmulatorAnswer {
  return {
    status,
    headers: { 'content-type': 'text/html' },
    body: '<html><head><title>Access denied</title></head><body>error code: 1015</body></html>',
  };
}
