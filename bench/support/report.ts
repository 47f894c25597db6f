/** The form of a bench's result, its line in the table and its place in the JSON. */
import type { Spread } from './stats.ts';

export interface BenchResult {
  readonly name: string;
  /** What the ratio compares with. */
  readonly against: string;
  /** Null: only absolute figures. */
  readonly ratio: Spread | null;
  /**
   * `value`: the figure that the limit applies to, the median ratio or an absolute figure in `unit`. Null: no
   * goal.
   */
  readonly goal: {
    readonly value: number;
    readonly limit: number;
    readonly is: 'at least' | 'at most';
    readonly unit: string;
  } | null;
  /** Additional figures, in order. */
  readonly absolute: Readonly<Record<string, string | number>>;
}

export function isMet({ goal }: BenchResult): boolean | null {
  if (!goal) return null;
  return goal.is === 'at least' ? goal.value >= goal.limit : goal.value <= goal.limit;
}

export function lineOf(result: BenchResult): string {
  const { name, against, ratio, goal, absolute } = result;
  const met = isMet(result);
  const parts = [name.padEnd(14)];
  if (ratio) parts.push(`${num(ratio.median)} (${num(ratio.min)}-${num(ratio.max)}) of ${against}`);
  else if (goal) parts.push(`${`${num(goal.value)} ${goal.unit}`.trim()} (${against})`);
  else parts.push(against);
  if (goal) {
    const unit = ratio && goal.unit ? `: ${num(goal.value)} ${goal.unit}, ` : ', ';
    parts.push(
      `${unit === ', ' ? '' : unit.slice(2)}goal ${goal.is === 'at least' ? '>=' : '<='} ${goal.limit}${goal.unit ? ` ${goal.unit}` : ''}: ${met ? 'met' : 'NOT MET'}`,
    );
  }
  const figures = Object.entries(absolute).map(([label, value]) => `${label} ${value}`);
  return `${parts.join(' | ')} | ${figures.join(', ')}`;
}

export function jsonOf(results: readonly BenchResult[]): string {
  const benches = results.map((result) => ({ ...result, met: isMet(result) }));
  return JSON.stringify({ node: process.versions.node, platform: process.platform, benches }, null, 2);
}

/** Formats with about three significant digits. */
export function num(value: number): string {
  const size = Math.abs(value);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}
