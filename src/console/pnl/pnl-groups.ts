/** The groups of the PnL book as a table: rows, sorts, columns, the line of totals. Pure. */
import type { PnlGroup, PnlRow, PnlView } from '../../desk/console/protocol.ts';
import { type Dec, dec } from '../../domain/decimal.ts';
import { byText, type Compare, falling, listed, memoizeLast } from '../lists/rows.ts';
import type { Column } from '../lists/table.ts';
import { group, signed } from '../ui/format.ts';
import { type Span, span } from '../ui/line.ts';
import { gainTone } from '../ui/tones.ts';
import type { PnlPage, PnlSort } from './pnl-page.ts';

export interface GroupRow extends PnlRow {
  /** The group's key, used by selections. */
  readonly id: string;
}

const COMPARE: Record<PnlSort, Compare<GroupRow> | null> = {
  usual: null,
  name: (a, b) => byText(a.key, b.key),
  net: (a, b) => falling(dec(a.net), dec(b.net)),
  fees: (a, b) => falling(dec(a.fees), dec(b.fees)),
  trades: (a, b) => falling(a.trades, b.trades),
};

const last = memoizeLast<readonly GroupRow[]>();

export function shownGroups({ book, filter, sort, reverse }: PnlPage): readonly GroupRow[] {
  return last([book, filter, sort, reverse], () => {
    const rows = (book?.rows ?? []).map((row) => ({ ...row, id: row.key }));
    // The newest time is usually wanted first.
    const usual = book && isTime(book.by) ? rows.reverse() : rows;
    return listed(usual, { filter, sort, reverse }, { text: ({ key }) => key, compare: COMPARE });
  });
}

export function isTime(by: PnlGroup): boolean {
  return by === 'day' || by === 'week' || by === 'month';
}

/** The sum of all groups, also those not shown, under their columns. */
export function totalRow({ total, stats }: PnlView): GroupRow {
  return { id: '', key: 'total', ...total, trades: stats.trades };
}

/** Dollars with their sign; without cents where there is no room. */
export function money(value: Dec, width: number, tone = gainTone(value)): Span {
  const text = signed(value, 2);
  return span(text.length <= width ? text : signed(value, 0), tone);
}

export function groupColumns(by: PnlGroup): readonly Column<GroupRow>[] {
  const figure = (
    title: string,
    priority: number,
    value: (row: GroupRow) => Dec,
    tone?: 'muted',
  ): Column<GroupRow> => ({
    title,
    priority,
    width: 11,
    grow: 1,
    align: 'right',
    cell: (row, width) => money(value(row), width, tone),
  });
  return [
    { title: by, width: by === 'bot' ? 24 : 13, grow: 1, priority: 1, cell: ({ key }) => span(key) },
    figure('realised', 3, ({ realised }) => dec(realised)),
    figure('fees', 4, ({ fees }) => -dec(fees), 'muted'),
    figure('funding', 6, ({ funding }) => dec(funding)),
    figure('other', 9, ({ other }) => dec(other)),
    figure('open', 7, ({ unrealised }) => dec(unrealised)),
    figure('net', 2, ({ net }) => dec(net)),
    figure('deposits', 8, ({ deposits }) => dec(deposits), 'muted'),
    {
      title: 'trades',
      width: 6,
      align: 'right',
      priority: 5,
      cell: ({ trades }) => span(group(String(trades)), 'muted'),
    },
  ];
}

/** The title of the column for a sort. */
export function groupSortTitle(sort: PnlSort, by: PnlGroup): string {
  if (sort === 'usual') return isTime(by) ? by : 'net';
  return sort === 'name' ? by : sort;
}
