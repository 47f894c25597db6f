/** The confirmations of the Positions screen: every fact of the close, the stop or the setting. Pure. */
import type { DeskState, TicketCheck } from '../../desk/console/protocol.ts';
import { decOfInt, div, fixed, mul, str, ZERO } from '../../domain/decimal.ts';
import type { Setting } from '../../domain/position.ts';
import type { CreateOrder } from '../../schemas/order.ts';
import { modeOf } from '../dialogs/mode.ts';
import { question } from '../dialogs/question.ts';
import { orderMoney } from '../orders/confirmations.ts';
import type { ConfirmDialog, InfoRow } from '../state/ui.ts';
import { instrumentOf } from '../trading/instruments.ts';
import {
  coverOf,
  isLong,
  notionalOf,
  type PositionRow,
  positionTotals,
  sizeOf,
} from '../trading/positions.ts';
import { counted, exact, group, percent, read, rounded, signed } from '../ui/format.ts';

/** A position as rows of a dialog. */
function positionRows(position: PositionRow): InfoRow[] {
  const long = isLong(position);
  const gain = read(position.unrealizedProfit);
  return [
    { name: 'account', value: position.exchange },
    {
      name: 'position',
      value: `${long ? 'LONG' : 'SHORT'} ${exact(sizeOf(position))} ${position.symbol} ${position.leverage}x ${position.marginType}`,
      tone: long ? 'buy' : 'sell',
    },
    {
      name: 'PnL now',
      value: `${gain === null ? '–' : signed(gain, 2)}  ${percent(read(position.returnPercent))}`,
    },
  ];
}

/** The rows shown when the position has gone while its question was open. */
function goneRows({ exchange, symbol }: CreateOrder): InfoRow[] {
  return [
    { name: 'account', value: exchange },
    {
      name: 'position',
      value: `the position of ${symbol} is gone: there is nothing to close`,
      tone: 'danger',
    },
  ];
}

/** The question to close or protect a position. `position`: undefined once it has gone. */
export function confirmPositionOrder(
  state: DeskState,
  position: PositionRow | undefined,
  order: CreateOrder,
  check: TicketCheck,
): ConfirmDialog {
  const stop = order.type === 'STOP_MARKET' && order.trailingDelta === undefined;
  const size = order.quantity ?? (position && sizeOf(position));
  const whole = order.closePosition ? ' (the whole position)' : '';
  const reduce = order.reduceOnly ? ' · reduce only' : '';
  const hedge = order.positionSide ? ` · ${order.positionSide}` : '';
  const rows: InfoRow[] = [
    ...(position ? positionRows(position) : goneRows(order)),
    {
      name: 'order',
      value: `${order.side} ${exact(size)} ${order.symbol} ${order.type}${whole}${reduce}${hedge}`,
      tone: order.side === 'BUY' ? 'buy' : 'sell',
    },
  ];
  if (order.price !== undefined) rows.push({ name: 'price', value: exact(order.price) });
  if (order.stopPrice !== undefined)
    rows.push({ name: 'stop price', value: `${exact(order.stopPrice)} by the mark price` });
  if (order.trailingDelta !== undefined) rows.push(...trailRows(state, order, check));
  if (stop && position && afterLiquidation(position, order.stopPrice)) {
    const value = `the liquidation price ${rounded(position.liquidationPrice, instrumentOf(state.instruments, position)?.tickSize)} is reached first`;
    rows.push({ name: 'too late', value, tone: 'danger' });
  }
  // The fill price of a trailing stop is not known yet.
  const figures = orderMoney(state, order, check);
  rows.push(...figures.filter(({ name }) => order.trailingDelta === undefined || name !== 'distance'));
  for (const { field, message } of check.problems) rows.push({ name: field, value: message, tone: 'warn' });
  const kind = kindOf(order);
  const { title, verb } = WORDS[kind];
  return question(state, {
    title,
    rows,
    next: nextOf(kind, position, order, check),
    keep: kind === 'stop' || kind === 'trail' ? 'Go back' : 'Keep it',
    verb,
    action:
      kind === 'reverse'
        ? { type: 'reverse', order, amount: position?.amount ?? '' }
        : { type: 'place', order },
  });
}

/** Largest number of positions named in a row of the question. */
const NAMED = 6;

/** The question to close all marked positions, each whole and at market. */
export function confirmCloseMarked(state: DeskState, positions: readonly PositionRow[]): ConfirmDialog {
  const { pnl, margin } = positionTotals(positions);
  const value = positions.reduce((sum, one) => sum + (read(notionalOf(one)) ?? ZERO), ZERO);
  const accounts = [...new Set(positions.map(({ exchange }) => exchange))];
  const names = positions.map(
    (one) => `${isLong(one) ? 'LONG' : 'SHORT'} ${exact(sizeOf(one))} ${one.symbol}`,
  );
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  const what = counted(positions.length, 'position');
  const asked = question(state, {
    title: `Close ${what} at market`,
    rows: [
      { name: accounts.length === 1 ? 'account' : 'accounts', value: accounts.join(', ') },
      { name: 'positions', value: `${names.slice(0, NAMED).join(', ')}${more}` },
      { name: 'PnL now', value: signed(pnl, 2) },
      { name: 'notional', value: `${group(fixed(value, 2))} at the mark prices` },
      { name: 'margin', value: `${group(fixed(margin, 2))} comes free` },
    ],
    next: 'Each is closed whole, at once, at the price of then. What rests only to close it is cancelled by the exchange. The result of each is shown.',
    keep: positions.length === 1 ? 'Keep it' : 'Keep them',
    verb: `close ${what}`,
    word: `close ${positions.length}`,
    action: { type: 'close-marked', positions: positions.map((one) => ({ id: one.id, long: isLong(one) })) },
  });
  return { ...asked, mode: modeOf(state, accounts) };
}

