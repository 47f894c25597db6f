/**
 * Bounds on the text that an exchange sends, checked before it is parsed: a text that is too long, too deep,
 * or has strings, numbers or lists larger than any it needs is never made into values (exchanges.md 4, rule
 * 8). One pass without recursion. Whether the text is JSON at all is left to the parser. Pure.
 */

export interface TextBounds {
  /** UTF-16 units of the text; for a body that is read in pieces, also its bytes (`BoundedBody`). */
  readonly length: number;
  /** Levels of nested objects and lists. */
  readonly depth: number;
  /** Characters of one string, as they are written. */
  readonly string: number;
  /** Characters of one number. */
  readonly number: number;
  /** Entries of one list. */
  readonly rows: number;
  /** Fields of one object. */
  readonly fields: number;
}

const MIB = 1_048_576;

const COMMON = { depth: 32, string: 512, number: 40, fields: 10_000 } as const;

/** The answer to a question. */
export const ANSWER: TextBounds = { ...COMMON, length: 16 * MIB, rows: 10_000 };
/** The list of all instruments, which is larger than any other answer. */
export const INSTRUMENT_LIST: TextBounds = { ...COMMON, length: 32 * MIB, rows: 5_000 };
/** One message of a stream. */
export const FRAME: TextBounds = { ...COMMON, length: MIB, rows: 10_000 };

interface Level {
  readonly isList: boolean;
  count: number;
  /** An entry has begun since the last comma. */
  hasEntry: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** Says in words which bound a text breaks; null: none. */
export function boundsProblem(text: string, bounds: TextBounds): string | null {
  if (text.length > bounds.length) return `it is longer than ${bounds.length} characters`;
  const levels: Level[] = [];
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const level = levels.at(-1);
    if (code === OPEN_OBJECT || code === OPEN_LIST) {
      const problem = enter(level, bounds);
      if (problem) return problem;
      if (levels.length >= bounds.depth) return `it is nested more than ${bounds.depth} deep`;
      levels.push({ isList: code === OPEN_LIST, count: 0, hasEntry: false });
      at += 1;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      levels.pop();
      at += 1;
    } else if (code === COMMA) {
      if (level) level.hasEntry = false;
      at += 1;
    } else if (code === QUOTE) {
      const problem = enter(level, bounds);
      if (problem) return problem;
      const end = endOfString(text, at + 1, bounds.string);
      if (end === null) return `a string in it is longer than ${bounds.string} characters`;
      at = end;
    } else if (isOfNumber(code)) {
      const problem = enter(level, bounds);
      if (problem) return problem;
      const from = at;
      while (at < text.length && isOfNumber(text.charCodeAt(at))) at += 1;
      if (at - from > bounds.number) return `a number in it has more than ${bounds.number} characters`;
    } else {
      // A word such as true, a colon, or white space.
      const problem = code > 0x20 && code !== 0x3a ? enter(level, bounds) : null;
      if (problem) return problem;
      at += 1;
    }
  }
  return null;
}

/** Counts a value that begins within a list or an object; returns the problem if there are too many. */
function enter(level: Level | undefined, { rows, fields }: TextBounds): string | null {
  if (!level || level.hasEntry) return null;
  level.hasEntry = true;
  level.count += 1;
  if (level.isList) return level.count > rows ? `a list in it has more than ${rows} entries` : null;
  return level.count > fields ? `an object in it has more than ${fields} fields` : null;
}

/**
 * The position just behind the closing quote; null: the string is too long. A text that ends inside the
 * string ends it.
 */
function endOfString(text: string, from: number, most: number): number | null {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at - from > most ? null : at + 1;
    at += code === BACKSLASH ? 2 : 1;
    if (at - from > most + 1) return null;
  }
  return at - from > most ? null : at;
}

/** Whether numbers are written with this character: a digit, a sign or a point. */
function isOfNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2b || code === 0x2e;
}

/**
 * A body that arrives in pieces, after decompression: it is given up as soon as it is too long, however much
 * is still to come.
 */
export class BoundedBody {
  readonly #most: number;
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor({ length }: Pick<TextBounds, 'length'>) {
    this.#most = length;
  }

  /** Adds a piece. False: the body is too long, and nothing of it is kept. */
  add(piece: Uint8Array): boolean {
    this.#length += piece.byteLength;
    if (this.#length > this.#most) this.#pieces = [];
    else this.#pieces.push(piece);
    return this.#length <= this.#most;
  }

  /** The whole text; null: it was too long, or is not UTF-8. */
  text(): string | null {
    if (this.#length > this.#most) return null;
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(this.#pieces));
    } catch {
      return null;
    }
  }
}
