/**
 * Backtest of a bot over recorded candles: the runtime, strategies and rules of the live desk on the tick
 * market. The same input gives the same result, and the same fills as a replay of the same candles. Pure; in
 * steps, so that it can be shown and cancelled.
 */
import { type Dec, ZERO } from '../../domain/decimal.ts';
import {
  type CandleTable,
  historyOf,
  priceUnit,
  rowAt,
  tickPrice,
  tickTime,
} from '../market/candle-table.ts';
import { problemsText } from '../settings/check.ts';
import type { CompiledSettings, MarketRules, Problem, SettingsWorld } from '../settings/compiled.ts';
import { wordsOf } from '../types/index.ts';
import { kindOf } from '../types/kinds.ts';
import { EquityCurve } from './equity.ts';
import { type BacktestResult, resultOf } from './result.ts';
import { type BotGiven, BotSession } from './session.ts';

export interface BacktestOptions {
  readonly bot: BotGiven;
  /** Candles of one symbol for a bot that trades; all tables have the same frame. */
  readonly candles: readonly CandleTable[];
  /** Account, instrument and fees that the settings are judged by. */
  readonly world: Omit<SettingsWorld, 'now'>;
  /**
   * Unix ms. The first candle that is played opens at or after it; earlier candles are history. Default: the
   * first candle.
   */
  readonly from?: number;
  /** Unix ms. Candles that open before it are played. Default: all. */
  readonly to?: number;
  /**
   * Free balance of the quote or margin asset at the start. Default: that of a new paper account, or the
   * deposit where that is more.
   */
  readonly balance?: Dec;
  /** Fraction by which MARKET orders fill at a worse price. Default 0. */
  readonly slippage?: Dec;
  /** Share of a tick's volume that resting orders may take; null (default): they fill in full. */
  readonly participation?: Dec | null;
  /** Number of points of the equity curve, 2 at least. Default 500. */
  readonly points?: number;
  /** Rows between two reports of progress. Default 8,192. */
  readonly stepRows?: number;
  /** Gives the run every tick, one by one: slow, with the same result. */
  readonly everyTick?: boolean;
}

/** Rows that are played, and all rows. */
export interface BacktestProgress {
  readonly done: number;
  readonly of: number;
}

export type BacktestOutcome =
  | { readonly ok: true; readonly result: BacktestResult }
  /** `text`: all problems in the words that the live desk uses for a failed start. */
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly text: string };

/** Balance of the quote or margin asset in a new paper account. */
export const PAPER_BALANCE: Dec = 100_000n * 10n ** 30n;
const DEFAULT_POINTS = 500;
const STEP_ROWS = 8_192;

