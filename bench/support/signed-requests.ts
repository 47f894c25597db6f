/**
 * Signed requests as bytes, made before the clock runs. Timestamps rise from the present on; the service
 * allows 5 s ahead.
 */
import { createPrivateKey, sign } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

export interface BenchKey {
  readonly id: string;
  readonly pem: string;
}

export interface PlainRequest {
  readonly method: 'GET' | 'POST';
  /** Path from /v2 on. */
  readonly path: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
}

/** Most by which the last timestamp may be ahead. */
const MAX_AHEAD_MS = 2_000;
/** Most by which the first one may be ahead: rounds that end sooner than their timestamps have to wait. */
const START_AHEAD_MS = 1_000;
let last = 0;

export async function signAll(key: BenchKey, requests: readonly PlainRequest[]): Promise<Buffer[]> {
  const privateKey = createPrivateKey(key.pem);
  const ahead = last + 1 - Date.now();
  if (ahead > START_AHEAD_MS) await setTimeout(ahead - START_AHEAD_MS);
  const from = Math.max(Date.now(), last + 1);
  return requests.map(({ method, path, body = '', idempotencyKey }, index) => {
    const timestamp = from + Math.floor((index / requests.length) * MAX_AHEAD_MS);
    last = timestamp;
    const signature = sign(null, Buffer.from(`${timestamp}${method}${path}${body}`), privateKey);
    const lines = [
      `${method} /api${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      `X-SVC-KEY: ${key.id}`,
      `X-SVC-SIGN: ${signature.toString('base64url')}`,
      `X-SVC-TIMESTAMP: ${timestamp}`,
    ];
    if (idempotencyKey) lines.push(`X-Idempotency-Key: ${idempotencyKey}`);
    if (body) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
  });
}
