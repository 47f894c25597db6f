/** The closed trades of the PnL book as a table, and one of them in full. Pure. */
import type { PnlTrade } from '../../desk/console/protocol.ts';
import { dec } from '../../domain/decimal.ts';
import { byText, type Compare, falling, listed, memoizeLast } from '../lists/rows.ts';
import type { Column } from '../lists/table.ts';
import type { NoticeLine } from '../state/ui.ts';
import { dateAndSecond, dateTime, dayTime, span as length, MISSING, read } from '../ui/format.ts';
import { type Span, span } from '../ui/line.ts';
import { gainTone } from '../ui/tones.ts';
import { zoneLabel } from '../ui/zone.ts';
import { money } from './pnl-groups.ts';
import type { PnlPage, PnlTradeSort, PnlTradesPage } from './pnl-page.ts';
import { average, cost, multiple, quantity, usd } from './pnl-words.ts';

export interface ClosedTradeRow extends PnlTrade {
  readonly id: string;
}

const COMPARE: Record<PnlTradeSort, Compare<ClosedTradeRow> | null> = {
  time: null,
  symbol: (a, b) => byText(a.symbol, b.symbol),
  net: (a, b) => falling(dec(a.net), dec(b.net)),
  R: (a, b) => falling(read(a.r), read(b.r)),
  held: (a, b) => falling(heldMs(a), heldMs(b)),
};

const heldMs = ({ openedAt, closedAt }: PnlTrade): number => closedAt - openedAt;

const rowsOf = memoizeLast<readonly ClosedTradeRow[]>();
const last = memoizeLast<readonly ClosedTradeRow[]>();

export function shownClosed(
  { book }: Pick<PnlPage, 'book'>,
  { filter, sort, reverse }: PnlTradesPage,
): readonly ClosedTradeRow[] {
  const rows = rowsOf([book], () => withIds(book?.trades ?? []));
  return last([rows, filter, sort, reverse], () =>
    listed(rows, { filter, sort, reverse }, { text: textOf, compare: COMPARE }),
  );
}

/** Adds ids. Trades have none of their own; among trades with equal figures the oldest gets number 0. */
function withIds(trades: readonly PnlTrade[]): readonly ClosedTradeRow[] {
  const seen = new Map<string, number>();
  const named = trades.toReversed().map((trade): ClosedTradeRow => {
    const { account, symbol, side, openedAt, closedAt, qty } = trade;
    const name = `${account} ${symbol} ${side} ${openedAt} ${closedAt} ${qty}`;
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return { ...trade, id: `${name} ${count}` };
  });
  return named.reverse();
}

function textOf({ account, symbol, side, kind, bot, closedAt }: ClosedTradeRow): string {
  return `${symbol} ${side} ${account} ${kind} ${bot ?? 'hand'} ${dateTime(closedAt)}`;
}

/** A figure without its fraction where there is no room for it. */
function fitting(text: string, width: number): Span {
  return span(text.length <= width ? text : (text.split('.')[0] ?? text));
}

function sideSpan({ side }: PnlTrade): Span {
  return span(side, side === 'LONG' ? 'buy' : 'sell');
}

export function closedColumns(): readonly Column<ClosedTradeRow>[] {
  return [
    {
      title: 'closed',
      width: 11,
      priority: 1,
      cell: ({ closedAt }) => span(dayTime(closedAt).slice(0, 11), 'muted'),
    },
    { title: 'symbol', width: 8, priority: 1, cell: ({ symbol }) => span(symbol) },
    { title: 'side', width: 5, priority: 2, cell: sideSpan },
    {
      title: 'quantity',
      width: 11,
      grow: 1,
      align: 'right',
      priority: 9,
      cell: ({ qty }, width) => fitting(quantity(qty), width),
    },
    {
      title: 'entry',
      width: 9,
      grow: 1,
      align: 'right',
      priority: 3,
      cell: ({ entry }, width) => fitting(average(entry), width),
    },
    {
      title: 'exit',
      width: 9,
      grow: 1,
      align: 'right',
      priority: 3,
      cell: ({ exit }, width) => fitting(average(exit), width),
    },
    {
      title: 'net',
      width: 9,
      grow: 1,
      align: 'right',
      priority: 1,
      cell: ({ net }, width) => money(dec(net), width),
    },
    {
      title: 'R',
      width: 6,
      align: 'right',
      priority: 4,
      cell: ({ r }) => span(multiple(r).replace(/R$/, ''), r === null ? 'muted' : gainTone(dec(r))),
    },
    {
      title: 'held',
      width: 5,
      align: 'right',
      priority: 5,
      cell: (row) => span(length(heldMs(row)).replace(' min', 'm').replace(' ', ''), 'muted'),
    },
    {
      title: 'fees',
      width: 10,
      align: 'right',
      priority: 7,
      cell: ({ fees }, width) => money(-dec(fees), width, 'muted'),
    },
    {
      title: 'funding',
      width: 10,
      align: 'right',
      priority: 8,
      cell: ({ funding }, width) => money(dec(funding), width),
    },
    { title: 'account', width: 14, priority: 6, cell: ({ account }) => span(account, 'muted') },
    { title: 'by', width: 24, priority: 10, cell: ({ bot }) => span(bot ?? 'hand', 'muted') },
  ];
}

/** The title of the column for a sort. */
export function closedSortTitle(sort: PnlTradeSort): string {
  return sort === 'time' ? 'closed' : sort;
}

/** All of a trade, as lines of a notice. */
export function closedLines(trade: ClosedTradeRow): readonly NoticeLine[] {
  const at = (ms: number) => `${dateAndSecond(ms)} ${zoneLabel(ms)}`;
  const rows: [string, string, NoticeLine['tone']?][] = [
    ['account', `${trade.account} (${trade.kind})`],
    ['side', trade.side, trade.side === 'LONG' ? 'buy' : 'sell'],
    ['quantity', quantity(trade.qty)],
    ['opened', at(trade.openedAt)],
    ['closed', `${at(trade.closedAt)}, after ${length(heldMs(trade))}`],
    ['entry', average(trade.entry)],
    ['exit', average(trade.exit)],
    ['realised', usd(trade.realised)],
    ['fees', cost(trade.fees)],
    ['funding', usd(trade.funding)],
    ['net', `${usd(trade.net)} USD`, dec(trade.net) < 0n ? 'danger' : 'ok'],
    ['stop', trade.stop === null ? 'none protected it' : average(trade.stop)],
    ['R', trade.r === null ? MISSING : `${multiple(trade.r)}: net over what the stop would have lost`],
    ['by', trade.bot === null ? 'hand or key' : `bot ${trade.bot}`],
  ];
  return rows.map(([name, value, tone]) => ({
    text: `${name.padEnd(10)}${value}`,
    ...(tone ? { tone } : {}),
  }));
}
