import { describe, expect, it } from 'vitest';
import { passphraseProblem } from '../../../src/access/vault/passphrase.ts';

const problem = (text: string | Buffer, avoid: readonly string[] = []) =>
  passphraseProblem(Buffer.from(text as string), avoid);

describe('a passphrase', () => {
  it.each([
    ['elevenchars', 'has 11 characters'],
    ['', 'has 0 characters'],
    // Eleven characters of four bytes each: still too few.
    ['🔑'.repeat(11), 'has 11 characters'],
    ['a'.repeat(1_025), 'longer than 1024 bytes'],
    ['two lines of\ntext', 'control characters'],
    ['with a NUL \0 in it', 'control characters'],
    ['with a DEL \x7f in it', 'control characters'],
    ['Binance-Main', 'the name of a connection'],
    ['binance main!', 'the name of a connection'],
  ])('%j is refused', (text, why) => {
    expect(problem(text, ['owner', 'binance-main'])).toContain(why);
  });

  it('that is no UTF-8 is refused', () => {
    expect(passphraseProblem(Buffer.alloc(20, 0xff), [])).toContain('UTF-8');
  });

  it.each([
    'twelve chars',
    '🔑'.repeat(12),
    'a'.repeat(1_024),
    'binance-main 2',
    'пароль из слов',
    '!!! !!! !!! !!!',
  ])('%j is taken', (text) => {
    expect(problem(text, ['owner', 'binance-main', ''])).toBeNull();
  });

  it('is never in what is said of it', () => {
    for (const text of ['hunter2', 'binance-main', `x${'y'.repeat(2_000)}`, 'a secret\nin lines'])
      expect(problem(text, ['binance-main'])).not.toContain(text);
  });
});
