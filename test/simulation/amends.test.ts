/**
 * Desks whose orders are amended all the time, mostly by replacement orders; in every other seed an exchange
 * that errs runs beside the paper one. The same seeds every time, or new ones from OUTCRY_SEED on. `npm run
 * sim -- --amends` runs more.
 */
import { expect, it } from 'vitest';
import { freshSeed } from '../support/seeds.ts';
import { describeViolation, runPool, seedRange } from './pool.ts';

const WORKERS = 2;
const MINUTES_MS = 10 * 60_000;
const FRESH_FROM = freshSeed();
/**
 * Seeds that once broke: an execution reported after the ledger was opened, and closes that still wait for
 * their turn when the faults have healed.
 */
const BROKE = [498, 304, 4_100_193];
const SEEDS = FRESH_FROM === null ? [...seedRange(1, 14), ...BROKE] : seedRange(FRESH_FROM, 30);

it(`keep their promises through ${SEEDS.length} seeds`, { timeout: MINUTES_MS }, async () => {
  if (FRESH_FROM !== null)
    process.stdout.write(`simulation with amendments: fresh seeds ${SEEDS[0]} to ${SEEDS.at(-1)}\n`);
  const results = await runPool({ seeds: SEEDS, workers: WORKERS, mode: 'amends', stopAfter: 3 });
  const broken = results.filter(({ violation }) => violation !== null);
  expect(broken.map((result) => describeViolation(result, { mode: 'amends' })).join('\n')).toBe('');
  expect(results).toHaveLength(SEEDS.length);
  // A fault that never struck was not tested. Rare ones are sure in known seeds alone: one seed of ten changes an
  // order where it rests.
  const struck = new Set(results.flatMap(({ strikes }) => strikes.map(([name]) => name)));
  const tried = ['order changed by another one'];
  if (FRESH_FROM === null)
    tried.push('order changed', 'orders wait for their turn when the faults have healed');
  for (const name of tried) expect([...struck], name).toContain(name);
});
