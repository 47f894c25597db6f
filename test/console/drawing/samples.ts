/** Texts as consoles draw them, styled and unusual, and frames composed of them. */
import fc from 'fast-check';

const SGR = [
  '1',
  '2',
  '22',
  '7',
  '27',
  '4',
  '24',
  '31',
  '39',
  '90',
  '44',
  '49',
  '0',
  '1;31',
  '38;5;117;1',
  '38;2;10;20;30',
  '48;2;1;2;3',
  '38;2;200;100;0;48;5;4',
].map((codes) => `\x1b[${codes}m`);
const PLAIN = [...'abc 0123456789.,:-+%', '  ', '───', '│', '█', '▲', '●', '·', '…', '–', '✓', '⣿', '⠁'];
const ODD = ['漢', '한', '👍', '👨‍👩‍👧', '🇩🇪', 'é', 'e\u0301', '\u200b', '\u00ad', '⚠', '⚠\ufe0f', 'ｱﾞ', '☕'];

const from = (...parts: (readonly string[])[]) =>
  fc.array(fc.oneof(...parts.map((part) => fc.constantFrom(...part))), { maxLength: 30 });
const join = (parts: readonly string[]) => parts.join('');

/** Only characters one cell wide. */
export const narrowText = from(PLAIN, PLAIN, SGR).map(join);
/** With wide, joined and invisible characters. */
export const oddText = from(PLAIN, SGR, ODD).map(join);
/** Two lines of a screen that begin alike and leave no style behind: a line and its replacement. */
export const linePair = fc
  .tuple(narrowText, narrowText, narrowText)
  .map(([start, left, right]) => [`${start}${left}\x1b[0m`, `${start}${right}\x1b[0m`] as const);

const at = fc.integer({ min: -4, max: 30 });
const text = fc.array(fc.oneof(narrowText, narrowText, oddText), { minLength: 1, maxLength: 3 });
const edge = fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined });

export type Operation =
  | {
      readonly kind: 'write';
      readonly x: number;
      readonly y: number;
      readonly text: string;
      readonly marked: boolean;
    }
  | { readonly kind: 'clip'; readonly clip: Record<'x1' | 'x2' | 'y1' | 'y2', number | undefined> }
  | { readonly kind: 'unclip' };

export const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('write' as const),
        x: at,
        y: fc.integer({ min: -2, max: 6 }),
        text: text.map((lines) => lines.join('\n')),
        marked: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('clip' as const),
        clip: fc.record({ x1: edge, x2: edge, y1: edge, y2: edge }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('unclip' as const) }) },
  ),
  { maxLength: 12 },
);
