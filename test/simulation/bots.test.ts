/**
 * The simulation with bots in every test run: fixed seeds, fresh seeds, a seed twice, planted bugs of the bot runtime that it
 * must catch, and runs that are killed and resumed beside the same runs left alone. `npm run sim -- --bots` runs more of it.
 */
import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { playTwice } from './bot-replay.ts';
import { BOT_MUTATION_NAMES } from './mutations.ts';
import { describeViolation, runPool, type SeedSummary, seedRange } from './pool.ts';
import { runSeed } from './world.ts';

const WORKERS = 2;
const SEEDS = 50;
const MUTATION_SEEDS = 300;
const REPLAYS = 5;
const FRESH_FROM = randomInt(1_000_000, 2_000_000_000);
const MINUTES_MS = 10 * 60_000;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function runClean(from: number): Promise<readonly SeedSummary[]> {
  const results = await runPool({
    seeds: seedRange(from, SEEDS),
    workers: WORKERS,
    bots: true,
    stopAfter: 3,
  });
  const broken = results.filter(({ violation }) => violation !== null);
  expect(broken.map((result) => describeViolation(result, { bots: true })).join('\n')).toBe('');
  return results;
}

// proves: bot run recovery
describe('a simulated desk with bots', () => {
  it(`keeps its promises through ${SEEDS} fixed seeds`, { timeout: MINUTES_MS }, async () => {
    const results = await runClean(1);
    expect(results).toHaveLength(SEEDS);
    // What was never tried was not tested.
    const sum = (of: (result: SeedSummary) => number) => results.reduce((all, result) => all + of(result), 0);
    expect(sum(({ crashes }) => crashes)).toBeGreaterThan(SEEDS);
    expect(sum(({ runs }) => runs)).toBeGreaterThan(5 * SEEDS);
    expect(sum(({ botFills }) => botFills)).toBeGreaterThan(10 * SEEDS);
  });

  it(`keeps its promises through ${SEEDS} fresh seeds`, { timeout: MINUTES_MS }, async () => {
    say(`simulation: fresh seeds with bots ${FRESH_FROM} to ${FRESH_FROM + SEEDS - 1}`);
    await runClean(FRESH_FROM);
  });

  it('does the same, bit by bit, when a seed runs again', async () => {
    for (const seed of [2, FRESH_FROM]) {
      const [first, second] = [await runSeed(seed, { bots: true }), await runSeed(seed, { bots: true })];
      expect(second.hash).toBe(first.hash);
      expect(second.trace).toEqual(first.trace);
    }
  });
});

// proves: bot run recovery
it('a run that is killed anywhere and resumed has the fills of one that was not, where the exchange answers the same', {
  timeout: MINUTES_MS,
}, async () => {
  let fills = 0;
  let crashes = 0;
  for (const seed of [...seedRange(1, REPLAYS), ...seedRange(FRESH_FROM, REPLAYS)]) {
    const { alone, killed } = await playTwice(seed);
    expect(killed.fills, `seed ${seed}`).toEqual(alone.fills);
    fills += alone.fills.length;
    crashes += killed.crashes;
  }
  expect(fills).toBeGreaterThan(10 * REPLAYS);
  expect(crashes).toBeGreaterThan(2 * REPLAYS);
});

describe('the simulation with bots itself', () => {
  it.each(BOT_MUTATION_NAMES)('catches the planted bug %s', { timeout: MINUTES_MS }, async (mutation) => {
    const seeds = seedRange(1, MUTATION_SEEDS);
    const results = await runPool({ seeds, workers: WORKERS, bots: true, mutation, stopAfter: 1 });
    const caught = results.find(({ violation }) => violation !== null);
    const { invariant, text } = caught?.violation ?? {};
    say(`simulation: ${mutation} is caught at seed ${caught?.seed}: invariant ${invariant}, ${text}`);
    expect(caught).toBeDefined();
  });
});
