/**
 * Themes: semantic tokens with a value for each colour depth, read from `themes/NAME.json`, and the choice of depth
 * from the environment. Components name tokens, never colours. A broken theme file is reported, never fatal.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** How one token is drawn, in Ink's words; undefined = the terminal's own colour. */
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

/** How meaning survives without colour. */
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

/** Depth from NO_COLOR, TERM and COLORTERM, as terminals and people set them. */
export function colourDepth(env: Readonly<Record<string, string | undefined>>): Depth {
  const term = env.TERM ?? '';
  if (env.NO_COLOR || term === 'dumb') return 'none';
  if (/truecolor|24bit/i.test(env.COLORTERM ?? '') || /-direct$/.test(term)) return 'truecolor';
  return /256/.test(term) ? 'ansi256' : 'ansi16';
}

/** A theme file's content at one depth. Throws an Error that says what is wrong with the file. */
export function parseTheme(text: string, depth: Depth): Theme {
  const file: unknown = JSON.parse(text);
  if (!isRecord(file) || typeof file.name !== 'string') throw new Error('"name" is missing');
  const tokens = file.tokens;
  if (!isRecord(tokens)) throw new Error('"tokens" is missing');
  const unknown = Object.keys(tokens).find((key) => !TOKENS.includes(key as Token));
  if (unknown) throw new Error(`unknown token "${unknown}"`);
  const styles = {} as Record<Token, Style>;
  for (const token of TOKENS) {
    const color = colourOf(token, tokens[token], depth);
    styles[token] = color === undefined ? (PLAIN[token] ?? {}) : { color, bold: token === 'title' };
  }
  return { name: file.name, depth, styles };
}

function colourOf(token: Token, value: unknown, depth: Depth): string | undefined {
  if (!isRecord(value)) throw new Error(`token "${token}" is missing`);
  const { truecolor, ansi256, ansi16 } = value;
  if (truecolor !== null && !(typeof truecolor === 'string' && /^#[0-9a-f]{6}$/i.test(truecolor))) {
    throw new Error(`${token}.truecolor must be "#rrggbb" or null`);
  }
  if (
    ansi256 !== null &&
    !(typeof ansi256 === 'number' && Number.isInteger(ansi256) && ansi256 >= 0 && ansi256 < 256)
  ) {
    throw new Error(`${token}.ansi256 must be 0 to 255 or null`);
  }
  if (ansi16 !== null && !(typeof ansi16 === 'string' && NAMES.has(ansi16))) {
    throw new Error(`${token}.ansi16 must be a colour name or null`);
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The theme without any file: what is left when none can be read. */
export function plainTheme(): Theme {
  const styles = {} as Record<Token, Style>;
  for (const token of TOKENS) styles[token] = PLAIN[token] ?? {};
  return { name: 'plain', depth: 'none', styles };
}

/** Reads a theme by name from the first folder that has it. `problem` says why it is not the one asked for. */
export function loadTheme(
  name: string,
  folders: readonly string[],
  depth: Depth,
): { theme: Theme | null; problem: string | null } {
  if (!/^[\w-]{1,40}$/.test(name)) return { theme: null, problem: `no theme "${name}"` };
  for (const folder of folders) {
    let text: string;
    try {
      text = readFileSync(join(folder, `${name}.json`), 'utf8');
    } catch {
      continue;
    }
    try {
      return { theme: parseTheme(text, depth), problem: null };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { theme: null, problem: `theme "${name}": ${why}` };
    }
  }
  return { theme: null, problem: `no theme "${name}"` };
}

/** Names of the themes that can be chosen, sorted. */
export function themeNames(folders: readonly string[]): string[] {
  const names = new Set<string>();
  for (const folder of folders) {
    try {
      for (const file of readdirSync(folder)) if (file.endsWith('.json')) names.add(file.slice(0, -5));
    } catch {
      // A missing folder has no themes.
    }
  }
  return [...names].sort();
}
