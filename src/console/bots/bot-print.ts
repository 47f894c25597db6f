/** Prints JSON for people: short values on one line, others broken with an indent of two blanks. Pure. */
import { readJson } from './bot-json.ts';

/** A text with a longer line than this was written by a program. */
const LONG = 100;

/** Returns a foreign text unchanged, or formatted anew if it is JSON with lines too long to read. */
export function laidOut(text: string): string {
  const own = text.trim();
  if (own.split('\n').every((line) => line.length <= LONG)) return own;
  const { value, problem } = readJson(own);
  return problem ? own : printJson(value).join('\n');
}

/** Prints the value in lines of at most `width` characters, if its parts allow it. */
export function printJson(value: unknown, width = 72): string[] {
  return part(value, '', 0, width);
}

/** Prints one value. `used`: the cells of the line that are taken before it. */
function part(value: unknown, indent: string, used: number, width: number): string[] {
  const whole = oneLine(value);
  if (typeof value !== 'object' || value === null) return [whole];
  const entries = Array.isArray(value)
    ? value.map((entry: unknown) => ['', entry] as const)
    : Object.entries(value).map(([key, entry]) => [`${JSON.stringify(key)}: `, entry] as const);
  // The top of a document is always broken into lines, so that its fields are easy to find.
  if (entries.length === 0 || (used > 0 && used + whole.length < width)) return [whole];
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const lines = [open];
  entries.forEach(([name, entry], index) => {
    const [first = '', ...rest] = part(entry, inner, inner.length + name.length, width);
    const comma = index < entries.length - 1 ? ',' : '';
    const all = [`${inner}${name}${first}`, ...rest];
    all[all.length - 1] += comma;
    lines.push(...all);
  });
  return [...lines, `${indent}${close}`];
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).map(([key, entry]) => `${JSON.stringify(key)}: ${oneLine(entry)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
