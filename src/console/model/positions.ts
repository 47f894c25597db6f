/** Positions of all futures accounts as the console counts, lists and names them: side, size, cover, totals, what reduces them. Pure. */

import type { DeskState, PositionView } from '../../desk/console/protocol.ts';
import { type Dec, mul, str, ZERO } from '../../domain/decimal.ts';
import type { OrderView } from '../../domain/order.ts';
import type { LeverageBracket } from '../../domain/position.ts';
import type { CreateOrder, Side } from '../../schemas/order.ts';
import { filledPercent, read, rounded } from '../format.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { isOpen } from '../trading/orders.ts';
import { ticksOf } from './instruments.ts';
import {
  byText,
  CLOSED_PANE,
  falling,
  type ListRules,
  type ListView,
  lastAnswer,
  listed,
  newList,
  type PaneView,
} from './rows.ts';

/** A position as a table row: selections go by `id`. */
export interface PositionRow extends PositionView {
  readonly id: string;
}

export const POSITION_SORTS = ['account', 'symbol', 'size', 'PnL', 'margin', 'liquidation'] as const;
export type PositionSort = (typeof POSITION_SORTS)[number];

/** What a terminal looks at on the Positions screen. */
export interface PositionsView extends ListView<PositionSort>, PaneView {
  /** Brackets of the symbols looked at, by `account symbol`. */
  readonly brackets: Readonly<Record<string, readonly LeverageBracket[]>>;
}

export const FIRST_POSITIONS: PositionsView = {
  ...newList<PositionSort>('account'),
  ...CLOSED_PANE,
  brackets: {},
};

const lastOpen = lastAnswer<readonly PositionRow[]>();
const lastShown = lastAnswer<readonly PositionRow[]>();

/** All open positions, account by account. */
export function openPositions({ futures }: Pick<DeskState, 'futures'>): readonly PositionRow[] {
  return lastOpen([futures], () =>
    Object.values(futures).flatMap(({ positions }) =>
      positions.filter(({ amount }) => read(amount) !== ZERO).map((view) => ({ ...view, id: view.key })),
    ),
  );
}

/** Rows of the screen. */
export function shownPositions(
  state: Pick<DeskState, 'futures' | 'instruments'>,
  view: PositionsView,
): readonly PositionRow[] {
  const { futures, instruments } = state;
  return lastShown([futures, instruments, view.filter, view.sort, view.reverse], () => {
    const ticks = ticksOf(instruments);
    const prices = ({ exchange, symbol, entryPrice, markPrice, liquidationPrice }: PositionRow) =>
      [entryPrice, markPrice, liquidationPrice].map((price) =>
        rounded(price, ticks.get(`${exchange} ${symbol}`)),
      );
    return listed(openPositions(state), view, { ...RULES, prices });
  });
}

const RULES: ListRules<PositionRow, PositionSort> = {
  text: (row) => `${row.symbol} ${row.exchange} ${isLong(row) ? 'long' : 'short'} ${coverOf(row).cover}`,
  compare: {
    account: null,
    symbol: (a, b) => byText(a.symbol, b.symbol),
    size: (a, b) => falling(read(notionalOf(a)), read(notionalOf(b))),
    PnL: (a, b) => falling(read(a.unrealizedProfit), read(b.unrealizedProfit)),
    margin: (a, b) => falling(read(a.margin), read(b.margin)),
    // The nearest first.
    liquidation: (a, b) => falling(nearness(a), nearness(b)),
  },
};

/** Grows towards liquidation; null where there is none. */
function nearness({ liquidationDistance }: PositionRow): Dec | null {
  const distance = read(liquidationDistance);
  return distance === null || distance < ZERO ? distance : -distance;
}

export function isLong({ side, amount }: Pick<PositionView, 'side' | 'amount'>): boolean {
  return side === 'BOTH' ? !amount.startsWith('-') : side === 'LONG';
}

/** The side of an order that closes it. */
export function closingSide(position: Pick<PositionView, 'side' | 'amount'>): Side {
  return isLong(position) ? 'SELL' : 'BUY';
}

/** The position that an order would close, if it is there. */
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

/** Base size without a sign. */
export function sizeOf({ amount }: Pick<PositionView, 'amount'>): string {
  return amount.replace(/^-/, '');
}

/** At the mark price, in the quote asset. */
export function notionalOf(position: Pick<PositionView, 'amount' | 'markPrice'>): string | null {
  const size = read(sizeOf(position));
  const mark = read(position.markPrice);
  return size === null || mark === null ? null : str(mul(size, mark));
}

/** `yes` and `part`: by stops that rest at the exchange; `desk`: only by stops that this desk holds. */
export type Cover = 'yes' | 'part' | 'desk' | 'NO';

/** How much of it stops would close. `percent` is cut: 100 only when all of it. */
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

export function selectedPosition(
  state: Pick<DeskState, 'futures' | 'instruments'>,
  view: PositionsView,
): PositionRow | null {
  const rows = shownPositions(state, view);
  return rows[selectedIndex(rows, view.selection)] ?? null;
}

declare module '../state/ui.ts' {
  interface Screens {
    readonly positions: true;
  }
  interface Lists {
    readonly positions: PositionsView;
  }
}
