/** A thread that runs the seeds it is given, one after the other. */
import { parentPort } from 'node:worker_threads';
import type { Job, SeedSummary } from './pool.ts';
import { runMode } from './run-mode.ts';

parentPort?.on('message', (job: Job) => {
  void run(job).then(() => parentPort?.postMessage(null));
});

async function run({ seeds, mode, mutation }: Job): Promise<void> {
  for (const seed of seeds) {
    const { trace: _, ...summary } = await runMode(seed, mode, mutation);
    parentPort?.postMessage(summary satisfies SeedSummary);
  }
}
