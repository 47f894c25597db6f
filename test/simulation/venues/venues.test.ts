/**
 * A desk that is connected to an exchange by the product's own adapter, over a virtual network that errs: the
 * same seeds every time, or new ones from OUTCRY_SEED on; a seed twice; planted bugs of the adapter, each at
 * the seed that is known to catch it. `npm run sim -- --venue NAME` runs more.
 */
import { describe, expect, it } from 'vitest';
import { freshSeed } from '../../support/seeds.ts';
import { playRecorded } from '../caught.ts';
import { describeViolation, runPool, type SeedSummary, seedRange } from '../pool.ts';
import { runMode } from '../run-mode.ts';
import { VENUE_MUTATION_NAMES } from './venue-mutations.ts';
import { VENUE_NAMES } from './venue-names.ts';

const FRESH_FROM = freshSeed();
/** Number of fresh seeds per venue. A fixed seed finds nothing new, so there is only one. */
const FRESH_SEEDS = 6;
const FROM = FRESH_FROM ?? 31;
const MINUTES_MS = 10 * 60_000;

describe.each(VENUE_NAMES)('a desk connected to %s', (mode) => {
  const from = FRESH_FROM ?? FROM;
  const count = FRESH_FROM === null ? 1 : FRESH_SEEDS;
  it(`keeps its promises through ${count} seeds`, { timeout: MINUTES_MS }, async () => {
    if (FRESH_FROM !== null)
      process.stdout.write(`simulation of ${mode}: fresh seeds ${from} to ${from + count - 1}\n`);
    const seeds = seedRange(from, count);
    const results: SeedSummary[] = [];
    // A worker thread for each of two seeds would cost as much as the seeds.
    if (FRESH_FROM === null) for (const seed of seeds) results.push(await runMode(seed, mode));
    else results.push(...(await runPool({ seeds, workers: 2, mode, stopAfter: 3 })));
    const broken = results.filter(({ violation }) => violation !== null);
    expect(broken.map((result) => describeViolation(result, { mode })).join('\n')).toBe('');
    expect(results).toHaveLength(count);
    // Orders that were never placed were not tested.
    expect(results.reduce((sum, { orders }) => sum + orders, 0)).toBeGreaterThan(3 * count);
  });
});

it.each(FRESH_FROM === null ? VENUE_NAMES.slice(0, 1) : VENUE_NAMES)(
  'a desk connected to %s does the same, bit by bit, when a seed runs again',
  { timeout: MINUTES_MS },
  async (mode) => {
    const seed = FRESH_FROM ?? 31;
    const [first, second] = [await runMode(seed, mode), await runMode(seed, mode)];
    expect(second.hash).toBe(first.hash);
    expect(second.trace).toEqual(first.trace);
  },
);

describe('the simulation of adapters itself', () => {
  it.each(VENUE_MUTATION_NAMES)('catches the planted bug %s', { timeout: MINUTES_MS }, async (mutation) => {
    const { broken, recorded } = await playRecorded(mutation);
    expect(broken, 'look for its seed again: npm run sim -- --mutations --venue NAME').toBe(recorded);
  });
});
