import { createPrivateKey, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Authenticator, type SignedRequest, signedMessage } from '../../src/access/authenticate.ts';
import { ReplayCache } from '../../src/access/replay-cache.ts';
import { checkTarget } from '../../src/access/target.ts';
import { Verifier } from '../../src/access/verifier.ts';
import { parseWsAuth, wsAuthMessage } from '../../src/access/ws-auth.ts';
import { type AccessKey, UNUSED_KEY } from '../../src/domain/access-key.ts';
import { BAD_KEYS, type RestVector, SIGNING, type WsVector } from './vectors.ts';

const NOW = 1_760_000_000_000;
const KEY: AccessKey = {
  id: SIGNING.public_key_b64url,
  user: 'owner',
  label: 'vectors',
  tier: 'trade',
  ipList: null,
  allowedExchanges: null,
  createdAt: 0,
  ...UNUSED_KEY,
};
const privateKey = createPrivateKey(SIGNING.pkcs8_pem);
const activeKey = (id: string) => (id === KEY.id ? KEY : null);
const authenticator = (startedAt = 0) => new Authenticator({ activeKey, startedAt });

/** Judges a request as the API does: the target first, then the rest. */
async function judge(request: SignedRequest, who = authenticator()): Promise<string> {
  if (checkTarget(request.target)) return 'INVALID_REQUEST';
  const outcome = await who.authenticate(request);
  return outcome.ok ? 'ok' : outcome.error.code;
}

function requestOf(vector: RestVector): SignedRequest {
  return {
    method: vector.method,
    target: vector.target,
    rawHeaders: Object.entries(vector.headers).flat(),
    body: Buffer.from(vector.body),
    now: vector.now,
  };
}

function signed(changes: Partial<SignedRequest> & { timestamp?: string } = {}): SignedRequest {
  const { timestamp = String(NOW), ...rest } = changes;
  const request = { method: 'GET', target: '/api/v2/ping', body: Buffer.alloc(0), now: NOW, ...rest };
  const message = signedMessage(timestamp, request.method, request.target, request.body);
  const signature = sign(null, message, privateKey).toString('base64url');
  const rawHeaders = ['X-SVC-KEY', KEY.id, 'X-SVC-SIGN', signature, 'X-SVC-TIMESTAMP', timestamp];
  return { rawHeaders, ...request };
}

const messageOf = async (request: SignedRequest, who = authenticator()) => {
  const outcome = await who.authenticate(request);
  return outcome.ok ? 'ok' : `${outcome.error.code}: ${outcome.error.message}`;
};

describe('signing vectors', () => {
  it('are all here', () => {
    expect([SIGNING.rest.length, SIGNING.websocket.length]).toEqual([54, 5]);
  });

  // proves: rule header-key, rule header-sign, rule header-timestamp, rule sign-message
  // proves: rule sign-timestamp, rule sign-method, rule sign-path, rule sign-body, rule sign-bytes
  // proves: rule timestamp-window, rule timestamp-number, limit timestamp-skew, D2, D22
  it.each(SIGNING.rest)('REST: $name -> $expect', async (vector) => {
    expect(vector.expect.split(' or ')).toContain(await judge(requestOf(vector)));
  });

  // proves: S34
  it('settles the two open cases as S34 says', async () => {
    const named = (name: string) =>
      requestOf(SIGNING.rest.find((vector) => vector.name === name) as RestVector);
    expect(await judge(named('timestamp ""'))).toBe('UNAUTHORIZED');
    expect(await judge(named('timestamp " 1760000000000"'))).toBe('INVALID_SIGNATURE');
  });

  // proves: rule ws-sign, rule ws-sign-form
  it.each(SIGNING.websocket)('WebSocket: $name -> $expect', async (vector: WsVector) => {
    const auth = parseWsAuth(vector.args);
    if ('problem' in auth) {
      expect(vector.expect).toBe('INVALID_ARGS');
      return;
    }
    const message = wsAuthMessage(auth.timestamp, vector.challenge);
    const right = await new Verifier().verify(auth.keyId, message, auth.signature);
    expect(right ? 'ok' : 'INVALID_SIGNATURE').toBe(vector.expect);
  });

  it('refuses WebSocket arguments of another form', () => {
    const { args } = SIGNING.websocket[0] as WsVector;
    for (const bad of [
      null,
      'x',
      {},
      { ...args, key: 1 },
      { ...args, key: 'x' },
      { ...args, sign: 5 },
      { ...args, timestamp: 1.5 },
      { ...args, timestamp: -1 },
    ]) {
      expect(parseWsAuth(bad)).toHaveProperty('problem');
    }
  });
});

