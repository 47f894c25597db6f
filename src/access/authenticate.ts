/**
 * Finds out who sent a request: the three headers, the timestamp, the key, the signature over the raw bytes,
 * the replay check (specification, "Authentication"; order of checks: borders.md 1, D2 to D4, S34). All later
 * checks, from the key's IP list (D4) to tiers, belong to the API. Reads no clock: `now` is passed in.
 */
import type { AccessKey } from '../domain/access-key.ts';
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import { base64urlProblem, decodeBase64url, KEY_BYTES, SIGNATURE_BYTES } from './canonical.ts';
import { headerText } from './header-text.ts';
import { ReplayCache, replayKey, WINDOW_MS } from './replay-cache.ts';
import type { ReplayMarks } from './replay-marks.ts';
import { Verifier } from './verifier.ts';

export interface SignedRequest {
  /** The method as received. */
  readonly method: string;
  /** As received, `/api/v2/...?...`; already accepted by `checkTarget`. */
  readonly target: string;
  /** Node's alternating list of names and values: only this form shows repeated headers. */
  readonly rawHeaders: readonly string[];
  /** The raw bytes; empty when there is no body. */
  readonly body: Buffer;
  /** Wall time, Unix ms. */
  readonly now: number;
}

export interface AuthenticatorDeps {
  /** Returns the active key of this id; null when unknown or revoked. */
  activeKey(id: string): AccessKey | null;
  /** Wall time at which this process started: timestamps before it cannot be judged (borders.md 1). */
  readonly startedAt: number;
  /**
   * The highest timestamp that each key has signed, raised with each accepted request; left out: none yet.
   */
  readonly replayMarks?: ReplayMarks;
  readonly verifier?: Verifier;
  readonly replays?: ReplayCache;
}

const KEY = 'X-SVC-KEY';
const SIGN = 'X-SVC-SIGN';
const TIMESTAMP = 'X-SVC-TIMESTAMP';

/** Lengths of the three header names: headers of other lengths need no closer look. */
const AUTH_LENGTHS: ReadonlySet<number> = new Set([KEY, SIGN, TIMESTAMP].map(({ length }) => length));

/**
 * A timestamp without sign, exponent, dot, leading zero or non-ASCII digits; 16 digits stay exact as a
 * number.
 */
const TIMESTAMP_FORM = /^[1-9]\d{0,15}$/;

export class Authenticator {
  readonly #deps: AuthenticatorDeps;
  readonly #verifier: Verifier;
  readonly #replays: ReplayCache;

  constructor(deps: AuthenticatorDeps) {
    this.#deps = deps;
    this.#verifier = deps.verifier ?? new Verifier();
    this.#replays = deps.replays ?? new ReplayCache(deps.startedAt, { marks: deps.replayMarks });
  }

