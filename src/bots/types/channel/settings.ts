/** Settings of CHANNEL: GRID, LEVELS and SCALE (strategies.md 4). Pure. */
import {
  ceilTo,
  DECIMAL_PLACES,
  type Dec,
  decOfInt,
  fixed,
  floorTo,
  mul,
  ONE,
  str,
} from '../../../domain/decimal.ts';
import { readStrategy } from '../../settings/common.ts';
import type { CompiledSettings, MarketRules, RestartOptions } from '../../settings/compiled.ts';
import { readPrice, readPriceOr, type SettingsContext } from '../../settings/context.ts';
import type { Fields } from '../../settings/fields.ts';
import { type Grid, gridLevels } from '../../settings/levels.ts';
import { sharesProblem } from '../../settings/shares.ts';
import { readStops } from '../../settings/stop.ts';
import { type Scale, scaleOverBudget, scaleTooDeep } from './scale-plan.ts';
import {
  Grid as GridSchema,
  Level as LevelSchema,
  Scale as ScaleSchema,
  type ChannelSettings as Schema,
} from './schema.ts';

/** One pair of prices that buys low and sells high (GRID, LEVELS). */
export interface ChannelCell {
  readonly low: Dec;
  readonly high: Dec;
  /** Percent of the deposit; null: equal parts (GRID, and LEVELS where all shares are left out). */
  readonly share: Dec | null;
}

export interface ChannelSettings extends CompiledSettings {
  readonly type: 'CHANNEL';
  readonly flavor: 'GRID' | 'LEVELS' | 'SCALE';
  /** GRID: `count` levels from low to high, 30 significant digits, not rounded to the tick; else empty. */
  readonly levels: readonly Dec[];
  readonly grid: Grid | null;
  readonly cells: readonly ChannelCell[];
  readonly scale: Scale | null;
  readonly startBuy: boolean;
  readonly trailUp: boolean;
  readonly stopAbove: Dec | null;
  readonly stopBelow: Dec | null;
  readonly sellOnExit: boolean;
  readonly entryPrice: Dec | null;
}

type SettingsFields = Fields<(typeof Schema)['properties']>;
type Flavor = ChannelSettings['flavor'];
type Name = Parameters<SettingsFields['has']>[0];

/** Fields that only one flavor uses. */
const BELONGS_TO: readonly (readonly [name: Name, flavor: Flavor])[] = [
  ['grid', 'GRID'],
  ['levels', 'LEVELS'],
  ['scale', 'SCALE'],
  ['startBuy', 'GRID'],
  ['trailUp', 'GRID'],
  ['entryPrice', 'SCALE'],
];

export function compileChannel(
  f: SettingsFields,
  ground: SettingsContext,
  options: RestartOptions,
): ChannelSettings {
  const { rules } = ground;
  const given = f.choice('flavor');
  const flavor = f.reads('flavor') ? given : null;
  const common = readStrategy(f, ground, { timeFrame: f.integerOr('timeFrame'), options }, (on) =>
    readStops(f, on),
  );
  const grid = flavor === 'GRID' ? readGrid(f, rules) : null;
  const levels = grid ? gridLevels(grid) : [];
  const cells = grid ? gridCells(levels) : flavor === 'LEVELS' ? readLevels(f, rules) : [];
  const scale = flavor === 'SCALE' ? readScale(f, common) : null;
  if (rules) {
    for (const message of cellsAtALoss(cells, rules)) {
      // Pairs that the user has given may be intended.
      if (grid) f.refuse('grid', message);
      else if (f.reads('levels')) f.warn('levels', message);
    }
  }
  if (flavor !== null) warnOfOthers(f, flavor);
  const startBuy = f.flag('startBuy');
  const trailUp = f.flag('trailUp');
  const entryPrice = readPriceOr(f, 'entryPrice', rules);
  const stopAbove = readPriceOr(f, 'stopAbove', rules);
  const stopBelow = readPriceOr(f, 'stopBelow', rules);
  if (
    stopAbove !== null &&
    stopBelow !== null &&
    stopAbove <= stopBelow &&
    f.reads('stopAbove', 'stopBelow')
  ) {
    f.refuse('stopAbove', `must be above stopBelow ${str(stopBelow)}, got ${str(stopAbove)}`);
  }
  return {
    ...common,
    type: 'CHANNEL',
    flavor: given,
    levels,
    grid,
    cells,
    scale,
    // What is warned of has no effect: nothing is bought at once that should wait.
    startBuy: startBuy && flavor === 'GRID',
    trailUp: trailUp && flavor === 'GRID',
    stopAbove,
    stopBelow,
    sellOnExit: f.flag('sellOnExit'),
    entryPrice: flavor === 'SCALE' ? entryPrice : null,
  };
}

