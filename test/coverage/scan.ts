/**
 * Finds the markers in the tests: a comment line `// proves: id, id` right above a `test(`, `it(` or `describe(` (with
 * `.each` too) says which points that test proves. `id [case]` names the case of a table, which stands for the `%s` of the
 * title: the point hangs on that case alone. A marker that stands anywhere else is a problem, never ignored.
 */
import { codeOf } from '../architecture/source-text.ts';

export interface TestFile {
  /** The path from the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Proof {
  readonly file: string;
  /** Titles from the outermost group to the test; for a marked group, its own title is the last. */
  readonly titles: readonly string[];
  /** The marker's line; the first line is 1. */
  readonly line: number;
  readonly id: string;
}

export interface Scan {
  readonly proofs: readonly Proof[];
  /** Sentences: file, line, what is wrong. */
  readonly problems: readonly string[];
}

const MARKER = /^\s*\/\/ proves:(.*)$/;
/** An id, and the case of a table. */
const CASED = /^([^[]*[^[ ]) \[([^\]]+)\]$/;
const COMMENT = /^\s*\/\//;
const CALL = /^\s*(?:test|it|describe)\b(?:\.\w+)*[(<`]/;
const GROUP = /^\s*describe\b(?:\.\w+)*[(<`]/;

export function scanFiles(files: readonly TestFile[]): Scan {
  const scans = files.map(scanFile);
  return {
    proofs: scans.flatMap(({ proofs }) => proofs),
    problems: scans.flatMap(({ problems }) => problems),
  };
}

export function scanFile({ path, text }: TestFile): Scan {
  const lines = text.split('\n');
  const proofs: Proof[] = [];
  const problems: string[] = [];
  let code: string | null = null;
  for (const [at, line] of lines.entries()) {
    const marker = MARKER.exec(line);
    if (!marker) continue;
    const ids = (marker[1] ?? '').split(',').map((id) => id.trim());
    let call = at + 1;
    while (COMMENT.test(lines[call] ?? '')) call++;
    const where = `${path}:${at + 1}`;
    if (ids.some((id) => id === '')) problems.push(`${where}: an empty id; write // proves: id, id`);
    if (!CALL.test(lines[call] ?? '')) {
      problems.push(`${where}: a marker must stand right above test(, it( or describe(`);
      continue;
    }
    code ??= codeOf(text);
    const titles = titlesAt({ lines, code, text }, call);
    if (titles === null) problems.push(`${where}: the test below has no title in quotes`);
    else {
      for (const text of ids) {
        if (text === '') continue;
        const [, id = text, name = null] = CASED.exec(text) ?? [];
        const problem = name === null ? null : caseProblem(titles, name, lines);
        if (problem !== null) problems.push(`${where}: ${problem}`);
        proofs.push({ file: path, titles: ofCase(titles, name), line: at + 1, id });
      }
    }
  }
  return { proofs, problems };
}

/** The problem with the case of a marker; null: none. */
function caseProblem(titles: readonly string[], name: string, lines: readonly string[]): string | null {
  if (!titles.at(-1)?.includes('%s')) return 'a case needs a title with %s';
  const stands = lines.some((line) => !COMMENT.test(line) && line.includes(name));
  return stands ? null : `the case ${name} stands nowhere in the file`;
}

function ofCase(titles: readonly string[], name: string | null): readonly string[] {
  return name === null ? titles : [...titles.slice(0, -1), (titles.at(-1) ?? '').replace('%s', name)];
}

interface Source {
  readonly lines: readonly string[];
  readonly code: string;
  readonly text: string;
}

/**
 * The title of the call on a line, after the titles of the groups around it, found by the formatter's
 * indentation.
 */
function titlesAt(source: Source, line: number): string[] | null {
  const titles: string[] = [];
  let indent = indentOf(source.lines[line] ?? '');
  const own = titleOf(source, line);
  if (own === null) return null;
  titles.unshift(own);
  for (let above = line - 1; above >= 0 && indent > 0; above--) {
    const text = source.lines[above] ?? '';
    if (text.trim() === '' || indentOf(text) >= indent) continue;
    // The end of a table whose call began further up at the same depth.
    indent = indentOf(text) + (/^\s*[\])`]/.test(text) ? 1 : 0);
    const group = GROUP.test(text) ? titleOf(source, above) : null;
    if (group !== null) titles.unshift(group);
  }
  return titles;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/**
 * The string that is the first argument of the call, past the table of an `.each`, the condition of a
 * `.skipIf`.
 */
function titleOf({ lines, code, text }: Source, line: number): string | null {
  let at = lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0);
  at += /^\s*/.exec(code.slice(at, at + 200))?.[0].length ?? 0;
  for (;;) {
    at += /^[\w.]*/.exec(code.slice(at, at + 200))?.[0].length ?? 0;
    at = skipTypes(code, at);
    const end = code[at] === '`' ? code.indexOf('`', at + 1) : closing(code, at);
    if (!'(`'.includes(code[at] ?? ' ') || end < 0) return null;
    if (!'(.<`'.includes(code[end + 1] ?? ' ')) break;
    at = end + 1;
  }
  const rest = /\s*/.exec(code.slice(at + 1, at + 500))?.[0].length ?? 0;
  const open = at + 1 + rest;
  const quote = code[open] ?? '';
  if (!`'"\``.includes(quote) || quote === '') return null;
  const end = quote === '`' ? templateEnd(code, open) : code.indexOf(quote, open + 1);
  return end < 0
    ? null
    : text
        .slice(open + 1, end)
        .replaceAll(/\\(.)/g, '$1')
        .replaceAll(/\s+/g, ' ');
}

/**
 * Offset of the backtick that ends the template at `from`; those inside its `${}` belong to other templates.
 */
function templateEnd(code: string, from: number): number {
  let depth = 0;
  for (let at = from + 1; at < code.length; at++) {
    if (code[at] === '{') depth++;
    else if (code[at] === '}') depth--;
    else if (code[at] === '`' && depth === 0) return at;
    else if (code[at] === '`') at = templateEnd(code, at);
  }
  return -1;
}

/** Skips `<...>`, where types are given. */
function skipTypes(code: string, from: number): number {
  return code[from] === '<' ? closing(code, from) + 1 : from;
}

/** Offset of the bracket that closes the one at `from`. */
function closing(code: string, from: number): number {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    if ('([{<'.includes(code[at] ?? ' ') && !isArrowOrComparison(code, at)) depth++;
    else if (')]}>'.includes(code[at] ?? ' ') && !isArrowOrComparison(code, at)) {
      depth--;
      if (depth === 0) return at;
    }
  }
  return code.length;
}

/** `=>`, `<=`, `>=` and the like are no brackets; nor is a `<` or `>` with a space on both sides. */
function isArrowOrComparison(code: string, at: number): boolean {
  const char = code[at];
  if (char !== '<' && char !== '>') return false;
  return code[at - 1] === '=' || code[at + 1] === '=' || (code[at - 1] === ' ' && code[at + 1] === ' ');
}
