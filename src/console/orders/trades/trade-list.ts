/**
 * The rows of the trades view: every execution, newest first, page by page from the store; filter, sort,
 * columns. Pure.
 */

import { type Dec, fixed, mul, ZERO } from '../../../domain/decimal.ts';
import type { Instrument } from '../../../domain/instrument.ts';
import type { FillRecord } from '../../../domain/order.ts';
import { withoutZeros } from '../../../domain/text-ends.ts';
import { selectedIndex } from '../../lists/cursor.ts';
import {
  byText,
  falling,
  filterWords,
  hasWordsOrPrices,
  type ListView,
  memoizeLast,
  newList,
} from '../../lists/rows.ts';
import { type Column, noMatch } from '../../lists/table.ts';
import { ticksOf } from '../../trading/instruments.ts';
import { dateAndSecond, exact, group, MISSING, onStep, read, signed } from '../../ui/format.ts';
import { keyed, type Line, type Span, span } from '../../ui/line.ts';
import { gainTone } from '../../ui/tones.ts';

export type TradeSort = 'time' | 'symbol' | 'side' | 'value';
export const TRADE_SORTS: readonly TradeSort[] = ['time', 'symbol', 'side', 'value'];

/** State of the trades view at a terminal. */
export interface TradesView extends ListView<TradeSort> {
  readonly open: boolean;
  /** The trades read so far, newest first. */
  readonly trades: readonly FillRecord[];
  /** Cursor of the next page; null when everything was read; undefined before the first page. */
  readonly next: string | null | undefined;
  readonly loading: boolean;
  /** Reading the last page failed. */
  readonly failed: boolean;
}

export const FIRST_TRADES: TradesView = {
  ...newList<TradeSort>('time'),
  open: false,
  trades: [],
  next: undefined,
  loading: false,
  failed: false,
};

/** A trade as a table row; `id` is used by selections. */
export interface TradeRow extends FillRecord {
  readonly id: string;
  readonly value: Dec;
}

/**
 * An id built from four fields: exchanges number the trades of each symbol separately, and one trade may
 * belong to two orders of an account.
 */
export function tradeId(trade: Pick<FillRecord, 'exchange' | 'symbol' | 'tradeId' | 'orderId'>): string {
  return `${trade.exchange} ${trade.symbol} ${trade.tradeId} ${trade.orderId}`;
}

const last = memoizeLast<readonly TradeRow[]>();

export function shownTrades(
  { trades, filter, sort, reverse }: TradesView,
  instruments: readonly Instrument[] = [],
): readonly TradeRow[] {
  return last([trades, filter, sort, reverse, instruments], () => {
    const words = filterWords(filter);
    const ticks = ticksOf(instruments);
    const priceOf = ({ exchange, symbol, price }: FillRecord) =>
      onStep(price, ticks.get(`${exchange} ${symbol}`));
    const rows = trades
      .filter((trade) => hasWordsOrPrices(textOf(trade), () => [priceOf(trade)], words))
      .map((trade) => ({
        ...trade,
        id: tradeId(trade),
        value: mul(read(trade.qty) ?? ZERO, read(trade.price) ?? ZERO),
      }));
    // Sorted by time already; sorting is stable, so equal rows stay newest first.
    if (sort !== 'time') rows.sort(COMPARE[sort]);
    return reverse ? rows.reverse() : rows;
  });
}

/** The trade under the cursor. */
export function chosenTrade(view: TradesView, instruments?: readonly Instrument[]): TradeRow | null {
  const rows = shownTrades(view, instruments);
  return rows[selectedIndex(rows, view.selection)] ?? null;
}

function textOf({ symbol, side, exchange, orderId, tradeId: id, maker, posSide }: FillRecord): string {
  return `${symbol} ${side} ${exchange} ${orderId} ${id} ${maker ? 'maker' : 'taker'} ${posSide}`;
}

const COMPARE: Record<Exclude<TradeSort, 'time'>, (a: TradeRow, b: TradeRow) => number> = {
  symbol: (a, b) => byText(a.symbol, b.symbol),
  side: (a, b) => byText(a.side, b.side),
  value: (a, b) => falling(a.value, b.value),
};

