/**
 * One candle file, checked line by line when it is opened and kept as text with an index: a line is split
 * into fields only when it is needed, so prices keep the text of the file. Reads no disk.
 */
import { dec, str } from '../domain/decimal.ts';
import { FeedError } from './feed.ts';
import { powerOfTen } from './scaled.ts';
import { frameName } from './timeframe.ts';

/** The figures of one line; canonical decimal texts. */
export interface CsvRow {
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

const COLUMNS = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
/**
 * Number of columns in an exchange's own dump: the six, then close time, quote volume, trades and three more.
 */
const DUMP_COLUMNS = 12;
const MAX_DECIMALS = 20;
const SAMPLES = 64;
const PLAIN_DECIMAL = /^\d+(\.\d+)?$/;
/** Range of open times that a candle can have: from the first, and before the second; Unix ms. */
export const EARLIEST_TIME = Date.UTC(2000, 0, 1);
export const LATEST_TIME = Date.UTC(2100, 0, 1);
const COMMA = 44;
const DOT = 46;
const RETURN = 13;
const ZERO = 48;

export class CsvRows {
  readonly count: number;
  /** Open times, ascending. */
  readonly times: Float64Array;
  readonly #text: string;
  readonly #starts: Uint32Array;

  constructor(text: string, times: Float64Array, starts: Uint32Array) {
    this.count = times.length;
    this.times = times;
    this.#text = text;
    this.#starts = starts;
  }

  time(row: number): number {
    return this.times[row] as number;
  }

  at(row: number): CsvRow {
    const text = this.#text;
    const open = text.indexOf(',', this.#starts[row]) + 1;
    const high = text.indexOf(',', open) + 1;
    const low = text.indexOf(',', high) + 1;
    const close = text.indexOf(',', low) + 1;
    const volume = text.indexOf(',', close) + 1;
    let end = volume;
    for (let code = text.charCodeAt(end); isDigit(code) || code === DOT; ) code = text.charCodeAt(++end);
    return {
      open: canonical(text.slice(open, high - 1)),
      high: canonical(text.slice(high, low - 1)),
      low: canonical(text.slice(low, close - 1)),
      close: canonical(text.slice(close, volume - 1)),
      volume: canonical(text.slice(volume, end)),
    };
  }

  /** Returns the number of rows whose open time is before `time`. */
  countBefore(time: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.times[middle] as number) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Returns the distance between the rows that are taken as a sample of a file's prices. */
export function sampleStride(count: number): number {
  return Math.max(1, Math.floor(count / SAMPLES));
}

/** Reads and checks a candle file. Throws FeedError naming `file` and the line. */
export function parseCsvRows(file: string, text: string, frameMs: number): CsvRows {
  const lines = countLines(text);
  const times = new Float64Array(lines);
  const starts = new Uint32Array(lines);
  const scan = new LineScan(text);
  let rows = 0;
  let previous = Number.NEGATIVE_INFINITY;
  const isCandle = (line: string, number: number) => {
    const problem = problemOf(line, number, previous, frameMs);
    if (typeof problem === 'string') throw new FeedError(`${file} line ${number}: ${problem}`);
    return problem;
  };
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  for (let line = 1; start < text.length; line++) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    if (scan.read(start, end, previous, frameMs) || isCandle(text.slice(start, end), line)) {
      times[rows] = scan.time;
      starts[rows++] = start;
      previous = scan.time;
    }
    start = end + 1;
  }
  if (rows === 0) throw new FeedError(`${file} has no candles`);
  return new CsvRows(text, times.subarray(0, rows), starts.subarray(0, rows));
}

/**
 * The fast parser of a line: true when the line is entirely valid. `problemOf` finds out what is wrong with
 * it.
 */
class LineScan {
  time = 0;
  readonly #text: string;
  #at = 0;
  #end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(start: number, end: number, previous: number, frameMs: number): boolean {
    this.#at = start;
    this.#end = end > start && this.#text.charCodeAt(end - 1) === RETURN ? end - 1 : end;
    this.time = this.#field();
    const open = this.#field();
    const high = this.#field();
    const low = this.#field();
    const close = this.#field();
    const volume = this.#field();
    return (
      this.time > previous &&
      this.time % frameMs === 0 &&
      this.time >= EARLIEST_TIME &&
      this.time < LATEST_TIME &&
      low > 0 &&
      open >= low &&
      close >= low &&
      high >= open &&
      high >= close &&
      volume >= 0 &&
      (this.#at === this.#end + 1 || this.#commasLeft() === DUMP_COLUMNS - COLUMNS.length - 1)
    );
  }

