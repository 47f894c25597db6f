/**
 * The arguments of a WebSocket auth message and the text it signs (specification, "WebSocket
 * authentication"). Checks the form only; sessions, attempts and challenges belong to the WebSocket server.
 * Pure.
 */
import { base64urlProblem, decodeBase64url, KEY_BYTES, parseWsSignature } from './canonical.ts';

export interface WsAuth {
  /** The 43-character public key. */
  readonly keyId: string;
  readonly signature: Buffer;
  /** Unix ms. */
  readonly timestamp: number;
}

export interface WsAuthProblem {
  readonly code: 'INVALID_ARGS' | 'TIMESTAMP_INVALID';
  readonly problem: string;
}

/** Reads `args` of an auth message. */
export function parseWsAuth(args: unknown): WsAuth | WsAuthProblem {
  const wrong = (problem: string): WsAuthProblem => ({ code: 'INVALID_ARGS', problem });
  if (typeof args !== 'object' || args === null) return wrong('args must be {key, sign, timestamp}');
  const { key, sign, timestamp } = args as Record<string, unknown>;
  if (typeof key !== 'string') return wrong('key must be the 43-character public key');
  if (!decodeBase64url(key, KEY_BYTES)) return wrong(`key ${base64urlProblem(key, KEY_BYTES)}`);
  const signature = typeof sign === 'string' ? parseWsSignature(sign) : null;
  if (!signature) {
    return wrong('sign must be 64 bytes as standard Base64 with padding, or as Base64url without');
  }
  if (typeof timestamp !== 'number') return wrong('timestamp must be a number, Unix ms');
  if (!Number.isSafeInteger(timestamp) || timestamp <= 0) {
    return { code: 'TIMESTAMP_INVALID', problem: 'timestamp must be a positive integer, Unix ms' };
  }
  return { keyId: key, signature, timestamp };
}

/** The text that a client signs. REST messages start with a digit, so neither can be used as the other. */
export function wsAuthMessage(timestamp: number, challenge: string): Buffer {
  return Buffer.from(`WSAuth${timestamp}${challenge}`);
}
