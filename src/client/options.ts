/** Options of the client and their defaults. */
import { type KeyObject, randomUUID } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { withoutTail } from '../domain/text-ends.ts';
import type { RetryOptions } from './retry.ts';
import { type SigningKey, signingKey } from './signing.ts';
import { type Transport, undiciTransport } from './transport.ts';

export interface ClientOptions {
  /** REST root with the `/api` prefix, e.g. `http://127.0.0.1:7420/api`. */
  readonly baseUrl: string;
  /** Without a key only the public `server` calls work. */
  readonly key?: { readonly privateKeyPem: string } | { readonly privateKey: KeyObject };
  readonly retry?: Partial<RetryOptions>;
  /** Longest wait for an answer's headers and between parts of its body, ms. Default 15,000. */
  readonly timeoutMs?: number;
  /** Number of keep-alive connections. Default 8. */
  readonly connections?: number;
  /** PEM certificates to trust instead of the public ones: a desk's self-signed one, or its CA's. */
  readonly ca?: string;
  /** Replaces the client's own undici pool. */
  readonly dispatcher?: Dispatcher;
  /** Replaces HTTP altogether; for tests. */
  readonly transport?: Transport;
  /** The local clock, Unix ms. */
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
  /** Random numbers, uniform in [0, 1). */
  readonly random?: () => number;
  /** Makes new idempotency keys. */
  readonly uuid?: () => string;
}

export interface CompiledClientOptions {
  /** Path part of the base URL, e.g. `/api`. */
  readonly prefix: string;
  /** The stream's address, `ws://127.0.0.1:7420/api/v2/ws`. */
  readonly wsUrl: string;
  readonly key: SigningKey | null;
  readonly ca: string | undefined;
  readonly retry: RetryOptions;
  readonly transport: Transport;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
  readonly uuid: () => string;
}

export function compileClientOptions(options: ClientOptions): CompiledClientOptions {
  const url = new URL(options.baseUrl);
  const prefix = withoutTail(url.pathname, '/');
  return {
    prefix,
    wsUrl: `${url.protocol === 'https:' ? 'wss' : 'ws'}://${url.host}${prefix}/v2/ws`,
    key: options.key ? signingKey(options.key) : null,
    ca: options.ca,
    retry: {
      attempts: 5,
      baseDelayMs: 200,
      maxDelayMs: 5_000,
      maxRetryAfterMs: 60_000,
      maxTotalMs: 60_000,
      ...options.retry,
    },
    transport:
      options.transport ??
      undiciTransport(url.origin, {
        timeoutMs: options.timeoutMs ?? 15_000,
        connections: options.connections ?? 8,
        ca: options.ca,
        dispatcher: options.dispatcher,
      }),
    now: options.now ?? Date.now,
    sleep: options.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
    random: options.random ?? Math.random,
    uuid: options.uuid ?? randomUUID,
  };
}
