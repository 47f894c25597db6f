/**
 * The simulation in every test run: fixed seeds, fresh seeds, the same seed twice, and six planted bugs that it must catch.
 * A failing seed prints the command that replays it; `npm run sim` runs more of them.
 */
import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ORDER_MUTATION_NAMES } from './mutations.ts';
import { describeViolation, runPool, type SeedSummary, seedRange } from './pool.ts';
import { runSeed } from './world.ts';

const WORKERS = 2;
const SEEDS = 300;
const FRESH_FROM = randomInt(1_000_000, 2_000_000_000);
const MINUTES_MS = 10 * 60_000;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function runClean(from: number): Promise<readonly SeedSummary[]> {
  const results = await runPool({ seeds: seedRange(from, SEEDS), workers: WORKERS, stopAfter: 3 });
  const broken = results.filter(({ violation }) => violation !== null);
  expect(broken.map((result) => describeViolation(result)).join('\n')).toBe('');
  return results;
}

describe('the simulated desk', () => {
  it(`keeps its promises through ${SEEDS} fixed seeds`, { timeout: MINUTES_MS }, async () => {
    const results = await runClean(1);
    expect(results).toHaveLength(SEEDS);
    // What was never tried was not tested.
    expect(results.reduce((sum, { crashes }) => sum + crashes, 0)).toBeGreaterThan(SEEDS);
    expect(results.reduce((sum, { orders }) => sum + orders, 0)).toBeGreaterThan(20 * SEEDS);
    expect(results.reduce((sum, { liquidations }) => sum + liquidations, 0)).toBeGreaterThan(SEEDS / 10);
  });

  it(`keeps its promises through ${SEEDS} fresh seeds`, { timeout: MINUTES_MS }, async () => {
    say(`simulation: fresh seeds ${FRESH_FROM} to ${FRESH_FROM + SEEDS - 1}`);
    await runClean(FRESH_FROM);
  });

  it('does the same, bit by bit, when a seed runs again', async () => {
    for (const seed of [3, 8, FRESH_FROM]) {
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
  it.each(ORDER_MUTATION_NAMES)('catches the planted bug %s', { timeout: MINUTES_MS }, async (mutation) => {
    const seeds = seedRange(1, SEEDS);
    const results = await runPool({ seeds, workers: WORKERS, mutation, stopAfter: 1 });
    const caught = results.find(({ violation }) => violation !== null);
    const { invariant, text } = caught?.violation ?? {};
    say(`simulation: ${mutation} is caught at seed ${caught?.seed}: invariant ${invariant}, ${text}`);
    expect(caught).toBeDefined();
  });
});
