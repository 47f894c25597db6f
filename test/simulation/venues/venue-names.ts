/** Names of the venues whose adapters the simulation runs; `worlds.ts` has their worlds. */
export const VENUE_NAMES = ['binance', 'bybit', 'okx'] as const;

export type VenueName = (typeof VENUE_NAMES)[number];

export function isVenueName(name: string): name is VenueName {
  return (VENUE_NAMES as readonly string[]).includes(name);
}
