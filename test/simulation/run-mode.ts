/** Runs one seed in the requested mode. */
import { runReplay } from './bot-replay.ts';
import type { MutationName } from './mutations.ts';
import type { Mode } from './pool.ts';
import { isVenueName, type VenueName } from './venues/venue-names.ts';
import { runSeed, type SeedResult } from './world.ts';

export function runMode(seed: number, mode: Mode, mutation?: MutationName): Promise<SeedResult> {
  const planted = mutation ? { mutation } : {};
  if (isVenueName(mode)) return runConnected(seed, mode, planted);
  if (mode === 'replay') return runReplay(seed, planted);
  if (mode === 'amends') return runSeed(seed, { amends: true, bots: false, ...planted });
  return runSeed(seed, { ...(mode === 'rough' ? { rough: true } : { bots: mode === 'bots' }), ...planted });
}

/** Loads an exchange and its adapter only for a seed that needs them. */
async function runConnected(
  seed: number,
  name: VenueName,
  planted: { readonly mutation?: MutationName },
): Promise<SeedResult> {
  const [{ runVenue }, { worldOf }] = await Promise.all([
    import('./venues/venue-sim.ts'),
    import('./venues/worlds.ts'),
  ]);
  return runVenue(seed, worldOf(name), planted);
}