type Kind = 'close' | 'part' | 'limit' | 'stop' | 'trail' | 'reverse';

const WORDS: Readonly<Record<Kind, { readonly title: string; readonly verb: string }>> = {
  close: { title: 'Close at market', verb: 'close this position' },
  part: { title: 'Close a part at market', verb: 'close this part' },
  limit: { title: 'Close by limit', verb: 'close this position' },
  stop: { title: 'Protective stop', verb: 'place this stop' },
  trail: { title: 'Trailing stop', verb: 'place this stop' },
  reverse: { title: 'Reverse position', verb: 'reverse this position' },
};

function kindOf({ type, closePosition, reduceOnly, positionSide, trailingDelta }: CreateOrder): Kind {
  if (type === 'STOP_MARKET') return trailingDelta === undefined ? 'stop' : 'trail';
  if (type !== 'MARKET') return 'limit';
  if (closePosition) return 'close';
  return reduceOnly || positionSide ? 'part' : 'reverse';
}

/** What happens once the order is placed, and to the rest of the position and its orders. */
function nextOf(
  kind: Kind,
  position: PositionRow | undefined,
  order: CreateOrder,
  check: TicketCheck,
): string {
  const covered = position !== undefined && coverOf(position).cover !== 'NO';
  switch (kind) {
    case 'close':
      return 'The whole position is closed at once at the current price; the exchange then cancels what rests only to close it.';
    case 'part': {
      const left = position && read(sizeOf(position)) !== null ? leftOf(position, order) : null;
      const rest = left === null ? '' : ` ${left} ${order.symbol} stays open.`;
      return `That part is closed at once at the current price.${rest} Stops that rest stay as they are.`;
    }
    case 'reverse':
      return `It is closed at once at the current price, and as much opened on the other side, which has no stop then.${covered ? ' The exchange cancels what rests only to close it.' : ''}`;
    case 'limit':
      return check.next;
    default:
      return `${check.next}${covered ? ' Stops that rest already stay.' : ''}`;
  }
}

function leftOf(position: PositionRow, { quantity = '0' }: CreateOrder): string {
  return exact(str((read(sizeOf(position)) ?? ZERO) - (read(quantity) ?? ZERO)));
}

/** How far a trailing stop follows, and where it would fire now. */
function trailRows(state: DeskState, order: CreateOrder, check: TicketCheck): InfoRow[] {
  const { trailingDelta = 0, side } = order;
  const last = read(check.last);
  const tick = instrumentOf(state.instruments, order)?.tickSize;
  const by = mul(last ?? ZERO, div(decOfInt(trailingDelta), decOfInt(10_000)));
  const level = last === null ? null : str(side === 'SELL' ? last - by : last + by);
  return [
    { name: 'trails by', value: `${trailingDelta / 100} % of the best price` },
    { name: 'fires at', value: `${rounded(level, tick)} as the price is now` },
  ];
}

/** Whether the stop would trigger only beyond the liquidation price: it protects nothing. */
function afterLiquidation(position: PositionRow, stopPrice: string | undefined): boolean {
  const stop = read(stopPrice);
  const end = read(position.liquidationPrice);
  if (stop === null || end === null) return false;
  return isLong(position) ? stop <= end : stop >= end;
}

export interface SettingWords {
  readonly title: string;
  /** Name and value of the current setting. */
  readonly now: readonly [string, string];
  readonly wanted: string;
  readonly next: string;
  readonly done: string;
}

export function confirmSetting(
  state: DeskState,
  exchange: string,
  setting: Setting,
  words: SettingWords,
  position: PositionRow | undefined,
): ConfirmDialog {
  const rows: InfoRow[] = [
    { name: 'account', value: exchange },
    { name: 'symbol', value: 'symbol' in setting ? setting.symbol : 'all of the account' },
    { name: words.now[0], value: `${words.now[1]} → ${words.wanted}`, tone: 'warn' },
  ];
  if (position) {
    rows.push(...positionRows(position).slice(1), {
      name: 'notional',
      value: `${exact(notionalOf(position))} at the mark price`,
    });
  }
  rows.push({ name: 'fee', value: 'none' });
  return question(state, {
    title: words.title,
    rows,
    next: words.next,
    verb: `change the ${words.title.toLowerCase()}`,
    action: { type: 'futures', exchange, setting, done: words.done },
  });
}
