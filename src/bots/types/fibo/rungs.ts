/** The ladder of a FIBO bot: entry and target of every level (strategies.md 3). Pure. */
import { ceilTo, type Dec, div, floorTo, mul, ONE, ZERO } from '../../../domain/decimal.ts';
import type { MarketRules } from '../../settings/compiled.ts';
import type { FiboChannel, FiboPrice, FiboSettings } from './settings.ts';

const HUNDRED = 100n * ONE;
/** Shares that differ by more, in percentage points, are not merged. */
const MERGE_WITHIN = ONE;

/** One traded level, with its target from its neighbours. */
export interface Rung {
  readonly name: string;
  /** Percent of the deposit. */
  readonly share: Dec;
  readonly level: Dec;
  /** Price of the level that is the target when the channel names none. */
  readonly target: Dec;
  readonly buy: FiboPrice | null;
  readonly sell: FiboPrice | null;
}

/**
 * Levels that have a share, from the lowest to the highest; targets come from the whole ladder, before
 * merging.
 */
export function ladderOf(settings: FiboSettings, rules: MarketRules): Rung[] {
  const { channels, short } = settings;
  const rungs = channels.map((channel, i) => rungOf(channels, channel, i, short));
  const traded = settings.mergeChannels ? merged(rungs, rules, short) : rungs;
  return traded.filter(({ share }) => share > ZERO);
}

function rungOf(channels: readonly FiboChannel[], channel: FiboChannel, i: number, short: boolean): Rung {
  const next = channels[short ? i - 1 : i + 1];
  const other = channels[short ? i + 1 : i - 1];
  // The last level's target is as far beyond it as its neighbour on the other side.
  const target = next ? next.level : other ? channel.level + (channel.level - other.level) : channel.level;
  const { name, share, level, buy, sell } = channel;
  return { name, share, level, target, buy, sell };
}

/**
 * Merges neighbours that both have nearly the same share, in pairs from the bottom, with the target of the
 * upper one; for a short from the top, with the target of the lower one (R4).
 */
function merged(rungs: readonly Rung[], rules: MarketRules, short: boolean): Rung[] {
  const out: Rung[] = [];
  const inOrder = short ? rungs.toReversed() : rungs;
  for (let i = 0; i < inOrder.length; i++) {
    const one = inOrder[i] as Rung;
    const next = inOrder[i + 1];
    if (
      !next ||
      one.share === ZERO ||
      next.share === ZERO ||
      distance(one.share, next.share) > MERGE_WITHIN
    ) {
      out.push(one);
      continue;
    }
    const [low, high] = short ? [next, one] : [one, next];
    const mean = (low.level + high.level) / 2n;
    out.push({
      ...next,
      name: `${low.name}+${high.name}`,
      share: low.share + high.share,
      level: short ? ceilTo(mean, rules.tick) : floorTo(mean, rules.tick),
    });
    i++;
  }
  return short ? out.reverse() : out;
}

/** Entry price as it would be placed now; not rounded. */
export function entryPrice({ buy, level }: Rung, price: Dec): Dec {
  return resolve(buy, level, price, level) ?? level;
}

/** Target price as it would be placed now; not rounded. */
export function targetPrice({ sell, level, target }: Rung, price: Dec, entry: Dec): Dec {
  return resolve(sell, level, price, entry) ?? target;
}

function resolve(way: FiboPrice | null, level: Dec, price: Dec, entry: Dec): Dec | null {
  if (way === null) return null;
  if (way.kind === 'fixed') return way.price;
  const from = way.from === 'level' ? level : way.from === 'price' ? price : entry;
  return div(mul(from, HUNDRED + way.percent), HUNDRED);
}

function distance(a: Dec, b: Dec): Dec {
  return a > b ? a - b : b - a;
}
