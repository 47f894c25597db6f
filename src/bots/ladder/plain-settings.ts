/**
 * Settings as a walk needs them: what waits for the market (filters, stops, trailing, candles) is removed, so
 * that every entry rests at its price. Notes say what was removed. Pure.
 */
import type { Dec } from '../../domain/decimal.ts';
import type { CompiledSettings } from '../settings/compiled.ts';
import { kindOf } from '../types/kinds.ts';
import { type PlainCommon, TRAILED_EXITS } from './type-ladder.ts';

export interface Plain {
  readonly settings: CompiledSettings;
  readonly notes: readonly string[];
}

/** `budget`: budget of the run; it makes the deposit a fixed one. */
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
  const common: PlainCommon = {
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
  return { settings: kindOf(settings.type).ladder.plain(settings, { common, now, note }), notes };
}
