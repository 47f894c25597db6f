/**
 * Where the reading of a list goes on that OKX tells from the newest row backwards, filtered by time and paged by `billId`: executions
 * and bills. A window of time is read whole, and what may come late is asked for again; what of it has been told already is known by a
 * digest. Pure, but for the asking.
 */
import { PAGE } from './questions.ts';

const DAY_MS = 24 * 3_600_000;
/** Of one question at most: nothing bounds it, but a window is read whole. */
const WINDOW_MS = 30 * DAY_MS;
/** What is older is not told: three months. */
const OLDEST_MS = 89 * DAY_MS;
/** A row may be told so much later than its time, ms. */
const LATE_MS = 10_000;
/** Rows that a place knows as told: it has 256 characters at most. */
const TOLD_MAX = 24;
/** Pages of one window at most; one that has more is made smaller. */
const PAGES_MAX = 10;

export interface TimedRow {
  readonly billId: string;
  readonly ts: string;
}

/** Behind this row, by time and number, is what was not told, but for the rows of `told`. */
interface Place {
  readonly time: number;
  readonly id: bigint;
  readonly told: readonly string[];
}

export interface ReadingOptions<T> {
  readonly after: string | null;
  /** Unix ms. */
  readonly since: number;
  readonly limit: number;
  /** The exchange's time, Unix ms. */
  readonly now: number;
  /** So far back the quick list goes, ms. */
  readonly recentMs: number;
  /** One page, the newest first; null: the question failed. */
  readonly ask: (of: {
    readonly isRecent: boolean;
    readonly begin: string;
    readonly end: string;
    readonly after: string | null;
  }) => Promise<readonly T[] | null>;
}

export interface Reading<T> {
  /** Oldest first. */
  readonly rows: readonly T[];
  readonly next: string | null;
  readonly more: boolean;
}

/** Null: a question failed. */
export async function readOn<T extends TimedRow>(o: ReadingOptions<T>): Promise<Reading<T> | null> {
  const place = placeOf(o.after) ?? { time: o.since, id: -1n, told: [] };
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
  if (isPast)
    return { rows: given, next: textOf({ time: end, id: -1n, told: toldBy(rows, end) }), more: true };
  if (given.length > 0) return { rows: given, next: textOf(behind(place, given)), more: false };
  // A place moves seldom: each is stored.
  const moves = o.now - start > DAY_MS;
  return {
    rows: [],
    next: moves ? textOf({ time: o.now - LATE_MS, id: -1n, told: [] }) : textOf(place),
    more: false,
  };
}

/** All rows of a window, whatever its ends mean to the exchange. */
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

function isNew({ time, id, told }: Place, { billId, ts }: TimedRow): boolean {
  const at = Number(ts);
  const isBehind = at > time || (at === time && BigInt(billId) > id);
  return isBehind && !told.includes(digestOf(billId));
}

/** The place behind rows that are told now. */
function behind(before: Place, given: readonly TimedRow[]): Place {
  const last = given.at(-1);
  if (!last) return before;
  const from = Math.max(before.time, Number(last.ts) - LATE_MS);
  const again = given.filter(({ ts }) => Number(ts) >= from);
  const told = [...before.told, ...again.map(({ billId }) => digestOf(billId))];
  const dropped = again.at(-TOLD_MAX - 1);
  // More than can be kept in mind: nothing of before is asked for again.
  if (dropped) return { time: Number(dropped.ts), id: BigInt(dropped.billId), told: told.slice(-TOLD_MAX) };
  const isSame = from === before.time;
  return { time: from, id: isSame ? before.id : -1n, told: [...new Set(told)].slice(-TOLD_MAX) };
}

/** Of the end of a window: what has been told of what will be asked for again. */
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

/** `b`, time, number (empty: none), then what is told already. */
function placeOf(after: string | null): Place | null {
  const match = /^b(\d{1,16})-(\d{0,25})((?:\.[0-9a-z]{1,7})*)$/.exec(after ?? '');
  if (!match) return null;
  const [, time = '0', id = '', told = ''] = match;
  return { time: Number(time), id: id === '' ? -1n : BigInt(id), told: told.split('.').slice(1) };
}

function textOf({ time, id, told }: Place): string {
  return [`b${time}-${id < 0n ? '' : id}`, ...told.map((one) => `.${one}`)].join('');
}

/** FNV-1a, 32 bit. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