/** Runs the whole backtest at once. Throws RangeError when no candle is in the range. */
export function runBacktest(options: BacktestOptions): BacktestOutcome {
  const steps = backtestSteps(options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Runs a backtest step by step: yields the progress after each chunk and returns the outcome at the end. To
 * cancel it, stop calling `next`.
 */
export function* backtestSteps(o: BacktestOptions): Generator<BacktestProgress, BacktestOutcome> {
  const range = rangeOf(o);
  const { stepRows = STEP_ROWS } = o;
  const opened = BotSession.open({
    bot: o.bot,
    world: o.world,
    start: range.start,
    firstPrice: range.firstPrice,
    frameMs: range.table.frameMs,
    balances: (settings, rules) => balancesOf(settings, rules, o.balance),
    slippage: o.slippage ?? ZERO,
    participation: o.participation ?? null,
    history: (symbol, frameMs, from, to) => {
      const table = o.candles.find((one) => one.symbol === symbol);
      return table ? historyOf(table, frameMs, from, to) : [];
    },
    symbols: o.candles.map(({ symbol }) => symbol),
    everyTick: o.everyTick ?? false,
  });
  if (!(opened instanceof BotSession)) return { ok: false, problems: opened, text: problemsText(opened) };
  const played =
    o.candles.length === 1
      ? yield* playOne(opened, range, stepRows, o.points ?? DEFAULT_POINTS)
      : yield* playMany(opened, o.candles, range, stepRows);
  return {
    ok: true,
    result: resultOf(opened, {
      ...range,
      ...played,
      slippage: o.slippage ?? ZERO,
      participation: o.participation ?? null,
    }),
  };
}

interface Range {
  /** Candles of the first symbol. */
  readonly table: CandleTable;
  /** Range of its rows that are played. */
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  readonly firstPrice: Dec;
}

interface Played {
  readonly curve: EquityCurve | null;
  /** Time of the last tick, or of the bot's end. */
  readonly endedAt: number;
}

function rangeOf({ candles, from = -Infinity, to = Infinity }: BacktestOptions): Range {
  const [table] = candles;
  if (!table) throw new RangeError('backtest: no candles');
  if (candles.some(({ frameMs }) => frameMs !== table.frameMs)) {
    throw new RangeError('backtest: candles of more than one time frame');
  }
  const rows = (one: CandleTable) => ({ from: rowAt(one, from), to: rowAt(one, to) });
  const ranges = candles.map((one) => ({ one, ...rows(one) })).filter((each) => each.from < each.to);
  const [first] = ranges;
  if (!first) throw new RangeError('backtest: no candle opens in that range');
  const start = Math.min(...ranges.map((each) => each.one.times[each.from] as number));
  const end = Math.max(...ranges.map((each) => each.one.times[each.to - 1] as number)) + table.frameMs;
  const firstPrice = BigInt(first.one.open[first.from] as number) * priceUnit(first.one);
  return { table: first.one, from: first.from, to: first.to, start, end, firstPrice };
}

function* playOne(
  session: BotSession,
  { table, from, to }: Range,
  stepRows: number,
  points: number,
): Generator<BacktestProgress, Played> {
  const curve = new EquityCurve(table, from, to, points);
  const own = session.settings.symbol === table.symbol;
  let row = from;
  let pause = row + stepRows;
  while (row < to && session.going) {
    const before = row;
    session.advance(table.times[row] as number);
    if (own) row = session.skip(table, row, Math.min(to, pause));
    if (row === before) playRow(session, table, row++);
    curve.reach(row, session);
    if (row < pause) continue;
    pause = row + stepRows;
    yield { done: row - from, of: to - from };
  }
  const endedAt = endOf(session, table, row);
  curve.end(endedAt, session.market.price ?? ZERO, session);
  return { curve, endedAt };
}

/** Plays several symbols in time order; candles of the same time in the order of the symbols. */
function* playMany(
  session: BotSession,
  tables: readonly CandleTable[],
  { start, end }: Range,
  stepRows: number,
): Generator<BacktestProgress, Played> {
  const cursors = tables.map((table) => ({ table, row: rowAt(table, start), to: rowAt(table, end) }));
  const of = cursors.reduce((sum, { row, to }) => sum + to - row, 0);
  let done = 0;
  let pause = stepRows;
  let last = start;
  while (session.going) {
    const time = Math.min(
      ...cursors.map(({ table, row, to }) => (row < to ? (table.times[row] as number) : Infinity)),
    );
    if (time === Infinity) break;
    const due = cursors.filter(({ table, row, to }) => row < to && table.times[row] === time);
    for (let quarter = 0; quarter < 4; quarter++) {
      for (const { table, row } of due) last = playTick(session, table, row, quarter);
    }
    for (const cursor of due) cursor.row++;
    done += due.length;
    if (done < pause) continue;
    pause = done + stepRows;
    yield { done, of };
  }
  if (session.going) session.advance(last + 1);
  return { curve: null, endedAt: session.endedAt ?? last };
}

function playRow(session: BotSession, table: CandleTable, row: number): void {
  for (let quarter = 0; quarter < 4 && session.going; quarter++) playTick(session, table, row, quarter);
}

/** Plays one of a candle's four ticks, with a quarter of its volume; returns its time. */
function playTick(session: BotSession, table: CandleTable, row: number, quarter: number): number {
  const time = tickTime(table.times[row] as number, table.frameMs, quarter);
  const price = BigInt(tickPrice(table, row, quarter)) * priceUnit(table);
  session.tick(table.symbol, price, table.volume(row) / 4n, time);
  return time;
}

/**
 * Returns the end time. Bots that only alert get the last close, too; for bots that trade the market ends
 * with its last tick.
 */
function endOf(session: BotSession, table: CandleTable, row: number): number {
  const last = tickTime(table.times[row - 1] as number, table.frameMs, 3);
  if (session.going && !wordsOf(session.settings.type).trades) session.advance(last + 1);
  return session.endedAt ?? last;
}

/** Starting balances; what a spot bot is to sell is included. */
function balancesOf(settings: CompiledSettings, rules: MarketRules, given?: Dec): ReadonlyMap<string, Dec> {
  const { deposit } = settings;
  const asked = deposit?.strategy === 'fixed' ? deposit.value : ZERO;
  const balances = new Map([[rules.quote, given ?? (asked > PAPER_BALANCE ? asked : PAPER_BALANCE)]]);
  const own = kindOf(settings.type).sellsOwn?.(settings) ?? null;
  if (own !== null && rules.kind === 'spot') balances.set(rules.base, own);
  return balances;
}
