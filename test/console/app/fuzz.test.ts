/** Random keys and sizes over all screens: the same ones every time, or those of the seed OUTCRY_SEED. */
import { expect, it } from 'vitest';
import { seedOr } from '../../support/seeds.ts';
import { fuzz } from './fuzz-run.ts';

const FIXED_SEED = 20_260_302;

it('random keys and sizes break no frame and nothing is done unasked', { timeout: 300_000 }, () =>
  fuzz(seedOr(FIXED_SEED)),
);

it('a seed has the same keys, frames and commands again', { timeout: 300_000 }, async () => {
  const some = { keys: 250 };
  const hash = await fuzz(seedOr(FIXED_SEED), some);
  expect(await fuzz(seedOr(FIXED_SEED), some)).toBe(hash);
  expect(await fuzz(seedOr(FIXED_SEED) + 1, some)).not.toBe(hash);
});
