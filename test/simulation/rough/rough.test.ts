/**
 * A desk with accounts at an exchange that errs beside the paper one, spot and in many seeds futures, at the
 * same seeds every time; planted bugs, one for each thing that a desk must not take on trust from an
 * exchange, each at the seed that is known to catch it. `npm run sim -- --rough` runs more.
 */
import { describe, expect, it } from 'vitest';
import { playRecorded } from '../caught.ts';
import { describeViolation, runPool, type SeedSummary, seedRange } from '../pool.ts';
import { runSeed } from '../world.ts';
import { ROUGH_MUTATION_NAMES } from './rough-mutations.ts';

const WORKERS = 2;
const SEEDS = 50;
const FROM = 2;
const MINUTES_MS = 10 * 60_000;
/** Faults that strike in several of the seeds each, on the spot account or on the futures account. */
const STRUCK = [
  'late event',
  'lagging answer',
  'another page',
  'refused after it was taken',
  'execution names its child only',
  'ended order forgotten',
  'stranger trades',
  'stranger cancels ours',
  'transfer',
  'symbol is not traded any more',
  'symbol is traded again',
  'another tick size',
  'another page of the ledger',
  'ledger row told twice',
  'place in the ledger forgotten',
  'transfer that is in no ledger',
  'address banned',
  'others use up its orders',
] as const;
const STRUCK_ON_FUTURES = [
  ...STRUCK,
  'positions dropEvent',
  'positions duplicateEvent',
  'stranger closes a position',
  'reduced by the exchange',
  'liquidation',
  'fee in a third asset',
  'rebate',
  'leverage changed elsewhere',
  'marginType changed elsewhere',
  'mode changed elsewhere',
] as const;
/**
 * Counted checks: requests that waited, moments at which the desk's sure figures were compared with the
 * exchange, and wallets with their rows.
 */
const SURE = [
  'rough-spot is looked at while it is sure',
  'rough-futures is looked at while it is sure',
  'the ledger of rough-spot is open',
  'the ledger of rough-futures is open',
  'a change that nobody tells is found',
  'rough-spot: a request waits for its turn',
  'rough-futures: a request waits for its turn',
  'rough-spot: its dead-man switch is looked at',
  'rough-futures: its dead-man switch is looked at',
] as const;

describe('a desk beside an exchange that errs', () => {
  it(`keeps its promises through ${SEEDS} seeds`, { timeout: MINUTES_MS }, async () => {
    const results = await runPool({
      seeds: seedRange(FROM, SEEDS),
      workers: WORKERS,
      mode: 'rough',
      stopAfter: 3,
    });
    const broken = results.filter(({ violation }) => violation !== null);
    expect(broken.map((result) => describeViolation(result, { mode: 'rough' })).join('\n')).toBe('');
    // A fault that never struck was not tested.
    const seedsWith = (fault: string) =>
      results.filter(({ strikes }: SeedSummary) => strikes.some(([name]) => name === fault)).length;
    const faults = [
      ...STRUCK.map((fault) => `rough: ${fault}`),
      ...STRUCK_ON_FUTURES.map((fault) => `rough futures: ${fault}`),
      ...SURE,
    ];
    for (const fault of faults) expect(seedsWith(fault), fault).toBeGreaterThan(0);
    expect(results.reduce((sum, { crashes }) => sum + crashes, 0)).toBeGreaterThan(SEEDS);
  });

  it('does the same, bit by bit, when a seed runs again', async () => {
    const [first, second] = [await runSeed(2, { rough: true }), await runSeed(2, { rough: true })];
    expect(second.hash).toBe(first.hash);
    expect(second.trace).toEqual(first.trace);
  });

  it.each(ROUGH_MUTATION_NAMES)('catches the planted bug %s', { timeout: MINUTES_MS }, async (mutation) => {
    const { broken, recorded } = await playRecorded(mutation);
    expect(broken, 'look for its seed again: npm run sim -- --mutations').toBe(recorded);
  });
});
