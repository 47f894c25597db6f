/**
 * A run's own seeded generator, for the jitter of a twap (strategies.md 7): the same runId gives the same
 * slices. Pure.
 */
import { type Dec, ONE, toNumber } from '../../../domain/decimal.ts';

const HUNDRED = 100;

/**
 * Returns the weight of each slice, 1 on average, and the shift of its time as a share of the interval; both
 * within `jitter` percent. Slices vary in pairs, one up by as much as the other goes down, so that the total
 * stays the same.
 */
export function seededShares(
  seed: string,
  slices: number,
  jitter: Dec,
): { weights: Dec[]; shifts: number[] } {
  const share = toNumber(jitter) / HUNDRED;
  const next = generator(seed);
  const weights: Dec[] = [];
  const shifts: number[] = [];
  for (let i = 0; i < slices; i += 2) {
    const change = BigInt(Math.round((2 * next() - 1) * share * 1e9)) * (ONE / 1_000_000_000n);
    const paired = i + 1 < slices;
    weights.push(paired ? ONE + change : ONE);
    if (paired) weights.push(ONE - change);
  }
  for (let i = 0; i < slices; i++) shifts.push((2 * next() - 1) * share);
  return { weights, shifts };
}

/** mulberry32 over an FNV-1a hash of the seed: uniform in [0, 1). */
function generator(seed: string): () => number {
  let state = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
