/**
 * API keys and their signatures: the account of a key, its addresses and permissions, and whether and when it
 * has signed the request. Sources: OKX v5 "REST Authentication", "Login", "Error Code" 50101..50120 (REST),
 * 60004..60032 (WebSocket).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EmulatorRequest } from '../kit/wire.ts';
import { type Permission, Refusal } from './wire.ts';

export interface EmulatorKey {
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
  /** The key's account; default `main`. */
  readonly account?: string;
  readonly permissions?: readonly Permission[];
  /** Addresses that may use it; left out: any. */
  readonly ips?: readonly string[];
  /** Whether it was made for demo trading. */
  readonly demo?: boolean;
  readonly label?: string;
}

/** A throw-away key for tests, of `main`. */
export const TEST_KEY: EmulatorKey = {
  apiKey: '00000000-0000-4000-8000-000000000001',
  secret: '00000000000000000000000000000A01',
  passphrase: 'Emulator-Pass-1',
  label: 'emulator',
};

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const WINDOW_MS = 30_000;

export class Keys {
  readonly #keys = new Map<string, EmulatorKey>();

  constructor(keys: readonly EmulatorKey[]) {
    for (const key of keys) this.add(key);
  }

  /** Adds a key, or replaces it: other permissions, other addresses. */
  add(key: EmulatorKey): void {
    this.#keys.set(key.apiKey, key);
  }

  remove(apiKey: string): void {
    this.#keys.delete(apiKey);
  }

  get(apiKey: string): EmulatorKey | undefined {
    return this.#keys.get(apiKey);
  }

  /** Returns the key of a correctly signed REST request. Throws Refusal 501xx. */
  verify(request: EmulatorRequest, permission: Permission, now: number): EmulatorKey {
    const { headers } = request;
    const header = (name: string, code: string): string => {
      const value = headers[name.toLowerCase()] ?? '';
      if (value === '') throw new Refusal(code, `Request header "${name}" cannot be empty.`, 401);
      return value;
    };
    const apiKey = header('OK-ACCESS-KEY', '50103');
    const sign = header('OK-ACCESS-SIGN', '50106');
    const timestamp = header('OK-ACCESS-TIMESTAMP', '50107');
    const passphrase = header('OK-ACCESS-PASSPHRASE', '50104');
    if (!ISO.test(timestamp) || Number.isNaN(Date.parse(timestamp)))
      throw new Refusal('50112', 'Invalid OK-ACCESS-TIMESTAMP', 401);
    if (Math.abs(Date.parse(timestamp) - now) > WINDOW_MS)
      throw new Refusal('50102', 'Timestamp request expired', 401);
    const key = this.#keys.get(apiKey);
    if (!key) {
      throw FORM.test(apiKey)
        ? new Refusal('50119', "API key doesn't exist", 401)
        : new Refusal('50111', 'Invalid OK-ACCESS-KEY', 401);
    }
    const isDemo = headers['x-simulated-trading'] === '1';
    if (isDemo !== (key.demo ?? false))
      throw new Refusal('50101', 'APIKey does not match current environment.', 401);
    const ip = request.ip ?? '127.0.0.1';
    if (key.ips && key.ips.length > 0 && !key.ips.includes(ip))
      throw new Refusal('50110', `Your IP ${ip} is not included in your API key's IP whitelist.`, 401);
    if (passphrase !== key.passphrase)
      throw new Refusal('50105', 'Request header "OK-ACCESS-PASSPHRASE" incorrect.', 401);
    if (!isSigned(key, timestamp + request.method + request.path + (request.body ?? ''), sign))
      throw new Refusal('50113', 'Invalid signature', 401);
    const { permissions = ['read_only', 'trade'] } = key;
    if (!permissions.includes(permission))
      throw new Refusal('50120', "This API key doesn't have permission to use this function");
    return key;
  }

  /** Returns the key of a login frame. Throws Refusal 600xx. */
  login(arg: Readonly<Record<string, unknown>>, ip: string, now: number): EmulatorKey {
    const { apiKey, passphrase, timestamp, sign } = arg;
    if (typeof timestamp !== 'string' || !/^\d{10}$/.test(timestamp))
      throw new Refusal('60004', 'Invalid timestamp');
    if (Math.abs(Number(timestamp) * 1000 - now) > WINDOW_MS)
      throw new Refusal('60006', 'Timestamp request expired');
    if (typeof apiKey !== 'string' || apiKey === '') throw new Refusal('60005', 'Invalid apiKey');
    const key = this.#keys.get(apiKey);
    if (!key) {
      throw FORM.test(apiKey)
        ? new Refusal('60032', "API key doesn't exist.")
        : new Refusal('60005', 'Invalid apiKey');
    }
    if (key.ips && key.ips.length > 0 && !key.ips.includes(ip)) throw new Refusal('60009', 'Login failed.');
    if (passphrase !== key.passphrase) throw new Refusal('60024', 'Wrong passphrase');
    if (typeof sign !== 'string' || !isSigned(key, `${timestamp}GET/users/self/verify`, sign))
      throw new Refusal('60007', 'Invalid sign');
    return key;
  }
}

/** The signature: base64 of HMAC SHA-256. */
export function signOf(secret: string, payload: string): string {
  return createHmac('sha256', secret).update(payload).digest('base64');
}

function isSigned({ secret }: EmulatorKey, payload: string, sign: string): boolean {
  const right = Buffer.from(signOf(secret, payload));
  const given = Buffer.from(sign);
  return given.length === right.length && timingSafeEqual(given, right);
}
