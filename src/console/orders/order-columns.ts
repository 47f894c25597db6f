/** Columns of the Orders table, by how much they are needed when room is short. Pure. */
import type { Instrument } from '../../domain/instrument.ts';
import type { OrderView } from '../../domain/order.ts';
import { withoutZeros } from '../../domain/text-ends.ts';
import type { Column } from '../lists/table.ts';
import { isOpen, mainPrice, settles, shownPrice, statusWord } from '../trading/orders.ts';
import { type Prices, priceOf } from '../trading/prices.ts';
import { dayTime, filledPercent, onStep, percent, percentChange, rounded, timeOfDay } from '../ui/format.ts';
import { type Span, span } from '../ui/line.ts';
import { exitsNote, type OrderRow } from './exits/bracket.ts';

/** Note on an order that the exchange does not know. */
export const HELD = 'emulated: held by the engine';

const SHORT: Record<string, string> = {
  MARKET: 'MARKET',
  LIMIT: 'LIMIT',
  LIMIT_MAKER: 'MAKER',
  STOP_MARKET: 'STOP',
  STOP_LIMIT: 'STOPLMT',
  TAKE_PROFIT_MARKET: 'TP',
  TAKE_PROFIT_LIMIT: 'TP LMT',
};

export function statusSpan(order: OrderView): Span {
  if (order.contradiction) return span('NOT ENDED', 'danger', { bold: true });
  if (order.unresolved && isOpen(order)) return span('UNKNOWN', 'danger', { bold: true });
  if (order.cancelPending && isOpen(order)) return span('CANCEL…', 'warn');
  switch (order.status) {
    case 'OPENED':
      return span('OPENED', 'ok');
    case 'NEW':
      return span('NEW', 'warn');
    case 'CLOSED':
      return span(statusWord(order));
    case 'CANCELLED':
      return span('CANCELLED', 'muted');
    case 'ERROR':
      return span('ERROR', 'danger');
  }
}

/** `+`: the row has exits that can be shown; `-`: they are shown; a blank indents them. */
function foldSign({ part }: OrderRow): string {
  if (!part) return '';
  return part.kind === 'head' ? (part.opened ? '-' : '+') : ' ';
}

/** The status of a row; for an exit that is no order yet, whether it is watched. */
function rowStatus(order: OrderRow): Span {
  if (order.part?.kind !== 'exit') return statusSpan(order);
  return order.part.waits ? span('WAITS', 'muted') : span('WATCHED', 'ok');
}

function noteOf(order: OrderRow, tick: string | undefined): string {
  const { part } = order;
  if (part?.kind === 'head') return exitsNote(part.bracket, tick);
  if (part?.kind === 'exit') return part.waits ? 'once it has filled' : 'by this desk';
  return order.text ?? (order.held ? HELD : '');
}

/**
 * A figure with the decimals of its step size; without trailing zeros where the column is too narrow for
 * them.
 */
function number(text: string | null, step: string | undefined, width: number): Span {
  const padded = onStep(text, step);
  if (padded.length <= width || !padded.includes('.')) return span(padded);
  return span(withoutZeros(padded));
}

export function orderColumns(
  state: Prices & { readonly instruments: readonly Instrument[] },
  wall: number,
  { dated = false, live = true } = {},
): readonly Column<OrderRow>[] {
  const rules = new Map(state.instruments.map((entry) => [`${entry.exchange} ${entry.symbol}`, entry]));
  const rule = (order: OrderView) => rules.get(`${order.exchange} ${order.symbol}`);
  const now = (order: OrderView): Span => {
    if (!isOpen(order)) return span('–', 'muted');
    const change = percentChange(priceOf(state, order.exchange, order.symbol)?.last, mainPrice(order));
    return change === null ? span('–', 'muted') : span(percent(change));
  };
  return [
    {
      title: 'time',
      width: dated ? 11 : 8,
      priority: 4,
      cell: ({ orderTime }) => span(dated ? dayTime(orderTime).slice(0, 11) : timeOfDay(orderTime), 'muted'),
    },
    { title: 'symbol', width: 9, priority: 1, cell: (order) => span(`${foldSign(order)}${order.symbol}`) },
    {
      title: 'side',
      width: 4,
      priority: 2,
      cell: (order) => span(order.side, order.side === 'BUY' ? 'buy' : 'sell'),
    },
    { title: 'type', width: 7, priority: 6, cell: (order) => span(SHORT[order.type] ?? order.type) },
    {
      title: 'quantity',
      width: 10,
      grow: 1,
      align: 'right',
      priority: 3,
      cell: (order, width) => number(order.origQty, rule(order)?.stepSize, width),
    },
    {
      title: 'price',
      width: 10,
      grow: 1,
      align: 'right',
      priority: 3,
      cell: (order, width) =>
        order.trail && isOpen(order)
          ? span(rounded(order.trail.level, rule(order)?.tickSize), 'muted')
          : number(shownPrice(order), rule(order)?.tickSize, width),
    },
    {
      title: 'fill',
      width: 5,
      align: 'right',
      priority: 7,
      cell: (order) => span(filledPercent(order.executedQty, order.origQty)),
    },
    { title: 'status', width: 9, priority: 1, cell: rowStatus },
    { title: 'distance', width: 10, align: 'right', priority: 8, cell: now },
    {
      title: 'stop',
      width: 10,
      align: 'right',
      priority: 11,
      cell: (order) => {
        const tick = rule(order)?.tickSize;
        if (order.part?.kind === 'head') return span(onStep(order.part.bracket.stopLoss, tick));
        return span(
          order.trail && isOpen(order) ? rounded(order.trail.level, tick) : onStep(order.stopPrice, tick),
          'muted',
        );
      },
    },
    { title: 'in force', width: 8, priority: 12, cell: (order) => span(order.timeInForce, 'muted') },
    { title: 'account', width: 13, priority: 9, cell: (order) => span(order.exchange, 'muted') },
    { title: 'by', width: 4, priority: 10, cell: (order) => span(order.creator, 'muted') },
    { title: 'id', width: 24, priority: 13, cell: (order) => span(order.id, 'muted') },
    {
      title: 'note',
      width: 12,
      grow: 8,
      priority: 14,
      cell: (order) =>
        order.unresolved && isOpen(order)
          ? span(`${settles(order, wall)} · ${order.unresolved.cause}`, 'warn')
          : span(noteOf(order, rule(order)?.tickSize), 'muted'),
    },
    {
      title: live ? 'changed' : 'changed, wall',
      width: 14,
      priority: 15,
      cell: (order) => span(dayTime(order.updatedAt), 'muted'),
    },
  ];
}
