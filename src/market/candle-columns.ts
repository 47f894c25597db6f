/**
 * A candle file as columns of whole numbers, for readers that need all of it at once: read from its bytes in
 * one pass, exactly. A line that the fast parser does not accept goes to the reader of the replay
 * (`csv-rows.ts`), which also words the error. Reads no disk.
 */
import { type Dec, dec } from '../domain/decimal.ts';
import { inCapitals, isMarketName } from '../domain/market-name.ts';
import { EARLIEST_TIME, LATEST_TIME, parseCsvRows, sampleStride } from './csv-rows.ts';
import { FeedError } from './feed.ts';
import { decimalsOf, formatScaled, powerOfTen } from './scaled.ts';
import { frameMsOf, frameName, MINUTE_MS } from './timeframe.ts';

export interface CandleColumns {
  readonly symbol: string;
  readonly frameMs: number;
  readonly count: number;
  /** Open times, Unix ms, ascending. */
  readonly times: Float64Array;
  /** Prices as whole numbers of 10^-decimals. */
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly decimals: number;
  /** Returns the base units traded in a row. */
  volume(row: number): Dec;
}

/** Reads the name of a candle file: `BTCUSDT-1m.csv`; null where it has another form. */
export function candleFileName(path: string): { readonly symbol: string; readonly frameMs: number } | null {
  const parts = candleNameParts(path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1));
  const frameMs = parts && frameMsOf(parts.frame);
  return parts && frameMs !== null ? { symbol: parts.symbol, frameMs } : null;
}

/**
 * Reads a name without its folder: a symbol of capitals and numbers, and the frame as it is written there.
 */
export function candleNameParts(name: string): { readonly symbol: string; readonly frame: string } | null {
  if (name.length > LONGEST_NAME) return null;
  // Some file systems return a name decomposed into letters and marks.
  const match = /^([\p{L}\p{N}]{2,64})-([1-9]\d{0,3}[mhdw])\.csv$/u.exec(name.normalize('NFC'));
  const symbol = match?.[1] ?? '';
  return match && isMarketName(symbol) && inCapitals(symbol) === symbol
    ? { symbol, frame: match[2] as string }
    : null;
}

const LONGEST_NAME = 255;
/** Largest number for which a double is exact, also with its quarter ticks. */
const MOST = 2 ** 53;
const DUMP_COMMAS = 6;
const COMMA = 44;
const DOT = 46;
const NEWLINE = 10;
const RETURN = 13;
const ZERO = 48;
/** Number of lines from which the frame of a file is derived when its name does not state it. */
const FRAME_LINES = 200;

/** Reads and checks a candle file. Throws FeedError naming `file` and the line. */
export function readCandleColumns(
  file: string,
  bytes: Uint8Array,
  symbol: string,
  frameMs: number,
): CandleColumns {
  return new Scan(bytes, symbol, frameMs).read() ?? slowly(file, bytes, symbol, frameMs);
}

/**
 * Derives the frame of a file from the distances of its first candles: the largest of which all are
 * multiples. Throws FeedError where there are none.
 */
export function guessFrame(file: string, bytes: Uint8Array): number {
  const head = new TextDecoder().decode(bytes.subarray(0, FRAME_LINES * 200)).split('\n');
  const times = head
    .slice(0, FRAME_LINES)
    .map((line) => Number(/^\d{12,14}(?=,)/.exec(line)?.[0] ?? Number.NaN));
  let frame = 0;
  let before = Number.NaN;
  for (const time of times) {
    if (Number.isNaN(time)) continue;
    if (time > before) frame = divisor(time - before, frame);
    before = time;
  }
  if (frame >= MINUTE_MS && frame % MINUTE_MS === 0) return frame;
  throw new FeedError(
    `${file}: its time frame cannot be told: name the file like BTCUSDT-1m.csv, or give two candles or more`,
  );
}

/**
 * Returns sample prices from the columns, from the same rows that a replay of the file uses: for
 * `spotInstruments`.
 */
export function sampleColumns({ count, open, high, low, close, decimals }: CandleColumns): string[] {
  const prices: string[] = [];
  for (let row = 0; row < count; row += sampleStride(count)) {
    for (const column of [open, high, low, close]) prices.push(formatScaled(column[row] as number, decimals));
  }
  return prices;
}

/** One pass over the bytes; prices and volumes are rescaled to the most decimals seen so far. */
class Scan {
  readonly #bytes: Uint8Array;
  readonly #symbol: string;
  readonly #frameMs: number;
  #at = 0;
  /** Decimal places of the last field. */
  #places = 0;

  constructor(bytes: Uint8Array, symbol: string, frameMs: number) {
    this.#bytes = bytes;
    this.#symbol = symbol;
    this.#frameMs = frameMs;
  }

