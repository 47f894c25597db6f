/** Matching of typed letters: which texts are found, and which come first. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsWords, scoreQuery, scoreWord } from '../../../src/console/palette/fuzzy.ts';

const letters = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'abcdeXY-. 12ä'), minLength: min, maxLength: max });
const word = fc.string({ unit: fc.constantFrom(...'abcdeXY12ä'), minLength: 1, maxLength: 6 });

/** The definition: each letter comes after the one before. */
function inOrder(wanted: string, text: string): boolean {
  let at = 0;
  for (const char of text.toLowerCase()) if (char === wanted.toLowerCase()[at]) at++;
  return at === wanted.length;
}

const found = (query: string, text: string): number => {
  const score = scoreWord(query, text);
  if (score === null) throw new Error(`"${query}" is not found in "${text}"`);
  return score;
};

describe('scoreWord', () => {
  it('finds a word exactly where its letters are in the text in this order', () => {
    fc.assert(
      fc.property(word, letters(0, 20), (wanted, text) => {
        expect(scoreWord(wanted, text) !== null).toBe(inOrder(wanted, text));
      }),
    );
  });

  it('does not care about upper and lower case', () => {
    fc.assert(
      fc.property(word, letters(0, 20), (wanted, text) => {
        expect(scoreWord(wanted.toUpperCase(), text)).toBe(scoreWord(wanted, text.toUpperCase()));
      }),
    );
  });

  it('goes from the beginning over a word’s beginning and letters in a row to scattered ones', () => {
    fc.assert(
      fc.property(word, letters(0, 12), letters(0, 12), (wanted, one, other) => {
        // `~` and `_` are in no word: they keep the parts apart.
        const prefix = `${wanted}${one}`;
        const start = `~ ${wanted}~${other}`;
        const inside = `~q${wanted}~`;
        const scattered = `~q${[...wanted].join('~q')}~`;
        expect(found(wanted, prefix)).toBeGreaterThan(found(wanted, start));
        expect(found(wanted, start)).toBeGreaterThan(found(wanted, inside));
        if ([...wanted].length > 1) expect(found(wanted, inside)).toBeGreaterThan(found(wanted, scattered));
      }),
    );
  });

  it('takes the shorter of two texts that begin alike, and the tighter of two scattered ones', () => {
    expect(found('btc', 'BTC')).toBeGreaterThan(found('btc', 'BTCUSDT'));
    expect(found('ord', 'Orders')).toBeGreaterThan(found('ord', 'Orders: cancel'));
    expect(found('thdk', 'theme dark')).toBeGreaterThan(found('thdk', 'theme solid ink'));
  });

  it('a longer word never finds more', () => {
    fc.assert(
      fc.property(word, word, letters(0, 20), (wanted, more, text) => {
        if (scoreWord(wanted + more, text) !== null) expect(scoreWord(wanted, text)).not.toBeNull();
      }),
    );
  });
});

describe('scoreQuery', () => {
  it('finds what all its words find, in any order', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), letters(0, 20), (words, text) => {
        const all = words.every((wanted) => scoreWord(wanted, text) !== null);
        expect(scoreQuery(words.join(' '), text) !== null).toBe(all);
        expect(scoreQuery([...words].reverse().join('  '), text) !== null).toBe(all);
      }),
    );
  });

  it('takes the words as they stand before the same words elsewhere', () => {
    const ordered = scoreQuery('theme d', 'theme dark') ?? 0;
    expect(ordered).toBeGreaterThan(scoreQuery('theme d', 'dark theme') ?? 0);
    expect(ordered).toBeGreaterThan(scoreQuery('theme d', 'theme mediocre') ?? 0);
  });

  it('an id is found by a stretch of it only', () => {
    expect(holdsWords('7f3k', 'oc-7f3k2m9q')).toBe(true);
    expect(holdsWords('OC 2M9', 'oc-7f3k2m9q')).toBe(true);
    expect(holdsWords('7k2', 'oc-7f3k2m9q')).toBe(false);
  });
});
