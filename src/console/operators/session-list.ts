/** The terminals connected to the desk as a table. Pure. */
import type { SessionView } from '../../desk/console/protocol.ts';
import { byText, type Compare, listed, memoizeLast } from '../lists/rows.ts';
import type { Column } from '../lists/table.ts';
import { dateTime, group, span as length, MISSING } from '../ui/format.ts';
import { span } from '../ui/line.ts';
import { roleSpan } from './operator-list.ts';
import type { SessionSort, SessionsPage } from './people-page.ts';

const COMPARE: Record<SessionSort, Compare<SessionView> | null> = {
  since: null,
  who: (a, b) => byText(a.name, b.name),
  idle: (a, b) => b.idleMs - a.idleMs,
  bytes: (a, b) => b.bytes - a.bytes,
};

const last = memoizeLast<readonly SessionView[]>();

export function shownSessions({ sessions, filter, sort, reverse }: SessionsPage): readonly SessionView[] {
  return last([sessions, filter, sort, reverse], () =>
    listed([...(sessions ?? [])], { filter, sort, reverse }, { text: textOf, compare: COMPARE }),
  );
}

function textOf({ id, name, role, from, terminal, locked }: SessionView): string {
  return `${id} ${name} ${role} ${from ?? 'here'} ${terminal} ${locked ? 'locked' : ''}`;
}

/** @param own id of the terminal that shows them */
export function sessionColumns(own: string): readonly Column<SessionView>[] {
  return [
    {
      title: 'id',
      width: 5,
      priority: 1,
      cell: ({ id }) => span(id, id === own ? 'focus' : 'text', { bold: id === own }),
    },
    { title: 'who', width: 12, grow: 1, priority: 1, cell: ({ name }) => span(name) },
    { title: 'role', width: 8, priority: 2, cell: ({ role }) => roleSpan(role) },
    {
      title: 'from',
      width: 15,
      priority: 1,
      cell: ({ from }) => (from === null ? span('this machine', 'muted') : span(from)),
    },
    {
      title: 'idle',
      width: 6,
      align: 'right',
      priority: 2,
      cell: ({ idleMs }) => span(length(idleMs), 'muted'),
    },
    {
      title: 'state',
      width: 6,
      priority: 3,
      cell: ({ locked }) => (locked ? span('LOCKED', 'warn') : span('')),
    },
    {
      title: 'screen',
      width: 6,
      align: 'right',
      priority: 5,
      cell: ({ ageMs }) =>
        ageMs === null ? span(MISSING, 'muted') : span(length(ageMs), ageMs > 2_000 ? 'warn' : 'muted'),
    },
    { title: 'since', width: 16, priority: 4, cell: ({ since }) => span(dateTime(since), 'muted') },
    {
      title: 'bytes',
      width: 12,
      align: 'right',
      priority: 6,
      cell: ({ bytes }) => span(group(String(bytes)), 'muted'),
    },
    { title: 'terminal', width: 24, grow: 1, priority: 7, cell: ({ terminal }) => span(terminal, 'muted') },
    { title: 'version', width: 8, priority: 8, cell: ({ version }) => span(version, 'muted') },
  ];
}

/** The title of the column for each sort. */
export const SESSION_SORTED: Readonly<Record<SessionSort, string>> = {
  since: 'since',
  who: 'who',
  idle: 'idle',
  bytes: 'bytes',
};
