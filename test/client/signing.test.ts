import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { nextTimestamp, signedHeaders, signingKey } from '../../src/client/signing.ts';
import { SIGNING } from '../access/vectors.ts';
import { clientWith, NOW, success } from './fakes.ts';

const never = async () => {
  throw new Error('must not wait');
};

describe('signed headers', () => {
  const key = signingKey({ privateKeyPem: SIGNING.pkcs8_pem });
  const right = SIGNING.rest.filter((vector) => vector.expect === 'ok');

  // proves: rule sign-message, rule sign-pure
  it('are those of the vectors', () => {
    expect(right.length).toBeGreaterThanOrEqual(9);
    for (const vector of right) {
      const body = vector.body ? Buffer.from(vector.body) : null;
      const path = vector.target.slice('/api'.length);
      const timestamp = Number(vector.headers['X-SVC-TIMESTAMP']);
      expect(signedHeaders(key, timestamp, vector.method, path, body)).toEqual(vector.headers);
    }
  });

  it('need an Ed25519 private key', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    expect(() => signingKey({ privateKey: rsa })).toThrow('Ed25519 private key');
    expect(() => createClient({ baseUrl: 'http://x/api', key: { privateKeyPem: 'x' } })).toThrow();
  });

  it('are left out where the client has no key, and signed calls say so', async () => {
    const { client, sent } = clientWith([success({ serverTime: 1, timezone: 'UTC' })], { key: undefined });
    await client.server.time();
    expect(Object.keys(sent[0]?.headers ?? {})).toEqual([]);
    await expect(client.raw('GET', '/v2/ping', { signed: true })).rejects.toThrow('give the client a key');
    expect(client.keyId).toBeNull();
  });

  it('of raw() can be overridden one by one', async () => {
    const { client, sent } = clientWith([success({})]);
    await client.raw('POST', '/v2/orders', {
      body: '{ "x": 1 }',
      timestamp: 5,
      headers: { 'x-svc-sign': 'bad', 'content-type': '' },
    });
    expect(sent[0]?.headers).toEqual({
      'X-SVC-KEY': client.keyId,
      'X-SVC-TIMESTAMP': '5',
      'x-svc-sign': 'bad',
    });
    expect(String(sent[0]?.body)).toBe('{ "x": 1 }');
  });
});

describe('timestamps', () => {
  it('rise strictly within one millisecond, across clients of one key', async () => {
    const privateKey = createPrivateKey(SIGNING.pkcs8_pem);
    const one = clientWith([success([])], { key: { privateKey } });
    const two = clientWith([success([])], { key: { privateKey } });
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 ? one : two).client.orders.list({ exchange: 'paper-spot' }),
      ),
    );
    const times = [...one.sent, ...two.sent].map((request) => Number(request.headers['X-SVC-TIMESTAMP']));
    expect(times.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => NOW + i));
  });

  it('wait before a burst leaves the window', async () => {
    let now = NOW;
    let waits = 0;
    const sleep = async (ms: number) => {
      waits += 1;
      now += ms;
    };
    for (let i = 0; i < 6000; i++) {
      const timestamp = await nextTimestamp('burst', () => now, sleep);
      expect(timestamp).toBe(NOW + i);
      expect(timestamp - now).toBeLessThanOrEqual(4000);
    }
    expect(waits).toBe(1999);
  });

  it('go on from the present when the clock was set back far', async () => {
    await nextTimestamp('back', () => NOW + 3_600_000, never);
    expect(await nextTimestamp('back', () => NOW, never)).toBe(NOW);
    expect(await nextTimestamp('back', () => NOW, never)).toBe(NOW + 1);
  });

  it('are whole numbers even when the clock is not', async () => {
    expect(await nextTimestamp('fraction', () => NOW + 0.4, never)).toBe(NOW);
  });
});
