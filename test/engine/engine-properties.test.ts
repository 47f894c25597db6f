/**
 * The engine against an exchange behind a bad line: whatever is asked, lost, doubled, late or crashed, the invariants of
 * design/testing.md hold once the faults heal. A failure prints fast-check's seed, path and the shrunk run; set
 * OUTCRY_SEED (and OUTCRY_PATH) to repeat it, OUTCRY_RUNS for more runs.
 */
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { type Action, anyActions, faultMix, perform, unbrokenActions } from './support/actions.ts';
import { checkHealed, heal } from './support/checks.ts';
import { CALM, type FaultMix, World } from './support/world.ts';

const FIXED_SEED = 20_260_105;
const numRuns = Number(process.env.OUTCRY_RUNS ?? 300);
const repeat = {
  numRuns,
  ...(process.env.OUTCRY_PATH ? { path: process.env.OUTCRY_PATH } : {}),
};
const fixed = { ...repeat, seed: Number(process.env.OUTCRY_SEED ?? FIXED_SEED) };
const fresh = { ...repeat, ...(process.env.OUTCRY_SEED ? { seed: Number(process.env.OUTCRY_SEED) } : {}) };

function holds(seed: number, faults: FaultMix, actions: readonly Action[]): void {
  const world = new World(seed, faults);
  perform(world, actions);
  heal(world);
  checkHealed(world);
}

describe('the engine', () => {
  it('keeps its promises over a good line', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(fc.integer(), unbrokenActions, (seed, actions) => holds(seed, CALM, actions)),
      fixed,
    );
  });

  it('keeps its promises over a bad line', { timeout: 120_000 }, () => {
    fc.assert(fc.property(fc.integer(), faultMix, unbrokenActions, holds), fixed);
  });

  it('keeps its promises over a bad line and across crashes', { timeout: 120_000 }, () => {
    fc.assert(fc.property(fc.integer(), faultMix, anyActions, holds), fixed);
  });

  it('keeps its promises on seeds nobody has seen', { timeout: 120_000 }, () => {
    fc.assert(fc.property(fc.integer(), faultMix, anyActions, holds), fresh);
  });
});
