/** The cleaning of output against hostile strings (borders.md 6). */
import { readFileSync } from 'node:fs';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { isNarrow } from '../../../src/console/terminal/drawing/narrow.ts';
import { cellWidth, clean, cut, NARROW, padTo } from '../../../src/console/ui/clean.ts';
import { toAscii } from '../../../src/console/ui/glyphs.ts';
import { withShared } from '../../support/shared-data.ts';

const INVARIANT = /^[^\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]*$/u;
const file = JSON.parse(
  readFileSync(new URL('../../fixtures/security/terminal_strings.json', import.meta.url), 'utf8'),
) as { strings: { name: string; s: string }[] };

describe('clean', () => {
  it.each(file.strings.map(({ name, s }) => [name, s]))('makes "%s" harmless', (_, text) => {
    expect(clean(text)).toMatch(INVARIANT);
    for (const width of [1, 7, 20]) {
      const shown = clean(text, width);
      expect(shown).toMatch(INVARIANT);
      expect(cellWidth(shown)).toBeLessThanOrEqual(width);
      expect(toAscii(shown)).toMatch(/^[\x20-\x7e]*$/);
    }
  });

  it(
    'holds for the big list of naughty strings',
    withShared('security/blns.json', 515, (text) => {
      const strings = JSON.parse(text) as string[];
      for (const string of strings) {
        expect(clean(string)).toMatch(INVARIANT);
        expect(cellWidth(clean(string, 12))).toBeLessThanOrEqual(12);
      }
    }),
  );

  it('counts as one cell without a closer look only what takes one, also where frames are drawn', () => {
    for (let unit = 0; unit < 0xd800; unit++) {
      const char = String.fromCharCode(unit);
      if (!NARROW.test(char)) continue;
      expect([char, stringWidth(char), isNarrow(unit)]).toEqual([char, 1, true]);
      expect(char).toMatch(INVARIANT);
      expect(char.normalize('NFC')).toBe(char);
    }
  });

  it('leaves a visible mark where something was', () => {
    expect(clean('a\x1b[2Jb\r\nc\x7f')).toBe('a␛[2Jb␍␊c␡');
    expect(clean('BTC\u202eTDSU')).toBe('BTC�TDSU');
  });

  it('keeps two combining marks on a character and no more', () => {
    expect(clean(`a${'\u0301'.repeat(40)}b`)).toBe('\u00e1\u0301b');
  });

  it('makes one character of what is written in parts: it is as wide as terminals draw it', () => {
    const syllable = '\u1100\u1161';
    expect([clean(syllable), cellWidth(clean(syllable))]).toEqual(['\uac00', 2]);
    expect(clean('e\u0301')).toBe('\u00e9');
  });

  it('cuts and pads by cells, not by characters', () => {
    expect(cut('日本語', 5)).toBe('日本…');
    expect(cut('日本語', 4)).toBe('日…');
    expect(padTo('日', 4)).toBe('日  ');
    expect(padTo('12', 4, 'right')).toBe('  12');
  });
});
