/** What a ladder of INTRADAY leaves out and adds. Pure. */
import { ceilTo, type Dec, floorTo, ONE } from '../../../domain/decimal.ts';
import type { TypeLadder } from '../../ladder/type-ladder.ts';
import { lineAt } from '../../market/price-line.ts';
import type { PriceLine } from '../../settings/compiled.ts';
import type { IntradaySettings } from './settings.ts';

export const intradayLadder: TypeLadder<IntradaySettings> = {
  plain(settings, { common, now, note }) {
    note(true, entersWhen(settings));
    return {
      ...settings,
      ...common,
      trend: standing(settings.trend, now),
      retest: false,
      breakevenAfter: null,
      expiresAt: null,
      maxEntries: 1,
    };
  },

  lines: ({ trend }, now) => [{ kind: 'line', label: 'level', price: lineAt(trend, now) }],

  /**
   * Moves the price to each of the prices at which it enters, in order: beyond the level, at it, and
   * confirmed.
   */
  approach(settings, walk) {
    const level = lineAt(settings.trend, walk.now);
    // A price on the tick that is at the given price or beyond it on the winning side.
    const past = (price: Dec) =>
      settings.short ? floorTo(price, walk.tickSize) : ceilTo(price, walk.tickSize);
    const confirmed = past(walk.up(level, settings.confirmPercent));
    const above = past(walk.up(walk.up(level, settings.touchPercent), ONE));
    const way =
      settings.mode === 'breakout' ? [past(walk.down(level, ONE)), confirmed] : [above, level, confirmed];
    for (const price of way) walk.tick(price);
  },
};

function entersWhen({ mode, retest, short }: IntradaySettings): string {
  const back = short ? 'fallen back' : 'come back up';
  if (mode === 'bounce') return `Enters once the price has touched the level and ${back} by confirmPercent.`;
  const after = retest ? ', after a return to it' : '';
  return `Enters once the price has passed the level by confirmPercent${after}.`;
}

/** The line, fixed at its present price. */
function standing(line: PriceLine, now: number): PriceLine {
  const price = lineAt(line, now);
  return { ...line, p1: price, p2: price };
}
