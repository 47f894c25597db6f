/**
 * The blocks of connections in `config.toml`. A block is appended as text, or cut out as text; what a person
 * wrote is never rewritten. Nothing is written unless the file then says exactly what it is meant to say, and
 * the file is replaced as a whole (0600).
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import type { Connection } from '../../domain/connection.ts';

export const CONFIG_FILE = 'config.toml';
const MODE = 0o600;

type Tables = Record<string, unknown>;

/** Returns the block as text, with the end of its last line. */
export function blockOf({ name, venue, markets, environment, endpoints }: Connection): string {
  const lines = [
    `[exchanges.${name}]`,
    `venue = ${JSON.stringify(venue)}`,
    `markets = [${markets.map((one) => JSON.stringify(one)).join(', ')}]`,
    `environment = ${JSON.stringify(environment)}`,
  ];
  const addresses = Object.entries(endpoints);
  if (addresses.length > 0) lines.push(`[exchanges.${name}.endpoints]`);
  for (const [endpoint, address] of addresses) lines.push(`${endpoint} = ${JSON.stringify(address)}`);
  return `${lines.join('\n')}\n`;
}

/** Appends the block. Throws a sentence where that is impossible: then the file is unchanged. */
export function appendBlock(dataDir: string, connection: Connection): void {
  const { name, venue, markets, environment, endpoints } = connection;
  const file = fileOf(dataDir);
  const before = readText(file);
  const tables = parsed(file, before);
  const exchanges = (tables.exchanges ?? {}) as Tables;
  if (Object.hasOwn(exchanges, name))
    throw new Error(`${file} has a table [exchanges.${name}] already; take it out, or choose another name`);
  const table = { venue, markets, environment, ...(Object.keys(endpoints).length > 0 ? { endpoints } : {}) };
  const gap = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  const wanted = { ...tables, exchanges: { ...exchanges, [name]: table } };
  write(file, `${before}${gap}${blockOf(connection)}`, wanted, `append [exchanges.${name}] to it by hand`);
}

/**
 * Cuts the block out; false: there is none. Throws a sentence where that is impossible: then the file is
 * unchanged.
 */
export function removeBlock(dataDir: string, name: string): boolean {
  const file = fileOf(dataDir);
  const before = readText(file);
  const tables = parsed(file, before);
  const exchanges = (tables.exchanges ?? {}) as Tables;
  if (!Object.hasOwn(exchanges, name)) return false;
  const { [name]: _gone, ...others } = exchanges;
  const { exchanges: _, ...rest } = tables;
  const wanted = Object.keys(others).length > 0 ? { ...rest, exchanges: others } : rest;
  write(file, withoutBlock(before, name), wanted, `take [exchanges.${name}] out of it by hand`);
  return true;
}

/**
 * Removes the lines of the table and of its endpoints, up to the next table; comments above that table belong
 * to it.
 */
function withoutBlock(text: string, name: string): string {
  const kept: string[] = [];
  let cutting = false;
  let pending: string[] = [];
  for (const line of text.split(/(?<=\n)/)) {
    const header = headerOf(line);
    if (header !== null) {
      const isOwn = header === `exchanges.${name}` || header.startsWith(`exchanges.${name}.`);
      if (cutting && !isOwn) kept.push(...pending);
      cutting = isOwn;
      pending = [];
    }
    if (!cutting) kept.push(line);
    else if (/^\s*(#.*)?$/.test(line.trimEnd())) pending.push(line);
    else pending = [];
  }
  // Removes the line that `appendBlock` puts before a block, too.
  const whole = kept.join('');
  return whole.endsWith('\n\n') ? whole.slice(0, -1) : whole;
}

/** Returns a table's name, `[a.b]` -> `a.b`; null: the line begins no table. */
function headerOf(line: string): string | null {
  const text = line.trim();
  const end = text.indexOf(']');
  return text.startsWith('[') && end > 0 ? text.slice(1, end).trim() : null;
}

function fileOf(dataDir: string): string {
  const file = join(dataDir, CONFIG_FILE);
  try {
    // The file that a link leads to is replaced, not the link.
    return realpathSync(file);
  } catch {
    return file;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new Error(`${file} cannot be read (${code ?? 'not a file'})`);
  }
}

function parsed(file: string, text: string): Tables {
  try {
    return parse(text) as Tables;
  } catch {
    throw new Error(`${file} is not TOML any more: put it right first`);
  }
}

/** Writes the file completely or not at all, also when the machine stops. */
function write(file: string, text: string, wanted: Tables, otherwise: string): void {
  const means = (() => {
    try {
      return parse(text);
    } catch {
      return null;
    }
  })();
  if (!isDeepStrictEqual(plain(means), plain(wanted)))
    throw new Error(`${file} is written in a way that cannot be changed here: ${otherwise}`);
  const beside = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const fd = openSync(beside, 'wx', MODE);
    try {
      writeSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    throw new Error(`${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'failed'})`);
  }
  syncFolder(dirname(file));
}

/** Copies a value into plain objects: the parser's tables have no prototype. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r');
    fsyncSync(fd);
    closeSync(fd);
  } catch {
    // Impossible on Windows; the rename is valid all the same.
  }
}
