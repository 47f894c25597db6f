/**
 * How request bytes reach the service: a port for tests, and the real one, a keep-alive undici pool. No
 * signing, no retries.
 */
import { type Dispatcher, Pool } from 'undici';

export interface WireRequest {
  readonly method: string;
  /** Path with query exactly as it is sent, e.g. `/api/v2/orders?status=open`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body; null: none. */
  readonly body: Buffer | null;
}

export interface WireResponse {
  readonly status: number;
  /** Headers with names in lower case; repeated ones joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Transport {
  /** Sends a request; rejects when there was no complete answer. */
  send(request: WireRequest): Promise<WireResponse>;
  close(): Promise<void>;
}

/**
 * Keep-alive connections to one origin. A dispatcher that is handed in is used as it is and not closed here.
 * @param timeoutMs longest wait for the headers of an answer, and between parts of its body
 */
export function undiciTransport(
  origin: string,
  options: {
    readonly timeoutMs: number;
    readonly connections: number;
    readonly ca?: string;
    readonly dispatcher?: Dispatcher;
  },
): Transport {
  const dispatcher =
    options.dispatcher ??
    new Pool(origin, {
      connections: options.connections,
      headersTimeout: options.timeoutMs,
      bodyTimeout: options.timeoutMs,
      connect: { timeout: Math.min(options.timeoutMs, 5000), ca: options.ca },
    });
  return {
    async send(request) {
      const headers: Record<string, string> = { ...request.headers };
      // Always set: without it the body of a DELETE would be sent unframed (borders.md 3).
      if (request.body) headers['content-length'] = String(request.body.length);
      const answer = await dispatcher.request({
        origin,
        method: request.method as Dispatcher.HttpMethod,
        path: request.path,
        headers,
        body: request.body,
      });
      const text = await answer.body.text();
      return { status: answer.statusCode, headers: flatten(answer.headers), text };
    },
    async close() {
      if (!options.dispatcher) await dispatcher.close();
    },
  };
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
