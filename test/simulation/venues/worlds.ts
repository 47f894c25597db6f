/** The venues whose adapters the simulation runs: one object each. */
import { BINANCE_WORLD } from './binance-world.ts';
import type { VenueWorld } from './venue-world.ts';

const WORLDS = { binance: BINANCE_WORLD } as const satisfies Readonly<Record<string, VenueWorld>>;

export type VenueName = keyof typeof WORLDS;

export const VENUE_NAMES = Object.keys(WORLDS) as readonly VenueName[];

export function worldOf(name: VenueName): VenueWorld {
  return WORLDS[name];
}

export function isVenueName(name: string): name is VenueName {
  return name in WORLDS;
}
