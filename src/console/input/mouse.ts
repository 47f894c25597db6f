/**
 * Reads the mouse reports (SGR, mode 1006) out of what a terminal sends: presses of the left button and the
 * wheel. All other reports are removed as well, so that none of them is ever typed. Pure, apart from the half
 * of a report that it keeps.
 */

/** Cells counted from 1, as terminals do. `wheel`: -1 up, 1 down. */
export type MouseEvent =
  | { readonly kind: 'press'; readonly column: number; readonly row: number }
  | { readonly kind: 'wheel'; readonly by: -1 | 1 };

/**
 * Escape sequences that switch reports of presses, releases and the wheel on (in the form without a largest
 * column) and off.
 */
export const MOUSE_ON = '\x1b[?1000h\x1b[?1006h';
export const MOUSE_OFF = '\x1b[?1006l\x1b[?1000l';

const ESC = '\x1b';
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const REPORT = /\x1b\[<(\d{1,5});(\d{1,5});(\d{1,5})([Mm])/g;
/** The beginning of a report at the end of a piece; never longer than a whole report. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const HALF = /\x1b\[(<[\d;]{0,17})?$/;
/** A report whose Escape byte was already passed on alone, since it may have been the Escape key. */
const HEADLESS = /^\[<\d{1,5};\d{1,5};\d{1,5}[Mm]/;
const LEFT = 0;
const UP = 64;
const DOWN = 65;

export class MouseReader {
  #half = '';
  /** The last piece ended with an Escape. */
  #escaped = false;
  readonly #told: (event: MouseEvent) => void;

  constructor(told: (event: MouseEvent) => void) {
    this.#told = told;
  }

  /** Returns a piece of terminal input without the mouse reports in it. */
  taken(piece: string): string {
    const text = this.#half + (this.#escaped ? piece.replace(HEADLESS, '') : piece);
    this.#half = '';
    this.#escaped = text.endsWith(ESC);
    if (!text.includes(ESC)) return text;
    const rest = text.replace(REPORT, (_, button: string, column: string, row: string, end: string) => {
      const event = end === 'M' ? eventOf(Number(button), Number(column), Number(row)) : null;
      if (event) this.#told(event);
      return '';
    });
    const half = HALF.exec(rest);
    if (!half) return rest;
    this.#half = half[0];
    return rest.slice(0, half.index);
  }
}

function eventOf(button: number, column: number, row: number): MouseEvent | null {
  if (button === UP || button === DOWN) return { kind: 'wheel', by: button === UP ? -1 : 1 };
  return button === LEFT ? { kind: 'press', column, row } : null;
}
