/**
 * Opens a folder of candle files as a feed: `csv:DIR[@TF][,from=ISO][,loop]`, files named `SYMBOL-TF.csv`.
 * Everything is read and checked here, once; a replay never fails half-way. Every problem is a FeedError of
 * one sentence.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../domain/errors.ts';
import { candleNameParts } from './candle-columns.ts';
import { CsvFeed, type CsvSeries } from './csv-feed.ts';
import { parseCsvRows } from './csv-rows.ts';
import { FeedError } from './feed.ts';
import { readMoment } from './moment.ts';
import { compareSymbols } from './symbols.ts';
import { frameMsOf } from './timeframe.ts';

export interface CsvFeedOptions {
  /** `csv:DIR@1m[,from=ISO][,loop]`; the time frame may be left out when the folder has one. */
  readonly spec: string;
  /** Returns the names in a folder; throws when there is no such folder. */
  readonly readDir?: (dir: string) => readonly string[];
  /** Returns a file's text; `path` is folder and name joined. */
  readonly readFile?: (path: string) => string;
}

export interface CsvSpec {
  readonly dir: string;
  /** The frame as written, null when not given. */
  readonly frame: string | null;
  /** Unix ms; null: from the first candle. */
  readonly from: number | null;
  readonly loop: boolean;
}

const SHAPE = 'csv:DIR@1m[,from=2025-02-03T02:00][,loop]';

/** Reads the folder's files of one time frame and checks every line. Throws FeedError. */
export function openCsvFeed(options: CsvFeedOptions): CsvFeed {
  const {
    spec,
    readDir = (dir) => readdirSync(dir),
    readFile = (path) => readFileSync(path, 'utf8'),
  } = options;
  const { dir, frame: named, from, loop } = parseCsvSpec(spec);
  const files = candleFiles(dir, readDir);
  const frame = chosenFrame(dir, named, files);
  const frameMs = frameMsOf(frame) as number;
  const series: CsvSeries[] = files
    .filter((file) => file.frame === frame)
    .sort((a, b) => compareSymbols(a.symbol, b.symbol))
    .map(({ symbol, name }) => ({
      symbol,
      rows: parseCsvRows(name, readText(dir, name, readFile), frameMs),
    }));
  return new CsvFeed({ label: spec, series, frameMs, from, loop });
}

/** Parses a spec. Throws FeedError. */
export function parseCsvSpec(spec: string): CsvSpec {
  if (!spec.startsWith('csv:')) throw new FeedError(`${spec}: a CSV feed is written ${SHAPE}`);
  const body = spec.slice('csv:'.length);
  const at = body.lastIndexOf('@');
  const named = at >= 0 && !/[/\\]/.test(body.slice(at));
  const comma = named ? body.indexOf(',', at) : body.search(/,(?:from=[^,]*|loop)(?=,|$)/);
  const head = comma < 0 ? body : body.slice(0, comma);
  const dir = named ? head.slice(0, at) : head;
  const frame = named ? head.slice(at + 1) : null;
  if (dir === '') throw new FeedError(`${spec}: the folder is missing; a CSV feed is written ${SHAPE}`);
  if (frame !== null && frameMsOf(frame) === null) {
    throw new FeedError(`${spec}: ${JSON.stringify(frame)} is not a time frame such as 1m, 5m or 1h`);
  }
  let from: number | null = null;
  let loop = false;
  for (const option of comma < 0 ? [] : body.slice(comma + 1).split(',')) {
    if (option === 'loop') loop = true;
    else if (option.startsWith('from=')) from = parseTime(spec, option.slice('from='.length));
    else
      throw new FeedError(`${spec}: unknown option ${JSON.stringify(option)}; there are from=TIME and loop`);
  }
  return { dir, frame, from, loop };
}

function parseTime(spec: string, text: string): number {
  const time = readMoment(text);
  if (time === null) throw new FeedError(`${spec}: from=${text} is not a time such as 2025-02-03T02:00`);
  return time;
}

interface CandleFile {
  readonly name: string;
  readonly symbol: string;
  readonly frame: string;
}

function candleFiles(dir: string, readDir: (dir: string) => readonly string[]): CandleFile[] {
  let names: readonly string[];
  try {
    names = readDir(dir);
  } catch (cause) {
    throw new FeedError(`${dir}: ${reasonOf(cause, 'no such folder')}`, { cause });
  }
  const files: CandleFile[] = [];
  for (const name of names) {
    const parts = candleNameParts(name);
    if (parts) files.push({ name, ...parts });
  }
  if (files.length === 0)
    throw new FeedError(`${dir} has no candle files; they are named like BTCUSDT-1m.csv`);
  return files;
}

function chosenFrame(dir: string, named: string | null, files: readonly CandleFile[]): string {
  const frames = [...new Set(files.map((file) => file.frame))].sort(
    (a, b) => (frameMsOf(a) as number) - (frameMsOf(b) as number),
  );
  if (named !== null && frames.includes(named)) return named;
  const choices = frames.map((frame) => `csv:${dir}@${frame}`).join(', ');
  if (named !== null) throw new FeedError(`${dir} has no ${named} candles; there is ${choices}`);
  if (frames.length > 1)
    throw new FeedError(`${dir} has candles of ${frames.length} time frames; choose one of ${choices}`);
  return frames[0] as string;
}

function readText(dir: string, name: string, readFile: (path: string) => string): string {
  try {
    return readFile(join(dir, name));
  } catch (cause) {
    throw new FeedError(`${name} cannot be read: ${reasonOf(cause, 'no such file')}`, { cause });
  }
}

function reasonOf(cause: unknown, missing: string): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT') return missing;
  if (code === 'ENOTDIR') return 'is not a folder';
  if (code === 'EACCES') return 'permission denied';
  return errorText(cause);
}
