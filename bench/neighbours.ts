/**
 * The cost for an account's orders of other accounts on the same desk that hang, cannot be opened or flood
 * it.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Helper, temporaryFolder } from './support/children.ts';
import { type BenchResult, num } from './support/report.ts';
import { inPairs, quantile, spread } from './support/stats.ts';

const ORDERS = 400;
const PAIRS = 6;
const SETTLE_MS = 2_000;
const GOAL_MS = 2;

export async function neighbours(): Promise<BenchResult> {
  const alone = await open(false);
  const beside = await open(true);
  await setTimeout(SETTLE_MS);
  const p99 = async (desk: Helper) =>
    quantile(await desk.ask<number[]>('latencies', { count: ORDERS }), 0.99);
  const startedAt = performance.now();
  const before = await beside.ask<{ told: number }>('counters');
  const runs = await inPairs(
    PAIRS,
    () => p99(beside),
    () => p99(alone),
  );
  const after = await beside.ask<{ told: number }>('counters');
  const rate = ((after.told - before.told) * 1_000) / (performance.now() - startedAt);
  for (const desk of [alone, beside]) {
    await desk.ask('close');
    await desk.end();
  }
  const more = spread(runs.map(({ candidate, reference }) => candidate - reference));
  const figure = (which: 'candidate' | 'reference') => {
    const { median, min, max } = spread(runs.map((run) => run[which]));
    return `${num(median)} (${num(min)}-${num(max)})`;
  };
  return {
    name: 'neighbours',
    against: `p99 of a placement beside a desk without them, ${num(more.min)} to ${num(more.max)}; ${num(rate)} events/s`,
    ratio: null,
    goal: { value: more.median, limit: GOAL_MS, is: 'at most', unit: 'ms' },
    absolute: { 'p99 beside ms': figure('candidate'), 'p99 alone ms': figure('reference') },
  };
}

async function open(beside: boolean): Promise<Helper> {
  const desk = new Helper(new URL('./support/neighbours-helper.ts', import.meta.url));
  await desk.ask('open', { dataDir: join(temporaryFolder(), 'data'), beside });
  return desk;
}
