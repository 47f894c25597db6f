/**
 * API keys: their accounts, permissions and addresses, and whether they have signed the request. HMAC in hex,
 * RSA in base64. Sources: guide.mdx "Authentication", error.mdx (10002 .. 10010, 33004),
 * user/apikey-info.mdx, facts-bybit-okx 1.1.
 */
import { createHmac, timingSafeEqual, verify } from 'node:crypto';
import { Refusal, type Right } from './wire.ts';

export interface EmulatorKey {
  readonly apiKey: string;
  readonly secret?: string;
  /** RSA keys: PEM of the public half. */
  readonly publicKey?: string;
  /** The key's account; default `main`. */
  readonly account?: string;
  readonly readOnly?: boolean;
  /** Permissions in the form of `user/query-api`; left out: spot and contract trading. */
  readonly permissions?: Readonly<Record<string, readonly string[]>>;
  readonly ips?: readonly string[];
  readonly isExpired?: boolean;
}

export const TEST_KEY: EmulatorKey & { readonly secret: string } = {
  apiKey: 'EmuBybitKey0000001',
  secret: 'EmuBybitSecret0000000000000000000001',
};

export const FULL_RIGHTS: Readonly<Record<string, readonly string[]>> = {
  ContractTrade: ['Order', 'Position'],
  Spot: ['SpotTrade'],
  Wallet: [],
  Options: [],
  Derivatives: ['DerivativesTrade'],
  CopyTrading: [],
  BlockTrade: [],
  Exchange: ['ExchangeHistory'],
  NFT: [],
  Affiliate: [],
  Earn: [],
};

export class Keys {
  readonly #keys = new Map<string, EmulatorKey>();

  constructor(keys: readonly EmulatorKey[]) {
    for (const key of keys) this.add(key);
  }

  /** Adds a key, or replaces it: other permissions, other addresses. */
  add(key: EmulatorKey): void {
    this.#keys.set(key.apiKey, key);
  }

  revoke(apiKey: string): void {
    this.#keys.delete(apiKey);
  }

  has(apiKey: string): boolean {
    return this.#keys.has(apiKey);
  }

  /** Returns a key that has been admitted. */
  of(apiKey: string): EmulatorKey {
    return this.#keys.get(apiKey) ?? { apiKey };
  }

  /** Returns the key if it may be used from there. Throws Refusal 10003, 33004, 10010. */
  admit(apiKey: string, ip: string | undefined): EmulatorKey {
    const key = this.#keys.get(apiKey);
    if (!key) throw new Refusal(10003, 'API key is invalid.');
    if (key.isExpired) throw new Refusal(33004, 'Your api key has expired.');
    const { ips = [] } = key;
    if (ips.length > 0 && !ips.includes(ip ?? '127.0.0.1'))
      throw new Refusal(10010, "Unmatched IP, please check your API key's bound IP addresses.");
    return key;
  }

  /** Checks the key's permission. Throws Refusal 10005. */
  permit(key: EmulatorKey, right: Right, isWrite: boolean): void {
    const { permissions = FULL_RIGHTS, readOnly = false } = key;
    const isGranted = right === 'read' || Object.values(permissions).some((rights) => rights.includes(right));
    if (!isGranted || (readOnly && isWrite))
      throw new Refusal(10005, 'Permission denied, please check your API key permissions.');
  }

  isSigned(key: EmulatorKey, payload: string, signature: string): boolean {
    if (key.publicKey !== undefined)
      return verify('sha256', Buffer.from(payload), key.publicKey, Buffer.from(signature, 'base64'));
    const right = createHmac('sha256', key.secret ?? '')
      .update(payload)
      .digest();
    if (!/^[0-9a-f]{64}$/.test(signature)) return false;
    return timingSafeEqual(Buffer.from(signature, 'hex'), right);
  }
}

/** Checks `server - recvWindow <= timestamp < server + 1000` (guide.mdx). Throws Refusal 10002, 10001. */
export function checkTime(timestamp: string, recvWindow: string | undefined, now: number): void {
  const window = recvWindow === undefined || recvWindow === '' ? 5000 : Number(recvWindow);
  if (!/^\d{13}$/.test(timestamp) || !Number.isSafeInteger(window) || window < 0)
    throw new Refusal(10002, 'invalid request, please check your timestamp or recv_window param.');
  const time = Number(timestamp);
  if (time >= now - window && time < now + 1000) return;
  throw new Refusal(
    10002,
    `invalid request, please check your server timestamp or recv_window param. req_timestamp[${timestamp}],server_timestamp[${now}],recv_window[${window}]`,
  );
}
