/**
 * Changes of the futures wallet that are no fills, by `GET /fapi/v1/income`: ascending by time, three months back. Realised profit
 * and commission are in the fills already.
 */
import type { LedgerEntry, LedgerKind } from '../../../domain/ledger.ts';
import type { LedgerPage, LedgerQuery } from '../../venue.ts';
import { type Income, readIncome } from './messages.ts';
import type { Questions } from './questions.ts';
import { FUTURES } from './requests.ts';

const DAY_MS = 24 * 3_600_000;
const WINDOW_MS = 7 * DAY_MS - 1;
const OLDEST_MS = 89 * DAY_MS;
const ROWS = 1_000;
/** A row may be told so much later than its time. */
const LATE_MS = 5 * 60_000;

/** Told by fills. */
const OF_FILLS: ReadonlySet<string> = new Set(['REALIZED_PNL', 'COMMISSION']);

/** `incomeType` of Get Income History. */
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

/** Where the reading goes on: from a time, or at a further page of a window whose end is fixed, so that its pages stay the same. */
interface Place {
  readonly start: number;
  /** Null: up to now, or as far as one question reaches. */
  readonly end: number | null;
  readonly page: number;
}

/** One page; null: the question failed. `now`: the exchange's time, Unix ms. */
export async function ledgerPage(
  questions: Questions,
  { after, since }: LedgerQuery,
  now: number,
): Promise<LedgerPage | null> {
  const place = placeOf(after) ?? { start: since, end: null, page: 1 };
  const { page } = place;
  const start = Math.max(place.start, now - OLDEST_MS);
  const end = place.end ?? Math.min(start + WINDOW_MS, now);
  const rows = await questions.value(
    FUTURES.income,
    { startTime: String(start), endTime: String(end), page: String(page), limit: String(ROWS) },
    readIncome,
  );
  if (!rows) return null;
  const isFull = rows.length >= ROWS;
  const more = isFull || end < now;
  const next = isFull
    ? { start, end, page: page + 1 }
    : { start: nextStart(start, end, now, rows), end: null, page: 1 };
  return { rows: rows.flatMap(entryOf), next: textOf(next), more };
}

/** What may come late is asked for again. A place moves only when there is something to leave behind: each is stored. */
function nextStart(start: number, end: number, now: number, rows: readonly Income[]): number {
  if (end < now) return Math.max(start, end - LATE_MS);
  if (rows.length > 0) return Math.max(start, Math.max(...rows.map(({ time }) => time)) - LATE_MS);
  return now - start > DAY_MS ? now - LATE_MS : start;
}

function entryOf({ incomeType, income, asset, time, tranId, symbol }: Income): LedgerEntry[] {
  if (OF_FILLS.has(incomeType)) return [];
  return [
    {
      // The number is one of its kind; a conversion has a row for each asset.
      id: `${incomeType}:${tranId}:${asset}${symbol ? `:${symbol}` : ''}`,
      time,
      asset,
      amount: income,
      kind: KINDS.get(incomeType) ?? 'other',
      ...(symbol ? { symbol } : {}),
    },
  ];
}

/** `start`, or `start-end-page`. */
function placeOf(after: string | null): Place | null {
  const match = /^(\d{1,16})(?:-(\d{1,16})-(\d{1,9}))?$/.exec(after ?? '');
  if (!match) return null;
  const [, start = '0', end, page = '1'] = match;
  return { start: Number(start), end: end === undefined ? null : Number(end), page: Number(page) };
}

function textOf({ start, end, page }: Place): string {
  return end === null ? String(start) : `${start}-${end}-${page}`;
}
