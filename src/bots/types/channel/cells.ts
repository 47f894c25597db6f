/**
 * CHANNEL GRID and LEVELS: cells that buy at one price and sell at another, again and again (strategies.md
 * 4). Pure.
 */
import { ceilTo, type Dec, div, floorTo, mul, ONE, str } from '../../../domain/decimal.ts';
import { entryProblem, quantityProblem } from '../../run/minimum.ts';
import { limitPrice } from '../../run/sending.ts';
import type { MarketRules, Problem } from '../../settings/compiled.ts';
import type { EntryPart, RunOrder, StrategyRun } from '../../strategy.ts';
import { endsBeyond } from './bounds.ts';
import type { ChannelSettings } from './settings.ts';

const HUNDRED = 100n * ONE;

export interface Cell {
  low: Dec;
  high: Dec;
  /** Key of the lot that it buys, or has bought; empty before the first. */
  lot: string;
  /** True when the price has been beyond its entry since the cell became free. */
  ready: boolean;
  /** Notional of the resting entry; null without one. */
  budget: Dec | null;
}

export interface CellsState {
  readonly cells: Cell[];
  /** Bounds of the grid; they move with it. */
  low: Dec;
  high: Dec;
  bought: number;
}

export type ChannelRun = StrategyRun<ChannelSettings, unknown>;

export function cellsProblems(
  settings: ChannelSettings,
  rules: MarketRules,
  budget: Dec,
  price: Dec | null,
): Problem[] {
  return settings.cells.flatMap((cell, i) => {
    const part = shareOf(settings, i, budget);
    const label = labelOf(cell, rules);
    const entry = settings.short ? cell.high : cell.low;
    const now = settings.startBuy && price !== null && !isBeyond(settings, entry, price);
    const problem = now
      ? quantityProblem(label, quantityOf(part, placedAt(settings, cell, rules), rules), price, rules)
      : entryProblem(label, part, entry, rules, settings.buy?.size);
    return problem ? [problem] : [];
  });
}

export function newCells(settings: ChannelSettings): CellsState {
  const cells = settings.cells.map(({ low, high }) => ({ low, high, lot: '', ready: false, budget: null }));
  const lows = settings.cells.map(({ low }) => low);
  const highs = settings.cells.map(({ high }) => high);
  return {
    cells,
    low: lows.reduce((a, b) => (a < b ? a : b)),
    high: highs.reduce((a, b) => (a > b ? a : b)),
    bought: 0,
  };
}

/**
 * Begins the run: entries of cells that the price is beyond rest, the others wait or, with `startBuy`, are
 * bought at once.
 */
export function beginCells(run: ChannelRun, state: CellsState): void {
  for (const cell of state.cells) cell.ready = beyond(run, cell);
  if (run.settings.startBuy) buyAtStart(run, state);
  if (run.settings.timeFrame === null) placeCells(run, state);
}

export function placeCells(run: ChannelRun, state: CellsState): void {
  for (const i of order(run.settings, state)) {
    const cell = state.cells[i] as Cell;
    if (run.lots.get(cell.lot) || !cell.ready || cell.budget !== null) continue;
    cell.budget = budgetOf(run, i);
    cell.lot = newLot(state, i);
    run.want(entrySlot(i), {
      role: 'entry',
      type: 'LIMIT',
      price: entryOf(run.settings, cell),
      stopPrice: null,
      parts: [{ lot: cell.lot, label: labelOf(cell, run.rules), budget: cell.budget, qty: null }],
    });
  }
}

/** Handles a price: cells that it has passed may enter, a grid with `trailUp` follows, the run may end. */
export function onCellsPrice(run: ChannelRun, state: CellsState, closes: boolean): void {
  const { settings } = run;
  if (endsBeyond(run)) return;
  if (settings.timeFrame !== null && !closes) return;
  if (settings.trailUp) trailUp(run, state);
  let changed = closes;
  for (const cell of state.cells) {
    // With a time frame, the last price decides again at each close (R6).
    if (closes && cell.budget === null) cell.ready = false;
    if (cell.ready || !beyond(run, cell)) continue;
    cell.ready = true;
    changed = true;
  }
  if (!changed) return;
  run.changed = true;
  placeCells(run, state);
}

/**
 * Handles the gate. When entries may go on, a cell that the price has reached meanwhile waits until the price
 * has been beyond it again (R6).
 */
