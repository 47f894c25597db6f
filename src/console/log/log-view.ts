/** The rows of the Log screen: filtered by level and source, with matches of the search highlighted. Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import type { LogLine } from '../../domain/rows.ts';
import { memoizeLast } from '../lists/rows.ts';
import { exact, groupedWords, timeOfDay } from '../ui/format.ts';
import { type Line, type Span, span } from '../ui/line.ts';
import type { Token } from '../ui/theme.ts';

/** Each level shows its own lines and those of the worse levels. */
export const LOG_LEVELS = ['info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogView {
  /** The line under the cursor; null: follows the newest. */
  readonly line: LogLine | null;
  readonly level: LogLevel;
  /** Empty: all sources. */
  readonly source: string;
  readonly search: string;
  readonly searching: boolean;
}

export const NEW_LOG_VIEW: LogView = { line: null, level: 'info', source: '', search: '', searching: false };

const last = memoizeLast<readonly LogLine[]>();

/** The lines that pass the filters, newest last. */
export function shownLog(
  { log }: Pick<DeskState, 'log'>,
  { level, source }: Pick<LogView, 'level' | 'source'>,
): readonly LogLine[] {
  if (level === 'info' && source === '') return log;
  const least = LOG_LEVELS.indexOf(level);
  return last([log, level, source], () =>
    log.filter(
      (line) => LOG_LEVELS.indexOf(line.level) >= least && (source === '' || line.source === source),
    ),
  );
}

/** The sources that have lines, sorted. */
export function logSources({ log }: Pick<DeskState, 'log'>): readonly string[] {
  return [...new Set(log.map(({ source }) => source))].sort();
}

/** Row of the cursor: its line; where that is hidden, the one before it; the newest while it follows. */
export function logIndex(rows: readonly LogLine[], line: LogLine | null): number {
  if (line === null) return rows.length - 1;
  const at = rows.indexOf(line);
  if (at >= 0) return at;
  return Math.min(
    Math.max(
      0,
      rows.findLastIndex((row) => row.at <= line.at),
    ),
    Math.max(0, rows.length - 1),
  );
}

/** The text of a line as shown: bots and alerts write plain prices, which get thousands separators here. */
export function logText(line: Pick<LogLine, 'source' | 'text' | 'orderId'>, orders: Orders = {}): string {
  const { source, text, orderId } = line;
  if (source === 'bot' || source === 'alert') return groupedWords(text);
  const order = orderId === undefined ? undefined : orders[orderId];
  return orderId !== undefined && order ? withOrder(text, orderId, order) : text;
}

type Orders = DeskState['orders'];

/** Characters shown of an order's id. */
const SHORT_ID = 6;

/**
 * Puts symbol, side and quantity of an order first, in place of its id, and the end of the id last: a row is
 * cut at its end.
 */
function withOrder(text: string, id: string, order: Orders[string]): string {
  const { symbol, side, origQty } = order;
  const about = text.startsWith(id) ? text.slice(id.length).replace(/^:? /, '') : text;
  const words = groupedWords(about);
  const lead = words.includes(symbol) ? '' : `${symbol} ${side} ${exact(origQty)}: `;
  return `${lead}${words.replaceAll(id, 'it')} · …${id.slice(-SHORT_ID)}`;
}

/** Whether a line contains the search text, as shown or as written. */
export function isMatch(line: LogLine, search: string, orders: Orders = {}): boolean {
  const { source, text, level } = line;
  const wanted = search.trim().toLowerCase();
  return (
    wanted !== '' && `${level} ${source} ${text}\n${logText(line, orders)}`.toLowerCase().includes(wanted)
  );
}

/**
 * Index of the next match, `by` = -1 older than `from`, 1 newer; past one end the search continues at the
 * other. Null when there is none. `here`: the line at `from` counts too.
 */
export function findMatch(
  rows: readonly LogLine[],
  search: string,
  from: number,
  by: -1 | 1,
  here = false,
  orders: Orders = {},
): number | null {
  const count = rows.length;
  for (let step = here ? 0 : 1; step <= count; step++) {
    const at = (((from + by * step) % count) + count) % count;
    const row = rows[at];
    if (row && isMatch(row, search, orders)) return at;
  }
  return null;
}

/** Splits a text into spans in which the matches are highlighted. */
export function highlighted(text: string, search: string, tone: Token): readonly Span[] {
  const wanted = search.trim().toLowerCase();
  const lower = text.toLowerCase();
  // A letter whose lower case has another length would shift the highlighted parts.
  if (wanted === '' || lower.length !== text.length) return [span(text, tone)];
  const parts: Span[] = [];
  let at = 0;
  for (let found = lower.indexOf(wanted); found >= 0; found = lower.indexOf(wanted, at)) {
    if (found > at) parts.push(span(text.slice(at, found), tone));
    at = found + wanted.length;
    parts.push(span(text.slice(found, at), tone, { inverse: true }));
  }
  if (at < text.length) parts.push(span(text.slice(at), tone));
  return parts;
}

const SOURCE = 8;

export function logLine(line: LogLine, selected = false, search = '', orders: Orders = {}): Line {
  const { at, level, source } = line;
  const tone = level === 'error' ? 'danger' : level === 'warn' ? 'warn' : 'muted';
  return [
    selected ? span('▸', 'focus') : span(' '),
    span(`${timeOfDay(at)}  `, 'muted'),
    span(level.padEnd(5), tone),
    span('  '),
    ...highlighted(source, search, 'muted'),
    span(`${' '.repeat(Math.max(0, SOURCE - source.length))}  `),
    ...highlighted(logText(line, orders), search, level === 'info' ? 'text' : tone),
  ];
}

/** Cursor and filters in words: `following`, `warn and worse · source order · 3 of 200`. */
export function logInfo(view: LogView, rows: readonly LogLine[], all: number, orders: Orders = {}): Line {
  const { line, level, source, search } = view;
  const at = logIndex(rows, line);
  const newer = rows.length - 1 - at;
  const parts: Span[][] = [];
  if (level !== 'info') parts.push([span(level === 'error' ? 'errors only' : 'warn and worse', 'warn')]);
  if (source !== '') parts.push([span(`of ${source}`, 'warn')]);
  if (parts.length > 0) parts.push([span(`${rows.length} of ${all}`, 'muted')]);
  if (search.trim() !== '' && !view.searching) {
    const found = rows.filter((row) => isMatch(row, search, orders)).length;
    parts.push([span(`${found} with "${search.trim()}"`, found > 0 ? 'focus' : 'warn')]);
  }
  parts.push(line === null ? [span('following', 'ok')] : [span(`${newer} newer below · G follows`, 'warn')]);
  return parts.flatMap((part, index) => (index === 0 ? part : [span(' · ', 'muted'), ...part]));
}

/** The bot that a line is about, by the id it begins with. */
export function botOfLine({ source, text }: LogLine, bots: DeskState['bots']): string | null {
  const named = source === 'bot' ? text.split(':')[0] : undefined;
  return named !== undefined && bots[named] ? named : null;
}

declare module '../state/ui.ts' {
  interface Screens {
    readonly log: true;
  }
  interface Slices {
    readonly log: LogView;
  }
}