  /** Returns the key that signed this request, or the refusal. An accepted signature cannot be used again. */
  async authenticate(request: SignedRequest): Promise<Outcome<AccessKey>> {
    const headers = readHeaders(request.rawHeaders);
    if (!headers.ok) return headers;
    const { keyId, publicKey, signature, timestamp } = headers.data;

    const time = this.#judgeTime(timestamp, request.now);
    if (!time.ok) return time;

    const message = signedMessage(timestamp, request.method, request.target, request.body);
    if (this.#deps.activeKey(keyId) === null) {
      await this.#verifier.pretend(message, signature);
      return unknownKey(keyId);
    }
    if (!(await this.#verifier.verify(keyId, message, signature))) {
      return refuse('INVALID_SIGNATURE', signatureHint(request, timestamp));
    }
    // The key as it is now: it may have been revoked, or changed, while the signature was verified.
    const key = this.#deps.activeKey(keyId);
    if (key === null) return unknownKey(keyId);

    // Requests that came meanwhile may have moved the time on: timestamps that left the window are forgotten.
    const { latest } = this.#replays;
    if (this.#replays.isBlindTo(time.data, latest)) return outdated(timestamp, latest);

    switch (this.#replays.admit(keyId, replayKey(publicKey, timestamp, signature), time.data, latest)) {
      case 'duplicate':
        return refuse(
          'UNAUTHORIZED',
          'duplicate request signature: this request was seen before; sign every attempt, retries too, with a fresh timestamp',
        );
      case 'used':
        return alreadyUsed(timestamp, this.#replays.usedUpTo(keyId), latest);
      case 'full':
        return refuse('SERVICE_UNAVAILABLE', 'too many signed requests within 10 seconds; try again shortly');
      case 'fresh':
        break;
    }

    return ok(key);
  }

  #judgeTime(timestamp: string, now: number): Outcome<number> {
    if (!TIMESTAMP_FORM.test(timestamp)) {
      return refuse(
        'TIMESTAMP_INVALID',
        `${TIMESTAMP} must be Unix milliseconds in plain digits, such as ${now}`,
      );
    }
    const time = Number(timestamp);
    const behind = now - time;
    if (Math.abs(behind) > WINDOW_MS) {
      const side = behind > 0 ? 'behind' : 'ahead of';
      return refuse(
        'TIMESTAMP_EXPIRED',
        `${TIMESTAMP} is ${Math.abs(behind)} ms ${side} the server's time ${now}; allowed: ${WINDOW_MS}`,
      );
    }
    if (this.#replays.isBlindTo(time, now)) {
      return refuse(
        'TIMESTAMP_EXPIRED',
        `${TIMESTAMP} is older than the server's start or its last clock change; sign again with a fresh timestamp (server's time ${now})`,
      );
    }
    return ok(time);
  }
}

/**
 * The signed text (specification, "Signing rule"): timestamp + METHOD + path from /v2 with its query + body,
 * no separators.
 */
export function signedMessage(timestamp: string, method: string, target: string, body: Uint8Array): Buffer {
  const path = target.startsWith('/api/') ? target.slice('/api'.length) : target;
  return Buffer.concat([Buffer.from(`${timestamp}${method}${path}`), body]);
}

interface AuthHeaders {
  readonly keyId: string;
  readonly publicKey: Buffer;
  readonly signature: Buffer;
  readonly timestamp: string;
}

/**
 * Checks the header form (D2): each header present once and canonical. Values are bounded and trimmed as HTTP
 * does (S34).
 */
function readHeaders(rawHeaders: readonly string[]): Outcome<AuthHeaders> {
  const found: Record<string, string[]> = { [KEY]: [], [SIGN]: [], [TIMESTAMP]: [] };
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string;
    if (!AUTH_LENGTHS.has(header.length)) continue;
    found[header.toUpperCase()]?.push(headerText(rawHeaders[i + 1] as string));
  }
  const names = [KEY, SIGN, TIMESTAMP];
  const missing = names.filter((name) => !found[name]?.[0]);
  if (missing.length > 0) {
    return refuse(
      'UNAUTHORIZED',
      `missing or empty: ${missing.join(', ')}; a signed request carries ${names.join(', ')}`,
    );
  }
  const repeated = names.find((name) => (found[name]?.length ?? 0) > 1);
  if (repeated) return refuse('UNAUTHORIZED', `${repeated} was sent more than once; send it once`);

  const [keyId, sign, timestamp] = names.map((name) => found[name]?.[0] ?? '') as [string, string, string];
  const publicKey = decodeBase64url(keyId, KEY_BYTES);
  if (!publicKey) return refuse('UNAUTHORIZED', `${KEY} ${base64urlProblem(keyId, KEY_BYTES)}`);
  const signature = decodeBase64url(sign, SIGNATURE_BYTES);
  if (!signature) return refuse('UNAUTHORIZED', `${SIGN} ${base64urlProblem(sign, SIGNATURE_BYTES)}`);
  return ok({ keyId, publicKey, signature, timestamp });
}

function unknownKey(keyId: string): Outcome<AccessKey> {
  return refuse('INVALID_KEY', `the key ${keyId.slice(0, 8)}... is not registered here or was revoked`);
}

/** The refusal of a request that was in time when it came, but is not any more. */
function outdated(timestamp: string, now: number): Outcome<AccessKey> {
  return refuse(
    'TIMESTAMP_EXPIRED',
    `${TIMESTAMP} ${timestamp} left the window while the signature was verified; sign again with a fresh timestamp (server's time ${now})`,
  );
}

/**
 * The refusal of a request that may have been carried out before the start, or before the clock was set back.
 */
function alreadyUsed(timestamp: string, usedUpTo: number, now: number): Outcome<AccessKey> {
  const left = usedUpTo - now;
  const way =
    left <= WINDOW_MS
      ? 'sign again with a fresh timestamp'
      : `the server's clock was set back: this key works again in ${Math.ceil(left / 1_000)} s, a new one at once`;
  return refuse(
    'TIMESTAMP_EXPIRED',
    `${TIMESTAMP} ${timestamp}: up to ${usedUpTo} this key has signed before the server's start or its last clock change; ${way} (server's time ${now})`,
  );
}

function signatureHint(request: SignedRequest, timestamp: string): string {
  const head = signedMessage(timestamp, request.method, request.target, Buffer.alloc(0)).toString();
  const shown = head.length > 200 ? `${head.slice(0, 200)}...` : head;
  const body = request.body.length > 0 ? `the ${request.body.length} bytes of the body as sent` : 'no body';
  return (
    `the signature does not match; sign timestamp + METHOD + path from /v2 with its query + the body bytes, ` +
    `here ${shown} followed by ${body}`
  );
}