function warnOfOthers(f: SettingsFields, flavor: Flavor): void {
  for (const [name, owner] of BELONGS_TO) {
    if (owner !== flavor && f.has(name))
      f.warn(name, `has no effect with flavor ${flavor}; it is for ${owner}`);
  }
}

/** Reads the grid; null when it cannot be read. */
function readGrid(f: SettingsFields, rules: MarketRules | null): ChannelSettings['grid'] {
  if (!f.has('grid')) f.problem('grid', 'missing; flavor GRID needs low, high and count');
  const g = f.group('grid', GridSchema);
  if (!g) return null;
  const grid = {
    low: readPrice(g, 'low', rules),
    high: readPrice(g, 'high', rules),
    count: g.integer('count'),
    spacing: g.choice('spacing'),
  };
  if (g.reads('low', 'high') && grid.high <= grid.low) {
    g.problem('high', `must be above low ${str(grid.low)}, got ${str(grid.high)}`);
  }
  return f.reads('grid') ? grid : null;
}

function gridCells(levels: readonly Dec[]): ChannelCell[] {
  return levels.slice(1).map((high, i) => ({ low: levels[i] ?? high, high, share: null }));
}

/** Messages for cells that do not earn the fees of both ways, at the prices of their orders. */
function cellsAtALoss(cells: readonly ChannelCell[], { tick, makerRate }: MarketRules): string[] {
  const places = placesOf(tick);
  const fees = str(2n * makerRate * 100n);
  return cells.flatMap(({ low, high }) => {
    const buy = floorTo(low, tick);
    const sell = ceilTo(high, tick);
    if (mul(sell, ONE - makerRate) > mul(buy, ONE + makerRate)) return [];
    return `cell ${fixed(buy, places)}-${fixed(sell, places)} does not cover the fees of ${fees} %`;
  });
}

/** Decimal places of a tick: 0.01 has two. */
function placesOf(tick: Dec): number {
  const [, fraction = ''] = str(tick).split('.');
  return Math.min(fraction.length, DECIMAL_PLACES);
}

function readLevels(f: SettingsFields, rules: MarketRules | null): ChannelCell[] {
  if (!f.has('levels')) f.problem('levels', 'missing; flavor LEVELS needs pairs of buy and sell');
  const given = f.each('levels', LevelSchema);
  const cells = given.map((level) => {
    const low = readPrice(level, 'buy', rules);
    const high = readPrice(level, 'sell', rules);
    if (level.reads('buy', 'sell') && high <= low) {
      level.problem('sell', `must be above buy ${str(low)}, got ${str(high)}`);
    }
    return { low, high, share: level.decimalOr('depositePercent') };
  });
  const shares = cells.flatMap(({ share }) => share ?? []);
  if (shares.length === 0) return cells;
  given.forEach((level) => {
    if (level.has('depositePercent')) return;
    level.problem('depositePercent', 'missing; give it on all levels or on none');
  });
  if (given.every((level) => level.reads('depositePercent'))) {
    const message = sharesProblem('depositePercent', shares);
    if (message !== null) f.refuse('levels', message);
  }
  return cells;
}

/** Reads the scale; null when it cannot be read. */
function readScale(
  f: SettingsFields,
  { deposit, short }: Pick<ChannelSettings, 'deposit' | 'short'>,
): Scale | null {
  if (!f.has('scale')) f.problem('scale', 'missing; flavor SCALE needs orders, step and takeProfit');
  const s = f.group('scale', ScaleSchema);
  if (!s) return null;
  const scale: Scale = {
    orders: s.integer('orders'),
    step: s.decimal('step'),
    stepScale: s.decimal('stepScale'),
    size: s.decimalOr('size'),
    sizeScale: s.decimal('sizeScale'),
    takeProfit: s.decimal('takeProfit'),
  };
  if (short && scale.takeProfit >= decOfInt(100) && s.reads('takeProfit')) {
    s.problem('takeProfit', `must be below 100 for a short bot, got ${str(scale.takeProfit)}`);
  }
  if (!f.reads('scale')) return null;
  const deep = scaleTooDeep(scale);
  if (deep) f.check.problem(deep.path, deep.message);
  // A deposit in percent is known only at the start.
  if (deposit?.strategy === 'fixed' && f.reads('deposit')) {
    const over = scaleOverBudget(scale, deposit.value, deposit.asset);
    if (over) f.check.refuse(over.path, over.message);
  }
  return scale;
}
