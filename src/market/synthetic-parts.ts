/**
 * Splits a candle of a synthetic market into parts, such as an hour into minutes: a random walk between its
 * ends that stays within its high and low. Pure.
 */
import type { SeededRandom } from './random.ts';
import { activity, excursion, type SyntheticMarket, shock, stepModel, ticksOf } from './synthetic-model.ts';
import { MINUTE_MS } from './timeframe.ts';

const COLUMNS = 5;

export interface CandleGiven {
  readonly market: SyntheticMarket;
  /** Open, high, low, close, volume; the volume is at least one per minute. */
  readonly candle: Float64Array;
  /** Number of parts, and the length of each. */
  readonly count: number;
  readonly stepMs: number;
  /** Generators of this candle: for the symbol's own moves, and for those that all symbols share. */
  readonly own: SeededRandom;
  readonly common: SeededRandom;
}

/** Returns columns of open, high, low, close, volume, oldest first: together they give exactly the candle. */
export function candleParts({ market, candle, count, stepMs, own, common }: CandleGiven): Float64Array {
  const [open = 0, high = 0, low = 0, close = 0, volume = 0] = candle;
  const within = (price: number) => Math.min(high, Math.max(low, price));
  const model = stepModel(stepMs);
  const sigma = market.volatility * model.root;
  const walk = new Float64Array(count + 1);
  for (let i = 1; i <= count; i++) {
    const move = market.common * shock(common, model) + market.own * shock(own, model);
    walk[i] = (walk[i - 1] as number) + sigma * move;
  }
  // A Brownian bridge: the walk minus its drift, so that it ends where the candle does.
  const from = Math.log(open);
  const slope = (Math.log(close) - from - (walk[count] as number)) / count;
  const logAt = (i: number) => from + (walk[i] as number) + slope * i;
  const parts = new Float64Array(count * COLUMNS);
  const weights = new Float64Array(count);
  let [sum, top, bottom, before] = [0, 0, 0, open];
  for (let i = 0; i < count; i++) {
    const after = i === count - 1 ? close : within(ticksOf(market, logAt(i + 1)));
    const distance = Math.abs(logAt(i + 1) - logAt(i));
    const higher = Math.max(before, after);
    const lower = Math.min(before, after);
    const at = i * COLUMNS;
    parts[at] = before;
    parts[at + 1] = Math.max(higher, within(Math.round(higher * (1 + excursion(own, distance, sigma)))));
    parts[at + 2] = Math.min(lower, within(Math.round(lower * (1 - excursion(own, distance, sigma)))));
    parts[at + 3] = after;
    if ((parts[at + 1] as number) > (parts[top * COLUMNS + 1] as number)) top = i;
    if ((parts[at + 2] as number) < (parts[bottom * COLUMNS + 2] as number)) bottom = i;
    weights[i] = activity(own, distance / sigma);
    sum += weights[i] as number;
    before = after;
  }
  // The parts that came closest get the candle's own high and low.
  parts[top * COLUMNS + 1] = high;
  parts[bottom * COLUMNS + 2] = low;
  const least = stepMs / MINUTE_MS;
  let rest = volume;
  for (let i = 0; i < count; i++) {
    const share = least + Math.floor((volume - count * least) * ((weights[i] as number) / sum));
    const part = i === count - 1 ? rest : Math.min(share, rest - (count - 1 - i) * least);
    parts[i * COLUMNS + 4] = part;
    rest -= part;
  }
  return parts;
}
