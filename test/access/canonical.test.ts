import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64urlProblem, decodeBase64url, parseWsSignature } from '../../src/access/canonical.ts';

const bytes64 = fc.uint8Array({ minLength: 64, maxLength: 64 });

describe('canonical Base64', () => {
  it('reads back what it wrote, and reads no other text as the same bytes', () => {
    fc.assert(
      fc.property(bytes64, fc.nat(85), fc.string({ minLength: 1, maxLength: 1 }), (bytes, at, other) => {
        const text = Buffer.from(bytes).toString('base64url');
        expect(decodeBase64url(text, 64)).toEqual(Buffer.from(bytes));
        const changed = text.slice(0, at) + other + text.slice(at + 1);
        const decoded = decodeBase64url(changed, 64);
        if (changed !== text && decoded) expect(decoded).not.toEqual(Buffer.from(bytes));
        if (decoded) expect(decoded.toString('base64url')).toBe(changed);
      }),
    );
  });

  // proves: rule header-key, rule header-sign
  it('has one accepted spelling out of the 16 of a signature and the 4 of a key', () => {
    const spellings = (length: number) => {
      const text = Buffer.alloc(length, 7).toString('base64url');
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const all = [...alphabet].map((last) => text.slice(0, -1) + last);
      const same = all.filter((t) => Buffer.from(t, 'base64url').equals(Buffer.alloc(length, 7)));
      return [same.length, same.filter((t) => decodeBase64url(t, length)).length];
    };
    expect(spellings(64)).toEqual([16, 1]);
    expect(spellings(32)).toEqual([4, 1]);
  });

  it.each([
    ['', 'is empty'],
    [Buffer.alloc(32).toString('base64'), 'padding'],
    [Buffer.alloc(32, 0xff).toString('base64').slice(0, 43), 'standard Base64'],
    [`${'A'.repeat(20)}*${'A'.repeat(22)}`, 'outside Base64url'],
    ['A'.repeat(42), 'has 42 characters; 32 bytes of Base64url have 43'],
    [`${'A'.repeat(42)}B`, 'not canonical'],
  ])('says what is wrong with %j', (text, words) => {
    expect(base64urlProblem(text, 32)).toContain(words);
  });

  // proves: rule ws-sign-form
  it('takes a WebSocket signature in either alphabet, each in one spelling', () => {
    const bytes = Buffer.alloc(64, 0xfb);
    expect(parseWsSignature(bytes.toString('base64'))).toEqual(bytes);
    expect(parseWsSignature(bytes.toString('base64url'))).toEqual(bytes);
    expect(parseWsSignature(bytes.toString('base64').replace(/=+$/, ''))).toBeNull();
    expect(parseWsSignature(`${bytes.toString('base64url')}==`)).toBeNull();
    expect(
      parseWsSignature(`${bytes.toString('base64').slice(0, 40)} ${bytes.toString('base64').slice(40)}`),
    ).toBeNull();
    expect(parseWsSignature('A'.repeat(100_000))).toBeNull();
  });
});
