/**
 * Valid names of symbols and assets: letters of any script in one spelling, nothing invisible; and how names
 * are sorted and typed.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellWidth } from '../../src/console/ui/clean.ts';
import {
  areMarketNames,
  byCodePoint,
  inCapitals,
  isMarketName,
  nameProblem,
  printable,
  spelled,
} from '../../src/domain/market-name.ts';
import {
  MARKET_NAME_MAX,
  MARKET_NAME_PATTERN,
  MARKET_NAMES_MOST,
  MARKET_NAMES_PATTERN,
} from '../../src/schemas/market-name.ts';

/** Arbitrary texts, and texts that are nearly names. */
const TEXTS = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({
    unit: fc.constantFrom(
      ...'Az09._:- ,币ΩВéẞ한ค',
      '\u0301',
      '\u200b',
      '\u202e',
      '\u3164',
      '\u05d0',
      '\ud83d',
      '𠮷',
      '\0',
      '\n',
    ),
    maxLength: 8,
  }),
);

describe('a name', () => {
  it.each([
    'BTCUSDT',
    'BTC-USDT-SWAP',
    '1000SHIB_PERP',
    'a.b:c',
    '币安人生USDT',
    'ΩΜΕΓΑUSDT',
    'РУБЛЬ',
    'ÉTÉUSDT',
    '한국',
    '𠮷USDT',
    'x'.repeat(64),
    '𠮷'.repeat(32),
  ])('may be %s', (name) => {
    expect(nameProblem(name)).toBeNull();
  });

  it.each([
    ['', 'it is empty'],
    ['x'.repeat(65), 'it has 65'],
    ['𠮷'.repeat(33), 'it has 66'],
    ['BTC USDT', 'U+0020 is none of them'],
    ['BTC/USDT', 'U+002F is none of them'],
    ['BTC,USDT', 'U+002C is none of them'],
    ['BTC\0', 'U+0000 is none of them'],
    ['BTC\u200bUSDT', 'U+200B is none of them'],
    ['BTC\u202eUSDT', 'U+202E is none of them'],
    ['BTC\ufe0f', 'U+FE0F is none of them'],
    ['BTC\u3164', 'U+3164 is none of them'],
    ['שקלUSDT', 'U+05E9 is none of them'],
    ['BTC\ud83d', 'U+D83D is none of them'],
    ['🚀USDT', 'U+1F680 is none of them'],
    ['E\u0301USDT', 'U+0301 is none of them'],
    ['\u212bUSDT', 'it is not composed: send it in the form NFC'],
  ])('may not be %j: %s', (name, problem) => {
    expect(nameProblem(name)).toBe(problem);
  });

  it('has one spelling, is seen letter by letter, and has nothing in it that separates names in keys and lists', () => {
    fc.assert(
      fc.property(TEXTS, (text) => {
        if (!isMarketName(text)) return;
        expect(text.normalize('NFC')).toBe(text);
        expect(text.isWellFormed()).toBe(true);
        expect(text.length).toBeLessThanOrEqual(MARKET_NAME_MAX);
        expect(text).not.toMatch(/[\s,\0/\\"'&?#%+]|[\p{C}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}]/u);
        for (const char of text) expect(cellWidth(char), char).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('fits the pattern of the documentation, read with the flag u and as it stands', () => {
    fc.assert(
      fc.property(TEXTS, (text) => {
        if (!isMarketName(text)) return;
        expect(text).toMatch(new RegExp(MARKET_NAME_PATTERN, 'u'));
        expect(`${text},${text}`).toMatch(new RegExp(MARKET_NAMES_PATTERN, 'u'));
      }),
      { numRuns: 2_000 },
    );
  });

  it('stands in a list of names with commas, of which there may be so many', () => {
    expect(areMarketNames('BTCUSDT,币安人生USDT')).toBe(true);
    expect(areMarketNames('BTCUSDT,,币安人生USDT')).toBe(false);
    expect(areMarketNames(Array(MARKET_NAMES_MOST).fill('x'.repeat(64)).join(','))).toBe(true);
    expect(
      areMarketNames(
        Array(MARKET_NAMES_MOST + 1)
          .fill('x')
          .join(','),
      ),
    ).toBe(false);
    expect(areMarketNames('x,'.repeat(10_000_000))).toBe(false);
  });
});

describe('names', () => {
  it('are sorted by code point, as the store sorts their bytes', () => {
    fc.assert(
      fc.property(TEXTS, TEXTS, (a, b) => {
        fc.pre(a.isWellFormed() && b.isWellFormed());
        expect(Math.sign(byCodePoint(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { numRuns: 2_000 },
    );
    expect(['𠮷', 'Ａ', '币', 'B', 'b', 'A'].sort(byCodePoint)).toEqual(['A', 'B', 'b', '币', 'Ａ', '𠮷']);
  });

  it('are typed in any case', () => {
    const known = ['BTCUSDT', 'kPEPEUSDT', '币安人生USDT', 'ΩΜΕΓΑUSDT', 'ßUSDT'];
    expect(
      ['btcusdt', 'KPEPEUSDT', '币安人生usdt', 'ωμεγαusdt', 'ßusdt', 'eth'].map((text) =>
        spelled(text, known),
      ),
    ).toEqual(['BTCUSDT', 'kPEPEUSDT', '币安人生USDT', 'ΩΜΕΓΑUSDT', 'ßUSDT', 'ETH']);
  });

  it('in capitals have as many units as before', () => {
    fc.assert(
      fc.property(TEXTS, (text) => {
        expect(inCapitals(text)).toHaveLength(text.length);
      }),
    );
    expect(inCapitals('straße')).toBe('STRAßE');
  });
});

it('text of others is shown without what is no letter, number or ASCII', () => {
  expect(printable('币安人生 "x"\u202e\u200b\u05d0🚀\ud83d\x1b')).toBe('币安人生 "x"??????');
});
