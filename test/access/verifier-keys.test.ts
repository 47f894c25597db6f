/**
 * Which imported keys the verifier keeps: the most recently used ones, so that a key in use is imported once.
 */
import crypto, { generateKeyPairSync, sign } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { Verifier } from '../../src/access/verifier.ts';

const MESSAGE = Buffer.from('a message');

function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const id = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url');
  return { id, signature: sign(null, MESSAGE, privateKey) };
}

const [a, b, c, d] = [newKey(), newKey(), newKey(), newKey()];

let verifier: Verifier;
let importing: MockInstance<typeof crypto.createPublicKey>;
/** Returns how many imports it takes to verify with these keys, one after the other. */
function importsFor(...keys: readonly ReturnType<typeof newKey>[]): number {
  importing.mockClear();
  for (const { id, signature } of keys) expect(verifier.verifyNow(id, MESSAGE, signature)).toBe(true);
  return importing.mock.calls.length;
}

beforeEach(() => {
  verifier = new Verifier(3);
  importing = vi.spyOn(crypto, 'createPublicKey');
  syncBuiltinESMExports();
});

afterEach(() => {
  importing.mockRestore();
  syncBuiltinESMExports();
});

it('a key is imported once, however often it verifies', () => {
  expect(importsFor(a, a, b, a, b)).toBe(2);
});

it('with one key too many the one that has gone unused longest is dropped, not the one that came first', () => {
  expect(importsFor(a, b, c, a, d)).toBe(4);
  expect(verifier.size).toBe(3);
  expect(importsFor(a, c, d)).toBe(0);
  expect(importsFor(b)).toBe(1);
});

it('a key in use stays while others come and go', () => {
  importsFor(a);
  for (let n = 0; n < 20; n++) expect(importsFor(newKey(), a)).toBe(1);
  expect(verifier.size).toBe(3);
});
