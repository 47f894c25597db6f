/**
 * A pushed market of 2,000 instruments, 100 of them watched at 20 trades a second each: its share of a core
 * and its memory.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Helper, temporaryFolder } from './support/children.ts';
import { type BenchResult, num } from './support/report.ts';

const INSTRUMENTS = 2_000;
const WATCHED = 100;
const SETTLE_MS = 4_000;
const WATCH_MS = 20_000;
const CPU_GOAL = 0.25;
const MEMORY_GOAL_MB = 60;

interface Counters {
  readonly cpuMs: number;
  readonly watched: number;
  readonly ticks: number;
}

export async function liveMarkets(): Promise<readonly BenchResult[]> {
  const small = await open(1);
  const base = await small.ask<number>('memory');
  await close(small);
  const desk = await open(INSTRUMENTS);
  await desk.ask('watch', { count: WATCHED });
  await setTimeout(SETTLE_MS);
  const quiet = await share(desk);
  await desk.ask('push');
  await setTimeout(SETTLE_MS);
  const busy = await share(desk);
  await desk.ask('hush');
  const memory = await desk.ask<number>('memory');
  await close(desk);
  const mb = (memory - base) / 2 ** 20;
  const what = `${INSTRUMENTS} instruments, ${busy.watched} watched, ${num(busy.ticksPerSecond)} trades/s`;
  return [
    {
      name: 'live-markets',
      against: `one core less the same desk without trades, ${what}`,
      ratio: null,
      goal: { value: busy.share - quiet.share, limit: CPU_GOAL, is: 'at most', unit: '' },
      absolute: { 'without trades': num(quiet.share) },
    },
    {
      name: 'live-markets-memory',
      against: `heap less that of a desk of one instrument, ${what}`,
      ratio: null,
      goal: { value: mb, limit: MEMORY_GOAL_MB, is: 'at most', unit: 'MB' },
      absolute: { 'heap MB': num(memory / 2 ** 20) },
    },
  ];
}

async function share(desk: Helper): Promise<{ share: number; watched: number; ticksPerSecond: number }> {
  const startedAt = performance.now();
  const before = await desk.ask<Counters>('counters');
  await setTimeout(WATCH_MS);
  const after = await desk.ask<Counters>('counters');
  const ms = performance.now() - startedAt;
  return {
    share: (after.cpuMs - before.cpuMs) / ms,
    watched: after.watched,
    ticksPerSecond: ((after.ticks - before.ticks) * 1_000) / ms,
  };
}

async function open(instruments: number): Promise<Helper> {
  const desk = new Helper(new URL('./support/live-markets-helper.ts', import.meta.url), ['--expose-gc']);
  await desk.ask('open', { dataDir: join(temporaryFolder(), 'data'), instruments });
  return desk;
}

async function close(desk: Helper): Promise<void> {
  await desk.ask('close');
  await desk.end();
}