  /** Reads the file; null where a line needs the slow parser. */
  read(): CandleColumns | null {
    const bytes = this.#bytes;
    const lines = countLines(bytes);
    const times = new Float64Array(lines);
    const columns = [0, 1, 2, 3, 4].map(() => new Float64Array(lines)) as Columns;
    const [open, high, low, close, volume] = columns;
    let decimals = 0;
    let volumeDecimals = 0;
    let previous = EARLIEST_TIME - 1;
    let row = 0;
    this.#at = afterHeading(bytes);
    while (this.#at < bytes.length) {
      const time = this.#field();
      const o = this.#field();
      const oPlaces = this.#places;
      const h = this.#field();
      const hPlaces = this.#places;
      const l = this.#field();
      const lPlaces = this.#places;
      const c = this.#field();
      const cPlaces = this.#places;
      const v = this.#field();
      const vPlaces = this.#places;
      if (!this.#lineEnds()) return null;
      const most = Math.max(oPlaces, hPlaces, lPlaces, cPlaces);
      if (most > decimals) {
        rescale([open, high, low, close], row, most - decimals);
        decimals = most;
      }
      if (vPlaces > volumeDecimals) {
        rescale([volume], row, vPlaces - volumeDecimals);
        volumeDecimals = vPlaces;
      }
      times[row] = time;
      open[row] = o * powerOfTen(decimals - oPlaces);
      high[row] = h * powerOfTen(decimals - hPlaces);
      low[row] = l * powerOfTen(decimals - lPlaces);
      close[row] = c * powerOfTen(decimals - cPlaces);
      volume[row] = v * powerOfTen(volumeDecimals - vPlaces);
      const fits =
        time > previous &&
        time % this.#frameMs === 0 &&
        time < LATEST_TIME &&
        (low[row] as number) > 0 &&
        (open[row] as number) >= (low[row] as number) &&
        (close[row] as number) >= (low[row] as number) &&
        (high[row] as number) >= (open[row] as number) &&
        (high[row] as number) >= (close[row] as number) &&
        (volume[row] as number) >= 0;
      if (!fits) return null;
      previous = time;
      row++;
    }
    return row === 0 || !isExact(columns, row)
      ? null
      : this.#columns(times, columns, row, decimals, volumeDecimals);
  }

  #columns(
    times: Float64Array,
    columns: Columns,
    count: number,
    decimals: number,
    volumeDecimals: number,
  ): CandleColumns {
    const [open, high, low, close, volume] = columns.map((column) => column.subarray(0, count)) as Columns;
    const unit = 10n ** BigInt(30 - volumeDecimals);
    return {
      symbol: this.#symbol,
      frameMs: this.#frameMs,
      count,
      times: times.subarray(0, count),
      open,
      high,
      low,
      close,
      decimals,
      volume: (row) => BigInt(volume[row] as number) * unit,
    };
  }

  /**
   * Returns the digits of the next field as a whole number, NaN when it is no plain decimal of at most 15
   * digits.
   */
  #field(): number {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    let value = 0;
    let dot = -1;
    let code = bytes[at] as number;
    for (;;) {
      if (code >= ZERO && code <= 57) value = value * 10 + (code - ZERO);
      else if (code === DOT && dot < 0 && at > start) dot = at;
      else break;
      code = bytes[++at] as number;
    }
    const length = at - start;
    // Skips a comma after the field; the end of the line stays.
    this.#at = code === COMMA ? at + 1 : at;
    this.#places = dot < 0 ? 0 : at - dot - 1;
    return length === 0 || length > 16 || dot === at - 1 || (dot < 0 && length > 15) ? Number.NaN : value;
  }

  /**
   * Returns whether the line has exactly the six columns, or six more as in an exchange's dump; skips the end
   * of the line.
   */
  #lineEnds(): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    if (bytes[at - 1] === COMMA) {
      let commas = 1;
      for (; at < bytes.length && bytes[at] !== NEWLINE; at++) if (bytes[at] === COMMA) commas++;
      if (commas !== DUMP_COMMAS) return false;
    } else if (bytes[at] === RETURN) at++;
    if (at < bytes.length && bytes[at] !== NEWLINE) return false;
    this.#at = at + 1;
    return true;
  }
}

type Columns = [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];

function slowly(file: string, bytes: Uint8Array, symbol: string, frameMs: number): CandleColumns {
  const rows = parseCsvRows(file, new TextDecoder().decode(bytes), frameMs);
  const { count } = rows;
  const columns = [0, 1, 2, 3].map(() => new Float64Array(count));
  let decimals = 0;
  const read = (row: number) => {
    const { open, high, low, close } = rows.at(row);
    return [open, high, low, close];
  };
  for (let row = 0; row < count; row++) {
    for (const text of read(row)) decimals = Math.max(decimals, decimalsOf(text));
  }
  const unit = 10n ** BigInt(30 - decimals);
  for (let row = 0; row < count; row++) {
    for (const [i, text] of read(row).entries()) {
      const value = dec(text) / unit;
      if (value > BigInt(MOST)) {
        throw new FeedError(
          `${file}: price ${text} has more digits than can be played exactly (15 with ${decimals} decimals)`,
        );
      }
      (columns[i] as Float64Array)[row] = Number(value);
    }
  }
  const [open, high, low, close] = columns as Columns;
  return {
    symbol,
    frameMs,
    count,
    times: rows.times,
    open,
    high,
    low,
    close,
    decimals,
    volume: (row) => dec(rows.at(row).volume),
  };
}

/** Rescales the columns read so far to more decimals. */
function rescale(columns: readonly Float64Array[], rows: number, places: number): void {
  const factor = powerOfTen(places);
  for (const column of columns) for (let row = 0; row < rows; row++) (column[row] as number) *= factor;
}

function isExact(columns: readonly Float64Array[], rows: number): boolean {
  for (const column of columns)
    for (let row = 0; row < rows; row++) if ((column[row] as number) >= MOST) return false;
  return true;
}

/** Returns the offset of the first candle: after a byte order mark and a heading. */
function afterHeading(bytes: Uint8Array): number {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const newline = bytes.indexOf(NEWLINE, start);
  const heading = new TextDecoder()
    .decode(bytes.subarray(start, newline < 0 ? bytes.length : newline))
    .trim()
    .toLowerCase();
  return newline > 0 && /^(open_?)?time,open,high,low,close,volume$/.test(heading) ? newline + 1 : start;
}

function countLines(bytes: Uint8Array): number {
  let lines = 1;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/** Returns the name of a frame for messages. */
export function frameText(frameMs: number): string {
  return frameMs % MINUTE_MS === 0 ? frameName(frameMs) : `${frameMs} ms`;
}
