/** Accounts: the exchanges with their state, one of them from all sides, and the feed that moves their prices. */
import { Box } from 'ink';
import type { ReactNode } from 'react';
import { Beside } from '../components/Beside.tsx';
import { useConsole, useDesk, useUi } from '../components/context.ts';
import { FilterRow } from '../components/FilterRow.tsx';
import { keyed, type Line, rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { headLine, placeColumns, rowLine } from '../components/table.ts';
import {
  type AccountSort,
  accountColumns,
  accountLines,
  feedLines,
  shownAccounts,
} from '../model/account-list.ts';
import { selectedIndex, windowStart } from '../model/order-list.ts';

/** From here on the account stands beside the list. */
const WIDE = 150;
/** Rows of accounts that are always shown, and of the feed with its title. */
const LIST_ROWS = 4;
const FEED_ROWS = 4;

const SORTED: Record<AccountSort, string> = {
  name: 'account',
  kind: 'kind',
  state: 'state',
  worth: 'worth USD',
};

export function AccountsScreen({ width, height }: { width: number; height: number }): ReactNode {
  const count = useDesk((state) => state.accounts.length);
  const beside = width >= WIDE;
  if (beside) {
    const detail = Math.floor(width * 0.4);
    const left = width - detail - 2;
    return (
      <Beside>
        <Box flexDirection="column" width={left} flexShrink={0}>
          <List width={left} height={height - FEED_ROWS} />
          <Feed width={left} height={FEED_ROWS} />
        </Box>
        <Box flexDirection="column" marginLeft={2} width={detail} flexShrink={0}>
          <Detail width={detail} height={height} />
        </Box>
      </Beside>
    );
  }
  const list = 3 + Math.min(Math.max(count, 1), LIST_ROWS);
  return (
    <>
      <List width={width} height={list} />
      <Detail width={width} height={height - list - FEED_ROWS} />
      <Feed width={width} height={FEED_ROWS} />
    </>
  );
}

function List({ width, height }: { width: number; height: number }): ReactNode {
  const { session } = useConsole();
  const accounts = useDesk((state) => state.accounts);
  const portfolios = useDesk((state) => state.portfolios);
  const view = useUi((ui) => ui.accounts);
  // Ages.
  useUi((ui) => ui.second);
  useUi((ui) => ui.minute);
  const rows = shownAccounts({ accounts, portfolios }, view);
  const placed = placeColumns(accountColumns({ accounts, portfolios }, session.wall()), width - 4);
  const at = selectedIndex(rows, view.selection);
  const filterRow = view.filtering || view.filter !== '' ? 1 : 0;
  const room = Math.max(0, height - 2 - filterRow);
  const start = windowStart(at, rows.length, room);
  const shown = rows.slice(start, start + room);
  const down = accounts.filter(({ link }) => link === 'down').length;
  const info: Line = [
    span(`${accounts.length - down} connected`, 'muted'),
    ...(down > 0 ? [span(` · ${down} stale`, 'danger', { bold: true })] : []),
    ...(view.comparing === null ? [] : [span(' · comparing', 'warn')]),
  ];
  const marker = { title: SORTED[view.sort], sign: view.reverse ? '▲' : '▼' };
  return (
    <>
      <Row line={rule('Accounts', info, width, view.pane === 'list')} width={width} />
      {filterRow > 0 && (
        <FilterRow id="accounts.filter" value={view.filter} focus={view.filtering} width={width} />
      )}
      <Row line={headLine(placed, marker)} width={width} />
      {shown.map((row, index) => (
        <Row
          key={row.id}
          line={rowLine(placed, row, start + index === at)}
          width={width}
          selected={start + index === at}
        />
      ))}
      {rows.length === 0 && <Row line={emptyLine(view.filter)} width={width} />}
      <Rows lines={[]} width={width} height={Math.max(0, room - (shown.length || 1))} />
    </>
  );
}

function emptyLine(filter: string): Line {
  if (filter === '') return [span('  no exchange account', 'muted')];
  return [
    span(`  no account matches "${filter}" · `, 'muted'),
    keyed('list.back', 'esc'),
    span(' clears the filter', 'muted'),
  ];
}

function Detail({ width, height }: { width: number; height: number }): ReactNode {
  const { session } = useConsole();
  const state = useDesk((desk) => desk);
  const view = useUi((ui) => ui.accounts);
  useUi((ui) => ui.second);
  useUi((ui) => ui.minute);
  const rows = shownAccounts(state, view);
  const account = rows[selectedIndex(rows, view.selection)];
  const focused = view.pane === 'detail';
  if (!account) {
    return (
      <>
        <Row line={rule('Account', [], width, focused)} width={width} />
        <Rows lines={[]} width={width} height={height - 1} />
      </>
    );
  }
  const lines = accountLines(account, state, session.wall(), width);
  const room = height - 1;
  const offset = Math.min(view.detailOffset, Math.max(0, lines.length - room));
  const more = lines.length - room - offset;
  const info = more > 0 ? [span(`${more} more · tab, j`, 'muted')] : [];
  return (
    <>
      <Row line={rule(`Account ${account.id}`, info, width, focused)} width={width} />
      <Rows lines={lines.slice(offset)} width={width} height={room} />
    </>
  );
}

function Feed({ width, height }: { width: number; height: number }): ReactNode {
  const clock = useDesk((state) => state.clock);
  const hints: Line = [
    keyed('feed.toggle', 'p'),
    span(clock.held ? ' plays' : ' pauses', 'muted'),
    ...(clock.held ? [keyed('feed.step', '  .'), span(' steps', 'muted')] : []),
  ];
  return (
    <>
      <Row line={rule('Feed', hints, width)} width={width} />
      <Rows lines={feedLines({ clock }, width)} width={width} height={height - 1} />
    </>
  );
}
