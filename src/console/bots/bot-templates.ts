/**
 * A small bot of each type to start from, as the body of POST /bots: valid without changes, on the current
 * symbol, with levels around its price. Pure.
 */
import { type Dec, dec, div, fixed, mul, ZERO } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { type BotType, wordsOf } from '../../schemas/bots/index.ts';
import { placesOf, read } from '../ui/format.ts';
import { printJson } from './bot-print.ts';

export interface TemplateGround {
  readonly instrument: Instrument;
  /** Last price; null while there is none: then the levels are around 100. */
  readonly last: string | null;
  /** Market time, Unix ms. */
  readonly now: number;
}

/** The text of a new bot's JSON. */
export function botTemplate(type: BotType, ground: TemplateGround): string {
  const { instrument, last } = ground;
  const known = read(last);
  const price = known === null || known <= ZERO ? dec('100') : known;
  const tick = dec(instrument.tickSize);
  const at = (percent: string) => priceAt(price, tick, instrument.tickSize, percent);
  const { exchange, symbol, base, quote } = instrument;
  const settings = wordsOf(type).template({ exchange, symbol, base, quote, now: ground.now, at });
  return printJson({ type, settings }).join('\n');
}

/** Returns the price that is `percent` away, on the tick and at least one tick. */
function priceAt(price: Dec, tick: Dec, tickText: string, percent: string): string {
  const wanted = price + mul(price, div(dec(percent), dec('100')));
  const ticks = tick > ZERO ? (wanted / tick) * tick : wanted;
  return fixed(ticks > tick ? ticks : tick, placesOf(tickText) ?? 8);
}
