/**
 * One request of the client: bytes, signature, attempts, and reading the answer. Each attempt is signed anew with a
 * fresh timestamp; a write keeps its idempotency key through all of them (specification, "Idempotency" 8).
 */
import { ApiError, codeOfStatus, NetworkError } from './errors.ts';
import type { CompiledClientOptions } from './options.ts';
import { withRetries } from './retry.ts';
import { nextTimestamp, signedHeaders } from './signing.ts';
import type { WireResponse } from './transport.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CallOptions {
  /** A UUID. Writes get one of their own when none is given. */
  readonly idempotencyKey?: string;
}

export interface RawRequest {
  /** Sent byte by byte as given. */
  readonly body?: string | Uint8Array;
  /** Added last: what is named here wins, whatever its case. An empty value leaves the header out. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
  /** Default true when the client has a key. */
  readonly signed?: boolean;
  /** Instead of the next rising one. */
  readonly timestamp?: number;
}

export type RawResponse = WireResponse;

export class Requester {
  readonly #options: CompiledClientOptions;
  /** Server time less local time, ms. */
  #offsetMs = 0;

  constructor(options: CompiledClientOptions) {
    this.#options = options;
  }

  /** Reads an answer's `data`. */
  async get<T>(path: string, query: Query = {}, signed = true): Promise<T> {
    const target = withQuery(path, query);
    return withRetries(this.#options.retry, this.#options, async () =>
      readData<T>(await this.raw('GET', target, { signed }), null),
    );
  }

  /** A write with its idempotency key. */
  async write<T>(
    method: 'POST' | 'DELETE',
    path: string,
    parts: { readonly query?: Query; readonly body?: unknown },
    options: CallOptions = {},
  ): Promise<T> {
    const target = withQuery(path, parts.query ?? {});
    const body = parts.body === undefined ? undefined : JSON.stringify(parts.body);
    const idempotencyKey = options.idempotencyKey ?? this.#options.uuid();
    return withRetries(this.#options.retry, this.#options, async () =>
      readData<T>(await this.raw(method, target, { body, idempotencyKey }), idempotencyKey),
    );
  }

  /** One attempt, whatever the answer. `path` starts at /v2 and goes out as it is. Rejects with a NetworkError. */
  async raw(method: string, path: string, request: RawRequest = {}): Promise<RawResponse> {
    const { key, prefix, transport, sleep } = this.#options;
    const body = request.body === undefined ? null : Buffer.from(request.body as Uint8Array);
    const headers: Record<string, string> = {};
    if (body) headers['Content-Type'] = 'application/json';
    if (request.idempotencyKey) headers['X-Idempotency-Key'] = request.idempotencyKey;
    if (request.signed ?? key !== null) {
      if (!key) throw new TypeError(`${method} ${path} is signed; give the client a key`);
      const timestamp = request.timestamp ?? (await nextTimestamp(key.id, () => this.serverNow(), sleep));
      Object.assign(headers, signedHeaders(key, timestamp, method, path, body));
    }
    override(headers, request.headers ?? {});
    try {
      return await transport.send({ method, path: `${prefix}${path}`, headers, body });
    } catch (cause) {
      throw new NetworkError(`no answer to ${method} ${path}: ${reason(cause)}`, {
        cause,
        idempotencyKey: request.idempotencyKey,
      });
    }
  }

  /** The service's time as far as is known, Unix ms. */
  serverNow(): number {
    return this.#options.now() + this.#offsetMs;
  }

  /** Measures the offset to the service's clock once and signs with it from now on. */
  async syncClock(): Promise<{ offsetMs: number; roundTripMs: number }> {
    const before = this.#options.now();
    const { serverTime } = await readData<{ serverTime: number }>(
      await this.raw('GET', '/v2/server/time', { signed: false }),
      null,
    );
    const after = this.#options.now();
    this.#offsetMs = Math.round(serverTime - (before + after) / 2);
    return { offsetMs: this.#offsetMs, roundTripMs: after - before };
  }

  close(): Promise<void> {
    return this.#options.transport.close();
  }
}

/** Appends the given parameters; undefined ones are left out. */
function withQuery(path: string, query: Query): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
}

function override(headers: Record<string, string>, changes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(changes)) {
    for (const present of Object.keys(headers)) {
      if (present.toLowerCase() === name.toLowerCase()) delete headers[present];
    }
    if (value !== '') headers[name] = value;
  }
}

/** `data` of a success; an ApiError for an error answer; a NetworkError for a success that cannot be read. */
function readData<T>(response: WireResponse, idempotencyKey: string | null): T {
  const document = parse(response.text);
  if (response.status >= 200 && response.status < 300) {
    if (document && 'data' in document) return document.data as T;
    throw new NetworkError(`the answer (${response.status}) is not the service's`, { idempotencyKey });
  }
  const error = object(document?.error);
  const { status } = response;
  const code = typeof error?.code === 'string' ? error.code : codeOfStatus(status);
  const message =
    typeof error?.message === 'string' ? error.message : `HTTP ${status} without an error envelope`;
  const requestId = object(document?.meta)?.requestId;
  throw new ApiError({
    code,
    status,
    message,
    requestId: typeof requestId === 'string' ? requestId : null,
    retryAfterMs: retryAfterMs(response.headers['retry-after']),
    idempotencyKey,
  });
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return object(JSON.parse(text));
  } catch {
    return null;
  }
}

function object(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
}

/** Whole seconds (specification, "Errors"). */
function retryAfterMs(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null;
}

function reason(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  return message || code || String(cause);
}
