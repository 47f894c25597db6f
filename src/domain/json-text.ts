/**
 * The only JSON reader, a strict one (D28, RFC 8259): what it accepts means the same to every reader. Beyond
 * the grammar it refuses depth over 32, duplicate keys, keys that reach a prototype, half surrogate pairs,
 * NUL and numbers beyond a double. Never repairs, never guesses. Pure.
 */

/** Largest depth of nested arrays and objects. */
export const MAX_JSON_DEPTH = 32;

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A sequence of characters that need no escape inside a string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they end the sequence on purpose
const PLAIN = /[^"\\\u0000-\u001f\ud800-\udfff]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** What is wrong with a text. */
export class JsonProblem extends Error {
  /** Position in the text, in characters from 0. */
  readonly at: number;

  constructor(problem: string, at: number) {
    super(problem);
    this.at = at;
  }
}

export interface JsonOptions {
  /** Objects get the ordinary prototype; left out: they have none. */
  readonly isPlain?: boolean;
  /**
   * Called before each value is read, with its path (`settings.stop[0].trigger`) and the position where it
   * begins.
   */
  readonly onValue?: (path: string, at: number) => void;
}

/** Reads any JSON value. Throws a JsonProblem. */
export function readJsonText(text: string, options: JsonOptions = {}): unknown {
  return new Reader(text, options).document();
}

class Reader {
  readonly #text: string;
  readonly #isPlain: boolean;
  readonly #onValue: JsonOptions['onValue'];
  #at = 0;

  constructor(text: string, { isPlain = false, onValue }: JsonOptions) {
    this.#text = text;
    this.#isPlain = isPlain;
    this.#onValue = onValue;
  }

  document(): unknown {
    const value = this.#value('', 0);
    this.#blank();
    if (this.#at < this.#text.length) this.#fail(`nothing more expected, found ${this.#found()}`);
    return value;
  }

  /** Reads a value. `path` is empty where no callback wants it. */
  #value(path: string, depth: number): unknown {
    this.#blank();
    this.#onValue?.(path, this.#at);
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(path, depth + 1);
      case '[':
        return this.#array(path, depth + 1);
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #object(path: string, depth: number): Record<string, unknown> {
    this.#deeper(depth);
    const result: Record<string, unknown> = this.#isPlain ? {} : Object.create(null);
    if (this.#next() === '}') return this.#close(result);
    for (;;) {
      if (this.#next() !== '"') this.#fail(`a field name in double quotes expected, found ${this.#found()}`);
      const start = this.#at;
      const key = this.#string();
      if (FORBIDDEN_KEYS.has(key)) this.#fail(`the field name ${key} is not allowed`, start);
      if (Object.hasOwn(result, key)) this.#fail(`the field ${quote(key)} is given twice`, start);
      if (this.#next() !== ':') this.#fail(`":" expected, found ${this.#found()}`);
      this.#at++;
      result[key] = this.#value(this.#onValue ? inside(path, key) : '', depth);
      const after = this.#next();
      if (after === '}') return this.#close(result);
      if (after !== ',') this.#fail(`"," or "}" expected, found ${this.#found()}`);
      this.#at++;
    }
  }

  #array(path: string, depth: number): unknown[] {
    this.#deeper(depth);
    const result: unknown[] = [];
    if (this.#next() === ']') return this.#close(result);
    for (;;) {
      result.push(this.#value(this.#onValue ? `${path}[${result.length}]` : '', depth));
      const after = this.#next();
      if (after === ']') return this.#close(result);
      if (after !== ',') this.#fail(`"," or "]" expected, found ${this.#found()}`);
      this.#at++;
    }
  }

  #string(): string {
    const start = this.#at++;
    let result = '';
    for (;;) {
      PLAIN.lastIndex = this.#at;
      PLAIN.test(this.#text);
      result += this.#text.slice(this.#at, PLAIN.lastIndex);
      this.#at = PLAIN.lastIndex;
      const code = this.#text.charCodeAt(this.#at);
      // A person who forgets the closing quote continues on the next line; a program has put a character
      // where none may be.
      if (Number.isNaN(code) || (code === 0x0a && this.#isPlain))
        this.#fail('the string is not closed', start);
      if (code === 0x22) {
        this.#at++;
        return result;
      }
      result += code === 0x5c ? this.#escape() : this.#raw(code);
    }
  }

  /** Handles a control character, or a code unit that should begin a whole surrogate pair. */
  #raw(code: number): string {
    if (code < 0x20) this.#fail(`control character ${codePoint(code)} in a string`);
    const pair = this.#text.slice(this.#at, this.#at + 2);
    if (!pair.isWellFormed()) this.#fail('half of a surrogate pair in a string');
    this.#at += 2;
    return pair;
  }

  #escape(): string {
    const start = this.#at;
    const letter = this.#text[start + 1] ?? '';
    if (letter !== 'u') {
      const plain = ESCAPES[letter];
      if (plain === undefined) this.#fail('unknown escape in a string');
      this.#at += 2;
      return plain;
    }
    const unit = this.#hex(start);
    this.#at += 6;
    if (unit === 0) this.#fail('NUL in a string', start);
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    const low = unit < 0xdc00 && this.#text.startsWith('\\u', this.#at) ? this.#hex(this.#at) : 0;
    if (low < 0xdc00 || low > 0xdfff) this.#fail('half of a surrogate pair in a string', start);
    this.#at += 6;
    return String.fromCharCode(unit, low);
  }

  #hex(backslash: number): number {
    const digits = this.#text.slice(backslash + 2, backslash + 6);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.#fail('four hexadecimal digits expected after \\u', backslash);
    return Number.parseInt(digits, 16);
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.#text);
    if (match === null) this.#fail(`a value expected, found ${this.#found()}`);
    const value = Number(match[0]);
    if (!Number.isFinite(value)) this.#fail('the number is too large');
    this.#at = NUMBER.lastIndex;
    return value;
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail(`a value expected, found ${this.#found()}`);
    this.#at += word.length;
    return value;
  }

  #deeper(depth: number): void {
    if (depth > MAX_JSON_DEPTH) this.#fail(`nested more than ${MAX_JSON_DEPTH} deep`);
    this.#at++;
  }

  #close<T>(value: T): T {
    this.#at++;
    return value;
  }

  #next(): string | undefined {
    this.#blank();
    return this.#text[this.#at];
  }

  #blank(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #found(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? 'the end' : codePoint(code);
  }

  #fail(problem: string, at = this.#at): never {
    throw new JsonProblem(problem, at);
  }
}

/**
 * Shows printable ASCII as it is, everything else by number: messages must not carry what a terminal would
 * execute.
 */
function codePoint(code: number): string {
  if (code > 0x20 && code < 0x7f) return `"${String.fromCharCode(code)}"`;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

function quote(key: string): string {
  return `"${key.slice(0, 40).replace(/[^\x20-\x7e]/g, '?')}"`;
}

function inside(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
