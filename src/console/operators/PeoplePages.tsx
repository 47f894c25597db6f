/** Operators and sessions, shown in place of the accounts. */
import { type ReactNode, useEffect } from 'react';
import { useConsole, useUi, useWholeDesk } from '../app/context.ts';
import type { Size } from '../lists/ListAndDetail.tsx';
import { ListTable } from '../lists/ListTable.tsx';
import { listTitle, noMatch, sortMark } from '../lists/table.ts';
import { usePlacedColumns } from '../lists/use-columns.ts';
import { counted } from '../ui/format.ts';
import { keyed, type Line, span } from '../ui/line.ts';
import { readPeople } from './commands.ts';
import { OPERATOR_SORTED, operatorColumns, shownOperators, sshLines } from './operator-list.ts';
import { SESSION_SORTED, sessionColumns, shownSessions } from './session-list.ts';

function emptyLine(known: boolean, failed: string | null, filter: string, none: Line): Line {
  if (failed !== null)
    return [span(`  ${failed} · `, 'danger'), keyed('people.reload', 'r'), span(' tries again', 'muted')];
  if (!known) return [span('  reading …', 'muted')];
  return filter === '' ? none : noMatch('nobody matches', filter);
}

/** Reads the people repeatedly while they are in view. */
function usePeople(): void {
  const { session } = useConsole();
  useEffect(() => void readPeople(session), [session]);
}

export function OperatorsPage({ width, height }: Size): ReactNode {
  const { session } = useConsole();
  usePeople();
  const view = useUi((ui) => ui.operators);
  const sessions = useUi((ui) => ui.sessions.sessions);
  // Redraws each minute, since an operator's access may have ended.
  useUi((ui) => ui.minute);
  const online = sessions && new Map<string, number>();
  for (const { name } of sessions ?? []) online?.set(name, (online.get(name) ?? 0) + 1);
  const rows = shownOperators(view);
  const none: Line = [
    span('  nobody but the owner of this machine · ', 'muted'),
    keyed('operator.add', 'n'),
    span(' lets somebody in', 'muted'),
  ];
  return (
    <ListTable
      list="operators"
      title={listTitle('Operators', view.filter)}
      info={view.operators ? [span(counted(view.operators.length, 'operator'), 'muted')] : []}
      placed={usePlacedColumns('operators', operatorColumns(session.wall(), online), width)}
      mark={sortMark(OPERATOR_SORTED[view.sort], view.reverse)}
      rows={rows}
      empty={[emptyLine(view.operators !== null, view.failed, view.filter, none)]}
      below={view.ssh ? sshLines(view.ssh) : []}
      width={width}
      height={height}
    />
  );
}

export function SessionsPage({ width, height }: Size): ReactNode {
  usePeople();
  const view = useUi((ui) => ui.sessions);
  const own = useWholeDesk((state) => state.me?.session ?? '');
  const rows = shownSessions(view);
  return (
    <ListTable
      list="sessions"
      title={listTitle('Sessions', view.filter)}
      info={
        view.sessions
          ? [span(`${counted(view.sessions.length, 'terminal')}, ${own} is this one`, 'muted')]
          : []
      }
      placed={usePlacedColumns('sessions', sessionColumns(own), width)}
      mark={sortMark(SESSION_SORTED[view.sort], view.reverse)}
      rows={rows}
      empty={[emptyLine(view.sessions !== null, view.failed, view.filter, [span('  none', 'muted')])]}
      width={width}
      height={height}
    />
  );
}
