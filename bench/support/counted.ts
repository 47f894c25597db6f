/** A load with the server's own counters from before and after. */
import type { LoadResult } from './http-load.ts';
import { num } from './report.ts';
import { spread } from './stats.ts';

export interface Counters {
  readonly commits: number;
  readonly rows: number;
  /** CPU time of the server's process. */
  readonly cpuMs: number;
}

export interface Counted extends LoadResult, Counters {}

export async function counted(
  server: { ask<T>(command: string): Promise<T> },
  run: () => Promise<LoadResult>,
): Promise<Counted> {
  const before = await server.ask<Counters>('counters');
  const result = await run();
  const after = await server.ask<Counters>('counters');
  return {
    ...result,
    commits: after.commits - before.commits,
    rows: after.rows - before.rows,
    cpuMs: after.cpuMs - before.cpuMs,
  };
}

export function rates(runs: readonly LoadResult[]): string {
  const { median, min, max } = spread(runs.map((run) => run.perSecond));
  return `${num(median)} (${num(min)}-${num(max)})`;
}

/**
 * The reference's CPU time divided by the candidate's, pair by pair: the ratio on a machine that does nothing
 * else.
 */
export function cpuRatio(
  runs: readonly { readonly candidate: Counted; readonly reference: Counted }[],
): string {
  const { median, min, max } = spread(runs.map((run) => run.reference.cpuMs / run.candidate.cpuMs));
  return `${num(median)} (${num(min)}-${num(max)})`;
}
