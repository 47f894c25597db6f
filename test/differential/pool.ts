/** Plays many cases on a few threads. */

import type { BotKind } from '../simulation/bot-settings.ts';
import { runWorkers } from '../support/worker-pool.ts';
import type { DiffCase, Mode } from './case.ts';
import { BOT_KINDS, caseOf } from './draw.ts';
import type { Played } from './play.ts';

export interface DiffJob {
  readonly seeds: readonly number[];
  readonly mode: Mode;
  readonly kind: BotKind | null;
  /** Shrinks the cases that differ. */
  readonly shrink: boolean;
}

export interface DiffResult extends Omit<Played, 'expected' | 'got'> {
  readonly seed: number;
  readonly kind: BotKind;
  readonly futures: boolean;
  readonly short: boolean;
  /** For a difference: the shrunk case, and where that differs. */
  readonly small: { readonly one: DiffCase; readonly difference: Played['difference'] } | null;
}

export interface DiffPoolOptions extends Omit<DiffJob, 'seeds'> {
  readonly seeds: readonly number[];
  readonly workers: number;
  readonly onResult?: (result: DiffResult) => void;
  /** No more cases are begun after this many differences. */
  readonly stopAfter?: number;
}

const CHUNK = 4;
/** A case takes less than a second: a thread without a message for this long is in an endless loop. */
const STUCK_MS = 60_000;
/** Message of a thread between two cases that it plays while shrinking one. */
export const ALIVE = 'alive';

/** Returns the results by seed. After a stop the list is shorter than the seeds. */
export async function runDiffPool(o: DiffPoolOptions): Promise<DiffResult[]> {
  const { seeds, workers, onResult, stopAfter = Number.POSITIVE_INFINITY, ...way } = o;
  const results: DiffResult[] = [];
  const done = new Set<number>();
  let next = 0;
  let differences = 0;
  const add = (result: DiffResult) => {
    results.push(result);
    done.add(result.seed);
    if (result.difference) differences++;
    onResult?.(result);
  };
  await runWorkers<DiffJob, DiffResult | typeof ALIVE>({
    script: new URL('./worker.ts', import.meta.url),
    workers: Math.min(workers, Math.ceil(seeds.length / CHUNK)),
    take: () => {
      if (next >= seeds.length || differences >= stopAfter) return null;
      const chunk = seeds.slice(next, next + CHUNK);
      next += CHUNK;
      return { ...way, seeds: chunk };
    },
    onResult: (result) => {
      if (result !== ALIVE) add(result);
    },
    limitMs: STUCK_MS,
    onStuck: (job) => {
      const [seed, ...rest] = job.seeds.filter((one) => !done.has(one));
      if (seed !== undefined) add(stuck(seed, job.kind));
      for (const other of rest) add({ ...stuck(other, job.kind), leftOut: 'not played', difference: null });
    },
  });
  return results.sort((a, b) => a.seed - b.seed);
}

/** Returns the fields that identify the case of a result. */
export function aboutOf(one: DiffCase): Pick<DiffResult, 'seed' | 'kind' | 'futures' | 'short'> {
  const { settings, instrument, instruments } = one.scenario;
  return {
    seed: one.seed,
    kind: one.kind,
    futures: (instrument ?? instruments?.[0])?.kind === 'futures',
    short: settings.short === true || settings.side === 'SELL',
  };
}

function stuck(seed: number, kind: BotKind | null): DiffResult {
  const one = caseOf(seed, kind ?? BOT_KINDS[seed % BOT_KINDS.length]);
  const difference = {
    at: 0,
    expected: 'an end',
    got: `none within ${STUCK_MS / 1_000} s: it goes round and round`,
  };
  return {
    ...aboutOf(one),
    leftOut: null,
    refused: false,
    fills: 0,
    alerts: 0,
    kills: 0,
    difference,
    small: { one, difference },
  };
}
