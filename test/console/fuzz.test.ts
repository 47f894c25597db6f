/** Random keys and sizes over all screens, the same ones every time. */
import { it } from 'vitest';
import { fuzz } from './fuzz-run.ts';

it('random keys and sizes break no frame and nothing is done unasked', { timeout: 300_000 }, () =>
  fuzz(20_260_302),
);
