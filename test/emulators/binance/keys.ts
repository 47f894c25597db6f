/**
 * API keys and their signatures: the account of a key, its addresses and permissions, and whether it has
 * signed the request. Sources: binance-spot-api-docs rest-api.md "Request security", web-socket-api.md
 * "Request security".
 */
import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { Refusal, type Right } from './wire.ts';

export interface EmulatorKey {
  readonly apiKey: string;
  /** HMAC keys. */
  readonly secret?: string;
  /** Ed25519 keys: PEM, or 32 bytes in hex. */
  readonly publicKey?: string;
  /** The key's account; default `main`. */
  readonly account?: string;
  readonly rights?: readonly Right[];
  readonly withdraw?: boolean;
  /** Addresses that may use it; left out: any. */
  readonly ips?: readonly string[];
}

/**
 * Throw-away keys for tests, HMAC and Ed25519; both belong to `main`. The Ed25519 one is made from the seed
 * 01 x 32.
 */
export const TEST_KEY: EmulatorKey & { readonly secret: string } = {
  apiKey: 'emulatorHmacKey000000000000000000000000000000000000000000000001',
  secret: 'emulatorSecret0000000000000000000000000000000000000000000000001',
};
export const TEST_ED25519_KEY: EmulatorKey & { readonly publicKey: string } = {
  apiKey: 'emulatorEd25519Key0000000000000000000000000000000000000000000001',
  publicKey: '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c',
};
/** PKCS #8 of the key made from the seed 01 x 32. */
export const TEST_ED25519_PRIVATE_PEM = `-----BEGIN PRIVATE KEY-----
${Buffer.from(`302e020100300506032b657004220420${'01'.repeat(32)}`, 'hex').toString('base64')}
-----END PRIVATE KEY-----
`;

const DENIED = 'Invalid API-key, IP, or permissions for action.';
const FORM = /^[A-Za-z0-9]{8,100}$/;

export class Keys {
  readonly #keys = new Map<string, EmulatorKey>();
  readonly #public = new Map<string, KeyObject>();
  readonly #revoked = new Set<string>();

  constructor(keys: readonly EmulatorKey[]) {
    for (const key of keys) this.add(key);
  }

  /** Adds a key, or replaces it: other permissions, other addresses. */
  add(key: EmulatorKey): void {
    this.#keys.set(key.apiKey, key);
    this.#revoked.delete(key.apiKey);
    if (key.publicKey !== undefined) this.#public.set(key.apiKey, publicKeyOf(key.publicKey));
  }

  revoke(apiKey: string): void {
    this.#revoked.add(apiKey);
  }

  /** Returns a key that has been admitted. */
  of(apiKey: string): EmulatorKey {
    return this.#keys.get(apiKey) ?? { apiKey };
  }

  isRevoked(apiKey: string): boolean {
    return this.#revoked.has(apiKey) || !this.#keys.has(apiKey);
  }

  /** Returns the key if it may do this from there. Throws Refusal. */
  admit(apiKey: string | undefined, right: Right | undefined, ip: string | undefined): EmulatorKey {
    if (apiKey === undefined || !FORM.test(apiKey)) throw new Refusal(-2014, 'API-key format invalid.', 401);
    const key = this.#keys.get(apiKey);
    if (!key || this.#revoked.has(apiKey)) throw new Refusal(-2015, DENIED, 401);
    const { ips = [], rights = ['read', 'spot', 'futures'] } = key;
    if (ips.length > 0 && !ips.includes(ip ?? '127.0.0.1')) throw new Refusal(-2015, DENIED, 401);
    if (right !== undefined && !rights.includes(right)) throw new Refusal(-2015, DENIED, 401);
    return key;
  }

  isEd25519(key: EmulatorKey): boolean {
    return key.publicKey !== undefined;
  }

  /** Throws Refusal -1022. */
  verify(key: EmulatorKey, payload: string, signature: string): void {
    const ok =
      key.publicKey !== undefined ? this.#ed25519(key, payload, signature) : hmac(key, payload, signature);
    if (!ok) throw new Refusal(-1022, 'Signature for this request is not valid.');
  }

  #ed25519(key: EmulatorKey, payload: string, signature: string): boolean {
    const bytes = Buffer.from(signature, 'base64');
    if (bytes.length !== 64) return false;
    return verify(null, Buffer.from(payload), this.#public.get(key.apiKey) as KeyObject, bytes);
  }
}

function hmac(key: EmulatorKey, payload: string, signature: string): boolean {
  const right = createHmac('sha256', key.secret ?? '')
    .update(payload)
    .digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === right.length && timingSafeEqual(given, right);
}

function publicKeyOf(text: string): KeyObject {
  if (text.includes('BEGIN')) return createPublicKey(text);
  return createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(text, 'hex')]),
    format: 'der',
    type: 'spki',
  });
}

/** The signed text of a REST request: query and body as received, without the signature itself. */
export function restPayload(query: string, body: string): { payload: string; signature: string | null } {
  let signature: string | null = null;
  const strip = (text: string): string =>
    text
      .split('&')
      .filter((part) => {
        if (!part.startsWith('signature=')) return true;
        signature ??= decodeURIComponent(part.slice('signature='.length));
        return false;
      })
      .join('&');
  return { payload: strip(query) + strip(body), signature };
}

/** The signed text of a WebSocket API request: parameters sorted by name, unencoded. */
export function socketPayload(params: Readonly<Record<string, unknown>>): string {
  return Object.keys(params)
    .filter((name) => name !== 'signature')
    .sort()
    .map((name) => `${name}=${String(params[name])}`)
    .join('&');
}

/** Compares the sender's timestamp with the exchange's clock. Throws Refusal -1102, -1021. */
export function checkTimestamp(text: string, recvWindow: string | null, now: number): void {
  if (!/^\d{1,16}$/.test(text))
    throw new Refusal(
      -1100,
      "Illegal characters found in parameter 'timestamp'; legal range is '^[0-9]{1,20}$'.",
    );
  const time = text.length > 14 ? Number(text) / 1000 : Number(text);
  if (recvWindow !== null && !/^\d{1,5}(\.\d{1,3})?$/.test(recvWindow))
    throw new Refusal(-1102, "Mandatory parameter 'recvWindow' was not sent, was empty/null, or malformed.");
  const window = recvWindow === null ? 5000 : Number(recvWindow);
  if (window > 60_000)
    throw new Refusal(
      -1102,
      "Parameter 'recvWindow' contains unexpected value. Cannot be greater than 60000.",
    );
  if (time >= now + 1000)
    throw new Refusal(-1021, "Timestamp for this request was 1000ms ahead of the server's time.");
  if (now - time > window)
    throw new Refusal(-1021, 'Timestamp for this request is outside of the recvWindow.');
}
