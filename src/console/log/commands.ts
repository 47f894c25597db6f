/**
 * Commands of the Log screen: moving, filters, search, and going to what a line is about. Changes nothing on
 * the desk.
 */
import type { LogLine } from '../../domain/rows.ts';
import { timeName } from '../app/header.ts';
import { deskState, openDialog, type Session, say, wholeDesk } from '../app/session.ts';
import { showBot } from '../bots/commands.ts';
import { goToOrder } from '../orders/commands.ts';
import { dayTime } from '../ui/format.ts';
import { zoneLabel } from '../ui/zone.ts';
import {
  botOfLine,
  findMatch,
  LOG_LEVELS,
  type LogView,
  logIndex,
  logSources,
  logText,
  shownLog,
} from './log-view.ts';

function patchLog(session: Session, change: Partial<LogView>): void {
  session.ui.setState(({ log }) => ({ log: { ...log, ...change } }));
}

function shown(session: Session) {
  const state = deskState(session);
  const { log: view } = session.ui.getState();
  const rows = state ? shownLog(state, view) : [];
  return { state, view, rows, at: logIndex(rows, view.line) };
}

/** The orders of all accounts: the log covers all of them, also while one account alone is shown. */
function ordersOf(session: Session) {
  return wholeDesk(session)?.orders ?? {};
}

/** Puts the cursor on a row; on the newest row it follows new lines. */
function goTo(session: Session, rows: readonly LogLine[], at: number): void {
  patchLog(session, { line: at < rows.length - 1 ? (rows[at] ?? null) : null });
}

export function moveLog(session: Session, by: number): void {
  const { rows, at } = shown(session);
  goTo(session, rows, Math.min(Math.max(at + by, 0), Math.max(0, rows.length - 1)));
}

export function nextLevel(session: Session): void {
  const { level } = session.ui.getState().log;
  patchLog(session, { level: LOG_LEVELS[(LOG_LEVELS.indexOf(level) + 1) % LOG_LEVELS.length] ?? 'info' });
}

/** Switches to the next source: all, then each that has lines. */
export function nextSource(session: Session): void {
  const state = deskState(session);
  if (!state) return;
  const sources = ['', ...logSources(state)];
  const { source } = session.ui.getState().log;
  patchLog(session, { source: sources[(sources.indexOf(source) + 1) % sources.length] ?? '' });
}

export function startSearch(session: Session): void {
  patchLog(session, { searching: true });
}

export function endSearch(session: Session, keep: boolean): void {
  patchLog(session, keep ? { searching: false } : { searching: false, search: '' });
  if (keep) searchHere(session, true);
}

/** Searches while the text is typed: selects the newest match at the cursor or above it. */
export function searchHere(session: Session, tell = false): void {
  const { rows, view, at } = shown(session);
  if (view.search.trim() === '') return;
  const found = findMatch(rows, view.search, at, -1, true, ordersOf(session));
  if (found !== null) goTo(session, rows, found);
  else if (tell) say(session, `no line shown has "${view.search.trim()}"`, 'warn');
}

/** Goes to the next match; -1: to an older one. */
export function nextMatch(session: Session, by: -1 | 1): void {
  const { rows, view, at } = shown(session);
  if (view.search.trim() === '') {
    say(session, 'nothing is searched for: / searches', 'warn');
    return;
  }
  const found = findMatch(rows, view.search, at, by, false, ordersOf(session));
  if (found === null) {
    say(session, `no line shown has "${view.search.trim()}"`, 'warn');
    return;
  }
  const around = by < 0 ? found >= at : found <= at;
  if (around) say(session, by < 0 ? 'the search goes on at the newest' : 'the search goes on at the oldest');
  goTo(session, rows, found);
}

export function openLog(session: Session): void {
  const { state, rows, at } = shown(session);
  const line = rows[at];
  if (!state || !line) return;
  const { level, source, orderId } = line;
  openDialog(session, {
    kind: 'notice',
    title: `${level}, ${source}`,
    offset: 0,
    orderId,
    botId: botOfLine(line, state.bots) ?? undefined,
    lines: [
      {
        text: `${dayTime(line.at)} ${zoneLabel(line.at)} ${timeName(state.clock, 'wall')}`.trimEnd(),
        tone: 'muted',
      },
      {
        text: logText(line, ordersOf(session)),
        words: true,
        tone: level === 'error' ? 'danger' : level === 'warn' ? 'warn' : undefined,
      },
      ...(orderId === undefined ? [] : [{ text: '' }, { text: `order ${orderId}`, tone: 'muted' as const }]),
    ],
  });
}

export function showLogOrder(session: Session): void {
  const { rows, at } = shown(session);
  const id = rows[at]?.orderId;
  if (id === undefined) say(session, 'this line is about no order', 'warn');
  else goToOrder(session, id);
}

/** Goes to the bot that a line names, or to the one whose order the line is about. */
export function showLogBot(session: Session): void {
  const { state, rows, at } = shown(session);
  const line = rows[at];
  if (!state || !line) return;
  const order = line.orderId === undefined ? undefined : state.orders[line.orderId];
  const id = botOfLine(line, state.bots) ?? (order?.creator === 'BOT' ? order.creatorId : null);
  if (id === null) say(session, 'this line is about no bot', 'warn');
  else showBot(session, id);
}

/** Leaves the innermost of search, filters and a cursor that does not follow. */
export function leaveLog(session: Session): void {
  const { search, level, source, line } = session.ui.getState().log;
  if (search !== '') patchLog(session, { search: '' });
  else if (level !== 'info' || source !== '') patchLog(session, { level: 'info', source: '' });
  else if (line) patchLog(session, { line: null });
}
