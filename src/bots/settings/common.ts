/**
 * Reads the fields that bot types share: those of every bot, every trader and every strategy (strategies.md
 * 2). Pure.
 */
import { BotOptions } from '../../schemas/bots/blocks.ts';
import type { everyBot, everyStrategy, everyTrader } from '../../schemas/bots/common.ts';
import { BOT_TYPES, wordsOf } from '../types/index.ts';
import type { Check } from './check.ts';
import type { BotType, CommonSettings, RestartOptions, StopRule } from './compiled.ts';
import type { SettingsContext } from './context.ts';
import { readDeposit } from './deposit.ts';
import { Fields } from './fields.ts';
import { readFilters } from './filters.ts';
import { readOrders } from './orders.ts';
import { readRanges } from './range.ts';
import { readStartTrigger } from './start-trigger.ts';
import type { StopGround } from './stop.ts';
import { readTtl } from './timeout.ts';

/** Frame of rules and filters for a bot without candles of its own, ms. */
export const DEFAULT_FRAME_MS = 60_000;
/** Delay between the end of a run and its restart, ms; BotOptions has the same value. */
const RESTART_DELAY_MS = 1_000;
const NO_OPTIONS: RestartOptions = {
  restart: false,
  restartDelay: RESTART_DELAY_MS,
  reuse: false,
};

export type BotFields = Fields<ReturnType<typeof everyBot>>;
export type TraderFields = Fields<ReturnType<typeof everyTrader>>;
export type StrategyFields = Fields<Omit<ReturnType<typeof everyStrategy>, 'stop'>>;

/** What a type sets itself before the shared fields are read. */
export interface Own {
  /** ms; null = every tick. */
  readonly timeFrame: number | null;
  readonly options: RestartOptions;
}

/** Reads the fields of every type. What only traders have is off. */
export function readBot(f: BotFields, ground: SettingsContext, own: Own): CommonSettings {
  return {
    exchange: ground.account?.id ?? '',
    symbol: ground.symbol,
    timeFrame: own.timeFrame,
    short: false,
    deposit: null,
    buy: null,
    sell: null,
    stops: [],
    ttl: readTtl(f),
    filters: null,
    ranges: [],
    startTrigger: null,
    profitAsset: 'quote',
    onetime: false,
    noticeLevel: f.integer('noticeLevel') as CommonSettings['noticeLevel'],
    positionSide: 'BOTH',
    marginType: null,
    name: f.textOr('name') ?? '',
    options: own.options,
  };
}

/**
 * Reads the fields of every type that trades. `sides`: position sides that fit the bot's direction in hedge
 * mode.
 */
export function readTrader(
  f: TraderFields,
  ground: SettingsContext,
  own: Own,
  sides: readonly ('LONG' | 'SHORT')[],
): CommonSettings {
  return {
    ...readBot(f, ground, own),
    positionSide: readPositionSide(f, ground, sides),
    marginType: readMarginType(f, ground),
    filters: readFilters(f, own.timeFrame ?? DEFAULT_FRAME_MS),
    ranges: readRanges(f),
    startTrigger: readStartTrigger(f),
  };
}

/** Reads the fields of every type that opens a position and sells it. `stops` reads its stop rules. */
export function readStrategy(
  f: StrategyFields,
  ground: SettingsContext,
  own: Own,
  stops: (on: StopGround) => readonly StopRule[],
): CommonSettings {
  const short = readShort(f, ground);
  return {
    ...readTrader(f, ground, own, [short ? 'SHORT' : 'LONG']),
    short,
    deposit: readDeposit(f, ground),
    ...readOrders(f),
    stops: stops(stopGround(ground, own, short)),
    profitAsset: f.choice('profitAsset'),
    onetime: f.flag('onetime'),
  };
}

export function stopGround(ground: SettingsContext, own: Own, short: boolean): StopGround {
  const frame = own.timeFrame ?? DEFAULT_FRAME_MS;
  return { rules: ground.rules, frame, short, now: ground.world.now };
}

function readShort(f: StrategyFields, { account }: SettingsContext): boolean {
  const short = f.flag('short');
  if (short && account?.kind === 'spot') {
    f.problem('short', `needs a futures or swap account; ${account.id} is spot`);
  }
  return short;
}

function readPositionSide(
  f: TraderFields,
  { account }: SettingsContext,
  sides: readonly ('LONG' | 'SHORT')[],
): CommonSettings['positionSide'] {
  const given = f.choiceOr('positionSide');
  const side = given ?? 'BOTH';
  if (!account || !f.reads('positionSide')) return side;
  if (account.kind === 'spot') {
    if (side !== 'BOTH') f.refuse('positionSide', futuresOnly(account.id));
  } else if (!account.hedge) {
    if (side !== 'BOTH') {
      f.refuse('positionSide', `${side} needs hedge mode; ${account.id} is in one-way mode: leave it out`);
    }
  } else if (!(sides as readonly string[]).includes(side)) {
    const came = given === null ? '' : `, got ${given}`;
    f.refuse('positionSide', `must be ${sides.join(' or ')}: ${account.id} is in hedge mode${came}`);
  }
  return side;
}

function readMarginType(f: TraderFields, { account }: SettingsContext): CommonSettings['marginType'] {
  const marginType = f.choiceOr('marginType');
  if (marginType !== null && account?.kind === 'spot') f.refuse('marginType', futuresOnly(account.id));
  return marginType;
}

function futuresOnly(id: string): string {
  return `is for futures only; ${id} is spot: leave it out`;
}

/**
 * Reads `options` beside the settings, for types that take them; for others they give a warning
 * (specification, lifecycle differences).
 */
export function readOptions(check: Check, type: BotType, options: unknown): RestartOptions {
  if (options === undefined || options === null) return NO_OPTIONS;
  const f = Fields.of(check, 'options', options, BotOptions);
  if (!f) return NO_OPTIONS;
  if (!wordsOf(type).takesOptions) {
    const takers = BOT_TYPES.filter((one) => wordsOf(one).takesOptions).join(' and ');
    for (const name of ['restart', 'restartDelay', 'reuse'] as const) {
      if (f.has(name)) f.warn(name, `has no effect for ${type}; it is for ${takers}`);
    }
    return NO_OPTIONS;
  }
  return { restart: f.flag('restart'), restartDelay: f.integer('restartDelay'), reuse: f.flag('reuse') };
}