  #commasLeft(): number {
    let commas = 0;
    for (let at = this.#at; at < this.#end; at++) if (this.#text.charCodeAt(at) === COMMA) commas++;
    return commas;
  }

  /**
   * Returns the value of the next field, NaN when it is not a plain decimal of at most 15 digits. Comparing
   * such values is exact.
   */
  #field(): number {
    const text = this.#text;
    const end = this.#end;
    const start = this.#at;
    let mantissa = 0;
    let dot = -1;
    let at = start;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (isDigit(code)) mantissa = mantissa * 10 + (code - ZERO);
      else if (code === DOT && dot < 0 && at > start) dot = at;
      else break;
    }
    this.#at = at + 1;
    const length = at - start;
    if ((at < end && text.charCodeAt(at) !== COMMA) || length === 0 || length > 16 || dot === at - 1)
      return Number.NaN;
    if (dot < 0) return length > 15 ? Number.NaN : mantissa;
    return mantissa / powerOfTen(at - dot - 1);
  }
}

/**
 * The slow parser: returns what is wrong with the line, or whether it is a candle (with more digits than the
 * fast parser accepts) or to be skipped (heading, blank).
 */
function problemOf(text: string, number: number, previous: number, frameMs: number): string | boolean {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  if (line.trim() === '') return false;
  const fields = line.split(',');
  if (number === 1 && /^[\ufeff"]?[a-z]/i.test(line)) return problemOfHeading(fields) ?? false;
  if (fields.length !== COLUMNS.length && fields.length !== DUMP_COLUMNS) {
    return `has ${fields.length} ${fields.length === 1 ? 'column' : 'columns'} instead of ${COLUMNS.length} (${COLUMNS.join(',')})`;
  }
  for (let i = 0; i < COLUMNS.length; i++) {
    const problem = problemOfNumber(COLUMNS[i] as string, fields[i] as string);
    if (problem !== null) return problem;
  }
  return problemOfTime(fields[0] as string, previous, frameMs) ?? problemOfPrices(fields) ?? true;
}

function problemOfHeading(fields: readonly string[]): string | null {
  const names = fields.map((field) => field.toLowerCase());
  const fits = COLUMNS.every((name, i) => (i === 0 ? /time|date/.test(names[i] ?? '') : names[i] === name));
  return fits ? null : `the heading is ${show(fields.join(','))} instead of ${COLUMNS.join(',')}`;
}

function problemOfNumber(name: string, text: string): string | null {
  if (text === '') return `${name} is missing`;
  if (!PLAIN_DECIMAL.test(text)) return `${name} ${show(text)} is not a plain decimal number`;
  if ((text.split('.')[1] ?? '').length > MAX_DECIMALS)
    return `${name} ${text} has more than ${MAX_DECIMALS} decimals`;
  if (name !== 'volume' && name !== 'time' && Number(text) === 0) return `${name} is 0`;
  return null;
}

function problemOfTime(text: string, previous: number, frameMs: number): string | null {
  const time = Number(text);
  if (!Number.isInteger(time) || time < EARLIEST_TIME || time >= LATEST_TIME)
    return `time ${text} is not a Unix time in milliseconds`;
  if (time % frameMs !== 0) return `time ${text} is not the opening of a ${frameName(frameMs)} candle`;
  if (time === previous) return `time ${text} is there twice`;
  return time < previous ? `time ${text} is before the line above (${previous})` : null;
}

function problemOfPrices(fields: readonly string[]): string | null {
  const [, open, high, low, close] = fields as [string, string, string, string, string];
  const [o, h, l, c] = [dec(open), dec(high), dec(low), dec(close)];
  if (h < l) return `high ${high} is below low ${low}`;
  if (h < o) return `high ${high} is below open ${open}`;
  if (h < c) return `high ${high} is below close ${close}`;
  if (l > o) return `low ${low} is above open ${open}`;
  return l > c ? `low ${low} is above close ${close}` : null;
}

function canonical(text: string): string {
  if (text.charCodeAt(0) === ZERO && isDigit(text.charCodeAt(1))) return str(dec(text));
  let end = text.length;
  if (text.charCodeAt(end - 1) !== ZERO || !text.includes('.')) return text;
  while (text.charCodeAt(end - 1) === ZERO) end--;
  return text.slice(0, text.charCodeAt(end - 1) === DOT ? end - 1 : end);
}

/** Returns a text quoted, short, with control characters escaped. */
function show(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 57;
}