describe('authentication', () => {
  it('gives back the key that signed', async () => {
    expect(await authenticator().authenticate(signed())).toEqual({ ok: true, data: KEY });
  });

  it('reads header names in any case and trims values as HTTP does', async () => {
    const request = signed();
    const rawHeaders = request.rawHeaders.map((text, i) =>
      i % 2 === 0 ? text.toLowerCase() : ` \t${text} `,
    );
    expect(await judge({ ...request, rawHeaders })).toBe('ok');
  });

  // proves: failure headers
  it('names every missing header and what a signed request carries', async () => {
    const { rawHeaders, ...rest } = signed();
    expect(await messageOf({ ...rest, rawHeaders: rawHeaders.slice(2) })).toContain(
      'missing or empty: X-SVC-KEY;',
    );
    expect(await messageOf({ ...rest, rawHeaders: [] })).toContain(
      'missing or empty: X-SVC-KEY, X-SVC-SIGN, X-SVC-TIMESTAMP;',
    );
  });

  // proves: D2
  it('refuses a repeated header even when both values are right', async () => {
    const request = signed();
    for (const at of [0, 2, 4]) {
      const rawHeaders = [
        ...request.rawHeaders,
        (request.rawHeaders[at] as string).toLowerCase(),
        request.rawHeaders[at + 1] as string,
      ];
      expect(await messageOf({ ...request, rawHeaders })).toMatch(
        /^UNAUTHORIZED: .* was sent more than once/,
      );
    }
  });

  it('refuses a joined header as Node gives it for some names', async () => {
    const request = signed();
    const rawHeaders = request.rawHeaders.map((text) => (text === KEY.id ? `${KEY.id}, ${KEY.id}` : text));
    expect(await judge({ ...request, rawHeaders })).toBe('UNAUTHORIZED');
  });

  it('says how far off a timestamp is', async () => {
    expect(await messageOf(signed({ now: NOW + 7312 }))).toBe(
      "TIMESTAMP_EXPIRED: X-SVC-TIMESTAMP is 7312 ms behind the server's time 1760000007312; allowed: 5000",
    );
    expect(await messageOf(signed({ now: NOW - 6000 }))).toContain('6000 ms ahead of');
  });

  it('takes no more than 16 digits', async () => {
    expect(await judge(signed({ timestamp: '1'.repeat(16) }))).toBe('TIMESTAMP_EXPIRED');
    expect(await judge(signed({ timestamp: '1'.repeat(17) }))).toBe('TIMESTAMP_INVALID');
    expect(await judge(signed({ timestamp: '0' }))).toBe('TIMESTAMP_INVALID');
  });

  it('shows what should have been signed', async () => {
    const request = {
      ...signed(),
      method: 'POST',
      target: '/api/v2/orders?a=1',
      body: Buffer.from('{"x":1}'),
    };
    expect(await messageOf(request)).toContain(
      '1760000000000POST/v2/orders?a=1 followed by the 7 bytes of the body as sent',
    );
    const long = { ...signed(), target: `/api/v2/orders?a=${'x'.repeat(5000)}` };
    expect((await messageOf(long)).length).toBeLessThan(500);
  });

  // proves: failure key, error INVALID_KEY, D2
  it('answers INVALID_KEY for a well-formed key that is unknown, revoked or bad, whatever the signature', async () => {
    const request = signed();
    for (const id of ['A'.repeat(43), ...BAD_KEYS.map((key) => key.b64url)]) {
      const rawHeaders = request.rawHeaders.map((text) => (text === KEY.id ? id : text));
      expect(await judge({ ...request, rawHeaders })).toBe('INVALID_KEY');
    }
    const revoked = new Authenticator({ activeKey: () => null, startedAt: 0 });
    expect(await judge(request, revoked)).toBe('INVALID_KEY');
  });

  // proves: D3
  it('does a verification for an unknown key too', async () => {
    let pretended = 0;
    class Counting extends Verifier {
      override pretend(message: Uint8Array, signature: Uint8Array): Promise<void> {
        pretended += 1;
        return super.pretend(message, signature);
      }
    }
    const who = new Authenticator({ activeKey: () => null, startedAt: 0, verifier: new Counting() });
    await judge(signed(), who);
    expect(pretended).toBe(1);
  });

  it('refuses a key that was revoked while its signature was verified', async () => {
    let active: AccessKey | null = KEY;
    const who = new Authenticator({ activeKey: () => active, startedAt: 0 });
    const verdict = judge(signed(), who);
    active = null;
    expect(await verdict).toBe('INVALID_KEY');
  });

  // proves: rule replay
  it('takes a signature once, and a fresh timestamp again', async () => {
    const who = authenticator();
    expect(await judge(signed(), who)).toBe('ok');
    expect(await messageOf(signed({ now: NOW + 5000 }), who)).toMatch(
      /^UNAUTHORIZED: duplicate request signature/,
    );
    expect(await judge(signed({ timestamp: String(NOW + 1) }), who)).toBe('ok');
  });

  it('remembers only requests whose signature was right', async () => {
    const replays = new ReplayCache(0);
    const who = new Authenticator({ activeKey, startedAt: 0, replays });
    await judge({ ...signed(), target: '/api/v2/orders' }, who);
    expect(replays.size).toBe(0);
    await judge(signed(), who);
    expect(replays.size).toBe(1);
  });

  // proves: D21
  it('answers SERVICE_UNAVAILABLE when the replay cache is full', async () => {
    const who = new Authenticator({ activeKey, startedAt: 0, replays: new ReplayCache(0, { capacity: 1 }) });
    expect(await judge(signed(), who)).toBe('ok');
    expect(await judge(signed({ timestamp: String(NOW + 1) }), who)).toBe('SERVICE_UNAVAILABLE');
  });

  // proves: D21
  it('after a restart refuses what an earlier process may have seen', async () => {
    const who = authenticator(NOW + 100);
    expect(await messageOf(signed({ now: NOW + 200 }), who)).toMatch(
      /^TIMESTAMP_EXPIRED: .*older than the server's start/,
    );
    expect(await judge(signed({ now: NOW + 200, timestamp: String(NOW + 100) }), who)).toBe('ok');
  });

  it('judges in order: header form, timestamp form, window, key, signature', async () => {
    const wrong = { ...signed(), target: '/api/v2/orders' };
    const put = (name: string, value: string, request: SignedRequest) => {
      const rawHeaders = [...request.rawHeaders];
      rawHeaders[rawHeaders.indexOf(name) + 1] = value;
      return { ...request, rawHeaders };
    };
    const unknownKey = put('X-SVC-KEY', 'A'.repeat(43), wrong);
    const late = put('X-SVC-TIMESTAMP', '1', unknownKey);
    const noNumber = put('X-SVC-TIMESTAMP', 'x', unknownKey);
    const noForm = put('X-SVC-SIGN', 'x', noNumber);
    const all = [noForm, noNumber, late, unknownKey, wrong].map((request) => judge(request));
    expect(await Promise.all(all)).toEqual([
      'UNAUTHORIZED',
      'TIMESTAMP_INVALID',
      'TIMESTAMP_EXPIRED',
      'INVALID_KEY',
      'INVALID_SIGNATURE',
    ]);
  });
});

