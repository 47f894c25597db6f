/** The Accounts screen: exchange accounts with their state, one account's details, and the price feed. */
import { Box } from 'ink';
import type { ReactNode } from 'react';
import type { VaultView } from '../../desk/console/protocol.ts';
import { useConsole, useUi, useWholeDesk } from '../app/context.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { DetailPane } from '../lists/DetailPane.tsx';
import { type Size, WIDE } from '../lists/ListAndDetail.tsx';
import { ListTable } from '../lists/ListTable.tsx';
import { noMatch, sortMark } from '../lists/table.ts';
import { usePlacedColumns } from '../lists/use-columns.ts';
import { OperatorsPage, SessionsPage } from '../operators/PeoplePages.tsx';
import { isMissed, vaultWords } from '../trading/vault.ts';
import { Beside } from '../ui/Beside.tsx';
import { keyed, type Line, rule, span } from '../ui/line.ts';
import { Row, Rows } from '../ui/Row.tsx';
import { type AccountSort, accountColumns, accountLines, feedLines, shownAccounts } from './account-list.ts';

/** Rows reserved for the accounts, and for the feed with its title. */
const LIST_ROWS = 4;
const FEED_ROWS = 4;

const SORTED: Record<AccountSort, string> = {
  name: 'account',
  kind: 'kind',
  state: 'state',
  worth: 'worth USD',
};

export function AccountsScreen(room: Size): ReactNode {
  const view = useUi(({ operators, sessions }) =>
    operators.open ? 'operators' : sessions.open ? 'sessions' : 'accounts',
  );
  if (view === 'operators') return <OperatorsPage {...room} />;
  return view === 'sessions' ? <SessionsPage {...room} /> : <Accounts {...room} />;
}

function Accounts({ width, height }: Size): ReactNode {
  const count = useWholeDesk((state) => state.accounts.length);
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

function List({ width, height }: Size): ReactNode {
  const { session } = useConsole();
  const accounts = useWholeDesk((state) => state.accounts);
  const portfolios = useWholeDesk((state) => state.portfolios);
  const view = useUi((ui) => ui.accounts);
  // The ages on the screen change with time.
  useUi((ui) => ui.second);
  useUi((ui) => ui.minute);
  const vault = useWholeDesk((state) => state.vault);
  const down = accounts.filter(({ link }) => link === 'down').length;
  const info: Line = [
    span(`${accounts.length - down} connected`, 'muted'),
    ...(down > 0 ? [span(` · ${down} stale`, 'danger', { bold: true })] : []),
    ...vaultPart(vault),
    ...(view.comparing === null ? [] : [span(' · comparing', 'warn')]),
  ];
  return (
    <ListTable
      list="accounts"
      title="Accounts"
      info={info}
      focused={view.pane === 'list'}
      placed={usePlacedColumns('accounts', accountColumns({ portfolios }, session.wall()), width)}
      mark={sortMark(SORTED[view.sort], view.reverse)}
      rows={shownAccounts({ accounts, portfolios }, view)}
      empty={[emptyLine(view.filter)]}
      width={width}
      height={height}
    />
  );
}

/** Returns the vault's part of the title; empty while there is no vault: paper needs no secrets. */
function vaultPart(vault: VaultView): Line {
  if (vault.state === 'none') return [];
  const words = span(` · ${vaultWords(vault)}`, isMissed(vault) ? 'warn' : 'muted');
  return vault.state === 'open' ? [words] : [words, keyed('vault.open', ', u'), span(' unlocks it', 'muted')];
}

function emptyLine(filter: string): Line {
  return filter === '' ? [span('  no exchange account', 'muted')] : noMatch('no account matches', filter);
}

function Detail({ width, height }: Size): ReactNode {
  const { session } = useConsole();
  const state = useWholeDesk((desk) => desk);
  const view = useUi((ui) => ui.accounts);
  useUi((ui) => ui.second);
  useUi((ui) => ui.minute);
  const rows = shownAccounts(state, view);
  const account = rows[selectedIndex(rows, view.selection)];
  const room = { focused: view.pane === 'detail', width, height };
  if (!account) return <DetailPane title="Account" lines={[]} offset={0} {...room} />;
  const lines = accountLines(account, state, session.wall(), width);
  return <DetailPane title={`Account ${account.id}`} lines={lines} offset={view.detailOffset} {...room} />;
}

function Feed({ width, height }: Size): ReactNode {
  const clock = useWholeDesk((state) => state.clock);
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
