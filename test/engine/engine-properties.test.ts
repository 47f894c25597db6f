/**
 * The engine against an exchange behind an unreliable line: whatever is requested, lost, doubled, late or
 * crashed, the invariants of design/testing.md hold once the faults end. A failure prints the shrunk run and
 * the command that repeats it; OUTCRY_RUNS sets the number of runs.
 */
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { type Action, anyActions, faultMix, perform, unbrokenActions } from './support/actions.ts';
import { checkHealed, heal } from './support/checks.ts';
import { CALM, type FaultMix, World } from './support/world.ts';

const runs = { numRuns: Number(process.env.OUTCRY_RUNS ?? 300) };

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
      runs,
    );
  });

  it('keeps its promises over a bad line', { timeout: 120_000 }, () => {
    fc.assert(fc.property(fc.integer(), faultMix, unbrokenActions, holds), runs);
  });

  it('keeps its promises over a bad line and across crashes', { timeout: 120_000 }, () => {
    fc.assert(fc.property(fc.integer(), faultMix, anyActions, holds), runs);
  });
});
