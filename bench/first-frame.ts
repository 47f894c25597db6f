/** The first full frame of `outcry` on a filled store, from spawn in a pseudo-terminal, against `node -e 0`. */
import { join } from 'node:path';
import { MAIN, temporaryFolder } from './support/children.ts';
import { fillDataFolder } from './support/filled-store.ts';
import { runInPty } from './support/pty.ts';
import { type BenchResult, num } from './support/report.ts';
import { inPairs, spread } from './support/stats.ts';

const PAIRS = 9;
const GOAL = 12;
/** Stands in the last line of the frame, after everything else. */
const LAST_WORDS = '? help';

export async function firstFrame(): Promise<BenchResult> {
  const dataDir = join(temporaryFolder(), 'data');
  await fillDataFolder(dataDir, { open: 100, ended: 10_000 });
  const console = async () => {
    const run = runInPty([MAIN, '--data-dir', dataDir, '--port', '0'], (text) => text.includes(LAST_WORDS));
    const ms = await run.ms;
    process.kill(run.pid, 'SIGTERM');
    await run.ended;
    return ms;
  };
  const runs = await inPairs(PAIRS, console, () => runInPty(['-e', '0']).ms);
  const ratio = spread(runs.map((run) => run.candidate / run.reference));
  const ours = spread(runs.map((run) => run.candidate));
  const theirs = spread(runs.map((run) => run.reference));
  return {
    name: 'first-frame',
    against: 'node -e 0',
    ratio,
    goal: { value: ratio.median, limit: GOAL, is: 'at most', unit: '' },
    absolute: {
      ms: `${num(ours.median)} (${num(ours.min)}-${num(ours.max)})`,
      'node -e 0 ms': `${num(theirs.median)} (${num(theirs.min)}-${num(theirs.max)})`,
      store: '10,000 ended and 100 open orders',
    },
  };
}