/**
 * Puts the newest page before the trades already read; where the two do not overlap, the page replaces them.
 */
export function withNewest(
  view: Pick<TradesView, 'trades' | 'next'>,
  page: { readonly trades: readonly FillRecord[]; readonly next: string | null },
): Pick<TradesView, 'trades' | 'next'> {
  const known = new Set(view.trades.map(tradeId));
  const meets = page.trades.some((trade) => known.has(tradeId(trade)));
  if (!meets || view.next === undefined) return { trades: page.trades, next: page.next };
  const fresh = page.trades.filter((trade) => !known.has(tradeId(trade)));
  return fresh.length === 0 ? view : { trades: [...fresh, ...view.trades], next: view.next };
}

export function tradeColumns(instruments: readonly Instrument[]): readonly Column<TradeRow>[] {
  const rules = new Map(instruments.map((entry) => [`${entry.exchange} ${entry.symbol}`, entry]));
  const rule = (row: TradeRow) => rules.get(`${row.exchange} ${row.symbol}`);
  const narrow = (text: string, width: number): Span =>
    span(text.length <= width || !text.includes('.') ? text : withoutZeros(text));
  return [
    { title: 'time', width: 19, priority: 1, cell: ({ time }) => span(dateAndSecond(time), 'muted') },
    { title: 'symbol', width: 8, priority: 1, cell: ({ symbol }) => span(symbol) },
    {
      title: 'side',
      width: 4,
      priority: 2,
      cell: ({ side }) => span(side, side === 'BUY' ? 'buy' : 'sell'),
    },
    {
      title: 'quantity',
      width: 9,
      grow: 1,
      align: 'right',
      priority: 3,
      cell: (row, width) => narrow(onStep(row.qty, rule(row)?.stepSize), width),
    },
    {
      title: 'price',
      width: 10,
      grow: 1,
      align: 'right',
      priority: 3,
      cell: (row, width) => narrow(onStep(row.price, rule(row)?.tickSize), width),
    },
    {
      title: 'value',
      width: 10,
      grow: 1,
      align: 'right',
      priority: 4,
      cell: ({ value }) => span(group(fixed(value, 2))),
    },
    {
      title: 'as',
      width: 5,
      priority: 5,
      cell: ({ maker }) => span(maker ? 'maker' : 'taker', 'muted'),
    },
    {
      title: 'fee',
      width: 17,
      align: 'right',
      priority: 6,
      cell: ({ comm, commAsset }) => span(`${exact(comm)} ${commAsset}`, 'muted'),
    },
    {
      title: 'PnL',
      width: 10,
      align: 'right',
      priority: 7,
      cell: ({ rPnl }) => {
        const value = read(rPnl);
        return value === null ? span(MISSING, 'muted') : span(signed(value, 2), gainTone(value));
      },
    },
    { title: 'account', width: 13, priority: 8, cell: ({ exchange }) => span(exchange, 'muted') },
    { title: 'position', width: 8, priority: 11, cell: ({ posSide }) => span(posSide, 'muted') },
    { title: 'order', width: 24, priority: 9, cell: ({ orderId }) => span(orderId, 'muted') },
    { title: 'trade', width: 12, grow: 1, priority: 10, cell: (row) => span(row.tradeId, 'muted') },
  ];
}

/** The text in place of rows. */
export function noTrades({ filter, loading, failed, next }: TradesView): Line {
  if (failed)
    return [
      span('  the trades could not be read · ', 'danger'),
      keyed('trades.reload', 'r'),
      span(' tries again', 'muted'),
    ];
  if (loading || next === undefined) return [span('  reading …', 'muted')];
  if (filter !== '') return noMatch('no trade read so far matches', filter);
  return [
    span('  no trades yet · ', 'muted'),
    keyed('orders.trades', 't'),
    span(' back to the orders', 'muted'),
  ];
}

declare module '../../state/ui.ts' {
  interface Views {
    readonly trades: true;
  }
  interface Lists {
    readonly trades: TradesView;
  }
}
