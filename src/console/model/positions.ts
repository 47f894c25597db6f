/** Positions of all futures accounts as the console counts and names them: side, size, cover, totals, what reduces them. Pure. */
import type { DeskState, PositionView } from '../../desk/protocol.ts';
import { type Dec, ZERO } from '../../domain/decimal.ts';
import type { OrderView } from '../../domain/order.ts';
import type { Side } from '../../schemas/order.ts';
import { filledPercent, read } from '../format.ts';
import { isOpen } from './order-list.ts';

/** A position as a table row: selections go by `id`. */
export interface PositionRow extends PositionView {
  readonly id: string;
}

let last: { futures: DeskState['futures']; rows: readonly PositionRow[] } | null = null;

/** All open positions, account by account; the last answer is kept because keys and frames ask for the same one. */
export function shownPositions({ futures }: Pick<DeskState, 'futures'>): readonly PositionRow[] {
  if (last?.futures === futures) return last.rows;
  const rows = Object.values(futures).flatMap(({ positions }) =>
    positions.filter(({ amount }) => read(amount) !== ZERO).map((view) => ({ ...view, id: view.key })),
  );
  last = { futures, rows };
  return rows;
}

export function isLong({ side, amount }: Pick<PositionView, 'side' | 'amount'>): boolean {
  return side === 'BOTH' ? !amount.startsWith('-') : side === 'LONG';
}

/** The side of an order that closes it. */
export function closingSide(position: Pick<PositionView, 'side' | 'amount'>): Side {
  return isLong(position) ? 'SELL' : 'BUY';
}

/** Base size without a sign. */
export function sizeOf({ amount }: Pick<PositionView, 'amount'>): string {
  return amount.replace(/^-/, '');
}

export type Cover = 'yes' | 'part' | 'NO';

/** How much of it resting stops would close. `percent` is cut: 100 only when all of it. */
export function coverOf(position: Pick<PositionView, 'amount' | 'protectedQty'>): {
  cover: Cover;
  percent: string;
} {
  const size = sizeOf(position);
  const covered = read(position.protectedQty) ?? ZERO;
  const all = read(size);
  const cover = covered === ZERO ? 'NO' : all !== null && covered >= all ? 'yes' : 'part';
  return { cover, percent: filledPercent(position.protectedQty, size) };
}

export interface PositionTotals {
  readonly count: number;
  readonly pnl: Dec;
  readonly margin: Dec;
  /** Without any stop, and with one for a part only. */
  readonly open: number;
  readonly part: number;
}

export function positionTotals(rows: readonly PositionView[]): PositionTotals {
  let pnl = ZERO;
  let margin = ZERO;
  for (const row of rows) {
    pnl += read(row.unrealizedProfit) ?? ZERO;
    margin += read(row.margin) ?? ZERO;
  }
  const covers = rows.map((row) => coverOf(row).cover);
  const count = (which: Cover): number => covers.filter((cover) => cover === which).length;
  return { count: rows.length, pnl, margin, open: count('NO'), part: count('part') };
}

/** Open orders that would close some of it: stops and take-profits first, then by price. */
export function closingOrders(
  position: PositionView,
  orders: Readonly<Record<string, OrderView>>,
): readonly OrderView[] {
  const side = closingSide(position);
  return Object.values(orders)
    .filter(
      (order) =>
        isOpen(order) &&
        order.exchange === position.exchange &&
        order.symbol === position.symbol &&
        order.side === side &&
        order.positionSide === position.side &&
        (order.reduceOnly || order.closePosition || position.side !== 'BOTH'),
    )
    .sort((a, b) => Number(b.stopPrice !== null) - Number(a.stopPrice !== null) || (a.id < b.id ? -1 : 1));
}
