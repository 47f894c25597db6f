/**
 * CHANNEL: horizontal channels in three flavors; GRID and LEVELS work in cells, SCALE averages in
 * (strategies.md 4). Pure.
 */
import type { Strategy, StrategyRun } from '../../strategy.ts';
import { endsBeyond } from './bounds.ts';
import {
  beginCells,
  type CellsState,
  cellsLabel,
  cellsProblems,
  cellsQuiet,
  freeSold,
  newCells,
  onCellFill,
  onCellsGate,
  onCellsPrice,
} from './cells.ts';
import {
  beginScale,
  closeCycle,
  newScale,
  onScaleFill,
  onScaleMoment,
  placeExit,
  type ScaleState,
  scaleLabel,
  scaleProblems,
} from './scale.ts';
import type { ChannelSettings } from './settings.ts';

/** State of the flavor: either `cells` or `scale` is set. */
export interface ChannelState {
  readonly cells: CellsState | null;
  readonly scale: ScaleState | null;
}

export const channelStrategy: Strategy<ChannelSettings, ChannelState> = {
  needsPrice: true,

  startProblems(settings, rules, budget, price) {
    const problems = settings.flavor === 'SCALE' ? scaleProblems : cellsProblems;
    return problems(settings, rules, budget, price);
  },

  begin(run) {
    const scales = run.settings.flavor === 'SCALE';
    const state: ChannelState = scales
      ? { cells: null, scale: newScale() }
      : { cells: newCells(run.settings), scale: null };
    run.state.strategy = state;
    if (state.cells) beginCells(run, state.cells);
    else if (state.scale && run.settings.timeFrame === null) beginScale(run, state.scale);
    return state;
  },

  stopCompletesCycle: ({ flavor }) => flavor === 'SCALE',

  onTick(run) {
    const { cells, scale } = run.own;
    if (cells) onCellsPrice(run, cells, false);
    else if (scale && !endsBeyond(run) && run.settings.timeFrame === null) onScaleMoment(run, scale);
  },

  onCandle(run, _candle, frameMs) {
    if (frameMs !== run.settings.timeFrame) return;
    const { cells, scale } = run.own;
    if (cells) onCellsPrice(run, cells, true);
    else if (scale) onScaleMoment(run, scale);
  },

  onGate(run, open) {
    const { cells } = run.own;
    if (cells) onCellsGate(run, cells, open);
  },

  onFill(run, order) {
    const { cells, scale } = run.own;
    if (cells) onCellFill(run, cells, order);
    else if (scale) onScaleFill(run, scale, order);
  },

  onDust(run) {
    flat(run, !run.cameToDust);
  },

  onStopped(run) {
    flat(run, false);
  },

  quiet(run) {
    const { cells, scale } = run.own;
    if (cells) return cellsQuiet(run, cells);
    const { timeFrame, stopBelow, stopAbove } = run.settings;
    return scale?.stage === 'idle' && timeFrame === null ? null : { below: stopBelow, above: stopAbove };
  },

  closes: ({ settings }) => (settings.timeFrame === null ? 'nothing' : null),

  label(run) {
    const { cells, scale } = run.own;
    return cells ? cellsLabel(run, cells) : scale ? scaleLabel(run, scale) : 'waiting';
  },
};

/** Handles lots that are gone without an exit's fill. `cycle`: this counts as a cycle. */
function flat(run: StrategyRun<ChannelSettings, ChannelState>, cycle: boolean): void {
  const { cells, scale } = run.own;
  if (cells) {
    freeSold(run, cells, cycle);
    return;
  }
  if (!scale) return;
  if (run.lots.open.length > 0) {
    placeExit(run, scale);
    return;
  }
  closeCycle(run, scale);
  if (!cycle) return;
  run.cycle();
  if (run.settings.onetime) run.end('completed');
}
