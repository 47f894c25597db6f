/**
 * The budgets of the console, each with its limit: the costs of a tick, a key, a scroll step, a slow
 * connection and a long day.
 */
import { ROOT } from './support/children.ts';
import { consoleHelper } from './support/console-bundle.ts';
import type { Age, Cost, Heap, Place } from './support/console-helper.ts';
import { type BenchResult, num } from './support/report.ts';
import { quantile, spread } from './support/stats.ts';

const TICKS = 200;
const KEYS = 150;
const IDLE_MS = 4_000;
const LINK_BYTES = 10_000;
const LINK_MS = 15_000;
const LENGTHS = [1_000, 5_000] as const;

const UPDATES = 1_440_000;
const FRAMES = 15_000;
/** Time limit of the memory bench, which takes two minutes. */
const MEMORY_LIMIT_MS = 1_200_000;
const MEGABYTE = 1_000_000;

function place(orders: number, columns = 200, rows = 50): Place {
  return { root: ROOT, columns, rows, orders };
}

function line(
  name: string,
  against: string,
  value: number,
  limit: number,
  unit: string,
  absolute: BenchResult['absolute'],
): BenchResult {
  return { name, against, ratio: null, goal: { value, limit, is: 'at most', unit }, absolute };
}

const cpu = (costs: readonly Cost[]) => costs.map(({ cpuMs }) => cpuMs);
const bytes = (costs: readonly Cost[]) => costs.map((cost) => cost.bytes);
const clock = (costs: readonly Cost[]) => costs.map(({ ms }) => ms);

/**
 * Measures the chart of one symbol with every curve and panel, depth and trades, when all of it has changed.
 */
export async function marketTick(): Promise<BenchResult> {
  const helper = await consoleHelper();
  const ticks = await helper.ask<Cost[]>('market', { place: place(1_000), count: TICKS });
  await helper.end();
  const what = '200x50, all curves, depth and trades, p50 of thread time';
  return line('market-tick', what, quantile(cpu(ticks), 0.5), 6, 'ms', {
    p95: num(quantile(cpu(ticks), 0.95)),
    'bytes p50': quantile(bytes(ticks), 0.5),
    'bytes most': Math.max(...bytes(ticks)),
  });
}

export async function consoleBudgets(): Promise<readonly BenchResult[]> {
  const helper = await consoleHelper();
  const ticks = await helper.ask<Cost[]>('ticks', { place: place(1_000), count: TICKS });
  const cells = await helper.ask<Cost[]>('cells', { place: place(1_000), count: TICKS });
  const frames = await helper.ask<number>('idle', { place: place(1_000), ms: IDLE_MS });
  const keys = await helper.ask<Cost[]>('keys', { place: place(1_000), count: KEYS });
  const scrolls = new Map<number, Cost[]>();
  for (const orders of LENGTHS)
    scrolls.set(orders, await helper.ask<Cost[]>('scroll', { place: place(orders), count: KEYS }));
  const link = { place: place(200), bytesPerSecond: LINK_BYTES, ms: LINK_MS };
  const age = await helper.ask<Age>('age', { ...link, every: 10 });
  const all = await helper.ask<Age>('age', { ...link, every: 1 });
  await helper.end();
  const size = '200x50, 1,000 orders';
  return [
    line(
      'console-tick',
      `${size}, every row and price changed, p50 of thread time`,
      quantile(cpu(ticks), 0.5),
      6,
      'ms',
      {
        p95: num(quantile(cpu(ticks), 0.95)),
        'one cell p50 ms': num(quantile(cpu(cells), 0.5)),
      },
    ),
    line(
      'console-cell',
      `${size}, one cell changed, most of ${TICKS}`,
      Math.max(...bytes(cells)),
      350,
      'bytes',
      {
        p50: quantile(bytes(cells), 0.5),
      },
    ),
    line(
      'console-bytes',
      `${size}, every row and price changed, most of ${TICKS}`,
      Math.max(...bytes(ticks)),
      8_000,
      'bytes',
      {
        p50: quantile(bytes(ticks), 0.5),
      },
    ),
    line(
      'console-idle',
      `feed held, ${IDLE_MS / 1_000} s, news that change nothing shown`,
      frames,
      0,
      'frames',
      {},
    ),
    line('console-key', `${size}, key to frame by the clock, p95`, quantile(clock(keys), 0.95), 20, 'ms', {
      p50: num(quantile(clock(keys), 0.5)),
      'thread ms p50': num(quantile(cpu(keys), 0.5)),
    }),
    ...LENGTHS.map((orders) => {
      const steps = cpu(scrolls.get(orders) ?? []);
      return line(
        'console-scroll',
        `200x50, one row of ${orders.toLocaleString('en')}, p95 of thread time`,
        quantile(steps, 0.95),
        10,
        'ms',
        { p50: num(quantile(steps, 0.5)) },
      );
    }),
    line(
      'console-age',
      `age of what is shown over ${LINK_BYTES / 1_000} kB/s, 200x50, a tenth of the rows changes 10 times a second, most in ${LINK_MS / 1_000} s`,
      Math.max(...age.ms),
      1_000,
      'ms',
      {
        p50: num(quantile(age.ms, 0.5)),
        frames: age.frames,
        'kB/s': num(age.bytes / LINK_MS),
        'with every row p50 ms': num(quantile(all.ms, 0.5)),
        'most ms': num(Math.max(...all.ms)),
      },
    ),
  ];
}

/** Measures what a day of a busy desk leaves in the memory of the console's process. */
export async function consoleMemory(): Promise<BenchResult> {
  const helper = await consoleHelper(['--expose-gc']);
  const run = { place: place(0, 100, 30), frames: FRAMES, updatesPerFrame: UPDATES / FRAMES };
  const marks = await helper.ask<Heap[]>('memory', run, MEMORY_LIMIT_MS);
  await helper.end();
  const [first, last] = [marks[0], marks.at(-1)];
  if (!first || !last) throw new Error('nothing was measured');
  const listeners = spread(marks.map((mark) => mark.listeners));
  return line(
    'console-memory',
    `heap growth from 10 % to 100 % of ${last.updates.toLocaleString('en')} order updates and ${last.frames.toLocaleString('en')} frames`,
    (last.bytes - first.bytes) / MEGABYTE,
    10,
    'MB',
    {
      'MB at 10 %': num(first.bytes / MEGABYTE),
      'MB at 100 %': num(last.bytes / MEGABYTE),
      listeners: `${listeners.min} to ${listeners.max}`,
    },
  );
}
