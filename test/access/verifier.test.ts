import { createHash } from 'node:crypto';
import * as noble from '@noble/ed25519';
import { describe, expect, it } from 'vitest';
import { selfTest } from '../../src/access/self-test.ts';
import { Verifier, verifyOnce } from '../../src/access/verifier.ts';
import { withShared } from '../support/shared-data.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const verifier = new Verifier();
/** Verifies in all available ways, which must agree. */
const accepts = async (key: Buffer, message: Buffer, signature: Buffer) => {
  const once = verifyOnce(key, message, signature);
  const id = key.toString('base64url');
  expect(verifier.verifyNow(id, message, signature)).toBe(once);
  // The first is verified on this thread, the second on another.
  const both = [verifier.verify(id, message, signature), verifier.verify(id, message, signature)];
  expect(await Promise.all(both)).toEqual([once, once]);
  return once;
};

noble.hashes.sha512 = (message) => new Uint8Array(createHash('sha512').update(message).digest());
const nobleVerify = (zip215: boolean) => (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
  try {
    return noble.verify(signature, message, key, { zip215 });
  } catch {
    return false;
  }
};

describe('signature verification', () => {
  it(
    'agrees with all Wycheproof cases',
    withShared('security/wycheproof_ed25519_test.json', 151, async (text) => {
      const { testGroups } = JSON.parse(text) as {
        testGroups: {
          publicKey: { pk: string };
          tests: { tcId: number; msg: string; sig: string; result: string }[];
        }[];
      };
      let cases = 0;
      for (const { publicKey, tests } of testGroups) {
        for (const { tcId, msg, sig, result } of tests) {
          cases += 1;
          const outcome = (await accepts(hex(publicKey.pk), hex(msg), hex(sig))) ? 'valid' : 'invalid';
          expect(`${tcId} ${outcome}`).toBe(`${tcId} ${result}`);
        }
      }
      expect(cases).toBe(151);
    }),
  );

  it(
    'accepts of the "Taming the many EdDSAs" cases only the one with mixed-order points',
    withShared('security/speccheck_cases.json', 12, async (text) => {
      const cases = JSON.parse(text) as { message: string; pub_key: string; signature: string }[];
      const outcomes = await Promise.all(
        cases.map((c) => accepts(hex(c.pub_key), hex(c.message), hex(c.signature))),
      );
      expect(outcomes.map((right) => (right ? 'V' : 'X')).join('')).toBe('XXXVXXXXXXXX');
    }),
  );

  // proves: rule sign-pure
  it(
    'accepts the RFC 8032 vectors',
    withShared('security/rfc8032_ed25519.json', 5, async (text) => {
      const { vectors } = JSON.parse(text) as { vectors: { pub: string; msg: string; sig: string }[] };
      expect(vectors).toHaveLength(5);
      for (const v of vectors) expect(await accepts(hex(v.pub), hex(v.msg), hex(v.sig))).toBe(true);
    }),
  );

  it(
    'rejects all 196 small-order pairs',
    withShared('security/ed25519_small_order_196.json', 196, async (text) => {
      const { cases } = JSON.parse(text) as { cases: { pk: string; sig: string }[] };
      const accepted = cases.map((c) => accepts(hex(c.pk), Buffer.from('Zcash'), hex(c.sig)));
      expect(await Promise.all(accepted)).not.toContain(true);
      expect(cases).toHaveLength(196);
    }),
  );

  it('keeps a bounded number of imported keys and still verifies with those it dropped', async () => {
    const small = new Verifier(3);
    const message = Buffer.from('m');
    const pairs = Array.from({ length: 5 }, (_, i) => noble.keygen(new Uint8Array(32).fill(i + 1)));
    for (const { publicKey, secretKey } of [...pairs, ...pairs]) {
      const id = Buffer.from(publicKey).toString('base64url');
      expect(await small.verify(id, message, noble.sign(message, secretKey))).toBe(true);
      expect(small.size).toBeLessThanOrEqual(3);
    }
    await small.pretend(message, Buffer.alloc(64));
  });

  it('answers a call that comes alone at once, and takes this thread for no more than one in a turn', async () => {
    const alone = new Verifier();
    const answers: string[] = [];
    const id = Buffer.from(noble.keygen(new Uint8Array(32).fill(7)).publicKey).toString('base64url');
    const ask = (name: string, bytes = 300) =>
      alone.verify(id, Buffer.alloc(bytes), Buffer.alloc(64)).then(() => answers.push(name));
    const asked = [ask('first'), ask('second')];
    await Promise.resolve().then(() => {});
    expect(answers).toEqual(['first']);
    await Promise.all(asked);
    await new Promise((resolve) => setImmediate(resolve));
    const next = ask('third');
    await Promise.resolve().then(() => {});
    expect(answers).toEqual(['first', 'second', 'third']);
    await next;
    await new Promise((resolve) => setImmediate(resolve));
    // A long message is hashed on another thread.
    const long = ask('long', 100_000);
    await Promise.resolve().then(() => {});
    expect(answers).not.toContain('long');
    await long;
  });

  it('answers in the order of the calls, whichever is verified first', async () => {
    const order: number[] = [];
    const one = noble.keygen(new Uint8Array(32).fill(7));
    const id = Buffer.from(one.publicKey).toString('base64url');
    // Hashing a long message takes far longer than verifying a short one.
    const sizes = [4_000_000, 1, 2_000_000, 1, 1, 1_000_000, 1];
    await Promise.all(
      sizes.map(async (size, call) => {
        await verifier.verify(id, Buffer.alloc(size), Buffer.alloc(64));
        order.push(call);
      }),
    );
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('fails alone when a key cannot be imported', async () => {
    const broken = verifier.verify('short', Buffer.from('m'), Buffer.alloc(64));
    await expect(broken).rejects.toThrow();
    await verifier.pretend(Buffer.from('m'), Buffer.alloc(64));
  });
});

describe('self-test at start', () => {
  it('passes on this runtime', () => {
    expect(selfTest()).toBeNull();
  });

  it('finds a verifier that takes small-order keys, small-order R, or nothing at all', () => {
    expect(selfTest(nobleVerify(true))).toMatch(/accepts a forgery under the small-order key 01(00)+;/);
    expect(selfTest(nobleVerify(false))).toContain('accepts a signature whose R is the small-order point');
    expect(selfTest(() => false)).toContain('refuses a right signature');
    expect(selfTest(() => true)).toContain('accepts a signature of another message');
  });

  it('finds a verifier that multiplies by the cofactor, even one that refuses all small-order points', () => {
    const cofactored = nobleVerify(false);
    const isSmall = (bytes: Uint8Array) => {
      try {
        return noble.Point.fromBytes(bytes, true).isSmallOrder();
      } catch {
        return false;
      }
    };
    expect(
      selfTest((key, message, sig) => !isSmall(sig.subarray(0, 32)) && cofactored(key, message, sig)),
    ).toContain('right only up to the cofactor');
  });

  it('finds a verifier that takes S + L', () => {
    const L = 2n ** 252n + 27742317777372353535851937790883648493n;
    const lax = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
      const S = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`);
      const reduced = Buffer.from((S % L).toString(16).padStart(64, '0'), 'hex').reverse();
      return verifyOnce(key, message, Buffer.concat([signature.subarray(0, 32), reduced]));
    };
    expect(selfTest(lax)).toContain('S was raised by 1 x L');
  });
});

describe('a verification that cannot even begin', () => {
  it('fails by itself and keeps no other waiting', async () => {
    const own = new Verifier();
    const id = Buffer.from(`58${'66'.repeat(31)}`, 'hex').toString('base64url');
    const wrong = own.verify(id, hex(''), 5 as unknown as Buffer);
    const next = own.verify(id, hex(''), Buffer.alloc(64));
    await expect(wrong).rejects.toThrow(TypeError);
    expect(await next).toBe(false);
  });
});
