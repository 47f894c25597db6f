/**
 * Portfolio: what each account holds, how much of it is locked, and what it is worth; or the PnL book in its
 * place.
 */
import type { ReactNode } from 'react';
import { useConsole, useDesk, useUi } from '../app/context.ts';
import type { Size } from '../lists/ListAndDetail.tsx';
import { ListTable } from '../lists/ListTable.tsx';
import { useModeColumn } from '../lists/mode-column.ts';
import { listTitle, noMatch, sortMark } from '../lists/table.ts';
import { usePlacedColumns } from '../lists/use-columns.ts';
import { PnlGroupsPage, PnlTradesPage } from '../pnl/PnlPages.tsx';
import { span as length } from '../ui/format.ts';
import { keyed, type Line, span } from '../ui/line.ts';
import { portfolioColumns, subtotalLines, totalsLine } from './portfolio-columns.ts';
import { type PortfolioSort, type PortfolioView, portfolioTotals, shownBalances } from './portfolio-list.ts';

const SORTED: Record<PortfolioSort, string> = {
  value: 'USD',
  asset: 'asset',
  account: 'account',
  total: 'total',
  locked: 'locked',
};

export function PortfolioScreen(room: Size): ReactNode {
  const view = useUi((ui) => (ui.pnl.open ? (ui['pnl-trades'].open ? 'trades' : 'groups') : 'balances'));
  if (view === 'trades') return <PnlTradesPage {...room} />;
  return view === 'groups' ? <PnlGroupsPage {...room} /> : <Balances {...room} />;
}

function Balances({ width, height }: Size): ReactNode {
  const { session } = useConsole();
  const portfolios = useDesk((state) => state.portfolios);
  const accounts = useDesk((state) => state.accounts);
  const prices = useDesk((state) => state.prices);
  const futures = useDesk((state) => state.futures);
  const view = useUi((ui) => ui.portfolio);
  // Redraws the ages of stale figures.
  useUi((ui) => ui.second);
  useUi((ui) => ui.minute);
  const world = { portfolios, accounts, prices, futures };
  const rows = shownBalances(world, view);
  const totals = portfolioTotals(world);
  const sums = subtotalLines(portfolios, Math.floor(height / 6));
  const columns = useModeColumn(portfolioColumns(), ({ exchange }) => exchange);
  const loading = accounts.some(({ id }) => portfolios[id] === undefined);
  const hidden = view.hideSmall ? `${totals.small} small hidden · ` : '';
  const info: Line = [
    ...(loading ? [span('loading · ', 'warn')] : []),
    span(`${hidden}${rows.length} of ${totals.count} balances`, 'muted'),
  ];
  const stale = accounts
    .filter(({ link }) => link === 'down')
    .map(({ id, since }): Line => {
      const age = length(session.wall() - since);
      return [span(`  ${id} is not connected: its figures are ${age} old`, 'danger')];
    });
  return (
    <ListTable
      list="portfolio"
      title={listTitle('Portfolio', view.filter)}
      info={info}
      above={stale}
      placed={usePlacedColumns('portfolio', columns, width)}
      mark={sortMark(SORTED[view.sort], view.reverse)}
      rows={rows}
      empty={[emptyLine(view, totals.count, loading)]}
      below={[[], ...sums, totalsLine(totals, width, totals.count > 0 || !loading)]}
      width={width}
      height={height}
    />
  );
}

function emptyLine({ filter, hideSmall }: PortfolioView, count: number, loading: boolean): Line {
  if (loading && count === 0) return [span('  asking the accounts …', 'muted')];
  if (filter !== '' && count > 0) return noMatch('nothing matches', filter);
  if (hideSmall && count > 0)
    return [
      span('  only small balances · ', 'muted'),
      keyed('portfolio.small', 's'),
      span(' shows them', 'muted'),
    ];
  return [
    span('  the accounts hold nothing · ', 'muted'),
    keyed('screen.accounts', '7'),
    span(' Accounts: ', 'muted'),
    keyed('account.balance', 'b'),
    span(' sets a balance', 'muted'),
  ];
}
