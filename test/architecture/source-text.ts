/**
 * Reads TypeScript as text, well enough for rules about imports and names: what is code and what is a comment
 * or string, and which modules a file imports. It does not parse: TypeScript 7 offers no JavaScript interface
 * to its own parser.
 */

export interface ImportLine {
  readonly specifier: string;
  /** `import type` or `export type ... from`: gone at run time. */
  readonly typeOnly: boolean;
  /** The first line is 1. */
  readonly line: number;
}

/** A `/` after one of these, or after nothing, begins a regular expression. `<` is left out: JSX has `</`. */
const BEFORE_REGEX =
  /(?:^|[(,=:[!&|?{};+\-*%>~^]|\b(?:return|typeof|case|in|of|do|else|throw|void|delete))\s*$/;
const REGEX_LITERAL = /\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const QUOTED = /'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;

/**
 * The text with comments, and what is between the quotes of strings, templates and regular expressions,
 * replaced by spaces: same length, same lines. Code inside `${}` stays.
 */
export function codeOf(text: string): string {
  return scan(text).code;
}

export interface RegexLiteral {
  readonly pattern: string;
  readonly flags: string;
  /** The first line is 1. */
  readonly line: number;
}

/** Every regular expression literal in a text. */
export function regexesOf(text: string): RegexLiteral[] {
  return scan(text).regexes;
}

function scan(text: string): { readonly code: string; readonly regexes: RegexLiteral[] } {
  const regexes: RegexLiteral[] = [];
  let code = '';
  let at = 0;
  /** One entry for each open template: how many braces are open inside its `${`. */
  const braces: number[] = [];
  while (at < text.length) {
    const char = text.charAt(at);
    const regex = regexAt(text, at, code);
    const literal = matchAt(COMMENT, text, at) ?? matchAt(QUOTED, text, at) ?? regex;
    const top = braces.length - 1;
    if (literal !== null) {
      if (literal === regex) {
        const end = literal.lastIndexOf('/');
        regexes.push({
          pattern: literal.slice(1, end),
          flags: literal.slice(end + 1),
          line: lineAt(text, at),
        });
      }
      code +=
        char === '/' ? blank(literal) : `${char}${blank(literal.slice(1, -1))}${literal.slice(1).slice(-1)}`;
      at += literal.length;
    } else if (char === '`' || (char === '}' && braces[top] === 0)) {
      if (char === '}') braces.pop();
      const end = templateEnd(text, at + 1);
      code += char + blank(text.slice(at + 1, end.at)) + text.slice(end.at, end.at + end.length);
      at = end.at + end.length;
      if (end.length === 2) braces.push(0);
    } else {
      if (top >= 0 && char === '{') braces[top] = (braces[top] ?? 0) + 1;
      if (top >= 0 && char === '}') braces[top] = (braces[top] ?? 0) - 1;
      code += char;
      at++;
    }
  }
  return { code, regexes };
}

/** Where the text of a template stops: at its closing backtick (length 1) or at a `${` (length 2). */
function templateEnd(text: string, from: number): { at: number; length: number } {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '`') return { at, length: 1 };
    else if (text.startsWith('${', at)) return { at, length: 2 };
  }
  return { at: text.length, length: 0 };
}

function regexAt(text: string, at: number, codeBefore: string): string | null {
  if (text[at] !== '/' || !BEFORE_REGEX.test(codeBefore.slice(-40))) return null;
  return matchAt(REGEX_LITERAL, text, at);
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

/** The line, from 1, of an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

const STATIC_IMPORT =
  /(?<![.\w$])(?:import|export)\s+(?:(type)\s+(?!from\b))?(?:[\w$*{}\s,]+?\s*\bfrom\s*)?(['"])/g;
const BRACED_IMPORT = /(?<![.\w$])(?:import|export)\s*(?:(type)\s*)?\{[^}]*\}\s*from\s*(['"])/g;
const CALLED_IMPORT = /(?<![.\w$])(?:import|require)\s*\(\s*()(['"`])/g;

/**
 * Every module that a file names: imports, re-exports, `import()` and `require()`, in the order of the text.
 */
export function importsOf(text: string): ImportLine[] {
  const code = codeOf(text);
  const found = new Map<number, ImportLine>();
  for (const pattern of [STATIC_IMPORT, BRACED_IMPORT, CALLED_IMPORT]) {
    for (const match of code.matchAll(pattern)) {
      const quote = match.index + match[0].length - 1;
      const end = text.indexOf(match[2] ?? '', quote + 1);
      const specifier = text.slice(quote + 1, end < 0 ? undefined : end);
      found.set(quote, { specifier, typeOnly: match[1] === 'type', line: lineAt(text, match.index) });
    }
  }
  return [...found].sort(([a], [b]) => a - b).map(([, line]) => line);
}
