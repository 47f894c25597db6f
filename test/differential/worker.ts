/** A thread that plays the cases it is given, one after the other. */
import { parentPort } from 'node:worker_threads';
import { caseOf } from './draw.ts';
import { playCase } from './play.ts';
import { ALIVE, aboutOf, type DiffJob, type DiffResult } from './pool.ts';
import { shrunk } from './shrink.ts';

parentPort?.on('message', (job: DiffJob) => {
  void run(job).then(() => parentPort?.postMessage(null));
});

function alive(): void {
  parentPort?.postMessage(ALIVE);
}

async function run({ seeds, mode, kind, shrink }: DiffJob): Promise<void> {
  for (const seed of seeds) {
    const one = kind ? caseOf(seed, kind) : caseOf(seed);
    const { expected: _, got: __, ...played } = await playCase(one, mode);
    const small = played.difference && (shrink ? await shrunk(one, mode, {}, alive) : one);
    const result: DiffResult = {
      ...aboutOf(one),
      ...played,
      small: small && { one: small, difference: (await playCase(small, mode)).difference },
    };
    parentPort?.postMessage(result);
  }
}
