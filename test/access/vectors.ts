/** The signing vectors and bad keys of this project as typed data. */
import { readFileSync } from 'node:fs';

export interface RestVector {
  readonly name: string;
  /** The expected result: a code, several joined with " or ", or `ok`. */
  readonly expect: string;
  readonly now: number;
  readonly method: string;
  readonly target: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly message: string;
}

export interface WsVector {
  readonly name: string;
  readonly expect: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly challenge: string;
}

export const SIGNING = read<{
  public_key_b64url: string;
  pkcs8_pem: string;
  rest: RestVector[];
  websocket: WsVector[];
}>('svc_signing_vectors.json');

export const BAD_KEYS = read<{ keys: { hex: string; b64url: string; why: string }[] }>(
  'ed25519_bad_public_keys.json',
).keys;

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../fixtures/security/${name}`, import.meta.url), 'utf8')) as T;
}
