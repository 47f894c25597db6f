/**
 * The arguments of a WebSocket auth message and the text it signs (specification, "WebSocket authentication"). Form
 * only; sessions, attempts and challenges belong to the WebSocket server. Pure.
 */
import { base64urlProblem, decodeBase64url, KEY_BYTES, parseWsSignature } from './canonical.ts';

export interface WsAuth {
  /** The 43-character public key. */
  readonly keyId: string;
  readonly signature: Buffer;
  /** Unix ms. */
  readonly timestamp: number;
}

/** Reads `args` of an auth message; the problem is for INVALID_ARGS. */
export function parseWsAuth(args: unknown): WsAuth | { readonly problem: string } {
  if (typeof args !== 'object' || args === null) return { problem: 'args must be {key, sign, timestamp}' };
  const { key, sign, timestamp } = args as Record<string, unknown>;
  if (typeof key !== 'string') return { problem: 'key must be the 43-character public key' };
  if (!decodeBase64url(key, KEY_BYTES)) return { problem: `key ${base64urlProblem(key, KEY_BYTES)}` };
  const signature = typeof sign === 'string' ? parseWsSignature(sign) : null;
  if (!signature) {
    return { problem: 'sign must be 64 bytes as standard Base64 with padding, or as Base64url without' };
  }
  if (typeof timestamp !== 'number' || !Number.isSafeInteger(timestamp) || timestamp <= 0) {
    return { problem: 'timestamp must be an integer, Unix ms' };
  }
  return { keyId: key, signature, timestamp };
}

/** What the client signs. REST messages start with a digit, so neither can stand in for the other. */
export function wsAuthMessage(timestamp: number, challenge: string): Buffer {
  return Buffer.from(`WSAuth${timestamp}${challenge}`);
}
