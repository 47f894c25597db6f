/**
 * `outcry orders` and `outcry positions`: the open orders and positions of the running desk, as a table or as
 * JSON, one per line. The fields of a line keep their names and meanings; new ones may be added
 * (docs/shell.md).
 */

import { isOpen, mainPrice } from '../console/trading/orders.ts';
import { openPositions } from '../console/trading/positions.ts';
import { dateTime, exact, MISSING, rounded, signed } from '../console/ui/format.ts';
import type { DeskState, PositionView } from '../desk/console/protocol.ts';
import { dec } from '../domain/decimal.ts';
import type { OrderView } from '../domain/order.ts';
import { type LookSettings, onState } from './desk-state.ts';
import { jsonLine } from './json-line.ts';
import { processShell, type Shell } from './light-desk.ts';
import { textTable } from './text-table.ts';
import { EXIT_OK } from './usage-error.ts';

export interface ListSettings extends LookSettings {
  /** Accounts; left out: all. */
  readonly exchange?: readonly string[];
  /** Symbols; left out: all. */
  readonly symbol?: readonly string[];
  readonly json?: boolean;
}

/** Returns the test whether an order or position is asked for. */
export function isAsked({ exchange, symbol }: ListSettings) {
  return (one: { readonly exchange: string; readonly symbol: string }): boolean =>
    (exchange?.includes(one.exchange) ?? true) && (symbol?.includes(one.symbol) ?? true);
}

/** Returns the open orders that are asked for, oldest first. */
export function openOrders(state: DeskState, settings: ListSettings): OrderView[] {
  return Object.values(state.orders)
    .filter(isOpen)
    .filter(isAsked(settings))
    .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

export async function orders(settings: ListSettings, shell: Shell = processShell()): Promise<number> {
  return onState(shell, settings, async (_, state) => {
    const found = openOrders(state, settings);
    if (settings.json) for (const order of found) shell.out(`${jsonLine(order)}\n`);
    else if (found.length === 0) shell.out('no open orders\n');
    else shell.out(orderTable(found));
    return EXIT_OK;
  });
}

export async function positions(settings: ListSettings, shell: Shell = processShell()): Promise<number> {
  return onState(shell, settings, async (_, state) => {
    const found = openPositions(state).filter(isAsked(settings));
    // The row's id is its key and is not printed again.
    if (settings.json) for (const { id: _id, ...position } of found) shell.out(`${jsonLine(position)}\n`);
    else if (found.length === 0) shell.out('no open positions\n');
    else shell.out(positionTable(state, found));
    return EXIT_OK;
  });
}

function orderTable(found: readonly OrderView[]): string {
  const head = ['symbol', 'side', 'type', 'price', 'quantity', 'filled', 'state', 'account', 'since', 'id'];
  const rows = found.map((order) => [
    order.symbol,
    order.side,
    order.type,
    exact(mainPrice(order)),
    exact(order.origQty),
    exact(order.executedQty),
    stateWords(order),
    order.exchange,
    `${dateTime(order.createdAt)}Z`,
    order.id,
  ]);
  return textTable(head, rows, ['price', 'quantity', 'filled']);
}

function stateWords({ status, unresolved, held, cancelPending, withoutStop }: OrderView): string {
  if (unresolved) return 'unknown outcome';
  if (withoutStop) return 'NO STOP';
  if (cancelPending) return 'cancel wanted';
  return held ? 'held here' : status;
}

function positionTable({ instruments }: DeskState, found: readonly PositionView[]): string {
  const head = ['symbol', 'side', 'size', 'entry', 'mark', 'PnL', 'liquidation', 'protected', 'account'];
  const rows = found.map((one) => {
    const tick = instruments.find(
      ({ exchange, symbol }) => exchange === one.exchange && symbol === one.symbol,
    )?.tickSize;
    const side = one.side === 'BOTH' ? (one.amount.startsWith('-') ? 'SHORT' : 'LONG') : one.side;
    return [
      one.symbol,
      side,
      exact(one.amount.replace(/^-/, '')),
      rounded(one.entryPrice, tick),
      rounded(one.markPrice, tick),
      signed(dec(one.unrealizedProfit), 2),
      one.liquidationPrice === null ? MISSING : rounded(one.liquidationPrice, tick),
      exact(one.protectedQty),
      one.exchange,
    ];
  });
  return textTable(head, rows, ['size', 'entry', 'mark', 'PnL', 'liquidation', 'protected']);
}
