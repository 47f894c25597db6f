/** Portfolio: what each account holds, what of it is bound, and what it is worth. */
import type { ReactNode } from 'react';
import { useConsole, useDesk, useUi } from '../components/context.ts';
import { FilterRow } from '../components/FilterRow.tsx';
import { keyed, type Line, rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { headLine, placeColumns, rowLine } from '../components/table.ts';
import { span as length } from '../format.ts';
import { selectedIndex, windowStart } from '../model/order-list.ts';
import { portfolioColumns, totalsLine } from '../model/portfolio-columns.ts';
import {
  type PortfolioSort,
  type PortfolioView,
  portfolioTotals,
  shownBalances,
} from '../model/portfolio-list.ts';

const SORTED: Record<PortfolioSort, string> = {
  value: 'USD',
  asset: 'asset',
  account: 'account',
  total: 'total',
  locked: 'locked',
};

export function PortfolioScreen({ width, height }: { width: number; height: number }): ReactNode {
  const { session } = useConsole();
  const portfolios = useDesk((state) => state.portfolios);
  const accounts = useDesk((state) => state.accounts);
  const prices = useDesk((state) => state.prices);
  const futures = useDesk((state) => state.futures);
  const view = useUi((ui) => ui.portfolio);
  // Ages of what is stale.
  useUi((ui) => ui.second);
  useUi((ui) => ui.minute);
  const world = { portfolios, accounts, prices, futures };
  const rows = shownBalances(world, view);
  const totals = portfolioTotals(world);
  const placed = placeColumns(portfolioColumns(), width - 4);
  const at = selectedIndex(rows, view.selection);
  const filterRow = view.filtering || view.filter !== '' ? 1 : 0;
  const stale = accounts.filter(({ link }) => link === 'down');
  const room = Math.max(0, height - 4 - filterRow - stale.length);
  const start = windowStart(at, rows.length, room);
  const shown = rows.slice(start, start + room);
  const loading = accounts.some(({ id }) => portfolios[id] === undefined);
  const hidden = view.hideSmall ? `${totals.small} small hidden · ` : '';
  const info: Line = [
    ...(loading ? [span('loading · ', 'warn')] : []),
    span(`${hidden}${rows.length} of ${totals.count} balances`, 'muted'),
  ];
  const marker = { title: SORTED[view.sort], sign: view.reverse ? '▲' : '▼' };
  return (
    <>
      <Row line={rule(titleOf(view), info, width)} width={width} />
      {filterRow > 0 && (
        <FilterRow id="portfolio.filter" value={view.filter} focus={view.filtering} width={width} />
      )}
      {stale.map(({ id, since }) => (
        <Row
          key={id}
          line={[
            span(`  ${id} is not connected: its figures are ${length(session.wall() - since)} old`, 'danger'),
          ]}
          width={width}
        />
      ))}
      <Row line={headLine(placed, marker)} width={width} />
      {shown.map((row, index) => (
        <Row
          key={row.id}
          line={rowLine(placed, row, start + index === at)}
          width={width}
          selected={start + index === at}
        />
      ))}
      {rows.length === 0 && <Row line={emptyLine(view, totals.count, loading)} width={width} />}
      <Row line={[]} width={width} />
      <Row line={totalsLine(totals, width, totals.count > 0 || !loading)} width={width} />
      <Rows lines={[]} width={width} height={Math.max(0, room - (shown.length || 1))} />
    </>
  );
}

function titleOf({ filter }: PortfolioView): string {
  return filter === '' ? 'Portfolio' : `Portfolio matching "${filter}"`;
}

function emptyLine({ filter, hideSmall }: PortfolioView, count: number, loading: boolean): Line {
  if (loading && count === 0) return [span('  asking the accounts …', 'muted')];
  if (filter !== '' && count > 0)
    return [
      span(`  nothing matches "${filter}" · `, 'muted'),
      keyed('list.back', 'esc'),
      span(' clears the filter', 'muted'),
    ];
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
