/**
 * The simulation in every test run: the same seeds every time, or new ones from OUTCRY_SEED on; a seed twice;
 * and planted bugs, each at the seed that is known to catch it. A failing seed prints the command that
 * replays it; `npm run sim` runs more.
 */
import { describe, expect, it } from 'vitest';
import { freshSeed } from '../support/seeds.ts';
import { playRecorded } from './caught.ts';
import { ORDER_MUTATION_NAMES } from './mutations.ts';
import { describeViolation, runPool, seedRange } from './pool.ts';
import { REPLACE_MUTATION_NAMES } from './replace-mutations.ts';
import { runSeed } from './world.ts';

const WORKERS = 2;
const FRESH_FROM = freshSeed();
/** Number of seeds: long searches are run by `npm run sim`. */
const SEEDS = 150;
const FROM = FRESH_FROM ?? 1;
const MINUTES_MS = 10 * 60_000;

describe('the simulated desk', () => {
  it(`keeps its promises through ${SEEDS} seeds`, { timeout: MINUTES_MS }, async () => {
    if (FRESH_FROM !== null) process.stdout.write(`simulation: fresh seeds ${FROM} to ${FROM + SEEDS - 1}\n`);
    const results = await runPool({ seeds: seedRange(FROM, SEEDS), workers: WORKERS, stopAfter: 3 });
    const broken = results.filter(({ violation }) => violation !== null);
    expect(broken.map((result) => describeViolation(result)).join('\n')).toBe('');
    expect(results).toHaveLength(SEEDS);
    // Crashes that never happened were not tested.
    expect(results.reduce((sum, { crashes }) => sum + crashes, 0)).toBeGreaterThan(SEEDS);
    expect(results.reduce((sum, { orders }) => sum + orders, 0)).toBeGreaterThan(20 * SEEDS);
    expect(results.reduce((sum, { liquidations }) => sum + liquidations, 0)).toBeGreaterThan(SEEDS / 10);
  });

  it('does the same, bit by bit, when a seed runs again', async () => {
    for (const seed of [3, 8, ...(FRESH_FROM === null ? [] : [FRESH_FROM])]) {
      const [first, second] = [await runSeed(seed), await runSeed(seed)];
      expect(second.hash).toBe(first.hash);
      expect(second.trace).toEqual(first.trace);
    }
    const [elsewhere] = await runPool({ seeds: [8], workers: 1 });
    expect(elsewhere?.hash).toBe((await runSeed(8)).hash);
    expect((await runSeed(9)).hash).not.toBe(elsewhere?.hash);
  });
});

describe('the simulation itself', () => {
  it.each([...ORDER_MUTATION_NAMES, ...REPLACE_MUTATION_NAMES])(
    'catches the planted bug %s',
    { timeout: MINUTES_MS },
    async (mutation) => {
      const { broken, recorded } = await playRecorded(mutation);
      expect(broken, 'look for its seed again: npm run sim -- --mutations').toBe(recorded);
    },
  );
});
