/** JSON as a person reads it: what is short stays on one line, the rest is broken with two blanks of indent. Pure. */
import { readJson } from './bot-json.ts';

/** A line longer than this is written for programs. */
const LONG = 100;

/** A text from outside as it is, or laid out anew when it is JSON on lines too long to be read. */
export function laidOut(text: string): string {
  const own = text.trim();
  if (own.split('\n').every((line) => line.length <= LONG)) return own;
  const { value, problem } = readJson(own);
  return problem ? own : printJson(value).join('\n');
}

/** The value as lines of at most `width` characters where its parts allow it. */
export function printJson(value: unknown, width = 72): string[] {
  return part(value, '', 0, width);
}

/** `used`: cells of the line that are taken before the value. */
function part(value: unknown, indent: string, used: number, width: number): string[] {
  const whole = oneLine(value);
  if (typeof value !== 'object' || value === null) return [whole];
  const entries = Array.isArray(value)
    ? value.map((entry: unknown) => ['', entry] as const)
    : Object.entries(value).map(([key, entry]) => [`${JSON.stringify(key)}: `, entry] as const);
  // The top of a document is always broken: its fields are looked for one by one.
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
