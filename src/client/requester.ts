/**
 * One request of the client: bytes, signature, attempts, and reading the answer. Each attempt is signed anew
 * with a fresh timestamp; a write keeps its idempotency key through all of them (specification, "Idempotency"
 * 8).
 */
import type { ErrorCode } from '../domain/errors.ts';
import { ApiError, codeOfStatus, NetworkError } from './errors.ts';
import type { CompiledClientOptions } from './options.ts';
import { retryAfterMs, withRetries } from './retry.ts';
import { nextTimestamp, signedHeaders } from './signing.ts';
import type { WireResponse } from './transport.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CallOptions {
  /** A UUID. Writes without one get a new one. */
  readonly idempotencyKey?: string;
}

export interface RawRequest {
  /** The body, sent byte by byte as given. */
  readonly body?: string | Uint8Array;
  /** Added last, so these headers win, whatever their case. An empty value leaves the header out. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
  /** Whether to sign the request. Default: true when the client has a key. */
  readonly signed?: boolean;
  /** Replaces the next rising timestamp. */
  readonly timestamp?: number;
}

export type RawResponse = WireResponse;

/** Codes of refusals that had no effect, and will have none. */
const NOT_DONE: ReadonlySet<string> = new Set<ErrorCode>([
  'TIMESTAMP_EXPIRED',
  'RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
  'RISK_SHIELD_ERROR',
]);

export class Requester {
  readonly #options: CompiledClientOptions;
  /** Server time minus local time, ms. */
  #offsetMs = 0;
  /** The clock measurement under way, shared by all that need one. */
  #syncing: Promise<{ offsetMs: number; roundTripMs: number }> | null = null;
  #closed: Promise<void> | null = null;

  constructor(options: CompiledClientOptions) {
    this.#options = options;
  }

  /** Sends a read request and returns the answer's `data`. */
  async get<T>(path: string, query: Query = {}, signed = true): Promise<T> {
    const target = withQuery(path, query);
    return this.#attempts(async () => readData<T>(await this.raw('GET', target, { signed }), null));
  }

  /** Sends a write with its idempotency key. */
  async write<T>(
    method: 'POST' | 'DELETE',
    path: string,
    parts: { readonly query?: Query; readonly body?: unknown },
    options: CallOptions = {},
  ): Promise<T> {
    const target = withQuery(path, parts.query ?? {});
    const body = parts.body === undefined ? undefined : JSON.stringify(parts.body);
    const idempotencyKey = options.idempotencyKey ?? this.#options.uuid();
    return this.#attempts(async () =>
      readData<T>(await this.raw(method, target, { body, idempotencyKey }), idempotencyKey),
    );
  }

  /**
   * Sends the only kind of write without an idempotency key: retried only when it was surely not carried out.
   */
  async patch<T>(path: string, change: unknown): Promise<T> {
    const body = JSON.stringify(change);
    const outcome = await this.#attempts<{ data: T } | { unsure: unknown }>(async () => {
      try {
        return { data: readData<T>(await this.raw('PATCH', path, { body }), null) };
      } catch (error) {
        if (error instanceof ApiError && NOT_DONE.has(error.code)) throw error;
        return { unsure: error };
      }
    });
    if ('unsure' in outcome) throw outcome.unsure;
    return outcome.data;
  }

  #attempts<T>(attempt: () => Promise<T>): Promise<T> {
    let measured = false;
    const recover = async (error: unknown) => {
      if (measured || !(error instanceof ApiError) || error.code !== 'TIMESTAMP_EXPIRED') return false;
      measured = true;
      return this.syncClock().then(
        () => true,
        () => false,
      );
    };
    return withRetries(this.#options.retry, { ...this.#options, recover }, attempt);
  }

  /**
   * Makes one attempt and returns any answer. `path` starts at /v2 and is sent as it is. Rejects with a
   * NetworkError.
   */
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

  /** Returns the service's time as far as is known, Unix ms. */
  serverNow(): number {
    return this.#options.now() + this.#offsetMs;
  }

  /** Measures the offset to the service's clock and uses it for signatures from now on. */
  syncClock(): Promise<{ offsetMs: number; roundTripMs: number }> {
    this.#syncing ??= this.#measure().finally(() => {
      this.#syncing = null;
    });
    return this.#syncing;
  }

  async #measure(): Promise<{ offsetMs: number; roundTripMs: number }> {
    const before = this.#options.now();
    const { serverTime } = readData<{ serverTime: number }>(
      await this.raw('GET', '/v2/server/time', { signed: false }),
      null,
    );
    if (!Number.isSafeInteger(serverTime)) throw new NetworkError('the answer has no server time');
    const after = this.#options.now();
    this.#offsetMs = Math.round(serverTime - (before + after) / 2);
    return { offsetMs: this.#offsetMs, roundTripMs: after - before };
  }

  /** Closes the transport; idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#options.transport.close();
    return this.#closed;
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

/**
 * Returns `data` of a success; throws an ApiError for an error answer, a NetworkError for an unreadable
 * success.
 */
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

function reason(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  return message || code || String(cause);
}
