/**
 * Reads JSON that a person writes: strict (RFC 8259, no field twice, no keys that reach a prototype), every problem with
 * its line and column, and for each value the line it stands on, so that a check's path can be shown beside it. Pure.
 */

export interface JsonText {
  /** Undefined when the text could not be read. */
  readonly value: unknown;
  /** What is wrong with the text itself; lines and columns from 1. */
  readonly problem: { readonly line: number; readonly column: number; readonly message: string } | null;
  /** Line of each value by its path: `settings.stop[0].trigger`. */
  readonly lines: ReadonlyMap<string, number>;
}

const MAX_DEPTH = 32;
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const WORDS: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

class Trouble extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

export function readJson(text: string): JsonText {
  const reader = new Reader(text);
  try {
    return { value: reader.document(), problem: null, lines: reader.lines };
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    const before = text.slice(0, error.at).split('\n');
    const column = [...(before.at(-1) ?? '')].length + 1;
    return {
      value: undefined,
      problem: { line: before.length, column, message: error.message },
      lines: reader.lines,
    };
  }
}

class Reader {
  readonly lines = new Map<string, number>();
  readonly #text: string;
  #at = 0;
  /** Line of `#counted`; lines are counted on as the text is read. */
  #line = 1;
  #counted = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    const value = this.#value('', 0);
    this.#blank();
    if (this.#at < this.#text.length) this.#fail(`nothing more expected, found ${this.#found()}`);
    return value;
  }

  #value(path: string, depth: number): unknown {
    this.#blank();
    this.lines.set(path, this.#lineHere());
    const next = this.#text[this.#at];
    if (next === '{') return this.#object(path, depth + 1);
    if (next === '[') return this.#array(path, depth + 1);
    if (next === '"') return this.#string();
    const word = WORDS.find(([name]) => this.#text.startsWith(name, this.#at));
    if (!word) return this.#number();
    this.#at += word[0].length;
    return word[1];
  }

  #object(path: string, depth: number): Record<string, unknown> {
    this.#enter(depth);
    const result: Record<string, unknown> = {};
    if (this.#next() === '}') return this.#leave(result);
    for (;;) {
      if (this.#next() !== '"') this.#fail(`a field name in double quotes expected, found ${this.#found()}`);
      const start = this.#at;
      const key = this.#string();
      if (FORBIDDEN.has(key)) this.#fail(`the field name ${key} is not allowed`, start);
      if (Object.hasOwn(result, key)) this.#fail(`the field "${key}" is given twice`, start);
      if (this.#next() !== ':') this.#fail(`":" expected, found ${this.#found()}`);
      this.#at++;
      result[key] = this.#value(path === '' ? key : `${path}.${key}`, depth);
      const after = this.#next();
      if (after === '}') return this.#leave(result);
      if (after !== ',') this.#fail(`"," or "}" expected, found ${this.#found()}`);
      this.#at++;
    }
  }

  #array(path: string, depth: number): unknown[] {
    this.#enter(depth);
    const result: unknown[] = [];
    if (this.#next() === ']') return this.#leave(result);
    for (;;) {
      result.push(this.#value(`${path}[${result.length}]`, depth));
      const after = this.#next();
      if (after === ']') return this.#leave(result);
      if (after !== ',') this.#fail(`"," or "]" expected, found ${this.#found()}`);
      this.#at++;
    }
  }

  #string(): string {
    STRING.lastIndex = this.#at;
    const match = STRING.exec(this.#text);
    if (!match) this.#fail('the string is not closed');
    try {
      const value = JSON.parse(match[0]) as string;
      if (!value.isWellFormed()) this.#fail('half of a surrogate pair in a string');
      this.#at = STRING.lastIndex;
      return value;
    } catch (error) {
      if (error instanceof Trouble) throw error;
      return this.#fail('a string with a control character or an unknown escape');
    }
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.#text);
    if (!match) this.#fail(`a value expected, found ${this.#found()}`);
    const value = Number(match[0]);
    if (!Number.isFinite(value)) this.#fail('the number is too large');
    this.#at = NUMBER.lastIndex;
    return value;
  }

  #enter(depth: number): void {
    if (depth > MAX_DEPTH) this.#fail(`nested more than ${MAX_DEPTH} deep`);
    this.#at++;
  }

  #leave<T>(value: T): T {
    this.#at++;
    return value;
  }

  #next(): string | undefined {
    this.#blank();
    return this.#text[this.#at];
  }

  #blank(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  #lineHere(): number {
    for (; this.#counted < this.#at; this.#counted++) if (this.#text[this.#counted] === '\n') this.#line++;
    return this.#line;
  }

  #found(): string {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    return this.#at >= this.#text.length ? 'the end' : JSON.stringify(char);
  }

  #fail(message: string, at = this.#at): never {
    throw new Trouble(message, at);
  }
}
