/**
 * The simulation with bots in every test run: the same seeds every time, or new ones from OUTCRY_SEED on; a
 * seed twice; planted bugs of the bot runtime, each at the seed that is known to catch it; and runs that are
 * killed and resumed, compared with the same runs left undisturbed. `npm run sim -- --bots` and `--replay`
 * run more of it, from any seed.
 */
import { describe, expect, it } from 'vitest';
import { freshSeed } from '../support/seeds.ts';
import { playRecorded } from './caught.ts';
import { MARKET_MUTATION_NAMES } from './market-mutations.ts';
import { BOT_MUTATION_NAMES } from './mutations.ts';
import { describeViolation, runPool, type SeedSummary, seedRange } from './pool.ts';
import { runSeed } from './world.ts';

const WORKERS = 2;
const REPLAYS = 40;
const FRESH_FROM = freshSeed();
/** Number of seeds: long searches are run by `npm run sim`. */
const SEEDS = 50;
const FROM = FRESH_FROM ?? 1;
const MINUTES_MS = 10 * 60_000;

// proves: bot run recovery
describe('a simulated desk with bots', () => {
  it(`keeps its promises through ${SEEDS} seeds`, { timeout: MINUTES_MS }, async () => {
    if (FRESH_FROM !== null)
      process.stdout.write(`simulation with bots: fresh seeds ${FROM} to ${FROM + SEEDS - 1}\n`);
    const results = await runPool({
      seeds: seedRange(FROM, SEEDS),
      workers: WORKERS,
      mode: 'bots',
      stopAfter: 3,
    });
    const broken = results.filter(({ violation }) => violation !== null);
    expect(broken.map((result) => describeViolation(result, { mode: 'bots' })).join('\n')).toBe('');
    expect(results).toHaveLength(SEEDS);
    // An event that never happened was not tested.
    const sum = (of: (result: SeedSummary) => number) => results.reduce((all, result) => all + of(result), 0);
    expect(sum(({ crashes }) => crashes)).toBeGreaterThan(SEEDS);
    expect(sum(({ runs }) => runs)).toBeGreaterThan(4 * SEEDS);
    // Fills come in bursts: a hundred seeds had 941, five hundred 6,006.
    expect(sum(({ botFills }) => botFills)).toBeGreaterThan(4 * SEEDS);
  });

  it('does the same, bit by bit, when a seed runs again', async () => {
    for (const seed of [2, ...(FRESH_FROM === null ? [] : [FRESH_FROM])]) {
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
  const results = await runPool({
    seeds: seedRange(FROM, REPLAYS),
    workers: WORKERS,
    mode: 'replay',
    stopAfter: 3,
  });
  const broken = results.filter(({ violation }) => violation !== null);
  expect(broken.map((result) => describeViolation(result, { mode: 'replay' })).join('\n')).toBe('');
  const sum = (of: (result: SeedSummary) => number) => results.reduce((all, result) => all + of(result), 0);
  expect(sum(({ botFills }) => botFills)).toBeGreaterThan(4 * REPLAYS);
  expect(sum(({ crashes }) => crashes)).toBeGreaterThan(REPLAYS);
});

describe('the simulation with bots itself', () => {
  it.each([...BOT_MUTATION_NAMES, ...MARKET_MUTATION_NAMES])(
    'catches the planted bug %s',
    { timeout: MINUTES_MS },
    async (mutation) => {
      const { broken, recorded } = await playRecorded(mutation);
      expect(broken, 'look for its seed again: npm run sim -- --mutations').toBe(recorded);
    },
  );
});
