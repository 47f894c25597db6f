/** Commands of the PnL book: what is read for it, and when. Changes nothing on the desk. */
import { dayBegin } from '../../domain/utc-time.ts';
import { ask, closeDialog, deskState, openDialog, type Session, say } from '../app/session.ts';
import { nextOf } from '../forms/moving.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { topDialog } from '../state/ui.ts';
import { writeFile } from '../trading/export-file.ts';
import { zoneName } from '../ui/zone.ts';
import { shownGroups } from './pnl-groups.ts';
import { FIRST_PNL, GROUPS, PNL_RANGES, type PnlPage, queryOf } from './pnl-page.ts';
import { closedLines, shownClosed } from './pnl-trades.ts';

/**
 * A range or grouping must be chosen for this long before it is read, ms: those only passed on the way are
 * skipped.
 */
const PASSING_MS = 150;
/** Shortest time between two reads caused by fills, ms. */
const FILLS_MS = 5_000;

function patch(session: Session, change: Partial<PnlPage>): void {
  session.ui.setState(({ pnl }) => ({ pnl: { ...pnl, ...change } }));
}

/** Shows the book in place of the balances, with its groups or its closed trades. */
export function showPnl(session: Session, closed: boolean): void {
  session.ui.setState(({ pnl, 'pnl-trades': trades }) => ({
    screen: 'portfolio',
    pnl: { ...pnl, open: true },
    'pnl-trades': { ...trades, open: closed },
  }));
  readBook(session);
}

/** Returns to the balances. The book is dropped and read again the next time. */
export function closePnl(session: Session): void {
  session.ui.setState(({ pnl, 'pnl-trades': trades }) => ({
    pnl: { ...pnl, open: false, filtering: false, book: null, asked: pnl.asked + 1, loading: false },
    'pnl-trades': { ...trades, open: false, filtering: false },
  }));
}

export function toggleClosed(session: Session): void {
  session.ui.setState(({ 'pnl-trades': trades }) => ({
    'pnl-trades': { ...trades, open: !trades.open, filtering: false },
  }));
}

export function nextRange(session: Session, by: -1 | 1): void {
  const { range } = session.ui.getState().pnl;
  chosen(session, { range: nextOf(PNL_RANGES, range, by) });
}

export function nextGroups(session: Session, by: -1 | 1): void {
  const { pnl } = session.ui.getState();
  chosen(session, { by: nextOf(GROUPS, pnl.by, by), selection: FIRST_PNL.selection, filter: '' });
}

/** Switches through the accounts and all of them together. */
export function nextAccount(session: Session): void {
  const { only } = session.ui.getState();
  if (only !== null) {
    say(session, `only ${only} is looked at: @ chooses`, 'warn');
    return;
  }
  const ids = ['', ...(deskState(session)?.accounts ?? []).map(({ id }) => id)];
  const { account } = session.ui.getState().pnl;
  const next = nextOf(ids, account ?? '', 1);
  chosen(session, { account: next === '' ? null : next, selection: FIRST_PNL.selection });
}

function chosen(session: Session, change: Partial<PnlPage>): void {
  patch(session, { ...change, loading: true });
  session.later('pnl', PASSING_MS, () => readBook(session));
}

export function toggleCurve(session: Session): void {
  const curve = session.ui.getState().pnl.curve === 'equity' ? 'net' : 'equity';
  patch(session, { curve });
  say(session, curve === 'net' ? 'the curve is the net since the begin' : 'the curve is the equity');
}

/** Reads the book; responses to older requests are ignored from now on. */
export function readBook(session: Session): void {
  const { pnl } = session.ui.getState();
  if (!pnl.open) return;
  const asked = pnl.asked + 1;
  patch(session, { asked, loading: true, readAt: session.wall() });
  void load(session, asked);
}

async function load(session: Session, asked: number): Promise<void> {
  const outcome = await ask(session, 'pnl.read', queryOf(session.ui.getState().pnl));
  const { pnl } = session.ui.getState();
  if (!pnl.open || pnl.asked !== asked) return;
  if (outcome?.ok) patch(session, { book: outcome.data, loading: false, failed: null });
  else
    patch(session, { loading: false, failed: outcome ? outcome.error.message : 'the desk gave no answer' });
}

/** Reads the book again after a fill. */
export function followFills(session: Session): void {
  const { pnl } = session.ui.getState();
  if (!pnl.open || pnl.book === null) return;
  const since = session.wall() - pnl.readAt;
  if (since >= FILLS_MS && !pnl.loading) readBook(session);
  else session.later('pnl', FILLS_MS, () => readBook(session));
}

export async function exportPnl(session: Session, what: 'groups' | 'trades'): Promise<void> {
  const { points: _, ...query } = queryOf(session.ui.getState().pnl);
  await writeFile(session, () => ask(session, 'pnl.export', { ...query, what }));
}

/** Opens the closed trades of the selected group. */
export function openGroup(session: Session): void {
  const { pnl } = session.ui.getState();
  const rows = shownGroups(pnl);
  const row = rows[selectedIndex(rows, pnl.selection)];
  if (!row) return;
  // Usable as a filter of trades; not so weeks, tags, and days in another zone than the one of the times
  // shown.
  const isWord =
    !row.key.startsWith('(') &&
    pnl.by !== 'week' &&
    pnl.by !== 'tag' &&
    ((pnl.by !== 'day' && pnl.by !== 'month') || pnl.book?.timeZone === zoneName());
  session.ui.setState(({ 'pnl-trades': trades }) => ({
    'pnl-trades': { ...trades, open: true, filter: isWord ? row.key : '', selection: { id: null, index: 0 } },
  }));
}

/** Shows the selected trade in full. */
export function openClosed(session: Session): void {
  const { pnl, 'pnl-trades': view } = session.ui.getState();
  const rows = shownClosed(pnl, view);
  const trade = rows[selectedIndex(rows, view.selection)];
  if (!trade) return;
  openDialog(session, {
    kind: 'notice',
    title: `${trade.symbol} closed`,
    lines: closedLines(trade),
    offset: 0,
  });
}

export function askDays(session: Session): void {
  const { first, last } = session.ui.getState().pnl;
  if (deskState(session)) openDialog(session, { kind: 'pnl-range', first, last, focus: 'first' });
}

/** The problem with the days of the form; null: none that the console can see. */
export function daysProblem({ first, last }: Pick<PnlPage, 'first' | 'last'>): string | null {
  for (const day of [first, last])
    if (day !== '' && dayBegin(day) === null) return `${day} is no day; write it as 2026-11-26`;
  return first !== '' && last !== '' && first > last ? 'the first day is after the last' : null;
}

/** Takes the first and the last day of the form and reads that range. */
export function takeDays(session: Session): void {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'pnl-range') return;
  const problem = daysProblem(form);
  if (problem !== null) {
    say(session, problem, 'warn');
    return;
  }
  closeDialog(session);
  chosen(session, { range: 'days', first: form.first, last: form.last });
}
