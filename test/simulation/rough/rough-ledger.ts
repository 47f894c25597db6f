/**
 * The rough exchange's ledger: pages of its own size, rows that come twice, cursors that it has forgotten,
 * answers as old as its replicas. Some changes it never reports.
 */
import type { LedgerEntry } from '../../../src/domain/ledger.ts';
import type { LedgerPage, LedgerQuery } from '../../../src/venues/venue.ts';
import type { Dice } from '../dice.ts';
import type { SimClock } from '../sim-clock.ts';
import type { Past, RoughExchange } from './rough-exchange.ts';

const TOLD_TWICE = 0.2;
const FORGETS = 0.01;
/** Largest number of pages of a whole ledger. */
const MOST_PAGES = 400;
/**
 * Time between two forgotten cursors, ms: with pages of one row a long ledger would never be read to its end.
 */
const FORGETS_EVERY_MS = 600_000;

export interface RoughLedgerOptions {
  readonly exchange: RoughExchange;
  readonly clock: Pick<SimClock, 'now'>;
  readonly dice: Dice;
  readonly healed: () => boolean;
  readonly struck: (name: string) => void;
}

export function ledgerPage(o: RoughLedgerOptions, { tables }: Past, q: LedgerQuery): LedgerPage {
  const { exchange, clock, dice, healed, struck } = o;
  const { account, plan, hidden } = exchange;
  // Sorted by row number, in the order of writing.
  const all = [...(tables.get(`${account.kind}.ledger`)?.values() ?? [])] as LedgerEntry[];
  const errs = (chance: number) => !healed() && dice.chance(chance);
  let { after } = q;
  if (after !== null && clock.now - exchange.forgotPlaceAt > FORGETS_EVERY_MS && errs(FORGETS)) {
    exchange.forgotPlaceAt = clock.now;
    struck('place in the ledger forgotten');
    after = null;
  }
  const isNew = ({ id, time }: LedgerEntry) =>
    after === null ? time + plan.driftMs >= q.since : Number(id) > Number(after);
  // Times rise with the row numbers: the new rows are those at the end.
  const start = all.findLastIndex((entry) => !isNew(entry)) + 1;
  const isTold = ({ id }: LedgerEntry) => !hidden.has(id);
  const told = (entry: LedgerEntry) => ({ ...entry, time: entry.time + plan.driftMs });
  const left = all.slice(start).filter(isTold);
  // A reader takes a thousand pages at most in one go: with one row each, they could not hold a ledger that
  // is read from its beginning.
  const size = Math.max(plan.page, Math.ceil(left.length / MOST_PAGES));
  const rows = left.slice(0, Math.min(size, q.limit)).map(told);
  const more = rows.length < left.length;
  if (more) struck('another page of the ledger');
  const before = lastTwo(all.slice(0, start), isTold).map(told);
  const again = before.length > 0 && errs(TOLD_TWICE) ? before : [];
  if (again.length > 0) struck('ledger row told twice');
  return { rows: [...again, ...rows], next: rows.at(-1)?.id ?? after ?? q.after, more };
}

function lastTwo<T>(all: readonly T[], is: (one: T) => boolean): T[] {
  const found: T[] = [];
  for (let at = all.length - 1; at >= 0 && found.length < 2; at--) {
    const one = all[at] as T;
    if (is(one)) found.unshift(one);
  }
  return found;
}
