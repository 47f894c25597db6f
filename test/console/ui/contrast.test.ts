/**
 * Every theme is readable: contrast by WCAG 2.2, and the two themes for colour-blind people by what they see.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TOKENS, type Token, themeNames } from '../../../src/console/ui/theme.ts';
import {
  ciede2000,
  contrast,
  type Deficiency,
  difference,
  fromHex,
  fromIndex,
  fromName,
  type Lab,
  type Rgb,
  seenWith,
  TERMINALS,
  type Terminal16,
  toLab,
} from '../support/colour.ts';

const FOLDER = fileURLToPath(new URL('../../../themes', import.meta.url));
const BUILT_IN = ['ansi16', 'contrast', 'dark', 'deuteranopia', 'light', 'mono', 'tritanopia'];

type Depth = 'truecolor' | 'ansi256' | 'ansi16';
interface ThemeFile {
  readonly name: string;
  readonly assumes: { readonly background: string; readonly text: string };
  readonly tokens: Record<Token, { truecolor: string | null; ansi256: number | null; ansi16: string | null }>;
}

const themeFile = (name: string): ThemeFile => JSON.parse(readFileSync(`${FOLDER}/${name}.json`, 'utf8'));

/**
 * Everything but lines and the background of the selected row is text; PAPER and LIVE are the same pair
 * inverted.
 */
const TEXT = TOKENS.filter((token) => token !== 'border' && token !== 'selected');

/** The colour of a token on the terminal that the file assumes; `terminal` defines its 16 colours. */
function colour({ assumes, tokens }: ThemeFile, token: Token, depth: Depth, terminal: Terminal16): Rgb {
  const value = tokens[token][depth];
  if (value === null) return fromHex(token === 'selected' ? assumes.background : assumes.text);
  if (typeof value === 'string') return value.startsWith('#') ? fromHex(value) : fromName(value, terminal);
  if (value >= 16) return fromIndex(value);
  const name = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'][value % 8] as string;
  return fromName(value < 8 ? name : `${name}Bright`, terminal);
}

const DEPTHS: readonly (readonly [Depth, Terminal16])[] = [
  ['truecolor', 'xterm'],
  ['ansi256', 'xterm'],
  ...TERMINALS.map((terminal) => ['ansi16', terminal] as const),
];
const CASES = BUILT_IN.flatMap((name) => DEPTHS.map(([depth, terminal]) => [name, depth, terminal] as const));

describe('the built-in themes', () => {
  it('are the seven', () => {
    expect(themeNames([FOLDER])).toEqual(BUILT_IN);
  });

  it.each(BUILT_IN)('%s is named as its file and says which terminal it assumes', (name) => {
    const file = themeFile(name);
    expect(file.name).toBe(name);
    expect(Object.keys(file.tokens)).toEqual([...TOKENS]);
    expect(contrast(fromHex(file.assumes.background), fromHex(file.assumes.text))).toBeGreaterThan(7);
  });

  it.each(CASES)('%s: every text has a contrast of 4.5 at least (%s, %s)', (name, depth, terminal) => {
    const file = themeFile(name);
    const grounds = [
      fromHex(file.assumes.background),
      // A theme without a colour for it inverts the selected row, which keeps the contrast.
      colour(file, 'selected', depth, terminal),
    ];
    const weak = TEXT.filter((token) =>
      grounds.some((ground) => contrast(colour(file, token, depth, terminal), ground) < 4.5),
    );
    expect(weak).toEqual([]);
  });

  it.each(['truecolor', 'ansi256'] as const)('contrast has 7 at least, lines 4.5 (%s)', (depth) => {
    const file = themeFile('contrast');
    for (const ground of [fromHex(file.assumes.background), colour(file, 'selected', depth, 'xterm')]) {
      const weak = TEXT.filter((token) => contrast(colour(file, token, depth, 'xterm'), ground) < 7);
      expect(weak).toEqual([]);
    }
    expect(
      contrast(colour(file, 'border', depth, 'xterm'), fromHex(file.assumes.background)),
    ).toBeGreaterThan(4.5);
  });

  it.each(BUILT_IN)('%s draws lines that can be seen', (name) => {
    const file = themeFile(name);
    for (const depth of ['truecolor', 'ansi256'] as const) {
      const line = colour(file, 'border', depth, 'xterm');
      expect(contrast(line, fromHex(file.assumes.background))).toBeGreaterThanOrEqual(3);
    }
  });

  it('ansi16 uses the terminal’s own colours only, at every depth', () => {
    for (const { truecolor, ansi256, ansi16 } of Object.values(themeFile('ansi16').tokens)) {
      expect(truecolor).toBe(ansi16);
      expect(ansi256 === null || ansi256 < 16).toBe(true);
    }
  });

  it('mono uses none at all', () => {
    const values = Object.values(themeFile('mono').tokens).flatMap((token) => Object.values(token));
    expect(values.every((value) => value === null)).toBe(true);
  });
});

