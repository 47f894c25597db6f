/**
 * The parts of the Overview: which of them fit, how many rows each has, and its rows that can be selected.
 * Urgent parts come first and are dropped last; the log fills the rest. Pure.
 */

import type { DeskState } from '../../desk/console/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import type { LogLine } from '../../domain/rows.ts';
import { newestAlerts, unseen } from '../alerts/alert-list.ts';
import { overviewBots } from '../bots/bot-overview.ts';
import { type Modes, modeBefore } from '../dialogs/mode.ts';
import { orderRows } from '../orders/order-list.ts';
import type { Selection } from '../state/ui.ts';
import { isOpen, orderFacts } from '../trading/orders.ts';
import {
  type Cover,
  coverOf,
  isLong,
  openPositions,
  type PositionRow,
  sizeOf,
} from '../trading/positions.ts';
import { asRow, watchedPrices } from '../trading/watch.ts';
import { ALL_SYMBOLS, type Watchlists } from '../trading/watchlists.ts';
import { exact, percent, read, signed } from '../ui/format.ts';
import { cell, type Line, span } from '../ui/line.ts';

export type OverviewPart =
  | 'equity'
  | 'links'
  | 'unresolved'
  | 'positions'
  | 'watch'
  | 'orders'
  | 'bots'
  | 'alerts'
  | 'log';

/** Rows of the summary: equity, orders, feed and links. */
export const SUMMARY_ROWS = 5;
/** From this terminal width on there are two columns. */
export const WIDE = 150;

export interface PartBox {
  readonly part: OverviewPart;
  readonly height: number;
}

export interface OverviewLayout {
  readonly wide: boolean;
  /** Rows of the equity curve under the summary, beside the lists; 0: no curve. */
  readonly curve: number;
  readonly main: readonly PartBox[];
  /** The second column of a wide screen. */
  readonly side: readonly PartBox[];
  readonly mainWidth: number;
  readonly sideWidth: number;
}

/** Number of rows of each part; the layout depends on nothing else. */
export interface OverviewCounts {
  readonly unresolved: number;
  readonly bare: number;
  readonly symbols: number;
  readonly open: number;
  readonly bots: number;
  /** Number of bots that have a row. */
  readonly running: number;
  readonly alerts: number;
  readonly unseen: number;
}

export function overviewCounts(state: DeskState, watchlists: Watchlists = ALL_SYMBOLS): OverviewCounts {
  const { open, unresolved } = orderFacts(state.orders);
  return {
    unresolved: unresolved.length,
    bare: unprotectedPositions(state).length,
    symbols: watchedPrices(state, watchlists).length,
    open: open.length,
    bots: Object.keys(state.bots).length,
    running: overviewBots(state.bots).length,
    alerts: state.alerts.length,
    unseen: unseen(state.alerts),
  };
}

// --- rows ---

export function unresolvedOrders(orders: DeskState['orders']): readonly OrderView[] {
  return orderFacts(orders).unresolved.toSorted(
    (a, b) => (a.unresolved?.settlesAt ?? 0) - (b.unresolved?.settlesAt ?? 0),
  );
}

export function openOrders(orders: DeskState['orders']): readonly OrderView[] {
  return orderRows(orders, { filter: '', sort: 'time', reverse: false, closed: null }).filter(isOpen);
}

/** Positions without any stop first, then those whose stops do not cover all. */
export function unprotectedPositions(state: Pick<DeskState, 'futures'>): readonly PositionRow[] {
  const rank = { NO: 0, desk: 1, part: 2, yes: 3 };
  return openPositions(state)
    .filter((row) => coverOf(row).cover !== 'yes')
    .sort((a, b) => rank[coverOf(a).cover] - rank[coverOf(b).cover]);
}

/** A line of the log as a row that can be selected. */
export interface LogRow {
  readonly id: string;
  readonly line: LogLine;
}

/**
 * The log, newest first, since its selection begins there. Equal lines of the same moment are numbered in
 * order of arrival.
 */
export function logRows(log: readonly LogLine[]): readonly LogRow[] {
  const seen = new Map<string, number>();
  const rows = log.map((line): LogRow => {
    const { at, source, text } = line;
    const name = `${at} ${source} ${text}`;
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return { id: number === 1 ? name : `${name} #${number}`, line };
  });
  return rows.reverse();
}

/** The rows of a part that can be selected, by id; a part without rows is selected as a whole. */
export function partRows(
  state: DeskState,
  part: OverviewPart,
  watchlists: Watchlists = ALL_SYMBOLS,
): readonly { readonly id: string }[] {
  switch (part) {
    case 'watch':
      return watchedPrices(state, watchlists).map(asRow);
    case 'orders':
      return openOrders(state.orders);
    case 'bots':
      return overviewBots(state.bots);
    case 'positions':
      return unprotectedPositions(state);
    case 'unresolved':
      return unresolvedOrders(state.orders);
    case 'alerts':
      return newestAlerts(state);
    case 'links':
      return state.accounts;
    case 'log':
      return logRows(state.log);
    case 'equity':
      return [];
  }
}

// --- room ---

/** With at least this many spare rows a single column shows the open orders, too. */
const ORDERS_FROM = 6;

interface Wish {
  readonly part: OverviewPart;
  /** With fewer rows the part is left out; its title and its head lines count as rows. */
  readonly least: number;
  readonly most: number;
}

/**
 * Gives each part its least rows in turn, then up to its most, and what is left to the first filler present.
 */
