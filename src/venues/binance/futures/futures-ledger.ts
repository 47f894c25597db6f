/**
 * Changes of the futures wallet other than fills, from `GET /fapi/v1/income`: ascending by time, three months
 * back. Realised profit and commission are left out: the fills have them.
 */
import type { LedgerEntry, LedgerKind } from '../../../domain/ledger.ts';
import type { LedgerPage, LedgerQuery } from '../../venue.ts';
import { type Income, readIncome } from './messages.ts';
import { figure } from './order-states.ts';
import type { Questions } from './questions.ts';
import { FUTURES } from './requests.ts';

const DAY_MS = 24 * 3_600_000;
const WINDOW_MS = 7 * DAY_MS - 1;
const OLDEST_MS = 89 * DAY_MS;
const ROWS = 1_000;
/** A row may appear this long after its time. */
const LATE_MS = 5 * 60_000;
/** Rows that a cursor remembers as reported: a cursor has at most 256 characters. */
const TOLD_MAX = 24;

/** Income types that the fills already report. */
const OF_FILLS: ReadonlySet<string> = new Set(['REALIZED_PNL', 'COMMISSION']);

/** Ledger kinds by `incomeType` (Get Income History). */
const KINDS: ReadonlyMap<string, LedgerKind> = new Map([
  ['TRANSFER', 'transfer'],
  ['INTERNAL_TRANSFER', 'transfer'],
  ['CROSS_COLLATERAL_TRANSFER', 'transfer'],
  ['STRATEGY_UMFUTURES_TRANSFER', 'transfer'],
  ['COIN_SWAP_DEPOSIT', 'transfer'],
  ['COIN_SWAP_WITHDRAW', 'transfer'],
  ['WELCOME_BONUS', 'bonus'],
  ['CONTEST_REWARD', 'bonus'],
  ['FUNDING_FEE', 'funding'],
  ['INSURANCE_CLEAR', 'insurance'],
  ['REFERRAL_KICKBACK', 'rebate'],
  ['COMMISSION_REBATE', 'rebate'],
  ['API_REBATE', 'rebate'],
  ['FEE_RETURN', 'rebate'],
  ['AUTO_EXCHANGE', 'conversion'],
  ['DELIVERED_SETTELMENT', 'settlement'],
  ['OPTIONS_SETTLE_PROFIT', 'settlement'],
  ['BFUSD_REWARD', 'interest'],
]);

/**
 * The cursor: a time to start from, or a further page of a window with a fixed end, so that its pages stay
 * the same. Rows that may appear late are asked for again; those already reported are recognised by their
 * digest.
 */
interface Cursor {
  readonly start: number;
  /** Null: up to now, or as far as one request reaches. */
  readonly end: number | null;
  readonly page: number;
  readonly told: readonly string[];
}

/** Returns one page; null: the request failed. `now`: the exchange's time, Unix ms. */
export async function ledgerPage(
  questions: Questions,
  { after, since, limit }: LedgerQuery,
  now: number,
): Promise<LedgerPage | null> {
  const place = cursorOf(after) ?? { start: since, end: null, page: 1, told: [] };
  const { page, told } = place;
  const start = Math.max(place.start, now - OLDEST_MS);
  const end = place.end ?? Math.min(start + WINDOW_MS, now);
  if (start > end) return { rows: [], next: after, more: false };
  const asked = Math.min(limit, ROWS);
  const rows = await questions.value(
    FUTURES.income,
    { startTime: String(start), endTime: String(end), page: String(page), limit: String(asked) },
    readIncome,
  );
  if (!rows) return null;
  const isFull = rows.length >= asked;
  // Pages that reach to the present end where the first of them was asked for: to read on at once would be to
  // read the last minutes again and again while they have more than a page.
  const isPast = end < now && (place.end === null || end - place.start >= WINDOW_MS);
  const entries = rows.flatMap(entryOf).filter(({ id }) => !told.includes(digestOf(id)));
  const next: Cursor = isFull
    ? { start, end, page: page + 1, told: toldAfter(told, rows, start) }
    : nextWindow({ start, end, page, told }, now, rows);
  const traded = rows.flatMap(({ incomeType, symbol }) =>
    OF_FILLS.has(incomeType) && symbol ? [symbol] : [],
  );
  return {
    rows: entries,
    next: textOf(next),
    more: isFull || isPast,
    ...(traded.length > 0 ? { traded: [...new Set(traded)] } : {}),
  };
}

/** The cursor moves only when rows are to be left behind: each move is stored. */
function nextWindow(
  { start, end, told }: Cursor & { end: number },
  now: number,
  rows: readonly Income[],
): Cursor {
  const last = Math.max(0, ...rows.map(({ time }) => time));
  let from = start;
  if (end < now) from = Math.max(start, end - LATE_MS);
  else if (rows.length > 0) from = Math.max(start, last - LATE_MS);
  else if (now - start > DAY_MS) from = now - LATE_MS;
  return { start: from, end: null, page: 1, told: toldAfter(told, rows, from) };
}

/** The newest digests of rows that will be asked for again, as many as fit. Other rows are reported twice. */
function toldAfter(told: readonly string[], rows: readonly Income[], from: number): string[] {
  const again = rows.filter(({ time }) => time >= from).flatMap(entryOf);
  const all = [...told, ...again.map(({ id }) => digestOf(id))];
  return [...new Set(all)].slice(-TOLD_MAX);
}

function entryOf({ incomeType, income, asset, time, tranId, symbol }: Income): LedgerEntry[] {
  if (OF_FILLS.has(incomeType)) return [];
  return [
    {
      // The number is unique within its type; a conversion has a row for each asset.
      id: `${incomeType}:${tranId}:${asset}${symbol ? `:${symbol}` : ''}`,
      time,
      asset,
      amount: figure(income),
      kind: KINDS.get(incomeType) ?? 'other',
      ...(symbol ? { symbol } : {}),
    },
  ];
}

/**
 * Reads a cursor: `i`, start, for a further page also its end and number; then the digests of rows already
 * reported.
 */
function cursorOf(after: string | null): Cursor | null {
  const match = /^i(\d{1,16})(?:-(\d{1,16})-(\d{1,9}))?((?:\.[0-9a-z]{1,7})*)$/.exec(after ?? '');
  if (!match) return null;
  const [, start = '0', end, page = '1', told = ''] = match;
  return {
    start: Number(start),
    end: end === undefined ? null : Number(end),
    page: Number(page),
    told: told.split('.').slice(1),
  };
}

function textOf({ start, end, page, told }: Cursor): string {
  const where = end === null ? String(start) : `${start}-${end}-${page}`;
  return ['i', where, ...told.map((one) => `.${one}`)].join('');
}

/** FNV-1a hash, 32 bits. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
