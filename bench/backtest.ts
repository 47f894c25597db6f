/**
 * A backtest over a year of minutes, from the candle file to the result, against a loop that reads, parses
 * and compares one price per candle.
 */
import { readFileSync } from 'node:fs';
import { runBacktest } from '../src/bots/backtest/backtest.ts';
import { readBacktest } from '../src/cli/backtest-input.ts';
import { grademarkPeer } from './support/backtest-peer.ts';
import { CANDLES, candleYear } from './support/candle-year.ts';
import { type BenchResult, num } from './support/report.ts';
import { inPairs, spread } from './support/stats.ts';

const PAIRS = 7;
const GOAL = 4;

export function backtestSqueeze(): Promise<BenchResult> {
  return benchBacktest('squeeze');
}

export function backtestFibo(): Promise<BenchResult> {
  return benchBacktest('fibo');
}

async function benchBacktest(type: 'squeeze' | 'fibo'): Promise<BenchResult> {
  const files = candleYear();
  let fills = 0;
  const ours = () => {
    const outcome = runBacktest(readBacktest({ config: files[type], candles: [files.candles] }).options);
    if (!outcome.ok) throw new Error(outcome.text);
    fills = outcome.result.figures.fills;
  };
  const runs = await inPairs(
    PAIRS,
    async () => timed(ours),
    async () => timed(() => loop(files.candles)),
  );
  const ratio = spread(runs.map((run) => run.candidate / run.reference));
  const candidate = spread(runs.map((run) => run.candidate));
  const reference = spread(runs.map((run) => run.reference));
  return {
    name: `backtest-${type}`,
    against: 'a loop over the file',
    ratio,
    goal: { value: ratio.median, limit: GOAL, is: 'at most', unit: '' },
    absolute: {
      ms: `${num(candidate.median)} (${num(candidate.min)}-${num(candidate.max)})`,
      'loop ms': num(reference.median),
      candles: CANDLES,
      fills,
      ...(type === 'squeeze' ? await peerFigures(files.candles, ours) : {}),
    },
  };
}

/** Figures of the peer: how many times as long it takes, in the same run. */
async function peerFigures(file: string, ours: () => void): Promise<Record<string, string>> {
  const peer = grademarkPeer(file);
  if (!peer) return {};
  const runs = await inPairs(
    3,
    async () => timed(peer),
    async () => timed(ours),
  );
  const ratio = spread(runs.map((run) => run.candidate / run.reference));
  const ms = spread(runs.map((run) => run.candidate));
  return { grademark: `${num(ratio.median)} times as long (${num(ms.median)} ms, file read by hand)` };
}

/**
 * The least that any backtest does: reads the lines, parses their numbers, and compares one price of each.
 */
function loop(file: string): number {
  const text = readFileSync(file, 'utf8');
  let below = 0;
  let start = text.indexOf('\n') + 1;
  for (let end = text.indexOf('\n', start); end >= 0; end = text.indexOf('\n', start)) {
    const row = text.slice(start, end).split(',').map(Number);
    if ((row[4] as number) < 90_000) below++;
    start = end + 1;
  }
  return below;
}

function timed(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
