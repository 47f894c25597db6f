/**
 * Positions of all futures accounts as the console counts and names them: side, size, cover, totals, closing
 * orders. Pure.
 */
import type { DeskState, PositionView } from '../../desk/console/protocol.ts';
import { type Dec, mul, str, ZERO } from '../../domain/decimal.ts';
import type { OrderView } from '../../domain/order.ts';
import type { CreateOrder, Side } from '../../schemas/order.ts';
import { memoizeLast } from '../lists/rows.ts';
import { filledPercent, read } from '../ui/format.ts';
import { isOpen } from './orders.ts';

/** A position as a table row; `id` is used by selections. */
export interface PositionRow extends PositionView {
  readonly id: string;
}

const lastOpen = memoizeLast<readonly PositionRow[]>();

/** All open positions, account by account. */
export function openPositions({ futures }: Pick<DeskState, 'futures'>): readonly PositionRow[] {
  return lastOpen([futures], () =>
    Object.values(futures).flatMap(({ positions }) =>
      positions.filter(({ amount }) => read(amount) !== ZERO).map((view) => ({ ...view, id: view.key })),
    ),
  );
}

export function isLong({ side, amount }: Pick<PositionView, 'side' | 'amount'>): boolean {
  return side === 'BOTH' ? !amount.startsWith('-') : side === 'LONG';
}

/** The side of an order that closes the position. */
export function closingSide(position: Pick<PositionView, 'side' | 'amount'>): Side {
  return isLong(position) ? 'SELL' : 'BUY';
}

/** The position that an order would close; undefined where there is none. */
export function closedBy(
  state: Pick<DeskState, 'futures'>,
  { exchange, symbol, side, positionSide = 'BOTH' }: CreateOrder,
): PositionRow | undefined {
  return openPositions(state).find(
    (row) =>
      row.exchange === exchange &&
      row.symbol === symbol &&
      row.side === positionSide &&
      closingSide(row) === side,
  );
}

/** Size in base units, without a sign. */
export function sizeOf({ amount }: Pick<PositionView, 'amount'>): string {
  return amount.replace(/^-/, '');
}

/** Notional at the mark price, in the quote asset. */
export function notionalOf(position: Pick<PositionView, 'amount' | 'markPrice'>): string | null {
  const size = read(sizeOf(position));
  const mark = read(position.markPrice);
  return size === null || mark === null ? null : str(mul(size, mark));
}

/**
 * Who protects a position. `yes` and `part`: stops that rest at the exchange; `desk`: only stops that this
 * desk holds.
 */
export type Cover = 'yes' | 'part' | 'desk' | 'NO';

/** How much of a position stops would close. `percent` is rounded down: 100 only when all of it. */
export function coverOf(position: Pick<PositionView, 'amount' | 'protectedQty' | 'heldQty'>): {
  cover: Cover;
  percent: string;
} {
  const size = sizeOf(position);
  const covered = read(position.protectedQty) ?? ZERO;
  const all = read(size);
  const held = read(position.heldQty ?? '0') ?? ZERO;
  if (covered === ZERO && held > ZERO)
    return { cover: 'desk', percent: filledPercent(position.heldQty ?? '0', size) };
  const cover = covered === ZERO ? 'NO' : all !== null && covered >= all ? 'yes' : 'part';
  return { cover, percent: filledPercent(position.protectedQty, size) };
}

export interface PositionTotals {
  readonly count: number;
  readonly pnl: Dec;
  readonly margin: Dec;
  /** Number of positions without any stop; `part`: with stops for a part only. */
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

/** Open orders that would close some of the position: stops and take-profits first, the oldest first. */
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
