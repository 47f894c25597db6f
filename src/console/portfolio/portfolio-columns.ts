/**
 * Columns of the Portfolio table, by how much they are needed when room is short, and the line of totals.
 * Pure.
 */
import type { DeskState } from '../../desk/console/protocol.ts';
import { type Dec, fixed, ZERO } from '../../domain/decimal.ts';
import { falling } from '../lists/rows.ts';
import type { Column } from '../lists/table.ts';
import { walletsOf } from '../trading/wallets.ts';
import { amount, exact, group, MISSING, read, signed } from '../ui/format.ts';
import { meter } from '../ui/glyphs.ts';
import { type Line, type Span, span } from '../ui/line.ts';
import { gainTone } from '../ui/tones.ts';
import type { BalanceRow, PortfolioTotals } from './portfolio-list.ts';

const BAR = 12;

/**
 * A quantity: exact where there is room, else cut (never rounded up: nobody owns more than the exact figure).
 */
export function quantity(text: string | null, width: number): string {
  if (text === null) return MISSING;
  const whole = exact(text);
  if (whole.length <= width) return whole;
  const dot = whole.indexOf('.');
  if (dot < 0 || dot > width) return whole;
  return whole.slice(0, Math.max(dot, width)).replace(/\.$/, '');
}

/** A held quantity; zero is muted, so that other figures stand out. */
function held(text: string | null, width: number, stale: boolean): Span {
  const empty = text === null || (read(text) ?? ZERO) === ZERO;
  return span(quantity(text, width), stale || empty ? 'muted' : undefined);
}

export function portfolioColumns(): readonly Column<BalanceRow>[] {
  const number = (
    title: string,
    priority: number,
    text: (row: BalanceRow) => string | null,
  ): Column<BalanceRow> => ({
    title,
    width: 11,
    grow: 1,
    align: 'right',
    priority,
    cell: (row, width) => held(text(row), width, row.stale),
  });
  return [
    {
      title: 'asset',
      width: 7,
      priority: 1,
      cell: ({ asset, stale }) => span(asset, stale ? 'muted' : 'text', { bold: !stale }),
    },
    {
      title: 'account',
      width: 13,
      priority: 3,
      cell: ({ exchange, sharedWith: { length } }, width) =>
        span(length === 0 ? exchange : `${exchange.slice(0, width - 3)} +${length}`, 'muted'),
    },
    number('free', 4, ({ free }) => free),
    number('locked', 5, ({ locked }) => locked),
    number('bots', 7, ({ lockedByBot }) => lockedByBot),
    number('total', 8, ({ total }) => total),
    {
      title: 'USD',
      width: 12,
      grow: 1,
      align: 'right',
      priority: 2,
      cell: ({ usd, stale }) =>
        usd === undefined ? span('no price', 'warn') : span(amount(usd, 2), stale ? 'muted' : undefined),
    },
    {
      title: 'BTC',
      width: 12,
      align: 'right',
      priority: 10,
      cell: ({ btc }) => span(btc === null ? MISSING : group(btc), 'muted'),
    },
    {
      title: 'share',
      width: 7,
      align: 'right',
      priority: 6,
      cell: ({ share }) => span(percentOf(share), share === null ? 'muted' : undefined),
    },
    {
      title: '',
      width: BAR,
      priority: 9,
      cell: ({ share }, width) =>
        span(share === null ? '' : meter(share, width), share === null ? 'muted' : 'focus'),
    },
  ];
}

/** A share as `12.3 %`, cut off: 100 only when it is all. */
export function percentOf(share: number | null): string {
  return share === null ? MISSING : `${(Math.floor(share * 1_000) / 10).toFixed(1)} %`;
}

/** One line for each wallet, where there are several; where there are many, those worth most. */
export function subtotalLines(portfolios: DeskState['portfolios'], most: number): readonly Line[] {
  const wallets = walletsOf(portfolios).map(([id, { total, partial, sharedWith = [] }]) => ({
    name: sharedWith.length === 0 ? id : `${id} +${sharedWith.length}`,
    usd: read(total.usd),
    partial,
  }));
  if (wallets.length < 2) return [];
  const width = Math.max(...wallets.map(({ name }) => name.length));
  const money = wallets.map(({ usd }) => (usd === null ? MISSING : group(fixed(usd, 2))));
  const digits = Math.max(...money.map(({ length }) => length));
  return wallets
    .map((wallet, at) => ({ ...wallet, text: money[at] ?? MISSING }))
    .sort((a, b) => falling(a.usd, b.usd))
    .slice(0, most)
    .map(({ name, text, partial }) => [
      span(`  ${name.padEnd(width)}  `, 'muted'),
      span(`${text.padStart(digits)} USD`),
      ...(partial ? [span('  partial', 'warn')] : []),
    ]);
}

/**
 * The line of totals, the most important first: what does not fit is cut off at the end. `–` while nothing is
 * known.
 */
export function totalsLine(totals: PortfolioTotals, width: number, known: boolean): Line {
  const { usd, btc, positions, unpriced } = totals;
  if (!known) return [span('  total  ', 'muted'), span(MISSING)];
  const line: Span[] = [
    span('  total  ', 'muted'),
    span(`${group(fixed(usd, 2))} USD`, 'text', { bold: true }),
  ];
  const missing = width < 100 ? `${unpriced} unpriced` : `${unpriced} without a price`;
  if (unpriced > 0) line.push(span(`  partial: ${missing}`, 'warn', { bold: true }));
  if (btc !== null) line.push(span(`  ${group(fixed(btc, 8))} BTC`));
  if (positions !== ZERO) line.push(...positionsPart(positions, width));
  return line;
}

function positionsPart(positions: Dec, width: number): Span[] {
  return [
    span(width < 100 ? '  positions ' : '  unrealised PnL of positions ', 'muted'),
    span(signed(positions, 2), gainTone(positions)),
  ];
}
