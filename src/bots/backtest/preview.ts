/**
 * The backtest that the editor shows beside a bot's settings while the user types: the same code over the
 * last candles, bounded, in short steps, without the list of trades. Pure.
 */
import type { Dec } from '../../domain/decimal.ts';
import type { CandleTable } from '../market/candle-table.ts';
import type { Problem } from '../settings/compiled.ts';
import { type BacktestOptions, type BacktestProgress, backtestSteps } from './backtest.ts';
import type { BacktestResult } from './result.ts';
import type { BotGiven } from './session.ts';

export interface PreviewOptions {
  readonly bot: BotGiven;
  /** Like `BacktestOptions.candles`; the last `count` of them are played, earlier ones are history. */
  readonly candles: readonly CandleTable[];
  /** Number of candles of each symbol. Default 2,000. */
  readonly count?: number;
  readonly world: BacktestOptions['world'];
  /** Free balance of the quote or margin asset. Default: as in a backtest. */
  readonly balance?: Dec;
  /** Number of points of the equity curve. */
  readonly points?: number;
}

export type Preview =
  | ({ readonly ok: true; readonly fills: number; readonly alerts: number } & Pick<
      BacktestResult,
      'candles' | 'assumptions' | 'warnings' | 'runs' | 'figures' | 'equity'
    >)
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly text: string };

/** Default number of candles of each symbol that are played. */
export const PREVIEW_CANDLES = 2_000;
const STEP_ROWS = 200;
const POINTS = 120;

/**
 * Runs the preview step by step: yields the progress after at most 200 candles and returns the preview at the
 * end. To cancel it, stop calling `next`. Throws RangeError without candles.
 */
export function* previewBacktest(o: PreviewOptions): Generator<BacktestProgress, Preview> {
  const played = o.count ?? PREVIEW_CANDLES;
  const starts = o.candles.map(({ times, count }) => times[Math.max(0, count - played)] ?? 0);
  const outcome = yield* backtestSteps({
    ...o,
    from: starts.length > 0 ? Math.max(...starts) : undefined,
    points: o.points ?? POINTS,
    stepRows: STEP_ROWS,
  });
  if (!outcome.ok) return outcome;
  const { candles, assumptions, warnings, runs, figures, equity, trades, alerts } = outcome.result;
  return {
    ok: true,
    fills: trades.length,
    alerts: alerts.length,
    candles,
    assumptions,
    warnings,
    runs,
    figures,
    equity,
  };
}
