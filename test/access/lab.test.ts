/**
 * Why a request is refused: the verdicts are those of the API's own authenticator, and the hints name the
 * usual mistakes.
 */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Authenticator } from '../../src/access/authenticate.ts';
import { publicKeyOf } from '../../src/access/key-files.ts';
import { explainRequest, type LabInput } from '../../src/access/lab.ts';
import { type AccessKey, UNUSED_KEY } from '../../src/domain/access-key.ts';
import { refuse } from '../../src/domain/errors.ts';

const NOW = 1_767_571_200_000;
const STARTED = NOW - 3_600_000;
const PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

function pair(seed: number): KeyObject {
  const der = Buffer.concat([PREFIX, Buffer.alloc(32, seed)]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

const PRIVATE = pair(1);
const OTHER = pair(2);

function keyOf(privateKey: KeyObject, change: Partial<AccessKey> = {}): AccessKey {
  return {
    id: publicKeyOf(privateKey),
    user: 'owner',
    label: 'grid-bot',
    tier: 'trade',
    ipList: null,
    allowedExchanges: null,
    createdAt: NOW - 86_400_000,
    ...UNUSED_KEY,
    ...change,
  };
}

const KEY = keyOf(PRIVATE);

function signed(text: string, privateKey = PRIVATE): string {
  return sign(null, Buffer.from(text), privateKey).toString('base64url');
}

const BODY = '{"exchange": "paper-spot", "quantity": "1"}';
const RIGHT: LabInput = {
  method: 'POST',
  target: '/api/v2/orders?x=1',
  body: BODY,
  timestamp: String(NOW - 1_000),
  signature: signed(`${NOW - 1_000}POST/v2/orders?x=1${BODY}`),
};

function explain(change: Partial<LabInput> = {}, key = KEY, now = NOW) {
  return explainRequest(
    { ...RIGHT, ...change },
    {
      key,
      keys: [KEY, keyOf(OTHER, { label: 'dashboard' })],
      now,
      startedAt: STARTED,
      route: (method, path) =>
        method === 'POST' && path === '/api/v2/orders'
          ? { ok: true, data: { name: 'POST /orders', tier: 'trade' } }
          : refuse('NOT_FOUND', `there is no ${method} ${path}`),
    },
  );
}

async function refusals(change: Partial<LabInput> = {}, key = KEY, now = NOW) {
  const { rules } = await explain(change, key, now);
  return rules.filter(({ verdict }) => verdict === 'refuses').map(({ name, code }) => `${name} ${code}`);
}

describe('a request as it was sent', () => {
  it('passes every rule when it is right, and again: no signature is used up', async () => {
    for (let n = 0; n < 2; n++) {
      const { rules, hint } = await explain();
      expect(rules.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual(
        ['target', 'route', 'headers', 'timestamp', 'key', 'signature', 'addresses', 'tier', 'accounts'].map(
          (name) => `${name} passes`,
        ),
      );
      expect(hint).toBeNull();
    }
  });

  it.each([
    ['a whole URL', { target: 'https://desk.example.org/api/v2/orders?x=1' }],
    ['a path without /api', { target: ' /v2/orders?x=1' }],
  ])('understands %s', async (_, change) => {
    expect(await refusals(change)).toEqual([]);
  });

  it.each([
    [
      'an old one',
      { timestamp: String(NOW - 60_000) },
      ['timestamp TIMESTAMP_EXPIRED', 'signature INVALID_SIGNATURE'],
    ],
    ['no time', { timestamp: '' }, ['headers UNAUTHORIZED']],
    ['a time in words', { timestamp: 'noon' }, ['timestamp TIMESTAMP_INVALID']],
    ['a signature in hex', { signature: 'ab'.repeat(64) }, ['headers UNAUTHORIZED']],
    ['no signature', { signature: '' }, ['headers UNAUTHORIZED']],
    ['another body', { body: `${BODY} ` }, ['signature INVALID_SIGNATURE']],
    ['another path', { target: '/api/v2/bots' }, ['route NOT_FOUND', 'signature INVALID_SIGNATURE']],
    [
      'a target with a blank',
      { target: '/api/v2/orders?x=1 2' },
      ['target INVALID_REQUEST', 'signature INVALID_SIGNATURE'],
    ],
    ['another method', { method: 'GET' }, ['route NOT_FOUND', 'signature INVALID_SIGNATURE']],
  ])('%s: says each rule that refuses it', async (_, change, expected) => {
    expect(await refusals(change)).toEqual(expected);
  });

  it('goes on after the first refusal: expired, by a revoked key, of too low a tier, but rightly signed', async () => {
    const revoked = keyOf(PRIVATE, { revokedAt: NOW - 5_000, tier: 'read', ipList: ['10.0.0.0/8'] });
    expect(await refusals({}, revoked, NOW + 60_000)).toEqual([
      'timestamp TIMESTAMP_EXPIRED',
      'key INVALID_KEY',
      'tier FORBIDDEN',
    ]);
    const { rules } = await explain({}, revoked, NOW + 60_000);
    expect(rules.find(({ name }) => name === 'addresses')).toMatchObject({ verdict: 'open' });
    expect(rules.find(({ name }) => name === 'signature')).toMatchObject({ verdict: 'passes' });
  });

  it('whatever it is given, the first of the four rules that refuses is the one the authenticator names', async () => {
    const some = fc.record({
      method: fc.constantFrom('POST', 'GET', 'post', ''),
      body: fc.constantFrom(BODY, '', '{}'),
      timestamp: fc.oneof(
        fc.constantFrom(String(NOW - 1_000), String(NOW - 5_001), String(NOW + 5_001), '0', ''),
        fc.string(),
      ),
      signature: fc.oneof(fc.constant(RIGHT.signature), fc.constant(signed('x')), fc.string()),
    });
    await fc.assert(
      fc.asyncProperty(some, fc.boolean(), async (change, revoked) => {
        const key = revoked ? keyOf(PRIVATE, { revokedAt: 1 }) : KEY;
        const given = { ...RIGHT, ...change };
        const outcome = await new Authenticator({
          activeKey: () => (revoked ? null : key),
          startedAt: STARTED,
        }).authenticate({
          method: given.method,
          target: given.target,
          rawHeaders: [
            'x-svc-key',
            key.id,
            'x-svc-timestamp',
            given.timestamp,
            'x-svc-sign',
            given.signature,
          ],
          body: Buffer.from(given.body),
          now: NOW,
        });
        const { rules } = await explain(change, key);
        const first = rules
          .filter(({ name }) => ['headers', 'timestamp', 'key', 'signature'].includes(name))
          .find(({ verdict }) => verdict === 'refuses');
        expect(first?.code ?? null).toBe(outcome.ok ? null : outcome.error.code);
        if (!outcome.ok) expect(first?.text).toBe(outcome.error.message);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a hint', () => {
  const time = RIGHT.timestamp;
  const path = '/v2/orders?x=1';
  it.each([
    ['without the body', `${time}POST${path}`, {}],
    ['over the path with /api', `${time}POST/api${path}${BODY}`, {}],
    ['over the path without /v2', `${time}POST/orders?x=1${BODY}`, {}],
    ['over the path without its query', `${time}POST/v2/orders${BODY}`, {}],
    ['with the method in lower case', `${time}post${path}${BODY}`, {}],
    ['with the time in seconds', `${time.slice(0, -3)}POST${path}${BODY}`, {}],
    ['without the time', `POST${path}${BODY}`, {}],
    ['with the method before the time', `POST${time}${path}${BODY}`, {}],
    ['with the path before the method', `${time}${path}POST${BODY}`, {}],
    ['with line ends between', `${time}\nPOST\n${path}\n${BODY}`, {}],
    ['a line end after it; the line end was not sent', `${time}POST${path}${BODY}\n`, {}],
    ['without the line end after it', `${time}POST${path}${BODY}`, { body: `${BODY}\n` }],
    ['written anew', `${time}POST${path}${JSON.stringify(JSON.parse(BODY))}`, {}],
    ['in upper case; send it so', `${time}POST${path}${BODY}`, { method: 'post' }],
  ])('it was signed %s', async (words, text, change) => {
    const { hint } = await explain({ ...change, signature: signed(text) });
    expect(hint).toContain(words);
  });

  it('another key of the same user has signed it', async () => {
    const { hint } = await explain({ signature: signed(`${time}POST${path}${BODY}`, OTHER) });
    expect(hint).toBe('it is the signature of another key: dashboard');
  });

  it('there is none for a signature of something else', async () => {
    expect((await explain({ signature: signed('something else') })).hint).toBeNull();
  });
});
