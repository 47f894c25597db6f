/**
 * Changes of the unified wallet that are not fills, from `GET /v5/account/transaction-log` (DOC
 * account/transaction-log): newest first, seven days per question, two years back. A window is read as a
 * whole and returned from its start on.
 */

import { dec, ZERO } from '../../domain/decimal.ts';
import type { LedgerEntry, LedgerKind } from '../../domain/ledger.ts';
import type { LedgerPage, LedgerQuery } from '../venue.ts';
import { figure } from './figures.ts';
import { type LogRow, readLog } from './messages.ts';
import type { Questions } from './questions.ts';
import type { BybitRequests } from './requests.ts';

const DAY_MS = 24 * 3_600_000;
const WINDOW_MS = 7 * DAY_MS - 1;
const OLDEST_MS = 729 * DAY_MS;
/** How much later than its time a row may appear in the list. */
const LATE_MS = 5 * 60_000;
/** The largest number of rows in one window; a window with more is halved. */
const MOST = 5_000;
/** The number of returned rows that a cursor remembers: a cursor has at most 256 characters. */
const TOLD_MAX = 24;

/** Types that fills already contain, or that change nothing of the account's own money. */
const EXECUTIONS: ReadonlySet<string> = new Set(['TRADE', 'LIQUIDATION', 'ADL']);
const OF_FILLS: ReadonlySet<string> = new Set([...EXECUTIONS, 'BORROW', 'REPAY']);

/** `type(uta-translog)` (DOC enum); all others become `other`. */
const KINDS: ReadonlyMap<string, LedgerKind> = new Map([
  ['TRANSFER_IN', 'transfer'],
  ['TRANSFER_OUT', 'transfer'],
  ['SETTLEMENT', 'funding'],
  ['DELIVERY', 'settlement'],
  ['AIRDROP', 'bonus'],
  ['BONUS', 'bonus'],
  ['BONUS_RECOLLECT', 'bonus'],
  ['BONUS_TRANSFER_IN', 'bonus'],
  ['BONUS_TRANSFER_OUT', 'bonus'],
  ['FEE_REFUND', 'rebate'],
  ['INTEREST', 'interest'],
  ['CURRENCY_BUY', 'conversion'],
  ['CURRENCY_SELL', 'conversion'],
  ['CONVERT', 'conversion'],
  ['SPOT_REPAYMENT_SELL', 'conversion'],
  ['SPOT_REPAYMENT_BUY', 'conversion'],
]);

/**
 * The cursor: a time, or a window with a fixed end and the number of rows already returned from it. Times
 * whose rows may still come late are read again, and rows already returned are recognised by their digests.
 */
interface Cursor {
  readonly start: number;
  /** Null: up to now, or as far as one question reaches. */
  readonly end: number | null;
  readonly skip: number;
  readonly told: readonly string[];
}

/** Returns one page; null: the question failed. `now`: the exchange's time, Unix ms. */
export async function ledgerPage(
  questions: Questions,
  requests: BybitRequests,
  { after, since, limit }: LedgerQuery,
  now: number,
): Promise<LedgerPage | null> {
  const place = cursorOf(after) ?? { start: since, end: null, skip: 0, told: [] };
  const { skip, told } = place;
  const start = Math.max(place.start, now - OLDEST_MS);
  let end = place.end ?? Math.min(start + WINDOW_MS, now);
  if (start >= end) return { rows: [], next: after, more: false };
  for (;;) {
    const asked = await questions.list(
      requests.ledger,
      { accountType: 'UNIFIED', startTime: String(start), endTime: String(end), limit: '50' },
      readLog,
      { most: MOST },
    );
    if (asked.kind === 'failed') return null;
    if (!asked.value.isWhole && end - start > 1) {
      // The oldest come last, so if a window has too many, none of them can be left out.
      end = start + Math.floor((end - start) / 2);
      continue;
    }
    const all = asked.value.rows.flatMap(entryOf).sort((a, b) => a.time - b.time || (a.id < b.id ? -1 : 1));
    const entries = all.filter(({ id }) => !told.includes(digestOf(id)));
    const rows = entries.slice(skip, skip + limit);
    const isOver = skip + rows.length >= entries.length;
    const next = isOver
      ? nextWindow(place, start, end, now, all)
      : { start, end, skip: skip + rows.length, told };
    const traded = asked.value.rows.flatMap(({ type, symbol }) =>
      EXECUTIONS.has(type) && symbol ? [symbol] : [],
    );
    return {
      rows,
      next: textOf(next),
      // Where rows may still come, a window that leaves nothing behind is read again later, not at once.
      more: !isOver || (end < now && next.start > start),
      ...(traded.length > 0 ? { traded: [...new Set(traded)] } : {}),
    };
  }
}

/** The next cursor. It moves only when there is something to leave behind, since each one is stored. */
function nextWindow(
  { told, end: fixed }: Cursor,
  start: number,
  end: number,
  now: number,
  all: readonly LedgerEntry[],
): Cursor {
  const last = all.at(-1)?.time ?? 0;
  let from = start;
  if (fixed !== null || end < now) {
    // A window shorter than that is left behind once none of its rows can come any more.
    from = end - LATE_MS > start ? end - LATE_MS : Math.max(start, Math.min(end, now - LATE_MS));
  } else if (last > 0) from = Math.max(start, last - LATE_MS);
  else if (now - start > DAY_MS) from = now - LATE_MS;
  // A window that was read in pieces ended a while ago: rows that came since are in the next one.
  const again = all.filter(({ time }) => time >= from).map(({ id }) => digestOf(id));
  return { start: from, end: null, skip: 0, told: [...new Set([...told, ...again])].slice(-TOLD_MAX) };
}

function entryOf(row: LogRow): LedgerEntry[] {
  const { id, type, currency, transactionTime, symbol, tradeId } = row;
  const amount = figure(row.change);
  if (OF_FILLS.has(type) || dec(amount) === ZERO) return [];
  return [
    {
      // The number alone is not unique: a trade and its funding were seen with the same number.
      id: [id, type, currency, transactionTime, tradeId ?? ''].join(':'),
      time: Number(transactionTime),
      asset: currency,
      amount,
      kind: KINDS.get(type) ?? 'other',
      ...(symbol ? { symbol } : {}),
    },
  ];
}

/**
 * Reads a cursor: `y`, start, within a window its end and the rows before, then the digests of returned rows.
 */
function cursorOf(after: string | null): Cursor | null {
  const match = /^y(\d{1,16})(?:-(\d{1,16})-(\d{1,9}))?((?:\.[0-9a-z]{1,7})*)$/.exec(after ?? '');
  if (!match) return null;
  const [, start = '0', end, skip = '0', told = ''] = match;
  return {
    start: Number(start),
    end: end === undefined ? null : Number(end),
    skip: Number(skip),
    told: told.split('.').slice(1),
  };
}

function textOf({ start, end, skip, told }: Cursor): string {
  const where = end === null ? String(start) : `${start}-${end}-${skip}`;
  return ['y', where, ...told.map((one) => `.${one}`)].join('');
}

/** FNV-1a, 32 bit. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
