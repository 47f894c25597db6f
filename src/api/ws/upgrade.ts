/**
 * Checks a request before it becomes a WebSocket (specification, "WebSocket limits"; D24, D35, D42): its
 * address, its handshake, its Origin, and that there is room. Nothing here writes; `stream.ts` answers.
 */
import type { IncomingMessage } from 'node:http';
import { addressBucket } from '../../access/address.ts';
import type { ServiceError } from '../../domain/errors.ts';
import type { CompiledServiceLimits } from '../../domain/limits.ts';
import { headerValues } from '../request-form.ts';
import { cleanText } from '../text.ts';

/** The only path of the stream. A query is ignored like any unknown parameter (D27). */
export const STREAM_PATH = '/api/v2/ws';
/** The form of a handshake key (RFC 6455): 16 bytes in Base64. */
const HANDSHAKE_KEY = /^[A-Za-z0-9+/]{22}==$/;
/** The version of RFC 6455, the only one supported; older drafts have their Origin in another header. */
export const HANDSHAKE_VERSION = '13';
/** Time after which a refused address may try again, s. */
const RETRY_SECONDS = 5;

/** Whether a request is meant for the stream. The routes answer all others. */
export function wantsStream({ method, url, headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>) {
  if (method !== 'GET' || url === undefined) return false;
  if (url !== STREAM_PATH && !url.startsWith(`${STREAM_PATH}?`)) return false;
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** The refusal of a request to the stream's path without an upgrade; null for other paths. */
export function plainRequestProblem(method: string, path: string): ServiceError | null {
  if (method !== 'GET' || path !== STREAM_PATH) return null;
  const message = 'this is the address of the WebSocket; send Connection: Upgrade and Upgrade: websocket';
  return { code: 'INVALID_REQUEST', message };
}

/** Returns the first problem of the handshake; null: none. */
export function handshakeProblem(rawHeaders: readonly string[], httpVersion: string): string | null {
  if (httpVersion !== '1.1') return 'a WebSocket handshake needs HTTP/1.1';
  const keys = headerValues(rawHeaders, 'sec-websocket-key');
  if (keys.length !== 1 || !HANDSHAKE_KEY.test(keys[0] ?? '')) {
    return 'one Sec-WebSocket-Key header with 16 bytes in Base64 is needed';
  }
  const versions = headerValues(rawHeaders, 'sec-websocket-version');
  if (versions.length !== 1 || versions[0] !== HANDSHAKE_VERSION) {
    return `one Sec-WebSocket-Version header is needed, and it must be ${HANDSHAKE_VERSION}`;
  }
  const length = headerValues(rawHeaders, 'content-length').find((value) => value !== '0');
  if (length !== undefined || headerValues(rawHeaders, 'transfer-encoding').length > 0) {
    return 'a WebSocket handshake has no body';
  }
  return null;
}

/**
 * Checks the origin (D24): a browser's page may connect only from a listed origin. Programs send none. Null:
 * allowed.
 */
export function originProblem(rawHeaders: readonly string[], allowed: readonly string[]): string | null {
  const foreign = headerValues(rawHeaders, 'origin').find((origin) => !allowed.includes(origin));
  if (foreign === undefined) return null;
  return `the origin ${cleanText(foreign, 100)} is not on the list of allowed origins`;
}

/** Counts sockets by address (IPv6: /64), from their request until they are gone. */
export class Capacity {
  readonly #limits: Pick<CompiledServiceLimits['stream'], 'perAddress' | 'total'>;
  readonly #byBucket = new Map<string, number>();
  #total = 0;

  constructor(limits: Pick<CompiledServiceLimits['stream'], 'perAddress' | 'total'>) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  /** Takes a place; a refusal when there is none. */
  enter(address: string): ServiceError | { readonly leave: () => void } {
    const bucket = addressBucket(address);
    const { perAddress, total } = this.#limits;
    const count = this.#byBucket.get(bucket) ?? 0;
    if (count >= perAddress) {
      return {
        code: 'RATE_LIMITED',
        message: `${perAddress} WebSockets from ${bucket} are open, which is the most`,
      };
    }
    if (this.#total >= total) {
      return {
        code: 'SERVICE_UNAVAILABLE',
        message: `${total} WebSockets are open, which is the most; try again later`,
      };
    }
    this.#byBucket.set(bucket, count + 1);
    this.#total++;
    let inside = true;
    const leave = () => {
      if (!inside) return;
      inside = false;
      this.#total--;
      const left = (this.#byBucket.get(bucket) ?? 0) - 1;
      if (left > 0) this.#byBucket.set(bucket, left);
      else this.#byBucket.delete(bucket);
    };
    return { leave };
  }
}

/** Headers of a refusal for lack of room. */
export const RETRY_LATER: Readonly<Record<string, string>> = { 'retry-after': String(RETRY_SECONDS) };