export function onCellsGate(run: ChannelRun, state: CellsState, open: boolean): void {
  if (!open) return;
  const waits = run.settings.timeFrame !== null;
  const atStart = run.slots.get('start')?.want?.role === 'entry';
  for (const [i, cell] of state.cells.entries()) {
    if (atStart && cell.budget !== null && !rests(run, i)) continue;
    if (!waits && beyond(run, cell)) {
      if (cell.budget === null) cell.ready = true;
      continue;
    }
    run.want(entrySlot(i), null);
    // The bought part will be sold; the rest is not bought any more.
    if (run.lots.get(cell.lot)) continue;
    cell.lot = '';
    cell.budget = null;
    cell.ready = false;
  }
  if (!waits) placeCells(run, state);
}

export function onCellFill(run: ChannelRun, state: CellsState, order: RunOrder): void {
  run.changed = true;
  if (order.role === 'entry') {
    for (const { lot } of order.into) {
      adopt(run, state, lot);
      placeExit(run, state, lot);
    }
    return;
  }
  freeSold(run, state, true);
}

/**
 * Takes over the lot of a withdrawn entry that has filled before its cancel: its cell, wherever it is now,
 * sells the lot before it buys again.
 */
function adopt(run: ChannelRun, state: CellsState, lot: string): void {
  const i = Number(lot.split(' ')[0]);
  const cell = state.cells[i];
  if (!cell || cell.lot === lot || run.lots.get(cell.lot) || !run.lots.get(lot)) return;
  run.want(entrySlot(i), null);
  cell.lot = lot;
  cell.budget = null;
}

/** Frees cells whose lots are gone. `cycle`: they were sold at their target, which completes a cycle. */
export function freeSold(run: ChannelRun, state: CellsState, cycle: boolean): void {
  for (const [i, cell] of state.cells.entries()) {
    if (cell.lot === '' || run.lots.get(cell.lot) || rests(run, i)) continue;
    cell.lot = '';
    cell.budget = null;
    // With a time frame, entries wait for a close, where the last price decides.
    cell.ready = run.settings.timeFrame === null && beyond(run, cell);
    if (!cycle) continue;
    run.cycle();
    if (run.settings.onetime) {
      run.end('completed');
      return;
    }
  }
  if (run.settings.timeFrame === null) placeCells(run, state);
}

export function cellsLabel(run: ChannelRun, state: CellsState): string {
  if (run.lots.open.length > 0) return 'holding';
  if (state.cells.some((_cell, i) => rests(run, i))) return 'working';
  return run.price > state.high || run.price < state.low ? 'out_of_range' : 'waiting';
}

/** Prices at which a tick can have an effect. */
export function cellsQuiet(run: ChannelRun, state: CellsState) {
  const { settings } = run;
  let below = settings.stopBelow;
  let above = settings.stopAbove;
  const lower = (at: Dec) => {
    below = below === null || at > below ? at : below;
  };
  const upper = (at: Dec) => {
    above = above === null || at < above ? at : above;
  };
  if (settings.timeFrame !== null) return { below, above };
  if (settings.trailUp && run.lots.open.length === 0) {
    if (settings.short) lower(state.low);
    else upper(state.high);
  }
  for (const cell of state.cells) {
    if (cell.ready) continue;
    if (settings.short) lower(cell.high);
    else upper(cell.low);
  }
  return { below, above };
}

function buyAtStart(run: ChannelRun, state: CellsState): void {
  const parts: EntryPart[] = [];
  for (const [i, cell] of state.cells.entries()) {
    if (cell.ready) continue;
    cell.ready = true;
    cell.budget = budgetOf(run, i);
    cell.lot = newLot(state, i);
    const qty = quantityOf(cell.budget, placedAt(run.settings, cell, run.rules), run.rules);
    parts.push({ lot: cell.lot, label: labelOf(cell, run.rules), budget: null, qty });
  }
  if (parts.length === 0) return;
  run.want('start', { role: 'entry', type: 'MARKET', price: null, stopPrice: null, parts });
}

