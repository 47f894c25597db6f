/** Pages of lists, newest first: `after` asks for rows older than a number, `before` for newer ones. */
import type { Params } from './params.ts';
import { wrong } from './params.ts';

/** A page, newest first. `all`: oldest first, with numbers of equal length. */
export function newestFirst<T>(
  all: readonly T[],
  params: Params,
  idOf: (row: T) => string,
  fits: (row: T) => boolean,
  most = 100,
): T[] {
  const limit = params.limit(most);
  const after = number(params, 'after');
  const before = number(params, 'before');
  const rows: T[] = [];
  for (let i = all.length - 1; i >= 0 && rows.length < limit; i--) {
    const row = all[i] as T;
    const id = BigInt(idOf(row));
    if (before !== null && id <= before) break;
    if (after !== null && id >= after) continue;
    if (fits(row)) rows.push(row);
  }
  return rows;
}

function number(params: Params, name: string): bigint | null {
  const text = params.text(name);
  if (text === '') return null;
  if (!/^\d{1,20}$/.test(text)) throw wrong(name);
  return BigInt(text);
}

/** The filter by `begin` and `end`, both included. */
export function within(params: Params): (time: number) => boolean {
  const begin = params.whole('begin') ?? 0;
  const end = params.whole('end') ?? Number.POSITIVE_INFINITY;
  return (time) => time >= begin && time <= end;
}

/** Words separated by commas; null: all. */
export function wordsOf(params: Params, name: string): ReadonlySet<string> | null {
  const text = params.text(name);
  return text === '' ? null : new Set(text.split(','));
}
