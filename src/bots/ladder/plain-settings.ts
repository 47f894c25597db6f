/**
 * Settings as a walk needs them: what waits for the market (filters, stops, trailing, candles) is taken out, so that every
 * entry rests where it would go out. Says what was taken out, in words. Pure.
 */
import type { Dec } from '../../domain/decimal.ts';
import { lineAt } from '../market/price-line.ts';
import type { CompiledSettings, IntradaySettings, PriceLine } from '../settings/compiled.ts';

export interface Plain {
  readonly settings: CompiledSettings;
  readonly notes: readonly string[];
}

const TRAILED_ENTRIES = 'Entries are trailed: bought on the way back from below these prices.';
const TRAILED_EXITS = 'At its target an exit is trailed, not taken.';
/** Slices of a twap that are looked at one by one. */
export const MAX_SLICES = 200;

/** `budget`: of the run, so that the deposit is a fixed one. */
export function plainSettings(settings: CompiledSettings, budget: Dec, now: number): Plain {
  const notes: string[] = [];
  const note = (when: boolean, text: string) => {
    if (when) notes.push(text);
  };
  const { deposit, buy, sell, filters, ranges, startTrigger } = settings;
  note(filters !== null || ranges.length > 0, 'Filters and ranges are taken to pass.');
  note(startTrigger !== null, 'From the present price, as if the start trigger had fired.');
  note(buy?.type === 'MARKET', 'Entries go out at MARKET at these prices.');
  note(buy?.type === 'LIMIT', 'Entries go out at these prices, as LIMIT orders that are a little worse.');
  note(sell?.type === 'MARKET', 'Exits go out at MARKET at these prices.');
  note(sell?.priceStrategy === 'trailing', TRAILED_EXITS);
  const common = {
    stops: [],
    ttl: null,
    filters: null,
    ranges: [],
    startTrigger: null,
    onetime: true,
    deposit: deposit && { ...deposit, strategy: 'fixed' as const, value: budget },
    buy: buy && { ...buy, type: null },
    sell: sell && {
      ...sell,
      type: null,
      priceStrategy: sell.priceStrategy === 'trailing' ? ('fixed' as const) : sell.priceStrategy,
    },
  };
  switch (settings.type) {
    case 'FIBO':
      note(settings.trailing, TRAILED_ENTRIES);
      note(settings.green !== null, 'In profit the exits give way to trailing.');
      return { settings: { ...settings, ...common, trailing: false, green: null }, notes };
    case 'CHANNEL':
      note(settings.timeFrame !== null, 'Entries go out when a candle closes.');
      note(settings.trailUp, 'The grid moves up with the price.');
      return {
        settings: {
          ...settings,
          ...common,
          timeFrame: null,
          trailUp: false,
          stopAbove: null,
          stopBelow: null,
        },
        notes,
      };
    case 'SQUEEZE':
      notes.push('As of a candle that closes at the present price; each close moves the entry.');
      note(settings.trailingSell || settings.trailingPart, TRAILED_EXITS);
      return {
        settings: {
          ...settings,
          ...common,
          trailing: false,
          trailingSell: false,
          trailingPart: false,
          trailingRules: [],
        },
        notes,
      };
    case 'INTRADAY':
      notes.push(intradayNote(settings));
      return {
        settings: {
          ...settings,
          ...common,
          trend: level(settings.trend, now),
          retest: false,
          breakevenAfter: null,
          expiresAt: null,
          maxEntries: 1,
        },
        notes,
      };
    case 'ALGO': {
      const { twap } = settings;
      note(twap !== null && twap.slices > MAX_SLICES, `The first of ${twap?.slices ?? 0} slices.`);
      note(twap?.limitOffset != null, 'Slices are LIMIT orders at a better price.');
      return {
        settings: {
          ...settings,
          ...common,
          expire: null,
          twap: twap && { ...twap, limitOffset: null, priceLimit: null, jitter: 0n },
        },
        notes,
      };
    }
    default:
      return { settings, notes };
  }
}

function intradayNote({ mode, retest, short }: IntradaySettings): string {
  const back = short ? 'fallen back' : 'come back up';
  if (mode === 'bounce') return `Enters once the price has touched the level and ${back} by confirmPercent.`;
  const after = retest ? ', after a return to it' : '';
  return `Enters once the price has passed the level by confirmPercent${after}.`;
}

/** The line as it is now, standing still. */
function level(line: PriceLine, now: number): PriceLine {
  const price = lineAt(line, now);
  return { ...line, p1: price, p2: price };
}
