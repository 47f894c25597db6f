/**
 * The text of the confirmation dialogs: account, PAPER or LIVE, symbol, side, size, notional, distance, fee
 * and what happens next. Pure; a person decides by these figures, so nothing is rounded.
 */
import type { DeskState, TicketCheck } from '../../desk/console/protocol.ts';
import { mul, str } from '../../domain/decimal.ts';
import type { OrderView } from '../../domain/order.ts';
import type { CreateOrder } from '../../schemas/order.ts';
import { question } from '../dialogs/question.ts';
import type { ConfirmDialog, InfoRow } from '../state/ui.ts';
import { guardRows } from '../trading/guard-meters.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { mainPrice } from '../trading/orders.ts';
import { priceOf } from '../trading/prices.ts';
import {
  counted,
  exact,
  moment,
  money,
  onStep,
  percent,
  percentChange,
  read,
  rounded,
  signed,
} from '../ui/format.ts';
import { afterRows, stakeRows } from './consequences.ts';
import { futuresFigures, marginText } from './ticket/futures-ticket.ts';

function sideTone(side: string): 'buy' | 'sell' {
  return side === 'BUY' ? 'buy' : 'sell';
}

export function confirmPlace(state: DeskState, order: CreateOrder, check: TicketCheck | null): ConfirmDialog {
  const instrument = state.instruments.find(
    (entry) => entry.symbol === order.symbol && entry.exchange === order.exchange,
  );
  const size = order.closePosition
    ? 'the whole position'
    : order.quantity !== undefined
      ? `${exact(order.quantity)} ${instrument?.base ?? ''}`
      : `for ${exact(order.quoteOrderQty)} ${instrument?.quote ?? ''}`;
  const rows: InfoRow[] = [
    { name: 'account', value: order.exchange },
    { name: 'order', value: `${order.side} ${size} ${order.symbol}`, tone: sideTone(order.side) },
    { name: 'type', value: typeText(order) },
  ];
  const tick = instrument?.tickSize;
  if (order.price !== undefined) rows.push({ name: 'price', value: onStep(order.price, tick) });
  if (order.stopPrice !== undefined) rows.push({ name: 'stop price', value: onStep(order.stopPrice, tick) });
  rows.push(...orderMoney(state, order, check));
  for (const { field, message } of check?.problems ?? [])
    rows.push({ name: field, value: message, tone: 'warn' });
  return question(state, {
    title: 'Place order',
    rows,
    next: check?.next ?? 'The order is sent to the exchange.',
    verb: 'place this order',
    action: { type: 'place', order },
  });
}

/** The rows for notional, margin on a futures account, distance and fee of an order. */
export function orderMoney(state: DeskState, order: CreateOrder, check: TicketCheck | null): InfoRow[] {
  const instrument = state.instruments.find(
    (entry) => entry.symbol === order.symbol && entry.exchange === order.exchange,
  );
  const quote = instrument?.quote ?? '';
  const distance = read(check?.distance);
  const futures = futuresFigures(state, order, check);
  const margin: InfoRow[] = futures
    ? [
        { name: 'margin', value: marginText(futures, quote), tone: futures.short ? 'warn' : undefined },
        ...afterRows(check, instrument?.tickSize),
      ]
    : [];
  return [
    { name: 'notional', value: `${money(check?.notional)} ${quote}` },
    ...margin,
    {
      name: 'distance',
      value:
        distance === null
          ? '–'
          : `${signed(distance, 2)} % from last ${onStep(check?.last, instrument?.tickSize)}`,
    },
    { name: 'fee', value: `${money(check?.fee)} ${check?.feeAsset ?? ''}` },
    ...guardRows(state, order.exchange, check?.notional),
  ];
}

function typeText(order: CreateOrder): string {
  const parts: string[] = [order.type];
  if (order.timeInForce) parts.push(order.timeInForce);
  if (order.goodTillDate !== undefined) parts.push(`until ${moment(order.goodTillDate)}`);
  if (order.trailingDelta !== undefined) parts.push(`trailing ${order.trailingDelta} bp`);
  if (order.activationPrice !== undefined) parts.push(`arms at ${order.activationPrice}`);
  if (order.percentPrice !== undefined) parts.push(`arms ${order.percentPrice} % from here`);
  if (order.icebergQty !== undefined) parts.push(`iceberg ${order.icebergQty}`);
  if (order.positionSide) parts.push(order.positionSide);
  if (order.reduceOnly) parts.push('reduce only');
  if (order.marginType) parts.push(order.marginType);
  if (order.workingType) parts.push(`by ${order.workingType}`);
  return parts.join(' · ');
}

function existing(state: DeskState, order: OrderView): InfoRow[] {
  const price = mainPrice(order);
  const last = priceOf(state, order.exchange, order.symbol)?.last;
  const quantity = read(order.origQty);
  const value = read(price);
  const { tickSize: tick } = instrumentOf(state.instruments, order) ?? {};
  return [
    { name: 'account', value: order.exchange },
    {
      name: 'order',
      value: `${order.side} ${exact(order.origQty)} ${order.symbol} ${order.type}`,
      tone: sideTone(order.side),
    },
    { name: 'price', value: order.trail ? `fires at ${rounded(price, tick)} now` : onStep(price, tick) },
    { name: 'filled', value: `${exact(order.executedQty)} of ${exact(order.origQty)}` },
    { name: 'notional', value: quantity === null || value === null ? '–' : money(str(mul(quantity, value))) },
    { name: 'distance', value: `${percent(percentChange(last, price))} from last ${onStep(last, tick)}` },
    { name: 'id', value: order.id, tone: 'muted' },
  ];
}

export function confirmCancel(state: DeskState, order: OrderView): ConfirmDialog {
  return question(state, {
    title: 'Cancel order',
    rows: [...stakeRows(state, order), ...existing(state, order), { name: 'fee', value: 'none' }],
    next: 'What is not filled yet is taken off the book; fills stay.',
    verb: 'cancel the order',
    keep: 'Keep it',
    action: { type: 'cancel', exchange: order.exchange, id: order.id },
  });
}

export function confirmSplit(
  state: DeskState,
  order: OrderView,
  prices: readonly string[],
  remaining: string | null,
): ConfirmDialog {
  const shown = prices.length > 6 ? [...prices.slice(0, 5), '…', prices.at(-1)] : prices;
  return question(state, {
    title: 'Split order',
    rows: [
      ...stakeRows(state, order),
      ...existing(state, order),
      { name: 'remaining', value: exact(remaining) },
      { name: 'parts', value: `${prices.length} at ${shown.join('  ')}` },
      { name: 'fee', value: 'as each part fills' },
    ],
    next: `The order is cancelled, then its remainder is placed as ${counted(prices.length, 'order')}.`,
    verb: 'split this order',
    action: { type: 'split', exchange: order.exchange, id: order.id, prices },
  });
}