/** Pairs that must never be confused. */
const OPPOSITES: readonly (readonly [Token, Token])[] = [
  ['buy', 'sell'],
  ['up', 'down'],
  ['ok', 'danger'],
  ['paper', 'live'],
];
/**
 * CIEDE2000: far above what is distinguished side by side (about 2), so that it is also distinguished at a
 * glance.
 */
const PLAIN_DIFFERENCE = 20;

function apart(name: string, deficiency: Deficiency, depth: Depth, terminal: Terminal16): number[] {
  const file = themeFile(name);
  const seen = (token: Token) => seenWith(deficiency, colour(file, token, depth, terminal));
  return OPPOSITES.map(([one, other]) => difference(seen(one), seen(other)));
}

describe('the themes for colour-blind people', () => {
  const cases = (['deuteranopia', 'tritanopia'] as const).flatMap((name) =>
    DEPTHS.map(([depth, terminal]) => [name, depth, terminal] as const),
  );
  it.each(cases)('%s keeps opposites apart for those it is named after (%s, %s)', (name, depth, terminal) => {
    for (const far of apart(name, name, depth, terminal)) expect(far).toBeGreaterThan(PLAIN_DIFFERENCE);
  });

  it('deuteranopia serves those who do not see red, too', () => {
    for (const far of apart('deuteranopia', 'protanopia', 'truecolor', 'xterm'))
      expect(far).toBeGreaterThan(PLAIN_DIFFERENCE);
  });

  it('they are needed: who does not see green cannot tell buy from sell in dark', () => {
    expect(apart('dark', 'deuteranopia', 'truecolor', 'xterm')[0]).toBeLessThan(5);
  });
});

describe('the arithmetic', () => {
  it('contrast is that of WCAG: the bounds, and the greys around 4.5', () => {
    const white = fromHex('#ffffff');
    expect(contrast(fromHex('#000000'), white)).toBeCloseTo(21, 10);
    expect(contrast(white, white)).toBe(1);
    expect(contrast(fromHex('#767676'), white)).toBeCloseTo(4.54, 2);
    expect(contrast(fromHex('#777777'), white)).toBeCloseTo(4.48, 2);
    expect(contrast(fromHex('#ff0000'), white)).toBeCloseTo(4.0, 2);
    expect(contrast(fromHex('#0000ff'), white)).toBeCloseTo(8.59, 2);
  });

  it('L*a*b* of the primaries of sRGB', () => {
    const near = (hex: string, lab: Lab) => {
      for (const [at, value] of toLab(fromHex(hex)).entries()) expect(value).toBeCloseTo(lab[at] ?? 0, 1);
    };
    near('#ff0000', [53.24, 80.09, 67.2]);
    near('#00ff00', [87.73, -86.18, 83.18]);
    near('#0000ff', [32.3, 79.19, -107.86]);
    near('#ffffff', [100, 0, 0]);
  });

  // Table 1 of Sharma, Wu and Dalal, "The CIEDE2000 color-difference formula" (2005): all 34 pairs.
  it.each(
    sharma().map(
      (row) => [row.slice(0, 3) as unknown as Lab, row.slice(3, 6) as unknown as Lab, row[6]] as const,
    ),
  )('CIEDE2000 of %j and %j is %s', (one, other, published = Number.NaN) => {
    expect(ciede2000(one, other)).toBeCloseTo(published, 4);
    expect(ciede2000(other, one)).toBeCloseTo(published, 4);
  });

  it('a deficiency leaves greys as they are and takes the differences it is named after', () => {
    for (const kind of ['protanopia', 'deuteranopia', 'tritanopia'] as const) {
      for (const grey of ['#000000', '#777777', '#ffffff']) {
        expect(difference(seenWith(kind, fromHex(grey)), fromHex(grey))).toBeLessThan(0.01);
      }
    }
    const [red, green] = [fromHex('#d62728'), fromHex('#2ca02c')];
    expect(difference(red, green)).toBeGreaterThan(60);
    expect(difference(seenWith('deuteranopia', red), seenWith('deuteranopia', green))).toBeLessThan(20);
    const [blue, teal] = [fromHex('#0072b2'), fromHex('#008f70')];
    expect(difference(seenWith('tritanopia', blue), seenWith('tritanopia', teal))).toBeLessThan(
      difference(blue, teal) / 2,
    );
  });

  it('the colours of xterm by their numbers', () => {
    const hex = (index: number) =>
      fromIndex(index)
        .map((part) =>
          Math.round(part * 255)
            .toString(16)
            .padStart(2, '0'),
        )
        .join('');
    expect([16, 21, 196, 231, 232, 244, 255].map(hex)).toEqual([
      '000000',
      '0000ff',
      'ff0000',
      'ffffff',
      '080808',
      '808080',
      'eeeeee',
    ]);
  });
});

