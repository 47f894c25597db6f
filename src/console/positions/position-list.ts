/**
 * Positions of all futures accounts as the console counts, lists and names them: side, size, cover, totals,
 * closing orders. Pure.
 */

import type { DeskState } from '../../desk/console/protocol.ts';
import { type Dec, ZERO } from '../../domain/decimal.ts';
import type { LeverageBracket } from '../../domain/position.ts';
import { selectedIndex } from '../lists/cursor.ts';
import {
  byText,
  CLOSED_PANE,
  falling,
  type ListRules,
  type ListView,
  listed,
  memoizeLast,
  newList,
  type PaneView,
} from '../lists/rows.ts';
import { ticksOf } from '../trading/instruments.ts';
import type { PositionRow } from '../trading/positions.ts';
import { coverOf, isLong, notionalOf, openPositions } from '../trading/positions.ts';
import { read, rounded } from '../ui/format.ts';

export const POSITION_SORTS = ['account', 'symbol', 'size', 'PnL', 'margin', 'liquidation'] as const;
export type PositionSort = (typeof POSITION_SORTS)[number];

/** The state of the Positions screen at a terminal. */
export interface PositionsView extends ListView<PositionSort>, PaneView {
  /** Brackets of the symbols that were shown, by `account symbol`. */
  readonly brackets: Readonly<Record<string, readonly LeverageBracket[]>>;
}

export const FIRST_POSITIONS: PositionsView = {
  ...newList<PositionSort>('account'),
  ...CLOSED_PANE,
  brackets: {},
};

const lastShown = memoizeLast<readonly PositionRow[]>();

/** The rows of the screen. */
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
    // The nearest to liquidation first.
    liquidation: (a, b) => falling(nearness(a), nearness(b)),
  },
};

/** Grows towards liquidation; null where there is no liquidation price. */
function nearness({ liquidationDistance }: PositionRow): Dec | null {
  const distance = read(liquidationDistance);
  return distance === null || distance < ZERO ? distance : -distance;
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
