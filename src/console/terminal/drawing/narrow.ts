/**
 * Narrow texts, whose cells can be counted without Unicode tables: every character takes one cell and
 * combines with no other, and the only sequences are colours and styles (SGR). Nearly everything the console
 * draws is narrow. Pure.
 */

const PRINTABLE = /^[\n -~]*$/;
const ESC = 0x1b;
const BRACKET = 0x5b;
const SEMICOLON = 0x3b;
const M = 0x6d;

/**
 * Inclusive ranges: ASCII, the middle dot, dashes, the ellipsis, arrows, boxes, blocks, geometric shapes,
 * braille.
 */
const NARROW_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x20, 0x7e],
  [0xb7, 0xb7],
  [0x2013, 0x2014],
  [0x2018, 0x2019],
  [0x201c, 0x201d],
  [0x2026, 0x2026],
  [0x2190, 0x2193],
  [0x2500, 0x259f],
  [0x25b0, 0x25b5],
  [0x25b8, 0x25bf],
  [0x25c2, 0x25cf],
  [0x2713, 0x2713],
  [0x2717, 0x2717],
  [0x2800, 0x28ff],
];

const NARROW = new Uint8Array(0x1_0000);
for (const [from, to] of NARROW_RANGES) NARROW.fill(1, from, to + 1);

/** Whether a UTF-16 code unit takes one cell, whatever its neighbours are. */
export function isNarrow(unit: number): boolean {
  return NARROW[unit] === 1;
}

/**
 * Whether a text is ASCII without control characters other than line feeds, so that it holds no terminal
 * command. Blanks of whole rows are such a text.
 */
export function isPrintable(text: string): boolean {
  return PRINTABLE.test(text);
}

/** End of the SGR sequence that begins at `from`, exclusive; -1 when none begins there. */
export function sgrEnd(text: string, from: number): number {
  if (text.charCodeAt(from) !== ESC || text.charCodeAt(from + 1) !== BRACKET) return -1;
  for (let at = from + 2; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === M) return at + 1;
    if ((unit < 0x30 || unit > 0x39) && unit !== SEMICOLON) return -1;
  }
  return -1;
}

let measured = { text: '', width: 0 };

/**
 * The cells of a narrow text, not counting sequences; -1 for other texts. The last result is cached, since
 * Ink asks for the same text repeatedly: the blanks of a row.
 */
export function narrowWidth(text: string): number {
  if (text !== measured.text) measured = { text, width: widthOf(text) };
  return measured.width;
}

function widthOf(text: string): number {
  let cells = 0;
  for (let at = 0; at < text.length; at++) {
    if (NARROW[text.charCodeAt(at)] === 1) cells++;
    else {
      const end = sgrEnd(text, at);
      if (end < 0) return -1;
      at = end - 1;
    }
  }
  return cells;
}
