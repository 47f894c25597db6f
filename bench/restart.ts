/**
 * Restart with 10,000 open orders: from opening the store until every order is known again and reconciled
 * with the exchange.
 */
import { join } from 'node:path';
import { Helper, temporaryFolder } from './support/children.ts';
import { fillDataFolder } from './support/filled-store.ts';
import { type BenchResult, num } from './support/report.ts';
import { spread } from './support/stats.ts';

const OPEN = 10_000;
const RUNS = 5;
const GOAL_MS = 1_000;

export async function restart(): Promise<BenchResult> {
  const dataDir = join(temporaryFolder(), 'data');
  await fillDataFolder(dataDir, { open: OPEN, ended: 0 });
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const desk = new Helper(new URL('./support/desk-helper.ts', import.meta.url));
    const { ms, open } = await desk.ask<{ ms: number; open: number }>('open', {
      dataDir,
      port: 0,
      hold: true,
    });
    if (open !== OPEN) throw new Error(`${open} of ${OPEN} orders are known again`);
    times.push(ms);
    await desk.ask('close');
    await desk.end();
  }
  const { median, min, max } = spread(times);
  return {
    name: 'restart',
    against: `${OPEN} open orders, store opened to all known, API listening`,
    ratio: null,
    goal: { value: median, limit: GOAL_MS, is: 'at most', unit: 'ms' },
    absolute: { 'min-max ms': `${num(min)}-${num(max)}`, runs: RUNS },
  };
}
