/** The first full frame of `outcry` on a filled store, from spawn in a pseudo-terminal, against `node -e 0`. */
import { join } from 'node:path';
import { MAIN, temporaryFolder } from './support/children.ts';
import { fillDataFolder } from './support/filled-store.ts';
import { runInPty } from './support/pty.ts';
import { type BenchResult, num } from './support/report.ts';
import { inPairs, spread } from './support/stats.ts';

const PAIRS = 9;
const GOAL = 10;
/** The console's own budget (console.md). */
const GOAL_MS = 300;
/** Text in the last line of the frame, drawn after everything else. */
const LAST_WORDS = '? help';
/** Text on the page that is shown before the frame. */
const OPENING = 'opening the desk';

export async function firstFrame(): Promise<readonly BenchResult[]> {
  const dataDir = join(temporaryFolder(), 'data');
  await fillDataFolder(dataDir, { open: 100, ended: 10_000 });
  const until = async (words: string) => {
    const run = runInPty([MAIN, '--data-dir', dataDir, '--port', '0'], (text) => text.includes(words));
    const ms = await run.ms;
    process.kill(run.pid, 'SIGTERM');
    await run.ended;
    return ms;
  };
  const runs = await inPairs(
    PAIRS,
    () => until(LAST_WORDS),
    () => runInPty(['-e', '0']).ms,
  );
  const opening: number[] = [];
  for (let run = 0; run < PAIRS; run++) opening.push(await until(OPENING));
  const ratio = spread(runs.map((run) => run.candidate / run.reference));
  const ours = spread(runs.map((run) => run.candidate));
  const theirs = spread(runs.map((run) => run.reference));
  const store = '10,000 ended and 100 open orders';
  const whole: BenchResult = {
    name: 'first-frame',
    against: 'node -e 0',
    ratio,
    goal: { value: ratio.median, limit: GOAL, is: 'at most', unit: '' },
    absolute: {
      ms: `${num(ours.median)} (${num(ours.min)}-${num(ours.max)})`,
      'node -e 0 ms': `${num(theirs.median)} (${num(theirs.min)}-${num(theirs.max)})`,
      store,
    },
  };
  const absolute: BenchResult = {
    name: 'console-first',
    against: 'first frame from spawn, bundled, median',
    ratio: null,
    goal: { value: ours.median, limit: GOAL_MS, is: 'at most', unit: 'ms' },
    absolute: {
      least: num(ours.min),
      store,
      'something on the screen, median ms': num(spread(opening).median),
    },
  };
  return [whole, absolute];
}
