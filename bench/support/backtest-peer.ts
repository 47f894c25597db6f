/**
 * A backtester of the npm registry for comparison, if `OUTCRY_PEER` names a folder into which `grademark` and
 * its `chai` are installed. It knows no resting orders below the price, no sizes and no fees, so a SQUEEZE is
 * reduced to: buy at the open after a candle that fell that far, sell at a target or a stop.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Bar {
  readonly time: Date;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

interface Grademark {
  backtest(strategy: unknown, series: unknown): unknown[];
}

interface DataForge {
  readonly DataFrame: new (bars: readonly Bar[]) => unknown;
}

/**
 * Returns a function that runs it once over a candle file. The file is parsed here: its own reader takes a
 * hundred times as long. Null without the folder.
 */
export function grademarkPeer(file: string): (() => number) | null {
  const folder = process.env.OUTCRY_PEER;
  if (!folder) return null;
  const load = createRequire(join(folder, 'package.json'));
  const { backtest } = load('grademark') as Grademark;
  const { DataFrame } = load('data-forge') as DataForge;
  return () => {
    let low = Number.NaN;
    const strategy = {
      entryRule: (enter: (options: unknown) => void, { bar }: { bar: Bar }) => {
        if (bar.low <= low * 0.995) enter({ direction: 'long' });
        low = bar.low;
      },
      stopLoss: ({ entryPrice }: { entryPrice: number }) => entryPrice * 0.12,
      profitTarget: ({ entryPrice }: { entryPrice: number }) => entryPrice * 0.006,
    };
    return backtest(strategy, new DataFrame(barsOf(file))).length;
  };
}

function barsOf(file: string): Bar[] {
  const text = readFileSync(file, 'utf8');
  const bars: Bar[] = [];
  let start = text.indexOf('\n') + 1;
  for (let end = text.indexOf('\n', start); end >= 0; end = text.indexOf('\n', start)) {
    const [time, open, high, low, close, volume] = text.slice(start, end).split(',').map(Number) as [
      ...[number, number, number, number, number, number],
    ];
    bars.push({ time: new Date(time), open, high, low, close, volume });
    start = end + 1;
  }
  return bars;
}
