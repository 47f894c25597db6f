/**
 * The prices in a bot's settings, for its chart: levels, ends of a grid, lines at this moment. Settings may
 * hold anything: what cannot be read is left out. The meaning of the prices is known to the runtime only.
 * Pure.
 */
import type { BotView } from '../../desk/console/protocol.ts';
import { type Dec, decOfInt, div, mul, str, ZERO } from '../../domain/decimal.ts';
import { wordsOf } from '../../schemas/bots/index.ts';
import { blockOf, type PriceReader } from '../../schemas/bots/words.ts';
import { read } from '../ui/format.ts';

export interface BotLevel {
  readonly price: string;
  readonly name: string;
}

/** Largest number of lines in a chart: more would not be readable. */
const MOST = 40;

/** Returns the levels of the settings. `now`: market time, for lines that rise or fall. */
export function settingsLevels(
  { type, settings }: Pick<BotView, 'type' | 'settings'>,
  now: number,
): BotLevel[] {
  const levels: BotLevel[] = [];
  const add = (price: Dec | null, name: string) => {
    if (price !== null && price > ZERO && levels.length < MOST) levels.push({ price: str(price), name });
  };
  const reader: PriceReader<Dec> = {
    price: number,
    line: (value) => lineAt(value, now),
    between: (from, to, share) => from + mul(to - from, share),
  };
  for (const { price, name } of wordsOf(type).prices?.(settings, reader) ?? []) add(price, name);
  return levels;
}

/** Returns the price of a line at a moment (strategies.md 1, "Line values"); null if the value is no line. */
function lineAt(value: unknown, now: number): Dec | null {
  const points = Object.entries(blockOf(value)).map(
    ([time, price]) => [Number(time), number(price)] as const,
  );
  const [first, second] = [...points].sort((a, b) => a[0] - b[0]);
  if (!first || !second || points.length !== 2 || first[1] === null || second[1] === null) return null;
  const span = second[0] - first[0];
  if (!Number.isSafeInteger(span) || span <= 0 || !Number.isSafeInteger(now - first[0])) return null;
  return first[1] + div(mul(second[1] - first[1], decOfInt(now - first[0])), decOfInt(span));
}

function number(value: unknown): Dec | null {
  return typeof value === 'string' || typeof value === 'number' ? read(String(value)) : null;
}
