/**
 * Runs before every test file: sets fast-check's seed, the same for all properties (seeds.ts), and how a
 * failure says how to repeat it. Only the reporter is set besides; the number of runs of a property is in its
 * test.
 */

import { relative } from 'node:path';
import fc from 'fast-check';
import { beforeEach, type TestContext } from 'vitest';
import { freshSeed, replayCommand, seedOr } from './seeds.ts';

/** The seed of every property, if none is given. */
const FIXED_SEED = 20_260_105;

const seed = freshSeed();
const path = process.env.OUTCRY_PATH;
let running: TestContext['task'] | null = null;

beforeEach(({ task, onTestFailed }) => {
  running = task;
  if (seed !== null) onTestFailed(() => void process.stdout.write(`replay: ${commandOf(task)}\n`));
});

fc.configureGlobal({
  seed: seedOr(FIXED_SEED),
  ...(path === undefined ? {} : { path }),
  reporter: (run) => {
    if (!run.failed) return;
    const again = running ? `OUTCRY_PATH=${run.counterexamplePath} ${commandOf(running)}` : '';
    throw new Error(`${fc.defaultReportMessage(run)}\n\nreplay: ${again}`, { cause: run.errorInstance });
  },
});

function commandOf(task: TestContext['task']): string {
  return replayCommand(seed, relative(process.cwd(), task.file.filepath), task.fullTestName);
}