describe('request target', () => {
  it.each([
    '/',
    '/api/v2/orders',
    '/api/v2/orders?symbol=BTC%2FUSDT&a=',
    "/a-._~!$&'()*+,;=:@/b?c=d?e",
    '//',
    '/api/../x',
  ])('lets %s pass', (target) => {
    expect(checkTarget(target)).toBeNull();
  });

  // proves: D26
  it.each([
    ['http://host/api/v2/ping', 'must be a path'],
    ['*', 'must be a path'],
    ['', 'must be a path'],
    ['/a{"mode":2}', 'the character { (U+007B)'],
    ['/a#b', 'the character # (U+0023)'],
    ['/a b', 'the character U+0020'],
    ['/a\u00e9', 'the character U+00E9'],
    ['/a\u{1F600}', 'the character U+1F600'],
    ['/a\n', 'the character U+000A'],
    ['/a%', '%25'],
    ['/a%2', '%25'],
    ['/a%zz', '%25'],
  ])('refuses %j', (target, words) => {
    expect(checkTarget(target)).toContain(words);
  });

  it('judges a long target in linear time', () => {
    expect(checkTarget(`/${'a'.repeat(16_000)}{`)).toContain('{');
  });
});

/** A verifier that answers when the test says so. */
class HeldVerifier extends Verifier {
  readonly #held: (() => void)[] = [];

  override async verify(...request: Parameters<Verifier['verify']>): Promise<boolean> {
    await new Promise<void>((resolve) => this.#held.push(resolve));
    return super.verify(...request);
  }

  /** Answers the oldest waiting request. */
  release(): void {
    this.#held.shift()?.();
  }
}

// proves: rule replay, D21
describe('a signature whose verification takes long', () => {
  it('is not used twice when its second sending waits longer than its window', async () => {
    const verifier = new HeldVerifier();
    const who = new Authenticator({ activeKey, startedAt: 0, verifier });
    const later = (ms: number) => signed({ now: NOW + ms, timestamp: String(NOW + ms) });
    const twice = { ...signed(), now: NOW + 4_900 };
    const codes: string[] = [];
    const asked = [judge(twice, who), judge(twice, who)];
    for (const [i, code] of asked.entries()) {
      void judge(later(6_100 + i * 1_100), who);
      verifier.release();
      codes.push(await code);
    }
    expect(codes).toEqual(['TIMESTAMP_EXPIRED', 'TIMESTAMP_EXPIRED']);
  });
});
