/** Reads tables of the configuration file by their forms: a wrong value throws, an unknown key warns. */
import { closest } from '../domain/did-you-mean.ts';
import type { Form } from './forms.ts';
import { UsageError } from './usage-error.ts';

export type Values = Record<string, unknown>;

/** A table of the file: the form of each key, and the tables in it. */
export interface TableForm {
  readonly keys: Readonly<Record<string, Form>>;
  readonly tables?: Readonly<Record<string, TableForm>>;
  /** Tables that other code reads. */
  readonly others?: readonly string[];
}

export interface Reading {
  readonly file: string;
  /** Warnings about unknown keys. */
  readonly unknown: string[];
}

/** Returns values by key, tables in tables; unknown keys are left out and reported. */
export function readTable(table: Values, form: TableForm, path: string, reading: Reading): Values {
  const read: Values = {};
  for (const [key, value] of Object.entries(table)) {
    if (form.others?.includes(key)) continue;
    const at = pathOf(path, key);
    const inner = own(form.tables, key);
    const known = own(form.keys, key);
    if (inner !== undefined) {
      if (!isTable(value)) throw wrong(reading.file, at, value, `a table, written as [${at}]`);
      read[key] = readTable(value, inner, at, reading);
    } else if (known !== undefined) {
      read[key] = readValue(value, known, at, reading.file);
    } else reading.unknown.push(unknownKey(reading.file, at, key, path, form));
  }
  return read;
}

export function readValue(value: unknown, form: Form, at: string, file: string): unknown {
  if (form.each !== undefined && Array.isArray(value)) {
    return value.map((item, i) => readValue(item, form.each as Form, `${at}[${i}]`, file));
  }
  if (form.each !== undefined || !form.accepts(value)) {
    throw form.hidden ? hidden(file, at, form.right) : wrong(file, at, value, form.right);
  }
  return value;
}

export function pathOf(path: string, key: string): string {
  return path === '' ? key : `${path}.${/^[\w-]+$/.test(key) ? key : JSON.stringify(key)}`;
}

function wrong(file: string, at: string, value: unknown, right: string): UsageError {
  return new UsageError(`${file}: ${at} cannot be ${shown(value)}: it takes ${right}`);
}

/** The error without the value, which may be a secret in the wrong place. */
export function hidden(file: string, at: string, right: string): UsageError {
  return new UsageError(`${file}: ${at} is not right: it takes ${right}`);
}

function unknownKey(file: string, at: string, key: string, path: string, form: TableForm): string {
  const known = [...Object.keys(form.keys), ...Object.keys(form.tables ?? {}), ...(form.others ?? [])];
  const meant = closest(key, known);
  const hint = meant === null ? `${path || 'the file'} takes ${known.join(', ')}` : `did you mean ${meant}?`;
  return `${file}: unknown key ${at} is ignored; ${hint}`;
}

/** Writes a value on one line, of limited length. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isTable(value)) return 'a table';
  if (value instanceof Date) return value.toISOString();
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

export function isTable(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Renames keys: `window_ms` -> `windowMs`. */
export function camelCased(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}

export function defined(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
