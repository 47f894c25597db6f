/**
 * Commands of operators and sessions: reading them, their forms and questions. The changes themselves are in
 * `people-actions.ts`.
 */
import type { OperatorRecord, SessionView } from '../../desk/console/protocol.ts';
import { errorText } from '../../domain/errors.ts';
import { ROLES } from '../../domain/operator.ts';
import { openDialog, patchDialog, type Session, say, wholeDesk } from '../app/session.ts';
import { question } from '../dialogs/question.ts';
import { nextOf } from '../forms/moving.ts';
import { selectedIndex } from '../lists/cursor.ts';
import type { ConfirmDialog } from '../state/ui.ts';
import { placeOf, topDialog } from '../state/ui.ts';
import { span as length } from '../ui/format.ts';
import {
  confirmOperator,
  confirmRemove,
  formOfOperator,
  newOperator,
  operatorProblem,
} from './operator-form.ts';
import { loginLines, shownOperators } from './operator-list.ts';
import type { OperatorDialog } from './people-page.ts';
import { shownSessions } from './session-list.ts';

/** Time between two reads while sessions are in view, ms. */
const LOOK_MS = 5_000;

export function openOperators(session: Session): void {
  session.ui.setState(({ operators, sessions }) => ({
    screen: 'accounts',
    operators: { ...operators, open: true },
    sessions: { ...sessions, open: false, filtering: false },
  }));
}

export function openSessions(session: Session): void {
  session.ui.setState(({ operators, sessions }) => ({
    screen: 'accounts',
    operators: { ...operators, open: false, filtering: false },
    sessions: { ...sessions, open: true },
  }));
}

/** Returns to the accounts. The data is dropped, since only an owner may see it. */
export function closePeople(session: Session): void {
  session.ui.setState(({ operators, sessions }) => ({
    operators: { ...operators, open: false, filtering: false, operators: null, ssh: null, failed: null },
    sessions: { ...sessions, open: false, filtering: false, sessions: null, failed: null },
  }));
}

function isInView(session: Session): boolean {
  const place = placeOf(session.ui.getState());
  return place === 'operators' || place === 'sessions';
}

/** Reads operators or sessions, whichever is in view, and again after a while. */
export async function readPeople(session: Session): Promise<void> {
  const place = placeOf(session.ui.getState());
  if (!isInView(session)) return;
  const { client } = session;
  try {
    const sessions = await client.call('sessions.list', {});
    const people =
      place === 'operators'
        ? { operators: await client.call('operators.list', {}), ssh: await client.call('ssh.view', {}) }
        : null;
    session.ui.setState((ui) => ({
      sessions: isOpen(ui) ? { ...ui.sessions, sessions, failed: null } : ui.sessions,
      operators: people && ui.operators.open ? { ...ui.operators, ...people, failed: null } : ui.operators,
    }));
  } catch (error) {
    const failed = errorText(error);
    session.ui.setState(({ operators, sessions }) => ({
      operators: { ...operators, failed },
      sessions: { ...sessions, failed },
    }));
  }
  session.later('people', LOOK_MS, () => void readPeople(session));
}

function isOpen({
  operators,
  sessions,
}: {
  operators: { open: boolean };
  sessions: { open: boolean };
}): boolean {
  return operators.open || sessions.open;
}

function selectedOperator(session: Session): OperatorRecord | null {
  const { operators } = session.ui.getState();
  const rows = shownOperators(operators);
  const row = rows[selectedIndex(rows, operators.selection)];
  if (!row) say(session, 'no operator is selected', 'warn');
  return row ?? null;
}

export function addOperator(session: Session): void {
  if (wholeDesk(session)) openDialog(session, newOperator());
}

export function changeOperator(session: Session): void {
  const operator = selectedOperator(session);
  if (operator) openDialog(session, formOfOperator(operator));
}

export function removeOperator(session: Session): void {
  const state = wholeDesk(session);
  const operator = selectedOperator(session);
  if (!state || !operator) return;
  const here = session.ui.getState().sessions.sessions?.filter(({ name }) => name === operator.name) ?? [];
  openDialog(session, confirmRemove(state, operator, here.length));
}

export function showLogin(session: Session): void {
  const operator = selectedOperator(session);
  const { ssh } = session.ui.getState().operators;
  if (!operator || !ssh) return;
  const lines = loginLines(operator.name, ssh);
  openDialog(session, { kind: 'notice', title: `How ${operator.name} logs in`, lines, offset: 0 });
}

export function chooseInOperator(session: Session, { focus }: OperatorDialog, by: number): void {
  if (focus === 'role')
    patchDialog(session, 'operator', ({ role }) => ({ role: nextOf(ROLES, role, by), refusal: null }));
  if (focus === 'ca') patchDialog(session, 'operator', ({ ca }) => ({ ca: !ca, refusal: null }));
  if (focus === 'verify')
    patchDialog(session, 'operator', ({ verify }) => ({ verify: !verify, refusal: null }));
}

/** Opens the question, or moves to the field with a problem. */
export function reviewOperator(session: Session): void {
  const state = wholeDesk(session);
  const form = topDialog(session.ui.getState());
  if (!state || form?.kind !== 'operator') return;
  const problem = operatorProblem(form, session.wall());
  if (problem === null) {
    openDialog(session, confirmOperator(state, form));
    return;
  }
  patchDialog(session, 'operator', () => ({ focus: problem.field }));
  say(session, `${problem.field}: ${problem.message}`, 'warn');
}

// --- sessions ---

function selectedSession(session: Session): SessionView | null {
  const { sessions } = session.ui.getState();
  const rows = shownSessions(sessions);
  const row = rows[selectedIndex(rows, sessions.selection)];
  if (!row) say(session, 'no session is selected', 'warn');
  else if (row.id === wholeDesk(session)?.me?.session) {
    say(session, 'this is your own terminal: q leaves it', 'warn');
    return null;
  }
  return row ?? null;
}

/** Ends the selected session; `why`: asks for a reason first. */
export function endSession(session: Session, why: boolean): void {
  const other = selectedSession(session);
  if (!other) return;
  if (why)
    openDialog(session, { kind: 'session-end', session: other, reason: '', focus: 'reason', refusal: null });
  else openEnd(session, other, '');
}

export function reviewEnd(session: Session): void {
  const form = topDialog(session.ui.getState());
  if (form?.kind === 'session-end') openEnd(session, form.session, form.reason.trim());
}

function openEnd(session: Session, other: SessionView, reason: string): void {
  const state = wholeDesk(session);
  if (state) openDialog(session, confirmEnd(state, other, reason));
}

function confirmEnd(
  state: Parameters<typeof question>[0],
  { id, name, role, from, idleMs, terminal }: SessionView,
  reason: string,
): ConfirmDialog {
  return question(state, {
    title: 'End a session',
    rows: [
      { name: 'session', value: id },
      { name: 'who', value: `${name}, ${role}` },
      { name: 'from', value: from ?? 'this machine' },
      { name: 'terminal', value: terminal },
      { name: 'idle', value: length(idleMs) },
      ...(reason === '' ? [] : [{ name: 'told', value: reason }]),
    ],
    next: 'It is told who ended it and closed. What it has asked for before goes on; it may log in again.',
    verb: `end ${id}`,
    keep: 'Leave it',
    action: { type: 'session-end', id, name, reason },
  });
}
