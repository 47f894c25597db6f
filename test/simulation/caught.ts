/**
 * The planted bugs and the seed that catches each, in `mutations.json`: a search writes the seeds, the tests
 * replay each bug at its own. The draws of the simulation decide which seeds those are: search again when the
 * draws have changed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { MUTATION_NAMES, type MutationName, showsIn } from './mutations.ts';
import { type Mode, runPool, seedRange } from './pool.ts';
import { runMode } from './run-mode.ts';

export interface Caught {
  readonly name: MutationName;
  readonly mode: Mode;
  readonly seed: number;
  /** The first invariant that breaks, as numbered in design/testing.md. */
  readonly invariant: number;
}

/** Seeds searched for each bug: one that shows in none of them is not caught. */
const SEARCHED = 300;
const FILE = new URL('./mutations.json', import.meta.url);
const SEARCH = 'npm run sim -- --mutations';

/**
 * Plays a planted bug at its seed. Returns what it broke now, null: nothing; and what it broke when the seed
 * was recorded.
 */
export async function playRecorded(
  name: MutationName,
): Promise<{ readonly broken: number | null; readonly recorded: number }> {
  const records: readonly Caught[] = JSON.parse(readFileSync(FILE, 'utf8'));
  const record = records.find((one) => one.name === name);
  if (!record) throw new Error(`mutations.json has no seed for ${name}; look for one with: ${SEARCH}`);
  const { violation } = await runMode(record.seed, record.mode, name);
  return { broken: violation?.invariant ?? null, recorded: record.invariant };
}

/**
 * Searches the first seed that catches each planted bug, or each bug of one mode, and records it; a seed that
 * still catches its bug is kept. Returns the names of bugs that no seed catches.
 */
export async function searchSeeds(
  workers: number,
  say: (line: string) => void,
  only?: Mode,
): Promise<MutationName[]> {
  const found: Caught[] = [];
  const missed: MutationName[] = [];
  const known: readonly Caught[] = JSON.parse(readFileSync(FILE, 'utf8'));
  for (const name of MUTATION_NAMES) {
    const mode = showsIn(name);
    const record = known.find((one) => one.name === name);
    const isAsked = only === undefined || mode === only;
    if (record && (!isAsked || (await stillCatches(record)))) {
      found.push(record);
      continue;
    }
    if (!isAsked) continue;
    const results = await runPool({
      seeds: seedRange(1, SEARCHED),
      workers,
      mode,
      mutation: name,
      stopAfter: 1,
    });
    const first = results.find(({ violation }) => violation !== null);
    if (first?.violation) {
      const { invariant, text } = first.violation;
      found.push({ name, mode, seed: first.seed, invariant });
      say(`${name} is caught at seed ${first.seed}: invariant ${invariant}, ${text}`);
    } else {
      missed.push(name);
      say(`${name} is not caught in ${SEARCHED} seeds`);
    }
  }
  const rows = found.map((row) => `  ${JSON.stringify(row, null, 1).replaceAll(/\s*\n\s*/g, ' ')}`);
  writeFileSync(FILE, `[\n${rows.join(',\n')}\n]\n`);
  return missed;
}

async function stillCatches({ name, mode, seed, invariant }: Caught): Promise<boolean> {
  const { violation } = await runMode(seed, mode, name);
  return violation?.invariant === invariant;
}
