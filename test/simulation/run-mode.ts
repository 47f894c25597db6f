/** One seed, in the way that is asked for. */
import { runReplay } from './bot-replay.ts';
import type { MutationName } from './mutations.ts';
import type { Mode } from './pool.ts';
import { runVenue } from './venues/venue-sim.ts';
import { isVenueName, worldOf } from './venues/worlds.ts';
import { runSeed, type SeedResult } from './world.ts';

export function runMode(seed: number, mode: Mode, mutation?: MutationName): Promise<SeedResult> {
  const planted = mutation ? { mutation } : {};
  if (isVenueName(mode)) return runVenue(seed, worldOf(mode), planted);
  return mode === 'replay'
    ? runReplay(seed, planted)
    : runSeed(seed, { ...(mode === 'rough' ? { rough: true } : { bots: mode === 'bots' }), ...planted });
}
