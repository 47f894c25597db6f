/** The venues whose adapters the simulation runs: one object each. */
import { BINANCE_WORLD } from './binance-world.ts';
import { BYBIT_WORLD } from './bybit-world.ts';
import { OKX_WORLD } from './okx-world.ts';
import type { VenueName } from './venue-names.ts';
import type { VenueWorld } from './venue-world.ts';

const WORLDS: Readonly<Record<VenueName, VenueWorld>> = {
  binance: BINANCE_WORLD,
  bybit: BYBIT_WORLD,
  okx: OKX_WORLD,
};

export function worldOf(name: VenueName): VenueWorld {
  return WORLDS[name];
}
