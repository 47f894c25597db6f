/**
 * Figures of repeated runs. Medians and ranges only: means and single best values say little on a shared
 * machine.
 */

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Throws RangeError on an empty list. */
export function spread(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), min: Math.min(...values), max: Math.max(...values) };
}

/**
 * Quantile by the nearest rank from both sides, so that the median of an even count is the mean of the middle
 * two.
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  if (low === undefined || high === undefined) throw new RangeError('no values');
  return low + (high - low) * (at - Math.floor(at));
}

/**
 * Runs both alternately, A B A B, after one unmeasured run of each; the order within a pair changes with
 * every pair.
 */
export async function inPairs<T>(
  pairs: number,
  candidate: () => Promise<T>,
  reference: () => Promise<T>,
): Promise<{ readonly candidate: T; readonly reference: T }[]> {
  await candidate();
  await reference();
  const results: { candidate: T; reference: T }[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % 2 === 0) {
      const first = await candidate();
      results.push({ candidate: first, reference: await reference() });
    } else {
      const first = await reference();
      results.push({ candidate: await candidate(), reference: first });
    }
  }
  return results;
}
