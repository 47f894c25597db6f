/** Chance that can be repeated: a run's seed is printed when it fails and can be set with OUTCRY_TEST_SEED. */

/** mulberry32: uniform in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function seedOfRun(): number {
  const given = process.env.OUTCRY_TEST_SEED;
  return given === undefined ? Math.floor(Math.random() * 4_294_967_296) : Number(given);
}
