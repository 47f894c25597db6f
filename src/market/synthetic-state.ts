/** The synthetic feed's state as it is stored: plain JSON, checked when it is read back. */
import { FeedError } from './feed.ts';
import type { RandomState } from './random.ts';

export interface SyntheticState {
  readonly seed: number;
  /** Unix ms of the very first start: the generated past ends there. */
  readonly genesis: number;
  /** Time of the next tick and the place of its symbol among the ticks of that time. */
  readonly time: number;
  readonly index: number;
  /** The common shock of the moment being given. */
  readonly shock: number;
  readonly random: RandomState;
  /** Per symbol the log price in ticks and, once it has ticked, the minute being formed: time, open, high, low, close, volume. */
  readonly markets: Readonly<Record<string, readonly number[]>>;
}

/** Null for no state. Throws FeedError when it is none of this feed's. */
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
