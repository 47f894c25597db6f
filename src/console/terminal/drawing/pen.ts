/**
 * Pens: the style in which a terminal writes a cell after the colour and style sequences (SGR) so far. A
 * screen has few of them; each is kept once, together with the results of applying a sequence and of changing
 * into another pen, so that a frame looks these up instead of computing them for every cell.
 */
import {
  type AnsiCode,
  ansiCodesToString,
  diffAnsiCodes,
  reduceAnsiCodesIncremental,
  tokenize,
} from '@alcalzone/ansi-tokenize';

/** One place on the screen; shared, immutable. */
export interface Cell {
  /** A grapheme; empty for the second half of a wide character. */
  readonly value: string;
  /** Width in columns; 0 for a character that takes none by itself. */
  readonly width: number;
  readonly pen: Pen;
}

export class Pen {
  readonly codes: readonly AnsiCode[];
  /** Sequences from no style to this one, and back. */
  readonly open: string;
  readonly close: string;
  readonly #after = new Map<string, Pen>();
  readonly #changes = new Map<Pen, string>();
  /** Cells by code unit: ASCII, and other narrow characters. */
  readonly #ascii: (Cell | undefined)[] = new Array(0x80).fill(undefined);
  readonly #narrow = new Map<number, Cell>();

  constructor(codes: readonly AnsiCode[]) {
    this.codes = codes;
    this.open = ansiCodesToString([...codes]);
    this.close = ansiCodesToString(diffAnsiCodes([...codes], []));
  }

  /** The pen after an SGR sequence or a hyperlink sequence. */
  after(sequence: string): Pen {
    let pen = this.#after.get(sequence);
    if (!pen) {
      const codes = tokenize(sequence).filter((token) => token.type === 'ansi');
      pen = penOf(reduceAnsiCodesIncremental([...this.codes], codes));
      this.#after.set(sequence, pen);
    }
    return pen;
  }

  /** The sequences that change this pen into another. */
  change(to: Pen): string {
    let text = this.#changes.get(to);
    if (text === undefined) {
      text = ansiCodesToString(diffAnsiCodes([...this.codes], [...to.codes]));
      this.#changes.set(to, text);
    }
    return text;
  }

  /** The cell of a narrow character (`narrow.ts`). */
  narrow(unit: number): Cell {
    const known = unit < 0x80 ? this.#ascii[unit] : this.#narrow.get(unit);
    if (known) return known;
    const cell = { value: String.fromCharCode(unit), width: 1, pen: this };
    if (unit < 0x80) this.#ascii[unit] = cell;
    else this.#narrow.set(unit, cell);
    return cell;
  }
}

/** Largest number of pens kept, more than any theme needs; beyond it all are dropped. */
const MOST_PENS = 1_000;
let pens = new Map<string, Pen>();

/** The pen of reduced ANSI codes. */
export function penOf(codes: readonly AnsiCode[]): Pen {
  const key = codes.map(({ code, endCode }) => `${code} ${endCode}`).join(' ');
  let pen = pens.get(key);
  if (!pen) {
    if (pens.size >= MOST_PENS) pens = new Map();
    pen = new Pen(codes);
    pens.set(key, pen);
  }
  return pen;
}

/** The pen without any style. */
export function plainPen(): Pen {
  return penOf([]);
}
