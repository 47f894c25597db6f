/** The synthetic feed's state as it is stored: plain JSON, checked when it is read back. */
import { FeedError } from './feed.ts';
import type { RandomState } from './random.ts';

export interface SyntheticState {
  readonly seed: number;
  /** Unix ms of the very first start: the generated past ends there. */
  readonly genesis: number;
  /** Time of the next tick and the position of its symbol among the ticks of that time. */
  readonly time: number;
  readonly index: number;
  /** The common shock of the current moment. */
  readonly shock: number;
  readonly random: RandomState;
  /**
   * For each symbol, the log price in ticks and, after its first tick, the current minute: time, open, high,
   * low, close, volume.
   */
  readonly markets: Readonly<Record<string, readonly number[]>>;
}

/** Reads the state; null: there is none. Throws FeedError when it is not a state of this feed. */
export function readSyntheticState(state: unknown): SyntheticState | null {
  if (state === null || state === undefined) return null;
  const { seed, genesis, time, index, shock, random, markets } = state as Partial<SyntheticState>;
  const whole = [seed, genesis, time, index, shock].every(Number.isFinite);
  const words = Array.isArray(random) && random.length === 5 && random.slice(0, 4).every(Number.isInteger);
  if (!whole || !words || !isNumberLists(markets)) {
    throw new FeedError('the stored state of the synthetic feed cannot be read');
  }
  return state as SyntheticState;
}

function isNumberLists(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((list) => Array.isArray(list) && list.every(Number.isFinite))
  );
}
