/**
 * The cost of `outcry serve` while nobody does anything: CPU share and memory on the live synthetic feed.
 * Linux only.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { end, startProgram, temporaryFolder } from './support/children.ts';
import type { BenchResult } from './support/report.ts';

const SETTLE_MS = 3_000;
const WATCH_MS = 10_000;

export async function idle(): Promise<BenchResult> {
  const against = 'outcry serve, live synthetic feed, 10 s';
  const none = { name: 'idle', against, ratio: null, goal: null };
  if (process.platform !== 'linux') return { ...none, absolute: { 'not measured on': process.platform } };
  const { child } = await startProgram([
    'serve',
    '--data-dir',
    join(temporaryFolder(), 'data'),
    '--port',
    '0',
  ]);
  const pid = child.pid as number;
  await setTimeout(SETTLE_MS);
  const startedAt = performance.now();
  const before = cpuSeconds(pid);
  await setTimeout(WATCH_MS);
  const share = (cpuSeconds(pid) - before) / ((performance.now() - startedAt) / 1_000);
  const rssKb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  await end(child, 'SIGTERM');
  return {
    ...none,
    absolute: { 'CPU share': `${(share * 100).toFixed(1)} %`, 'RSS MB': Math.round(rssKb / 1_024) },
  };
}

let ticks = 0;

/** User and system time of the process, all threads, seconds. */
function cpuSeconds(pid: number): number {
  ticks ||= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may contain blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}
