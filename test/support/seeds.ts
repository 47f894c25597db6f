/**
 * The only place that decides on the randomness of a test run (S52). `npm test` has none: every dice begins
 * at the seed written in its test. With OUTCRY_SEED, a whole number, they all begin at that seed instead,
 * which repeats that run.
 */

/** The greatest seed that both fast-check and the simulation accept. */
const SEED_MAX = 2 ** 31 - 1;

/** OUTCRY_SEED, or null if it is not set: then only what is the same every time is run. */
export function freshSeed(env: Readonly<Record<string, string | undefined>> = process.env): number | null {
  const text = env.OUTCRY_SEED;
  if (text === undefined || text === '') return null;
  const seed = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(seed <= SEED_MAX))
    throw new Error(`OUTCRY_SEED is "${text}": it must be a whole number from 0 to ${SEED_MAX}`);
  return seed;
}

/** The seed of a dice: the test's own, or OUTCRY_SEED. */
export function seedOr(fixed: number): number {
  return freshSeed() ?? fixed;
}

/**
 * The command that repeats a test with a seed. `name`: the test's name after those of its groups, as vitest
 * joins them.
 */
export function replayCommand(seed: number | null, file: string, name: string): string {
  const before = seed === null ? '' : `OUTCRY_SEED=${seed} `;
  return `${before}npm test -- ${file} -t ${quoted(pattern(name))}`;
}

/** The name as a pattern for vitest, which matches nothing else. */
function pattern(name: string): string {
  return `^${name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;
}

/** The text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
