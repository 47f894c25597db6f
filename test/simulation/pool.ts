/**
 * Runs many seeds on a few threads. Results come as they are done, in no fixed order; each seed's own result
 * is fixed.
 */
import { runWorkers } from '../support/worker-pool.ts';
import type { MutationName } from './mutations.ts';
import { isVenueName, type VenueName } from './venues/venue-names.ts';
import type { SeedResult } from './world.ts';

export type SeedSummary = Omit<SeedResult, 'trace'>;

/**
 * `orders`: clients only; `bots`: bots beside them; `replay`: bots on a replay, killed and resumed, compared
 * with undisturbed ones; `rough`: an exchange that errs beside paper; `amends`: orders are amended all the
 * time, beside an exchange that errs in every other seed; a venue's name: its adapter over a virtual network.
 */
export type Mode = 'orders' | 'bots' | 'replay' | 'rough' | 'amends' | VenueName;

export interface Job {
  readonly seeds: readonly number[];
  readonly mode: Mode;
  readonly mutation?: MutationName;
}

export interface PoolOptions {
  readonly seeds: readonly number[];
  readonly workers: number;
  /** Default: `orders`. */
  readonly mode?: Mode;
  readonly mutation?: MutationName;
  readonly onResult?: (result: SeedSummary) => void;
  /** Number of violations after which no more seeds are started. */
  readonly stopAfter?: number;
}

const CHUNK = 4;

/** Returns the results by seed. After a stop there are fewer results than seeds. */
export async function runPool(options: PoolOptions): Promise<SeedSummary[]> {
  const { seeds, mode = 'orders', mutation, onResult, stopAfter = Number.POSITIVE_INFINITY } = options;
  const results: SeedSummary[] = [];
  let next = 0;
  let violations = 0;
  const take = (): Job | null => {
    if (next >= seeds.length || violations >= stopAfter) return null;
    const chunk = seeds.slice(next, next + CHUNK);
    next += CHUNK;
    return { seeds: chunk, mode, ...(mutation ? { mutation } : {}) };
  };
  await runWorkers<Job, SeedSummary>({
    script: new URL('./worker.ts', import.meta.url),
    workers: Math.min(options.workers, Math.ceil(seeds.length / CHUNK)),
    take,
    onResult: (result) => {
      results.push(result);
      if (result.violation) violations += 1;
      onResult?.(result);
    },
  });
  return results.sort((a, b) => a.seed - b.seed);
}

export function seedRange(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}

/** Describes, for a failing test or run, what broke and how to reproduce it. */
export function describeViolation(
  { seed, violation }: SeedSummary,
  how: { readonly mode?: Mode; readonly mutation?: MutationName | undefined } = {},
): string {
  const at = ((violation?.at ?? 0) / 1_000).toFixed(1);
  const { mode = 'orders' } = how;
  const way = isVenueName(mode) ? ` --venue ${mode}` : ` --${mode}`;
  const planted = `${mode === 'orders' ? '' : way}${how.mutation ? ` --mutation ${how.mutation}` : ''}`;
  return [
    `seed ${seed} breaks invariant ${violation?.invariant} after ${at} s: ${violation?.text}`,
    `  replay: npm run sim -- --seed ${seed}${planted} --trace`,
  ].join('\n');
}
