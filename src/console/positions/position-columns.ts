/**
 * Columns of the Positions table, by how much they are needed when room is short, and the line of totals.
 * Pure.
 */

import { fixed } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { withoutZeros } from '../../domain/text-ends.ts';
import { falling } from '../lists/rows.ts';
import type { Column } from '../lists/table.ts';
import {
  type Cover,
  coverOf,
  isLong,
  notionalOf,
  type PositionRow,
  type PositionTotals,
  positionTotals,
  sizeOf,
} from '../trading/positions.ts';
import { amount, group, MISSING, onStep, percent, read, signed, tickPrice } from '../ui/format.ts';
import { type Line, type Span, span } from '../ui/line.ts';
import { gainTone } from '../ui/tones.ts';

export const COVER_TONE: Record<Cover, 'ok' | 'warn' | 'paper'> = {
  yes: 'ok',
  part: 'warn',
  desk: 'paper',
  NO: 'warn',
};

export function sideSpan(position: PositionRow): Span {
  return isLong(position) ? span('LONG', 'buy') : span('SHORT', 'sell');
}

export function gainSpan(text: string | null, places = 2): Span {
  const value = read(text);
  return value === null ? span(MISSING, 'muted') : span(signed(value, places), gainTone(value));
}

export function positionColumns(instruments: readonly Instrument[]): readonly Column<PositionRow>[] {
  const rules = new Map(instruments.map((entry) => [`${entry.exchange} ${entry.symbol}`, entry]));
  const rule = (row: PositionRow) => rules.get(`${row.exchange} ${row.symbol}`);
  return [
    { title: 'symbol', width: 8, priority: 1, cell: (row) => span(row.symbol) },
    { title: 'side', width: 5, priority: 1, cell: sideSpan },
    {
      title: 'amount',
      width: 8,
      grow: 1,
      align: 'right',
      priority: 3,
      cell: (row, width) => narrow(onStep(sizeOf(row), rule(row)?.stepSize), width),
    },
    {
      title: 'entry',
      width: 9,
      grow: 1,
      align: 'right',
      priority: 5,
      cell: (row, width) => narrow(tickPrice(row.entryPrice, rule(row)?.tickSize), width),
    },
    {
      title: 'mark',
      width: 9,
      grow: 1,
      align: 'right',
      priority: 4,
      cell: (row, width) => narrow(tickPrice(row.markPrice, rule(row)?.tickSize), width),
    },
    {
      title: 'size USD',
      width: 11,
      grow: 1,
      align: 'right',
      priority: 13,
      cell: (row, width) => {
        const cents = amount(notionalOf(row), 2);
        return span(cents.length <= width ? cents : amount(notionalOf(row), 0));
      },
    },
    {
      title: 'PnL',
      width: 9,
      grow: 1,
      align: 'right',
      priority: 2,
      cell: (row, width) => {
        const value = read(row.unrealizedProfit);
        const whole = gainSpan(row.unrealizedProfit);
        return whole.text.length <= width || value === null ? whole : gainSpan(row.unrealizedProfit, 0);
      },
    },
    {
      title: '%',
      width: 8,
      align: 'right',
      priority: 6,
      cell: (row) => {
        const value = read(row.returnPercent);
        return span(
          percent(value, value !== null && /\d{4}/.test(row.returnPercent) ? 0 : 2),
          gainTone(value),
        );
      },
    },
    {
      title: 'stop',
      width: 4,
      priority: 2,
      cell: (row) => {
        const { cover } = coverOf(row);
        return span(cover, COVER_TONE[cover], { bold: cover === 'NO' });
      },
    },
    {
      title: 'cover',
      width: 6,
      align: 'right',
      priority: 9,
      cell: (row) => {
        const { cover, percent: share } = coverOf(row);
        return span(share, COVER_TONE[cover]);
      },
    },
    {
      title: 'leverage',
      width: 13,
      priority: 10,
      cell: (row) => span(`${row.leverage}x ${row.marginType}`),
    },
    {
      title: 'margin',
      width: 10,
      grow: 1,
      align: 'right',
      priority: 11,
      cell: (row) => span(amount(row.margin, 2)),
    },
    {
      title: 'liquidation',
      width: 11,
      grow: 1,
      align: 'right',
      priority: 8,
      cell: (row) => span(tickPrice(row.liquidationPrice, rule(row)?.tickSize)),
    },
    { title: 'to it', width: 9, align: 'right', priority: 7, cell: liquidationSpan },
    { title: 'account', width: 13, priority: 12, cell: (row) => span(row.exchange, 'muted') },
  ];
}

/** Distance of the mark price from liquidation; highlighted when small. */
export function liquidationSpan({ liquidationDistance }: PositionRow): Span {
  const value = read(liquidationDistance);
  if (value === null) return span(MISSING, 'muted');
  const far = value < 0n ? -value : value;
  const near = far < (read('5') ?? 0n) ? 'danger' : far < (read('15') ?? 0n) ? 'warn' : undefined;
  return span(percent(value), near);
}

/** A figure without trailing zeros where the column is too narrow for them. */
function narrow(text: string, width: number): Span {
  if (text.length <= width || !text.includes('.')) return span(text);
  return span(withoutZeros(text));
}

/**
 * One line for each account, where several have visible rows; where there are many, those with the largest
 * margin.
 */
export function subtotalLines(rows: readonly PositionRow[], most: number): readonly Line[] {
  const accounts = [...new Set(rows.map(({ exchange }) => exchange))];
  if (accounts.length < 2) return [];
  const width = Math.max(...accounts.map(({ length }) => length));
  return accounts
    .map((id) => ({ id, totals: positionTotals(rows.filter(({ exchange }) => exchange === id)) }))
    .sort((a, b) => falling(a.totals.margin, b.totals.margin))
    .slice(0, most)
    .map(({ id, totals: { count, pnl, margin } }) => [
      span(`  ${id.padEnd(width)}  ${count} position${count === 1 ? '' : 's'}  PnL `, 'muted'),
      span(signed(pnl, 2), gainTone(pnl)),
      span('  margin ', 'muted'),
      span(group(fixed(margin, 2))),
    ]);
}

/** The totals of the visible rows; `all`: number of all positions. */
export function totalsLine(totals: PositionTotals, all: number): Line {
  const { count, pnl, margin, open, part } = totals;
  const of = count === all ? '' : ` of ${all}`;
  const line: Span[] = [
    span(`  ${count}${of} position${all === 1 ? '' : 's'}  `, 'muted'),
    span('PnL ', 'muted'),
    span(signed(pnl, 2), gainTone(pnl)),
    span('  margin ', 'muted'),
    span(group(fixed(margin, 2))),
  ];
  if (open > 0) line.push(span(`  ! ${open} without a stop`, 'warn', { bold: true }));
  if (part > 0) line.push(span(`${open > 0 ? ',' : '  !'} ${part} in part`, 'warn', { bold: true }));
  return line;
}