function placeExit(run: ChannelRun, state: CellsState, lot: string): void {
  const cell = state.cells.find((one) => one.lot === lot);
  if (!cell || !run.lots.get(lot)) return;
  const { settings } = run;
  const trails = settings.sell?.priceStrategy === 'trailing';
  run.want(`exit ${lot}`, {
    role: 'exit',
    type: 'LIMIT',
    price: settings.short ? cell.low : cell.high,
    stopPrice: null,
    lots: [lot],
    qty: null,
    label: labelOf(cell, run.rules),
    trail: trails ? div((cell.high - cell.low) * 25n, cell.low) : null,
  });
}

/** Moves the whole grid up by whole cells until the price is inside (short: down). */
function trailUp(run: ChannelRun, state: CellsState): void {
  const { settings, price } = run;
  const { grid, short } = settings;
  if (!grid || run.lots.open.length > 0) return;
  const outside = () => (short ? price < state.low : price > state.high);
  if (!outside()) return;
  for (const [i, cell] of state.cells.entries()) {
    run.want(entrySlot(i), null);
    cell.budget = null;
    cell.lot = '';
  }
  while (outside()) shift(state, grid.spacing === 'geometric', short);
  for (const cell of state.cells) cell.ready = beyond(run, cell);
  run.changed = true;
  placeCells(run, state);
}

/** Moves every level to the place of its neighbour; the outermost is computed from the spacing. */
function shift(state: CellsState, geometric: boolean, down: boolean): void {
  const { cells } = state;
  const levels = [(cells[0] as Cell).low, ...cells.map(({ high }) => high)];
  if (down) {
    const [first, second] = levels as [Dec, Dec];
    levels.unshift(geometric ? div(mul(first, first), second) : first - (second - first));
    levels.pop();
  } else {
    const last = levels.at(-1) as Dec;
    const before = levels.at(-2) as Dec;
    levels.push(geometric ? div(mul(last, last), before) : last + (last - before));
    levels.shift();
  }
  for (const [i, cell] of cells.entries()) {
    cell.low = levels[i] as Dec;
    cell.high = levels[i + 1] as Dec;
  }
  state.low = levels[0] as Dec;
  state.high = levels.at(-1) as Dec;
}

function budgetOf(run: ChannelRun, i: number): Dec {
  return run.notional(shareOf(run.settings, i, run.cycleBudget()));
}

function shareOf(settings: ChannelSettings, i: number, budget: Dec): Dec {
  const share = settings.cells[i]?.share ?? null;
  return share === null ? budget / BigInt(settings.cells.length) : div(mul(budget, share), HUNDRED);
}

function quantityOf(budget: Dec, price: Dec, rules: MarketRules): Dec {
  const quantity = div(budget, price);
  return quantity - (quantity % rules.step);
}

function beyond(run: ChannelRun, cell: Cell): boolean {
  return isBeyond(run.settings, entryOf(run.settings, cell), run.price);
}

function isBeyond({ short }: ChannelSettings, entry: Dec, price: Dec): boolean {
  return short ? price < entry : price > entry;
}

function entryOf({ short }: ChannelSettings, { low, high }: Cell): Dec {
  return short ? high : low;
}

/** Entry price, rounded like a resting entry (R5). */
function placedAt(settings: ChannelSettings, cell: Pick<Cell, 'low' | 'high'>, { tick }: MarketRules): Dec {
  return limitPrice(settings.short ? cell.high : cell.low, settings.short ? 'SELL' : 'BUY', tick);
}

/** Indices of the cells, nearest to the price first. */
function order({ short }: ChannelSettings, { cells }: CellsState): number[] {
  const indices = cells.map((_cell, i) => i);
  const at = (i: number) => (cells[i] as Cell).low;
  return indices.sort((a, b) => (at(a) > at(b) === short ? 1 : -1));
}

function rests(run: ChannelRun, i: number): boolean {
  const slot = run.slots.get(entrySlot(i));
  return slot !== undefined && (slot.want !== null || slot.orders.length > 0);
}

function entrySlot(i: number): string {
  return `entry ${i}`;
}

/** Label with the rounded prices of its orders: computed levels have too many decimal places to read. */
function labelOf({ low, high }: Pick<Cell, 'low' | 'high'>, { tick }: MarketRules): string {
  return `cell ${str(floorTo(low, tick))}-${str(ceilTo(high, tick))}`;
}

function newLot(state: CellsState, i: number): string {
  state.bought++;
  return `${i} ${state.bought}`;
}
