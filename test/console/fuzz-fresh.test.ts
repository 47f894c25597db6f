/** Random keys and sizes over all screens, new ones every time. `FUZZ_SEED`: those of a run that failed. */
import { it } from 'vitest';
import { fuzz } from './fuzz-run.ts';

it('fresh random keys and sizes break no frame and nothing is done unasked', { timeout: 300_000 }, () =>
  fuzz(Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)),
);
