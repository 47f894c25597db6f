/**
 * Reads on, from a cursor, in a list that OKX gives from the newest row backwards, filtered by time and paged
 * by `billId`: executions and bills. Each window of time is read whole. Rows that may appear late are asked
 * for again; those already reported are recognised by a digest. Pure, except for the requests.
 */
import { PAGE } from './questions.ts';

const DAY_MS = 24 * 3_600_000;
/** Longest window: OKX sets no limit, but a window is read whole. */
const WINDOW_MS = 30 * DAY_MS;
/** The exchange does not list rows older than three months. */
const OLDEST_MS = 89 * DAY_MS;
/** A row may appear this long after its time, ms. */
const LATE_MS = 10_000;
/** Rows that a cursor remembers as reported: a cursor has at most 256 characters. */
const TOLD_MAX = 24;
/** Most pages of one window; a window with more is made smaller. */
const PAGES_MAX = 10;

export interface TimedRow {
  readonly billId: string;
  readonly ts: string;
}

/**
 * The cursor. After this row, by time and number, nothing has been reported yet, except the rows of `told`.
 */
interface Cursor {
  readonly time: number;
  readonly id: bigint;
  readonly told: readonly string[];
}

export interface ReadingOptions<T> {
  readonly after: string | null;
  /** Where to begin without a cursor, Unix ms. */
  readonly since: number;
  readonly limit: number;
  /** The exchange's time, Unix ms. */
  readonly now: number;
  /** How far back the quick list goes, ms. */
  readonly recentMs: number;
  /** Asks for one page, newest first; null: the request failed. */
  readonly ask: (of: {
    readonly isRecent: boolean;
    readonly begin: string;
    readonly end: string;
    readonly after: string | null;
  }) => Promise<readonly T[] | null>;
}

export interface Reading<T> {
  /** The new rows, oldest first. */
  readonly rows: readonly T[];
  readonly next: string | null;
  readonly more: boolean;
}

/** Reads the next rows. Null: a request failed. */
export async function readOn<T extends TimedRow>(o: ReadingOptions<T>): Promise<Reading<T> | null> {
  const place = cursorOf(o.after) ?? { time: o.since, id: -1n, told: [] };
  const start = Math.max(place.time, o.now - OLDEST_MS);
  let end = start + WINDOW_MS;
  let rows = await window(o, start, end);
  while (rows === 'too many' && end > start) {
    end = start + Math.floor((Math.min(end, o.now) - start) / 2);
    rows = await window(o, start, end);
  }
  if (rows === null || rows === 'too many') return null;
  const fresh = rows.filter((row) => isNew(place, row)).sort(byTime);
  const given = fresh.slice(0, o.limit);
  const isPast = end < o.now;
  if (given.length < fresh.length) return { rows: given, next: textOf(behind(place, given)), more: true };
  if (isPast) {
    // A window that has only just ended may still get rows.
    const quiet = o.now - LATE_MS;
    const time = start < quiet ? Math.min(end, quiet) : end;
    return { rows: given, next: textOf({ time, id: -1n, told: toldBy(rows, time) }), more: true };
  }
  if (given.length > 0) return { rows: given, next: textOf(behind(place, given)), more: false };
  // The cursor moves seldom: each move is stored.
  const moves = o.now - start > DAY_MS;
  return {
    rows: [],
    next: moves ? textOf({ time: o.now - LATE_MS, id: -1n, told: [] }) : textOf(place),
    more: false,
  };
}

/** Returns all rows of a window, both ends included, whichever way the exchange treats them. */
async function window<T extends TimedRow>(
  { ask, now, recentMs }: ReadingOptions<T>,
  start: number,
  end: number,
): Promise<T[] | 'too many' | null> {
  const isRecent = start > now - recentMs;
  const all: T[] = [];
  for (let page = 0; page < PAGES_MAX; page++) {
    const last = all.at(-1)?.billId ?? null;
    const rows = await ask({ isRecent, begin: String(start - 1), end: String(end + 1), after: last });
    if (!rows) return null;
    all.push(...rows);
    if (rows.length < PAGE) return all.filter(({ ts }) => Number(ts) >= start && Number(ts) <= end);
  }
  return end > start ? 'too many' : null;
}

function isNew({ time, id, told }: Cursor, { billId, ts }: TimedRow): boolean {
  const at = Number(ts);
  const isBehind = at > time || (at === time && BigInt(billId) > id);
  return isBehind && !told.includes(digestOf(billId));
}

/** The cursor after rows that are reported now. */
function behind(before: Cursor, given: readonly TimedRow[]): Cursor {
  const last = given.at(-1);
  if (!last) return before;
  const from = Math.max(before.time, Number(last.ts) - LATE_MS);
  const again = given.filter(({ ts }) => Number(ts) >= from);
  const told = [...before.told, ...again.map(({ billId }) => digestOf(billId))];
  const dropped = again.at(-TOLD_MAX - 1);
  // More rows than can be remembered: older ones are not asked for again.
  if (dropped) return { time: Number(dropped.ts), id: BigInt(dropped.billId), told: told.slice(-TOLD_MAX) };
  const isSame = from === before.time;
  return { time: from, id: isSame ? before.id : -1n, told: [...new Set(told)].slice(-TOLD_MAX) };
}

/** Digests of reported rows at the end of a window, which will be asked for again. */
function toldBy(rows: readonly TimedRow[], from: number): string[] {
  return rows
    .filter(({ ts }) => Number(ts) >= from)
    .map(({ billId }) => digestOf(billId))
    .slice(0, TOLD_MAX);
}

function byTime(a: TimedRow, b: TimedRow): number {
  const [one, two] = [Number(a.ts), Number(b.ts)];
  if (one !== two) return one - two;
  return BigInt(a.billId) < BigInt(b.billId) ? -1 : 1;
}

/** Reads a cursor: `b`, time, number (empty: none), then the digests of rows already reported. */
function cursorOf(after: string | null): Cursor | null {
  const match = /^b(\d{1,16})-(\d{0,25})((?:\.[0-9a-z]{1,7})*)$/.exec(after ?? '');
  if (!match) return null;
  const [, time = '0', id = '', told = ''] = match;
  return { time: Number(time), id: id === '' ? -1n : BigInt(id), told: told.split('.').slice(1) };
}

function textOf({ time, id, told }: Cursor): string {
  return [`b${time}-${id < 0n ? '' : id}`, ...told.map((one) => `.${one}`)].join('');
}

/** FNV-1a hash, 32 bits. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