function allot(wishes: readonly Wish[], rows: number): readonly PartBox[] {
  const given = new Map<OverviewPart, number>();
  let left = rows;
  for (const { part, least } of wishes) {
    if (least > left) continue;
    given.set(part, least);
    left -= least;
  }
  for (const { part, most } of wishes) {
    const now = given.get(part);
    if (now === undefined) continue;
    const more = Math.min(left, Math.max(0, most - now));
    given.set(part, now + more);
    left -= more;
  }
  const filler = FILLERS.find((part) => given.has(part));
  if (filler && left > 0) given.set(filler, (given.get(filler) ?? 0) + left);
  return ORDER.flatMap((part) => {
    const height = given.get(part);
    return height === undefined ? [] : [{ part, height }];
  });
}

/** The parts from top to bottom. */
const ORDER: readonly OverviewPart[] = [
  'unresolved',
  'positions',
  'watch',
  'orders',
  'bots',
  'alerts',
  'log',
];
const FILLERS: readonly OverviewPart[] = ['log', 'orders', 'watch', 'alerts', 'bots'];

/** A title and at most `most` rows; no part without rows. */
function listed(part: OverviewPart, count: number, most: number, heads = 1): Wish[] {
  if (count === 0) return [];
  return [{ part, least: heads + 1, most: heads + Math.min(count, most) }];
}

/** Divides the screen. `width` and `height`: those of the screen without its frame. */
export function overviewLayout(counts: OverviewCounts, width: number, height: number): OverviewLayout {
  const wide = width >= WIDE;
  const rows = Math.max(0, height - SUMMARY_ROWS);
  const unresolved = listed('unresolved', counts.unresolved, wide ? 10 : 3);
  const bare = listed('positions', counts.bare, wide ? 8 : 3);
  const watch: Wish = { part: 'watch', least: 5, most: 2 + Math.max(1, counts.symbols) };
  const bots = botWish(counts, wide ? 12 : 5);
  const alerts = listed('alerts', wide ? counts.alerts : counts.unseen, wide ? 6 : 3);
  const orders = listed('orders', counts.open, 40, 3);
  const log: Wish = { part: 'log', least: 3, most: 5 };
  if (!wide) {
    const others = [...unresolved, ...bare, ...bots, ...alerts, watch, log];
    const spare = rows - others.reduce((sum, { most }) => sum + most, 0);
    const main = allot(spare < ORDERS_FROM ? others : [...others, ...orders], rows);
    return { wide, curve: 0, main, side: [], mainWidth: width, sideWidth: 0 };
  }
  const sideWidth = Math.floor(width * 0.4);
  const curve = rows >= 30 ? 8 : 0;
  return {
    wide,
    curve,
    main: allot([watch, ...orders], rows),
    side: allot([...unresolved, ...bare, ...bots, ...alerts, log], rows - curve),
    mainWidth: width - sideWidth - 2,
    sideWidth,
  };
}

/** The part of the bots; it has a line of sums also when none runs. */
function botWish({ bots, running }: OverviewCounts, most: number): Wish[] {
  if (bots === 0) return [];
  return [{ part: 'bots', least: Math.min(2, 1 + running), most: 1 + Math.min(running, most) }];
}

/** The parts that can have the focus, in the order of the keys. */
export function focusable({ main, side }: OverviewLayout): readonly OverviewPart[] {
  return ['equity', 'links', ...main.map(({ part }) => part), ...side.map(({ part }) => part)];
}

/** The part with the focus: the watchlist where the chosen part is not shown any more. */
export function focusedPart(chosen: OverviewPart, layout: OverviewLayout): OverviewPart {
  const parts = focusable(layout);
  return parts.includes(chosen) ? chosen : 'watch';
}

// --- lines ---

const COVER_WORDS: { readonly [cover in Cover]?: string } = { NO: 'no stop', desk: 'stop by this desk only' };

/** The line of one position without enough protection. */
export function unprotectedLine(row: PositionRow, modes: Modes = null): Line {
  const { cover, percent: covered } = coverOf(row);
  const long = isLong(row);
  const pnl = read(row.unrealizedProfit);
  return [
    span('  ! ', cover === 'NO' ? 'danger' : 'warn', { bold: true }),
    ...modeBefore(modes, row.exchange),
    cell(row.symbol, SYMBOL, 'left'),
    span(' '),
    span((long ? 'LONG' : 'SHORT').padEnd(6), long ? 'buy' : 'sell'),
    span(`${exact(sizeOf(row))}  `),
    span(COVER_WORDS[cover] ?? `stop covers ${covered}`, cover === 'NO' ? 'danger' : 'warn'),
    span('  PnL ', 'muted'),
    span(
      pnl === null ? '–' : signed(pnl, 2),
      pnl === null || pnl === 0n ? 'muted' : pnl > 0n ? 'up' : 'down',
    ),
    span('  liq ', 'muted'),
    span(percent(read(row.liquidationDistance))),
  ];
}

/** A line with the cursor on it: the cursor sign replaces its first blank. */
export function withCursor(line: Line): Line {
  const [first, ...rest] = line;
  if (!first?.text.startsWith(' ')) return [span('▸', 'focus'), ...line];
  return [span('▸', 'focus'), { ...first, text: first.text.slice(1) }, ...rest];
}

/** State of the Overview at a terminal. */
export interface OverviewView {
  /** The part chosen for the focus; it has it while it is shown. */
  readonly part: OverviewPart;
  /** Whether somebody has moved the cursor of the watchlist, so that its symbol counts as the one in view. */
  readonly looksAt: boolean;
  /** Selections of all parts other than the watchlist. */
  readonly selections: Readonly<Partial<Record<OverviewPart, Selection>>>;
}

export const FIRST_OVERVIEW: OverviewView = { part: 'watch', looksAt: false, selections: {} };

declare module '../state/ui.ts' {
  interface Screens {
    readonly overview: true;
  }
  interface Slices {
    readonly overview: OverviewView;
  }
}

/** Width of a symbol in the urgent lines, in cells. */
export const SYMBOL = 12;