function sharma(): number[][] {
  return `
50 2.6772 -79.7751 50 0 -82.7485 2.0425
50 3.1571 -77.2803 50 0 -82.7485 2.8615
50 2.8361 -74.0200 50 0 -82.7485 3.4412
50 -1.3802 -84.2814 50 0 -82.7485 1.0000
50 -1.1848 -84.8006 50 0 -82.7485 1.0000
50 -0.9009 -85.5211 50 0 -82.7485 1.0000
50 0 0 50 -1 2 2.3669
50 -1 2 50 0 0 2.3669
50 2.4900 -0.0010 50 -2.4900 0.0009 7.1792
50 2.4900 -0.0010 50 -2.4900 0.0010 7.1792
50 2.4900 -0.0010 50 -2.4900 0.0011 7.2195
50 2.4900 -0.0010 50 -2.4900 0.0012 7.2195
50 -0.0010 2.4900 50 0.0009 -2.4900 4.8045
50 -0.0010 2.4900 50 0.0010 -2.4900 4.8045
50 -0.0010 2.4900 50 0.0011 -2.4900 4.7461
50 2.5 0 50 0 -2.5 4.3065
50 2.5 0 73 25 -18 27.1492
50 2.5 0 61 -5 29 22.8977
50 2.5 0 56 -27 -3 31.9030
50 2.5 0 58 24 15 19.4535
50 2.5 0 50 3.1736 0.5854 1.0000
50 2.5 0 50 3.2972 0 1.0000
50 2.5 0 50 1.8634 0.5757 1.0000
50 2.5 0 50 3.2592 0.3350 1.0000
60.2574 -34.0099 36.2677 60.4626 -34.1751 39.4387 1.2644
63.0109 -31.0961 -5.8663 62.8187 -29.7946 -4.0864 1.2630
61.2901 3.7196 -5.3901 61.4292 2.2480 -4.9620 1.8731
35.0831 -44.1164 3.7933 35.0232 -40.0716 1.5901 1.8645
22.7233 20.0904 -46.6940 23.0331 14.9730 -42.5619 2.0373
36.4612 47.8580 18.3852 36.2715 50.5065 21.2231 1.4146
90.8027 -2.0831 1.4410 91.1528 -1.6435 0.0447 1.4441
90.9257 -0.5406 -0.9208 88.6381 -0.8985 -0.7239 1.5381
6.7747 -0.2908 -2.4247 5.8714 -0.0985 -2.2286 0.6377
2.0776 0.0795 -1.1350 0.9033 -0.0636 -0.5514 0.9082`
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
}
