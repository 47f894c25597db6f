/**
 * Themes: semantic tokens with a value for each colour depth, read from `themes/NAME.json`, and the choice of
 * depth from the environment. Components name tokens, never colours. A broken theme file is reported, never
 * fatal. The contrast of a file's colours is judged by what it `assumes` of the terminal (its background, its
 * own text colour).
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { closest } from '../../domain/did-you-mean.ts';
import { errorText } from '../../domain/errors.ts';

export const TOKENS = [
  'text',
  'muted',
  'border',
  'title',
  'key',
  'focus',
  'selected',
  'buy',
  'sell',
  'up',
  'down',
  'ok',
  'warn',
  'danger',
  'paper',
  'live',
] as const;

/** `selected` is a background; `paper` and `live` are drawn inverse; all others are foregrounds. */
export type Token = (typeof TOKENS)[number];
export type Depth = 'truecolor' | 'ansi256' | 'ansi16' | 'none';

/** The style of one token, in Ink's terms; a missing colour is the terminal's own. */
export interface Style {
  readonly color?: string;
  readonly bold?: boolean;
  readonly dim?: boolean;
}

export interface Theme {
  readonly name: string;
  readonly depth: Depth;
  readonly styles: Readonly<Record<Token, Style>>;
}

/** Styles that keep the meaning without colour. */
const PLAIN: Partial<Record<Token, Style>> = {
  muted: { dim: true },
  border: { dim: true },
  title: { bold: true },
  key: { bold: true },
  focus: { bold: true },
  warn: { bold: true },
  danger: { bold: true },
};

const NAMES = new Set(
  ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'].flatMap((name) => [
    name,
    `${name}Bright`,
  ]),
).add('gray');

/** The colour depth by NO_COLOR (https://no-color.org), TERM and COLORTERM. */
export function colourDepth(env: Readonly<Record<string, string | undefined>>): Depth {
  const term = env.TERM ?? '';
  if (env.NO_COLOR || term === 'dumb') return 'none';
  if (/truecolor|24bit/i.test(env.COLORTERM ?? '') || /-direct$/.test(term)) return 'truecolor';
  return /256/.test(term) ? 'ansi256' : 'ansi16';
}

/** Parses a theme file for one depth. Throws an Error that says what is wrong with the file. */
export function parseTheme(text: string, depth: Depth): Theme {
  const file = parseJson(text);
  if (!isRecord(file)) throw new Error('it must be an object with "name" and "tokens"');
  if (typeof file.name !== 'string') throw new Error('"name" is missing');
  const { assumes, tokens } = file;
  for (const part of ['background', 'text'] as const) {
    if (assumes !== undefined && !(isRecord(assumes) && isHex(assumes[part])))
      throw new Error(`assumes.${part} must be "#rrggbb"`);
  }
  if (!isRecord(tokens)) throw new Error('"tokens" is missing');
  const unknown = Object.keys(tokens).find((key) => !TOKENS.includes(key as Token));
  if (unknown !== undefined) {
    const meant = closest(unknown, TOKENS);
    throw new Error(`unknown token "${unknown}"${meant === null ? '' : `: did you mean "${meant}"?`}`);
  }
  const styles = {} as Record<Token, Style>;
  for (const token of TOKENS) {
    const color = colourOf(token, tokens[token], depth);
    styles[token] = color === undefined ? (PLAIN[token] ?? {}) : { color, bold: token === 'title' };
  }
  return { name: file.name, depth, styles };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON: ${errorText(error)}`);
  }
}

function colourOf(token: Token, value: unknown, depth: Depth): string | undefined {
  if (!isRecord(value)) throw new Error(`token "${token}" is missing`);
  const { truecolor, ansi256, ansi16 } = value;
  if (truecolor !== null && !isHex(truecolor) && !isName(truecolor)) {
    throw new Error(`${token}.truecolor must be "#rrggbb", a colour name or null`);
  }
  if (ansi256 !== null && !isIndex(ansi256)) throw new Error(`${token}.ansi256 must be 0 to 255 or null`);
  if (ansi16 !== null && !isName(ansi16)) {
    throw new Error(`${token}.ansi16 must be a colour name such as "red" or "redBright", or null`);
  }
  switch (depth) {
    case 'truecolor':
      return truecolor ?? undefined;
    case 'ansi256':
      return ansi256 === null ? undefined : `ansi256(${ansi256})`;
    case 'ansi16':
      return ansi16 ?? undefined;
    case 'none':
      return undefined;
  }
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAMES.has(value);
}

function isIndex(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 256;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The theme without any file: used when none can be read. */
export function plainTheme(): Theme {
  const styles = {} as Record<Token, Style>;
  for (const token of TOKENS) styles[token] = PLAIN[token] ?? {};
  return { name: 'plain', depth: 'none', styles };
}

/**
 * Reads a theme by name from the first folder that has a valid one. `problem` describes what is wrong with
 * the name, or with a file that was skipped.
 */
export function loadTheme(
  name: string,
  folders: readonly string[],
  depth: Depth,
): { theme: Theme | null; problem: string | null } {
  let problem: string | null = null;
  for (const folder of isThemeName(name) ? folders : []) {
    const text = readTheme(join(folder, `${name}.json`));
    if (text === null) continue;
    try {
      if (text === '') throw new Error(`it cannot be read, is empty or larger than ${MAX_BYTES} bytes`);
      return { theme: parseTheme(text, depth), problem };
    } catch (error) {
      problem ??= `themes/${name}.json is ignored: ${errorText(error)}`;
    }
  }
  if (problem !== null) return { theme: null, problem };
  const meant = closest(name, themeNames(folders));
  return { theme: null, problem: `no theme "${name}"${meant === null ? '' : `: did you mean ${meant}?`}` };
}

const MAX_BYTES = 65_536;

/** Whether a text can be the name of a theme, that is of its file. */
export function isThemeName(name: string): boolean {
  return /^[\w-]{1,40}$/.test(name);
}

/** The content of a theme file; null when there is no such file; empty when it cannot be read. */
function readTheme(file: string): string | null {
  try {
    const found = statSync(file);
    return found.isFile() && found.size <= MAX_BYTES ? readFileSync(file, 'utf8') : '';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A console over SSH may only read the program's own folder.
    return ['ENOENT', 'ENOTDIR', 'ERR_ACCESS_DENIED'].includes(code ?? '') ? null : '';
  }
}

/** Names of the available themes, sorted. */
export function themeNames(folders: readonly string[]): string[] {
  const names = new Set<string>();
  for (const folder of folders) {
    try {
      for (const file of readdirSync(folder)) {
        const name = file.endsWith('.json') ? file.slice(0, -5) : '';
        if (isThemeName(name)) names.add(name);
      }
    } catch {
      // A missing folder has no themes.
    }
  }
  return [...names].sort();
}
