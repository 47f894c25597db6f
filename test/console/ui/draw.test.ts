/** Lines drawn with the terminal's own codes. */
import { type AnsiCode, styledCharsFromTokens, tokenize } from '@alcalzone/ansi-tokenize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellLines } from '../../../src/console/terminal/drawing/cells.ts';
import { colourCode, drawLine } from '../../../src/console/ui/draw.ts';
import { type Span, span } from '../../../src/console/ui/line.ts';
import { plainTheme } from '../../../src/console/ui/theme.ts';

const theme = {
  ...plainTheme(),
  styles: { ...plainTheme().styles, up: { color: '#00ff80' }, selected: { color: 'ansi256(17)' } },
};
const options = { theme, ascii: false, selected: false, opaque: false };

describe('drawing', () => {
  it('knows every notation a theme may use', () => {
    expect(colourCode('#0a0b0c', false)).toBe('38;2;10;11;12');
    expect(colourCode('ansi256(7)', true)).toBe('48;5;7');
    expect(colourCode('red', false)).toBe('31');
    expect(colourCode('redBright', true)).toBe('101');
    expect(colourCode('gray', false)).toBe('90');
    expect(colourCode('glitter', false)).toBeNull();
  });

  it('leaves blanks at the end out, unless they cover something', () => {
    expect(drawLine([span('ab')], 5, options)).toBe('ab');
    expect(drawLine([span('ab')], 5, { ...options, opaque: true })).toBe('ab   ');
  });

  it('closes every code it opens', () => {
    expect(drawLine([span('ab', 'up', { bold: true })], 2, options)).toBe(
      '\x1b[38;2;0;255;128m\x1b[1mab\x1b[22m\x1b[39m',
    );
    expect(drawLine([span('a')], 2, { ...options, selected: true })).toBe('\x1b[48;5;17ma \x1b[49m');
  });

  it('selects by inverse without colour, and in ASCII when asked to', () => {
    const plain = { ...options, theme: plainTheme(), ascii: true, selected: true };
    expect(drawLine([span('▲')], 2, plain)).toBe('\x1b[7m^ \x1b[27m');
  });

  it('is known by its cells as the terminal will have them, without taking it apart', () => {
    const part = fc.record({
      text: fc.stringMatching(/^[ a-z0-9▲█─漢]{0,6}$/),
      tone: fc.constantFrom('text', 'up', 'muted', 'title', 'danger'),
      bold: fc.boolean(),
      inverse: fc.boolean(),
    });
    const flags = fc.record({ ascii: fc.boolean(), selected: fc.boolean(), opaque: fc.boolean() });
    fc.assert(
      fc.property(fc.array(part as fc.Arbitrary<Span>, { maxLength: 8 }), flags, (line, more) => {
        const drawn = drawLine(line, 24, { theme, ...more });
        // The text after it is drawn without any style.
        const apart = styledCharsFromTokens(tokenize(`${drawn}.`));
        const codesOf = (codes: readonly AnsiCode[]) => codes.map(({ code }) => code).sort();
        const cells = cellLines(drawn).flat();
        expect([...cells.map(({ value, pen }) => [value, codesOf(pen.codes)]), ['.', []]]).toEqual(
          apart.map(({ value, styles }) => [value, codesOf(styles)]),
        );
      }),
      { numRuns: 300 },
    );
  });
});
