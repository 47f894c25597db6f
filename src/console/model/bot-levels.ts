/**
 * The prices that a bot's settings name, for its chart: levels, grid ends, lines at this moment. Settings may hold anything:
 * what cannot be read is left out. What they mean to the bot is the runtime's affair. Pure.
 */
import type { BotView } from '../../desk/console/protocol.ts';
import { type Dec, decOfInt, div, mul, str, ZERO } from '../../domain/decimal.ts';
import { read } from '../format.ts';

export interface BotLevel {
  readonly price: string;
  readonly name: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** More lines than this tell nothing on a chart. */
const MOST = 40;

/** `now`: market time, for lines that rise or fall. */
export function settingsLevels(
  { type, settings }: Pick<BotView, 'type' | 'settings'>,
  now: number,
): BotLevel[] {
  const levels: BotLevel[] = [];
  const add = (price: Dec | null, name: string) => {
    if (price !== null && price > ZERO && levels.length < MOST) levels.push({ price: str(price), name });
  };
  switch (type) {
    case 'INTRADAY':
      add(lineAt(settings.trend, now), 'level');
      break;
    case 'ALARM':
      for (const range of listOf(settings.range)) add(lineAt(range.trend, now), 'alarm');
      break;
    case 'FIBO':
      for (const { price, name } of fiboLevels(listOf(settings.channels))) add(price, name);
      break;
    case 'CHANNEL': {
      const grid = fieldsOf(settings.grid);
      add(number(grid.high), 'high');
      add(number(grid.low), 'low');
      for (const level of listOf(settings.levels)) {
        add(number(level.buy), 'buys');
        add(number(level.sell), 'sells');
      }
      add(number(settings.stopAbove), 'ends');
      add(number(settings.stopBelow), 'ends');
      break;
    }
    default:
      break;
  }
  return levels;
}

/** Given prices, and those between the two ends by their names (strategies.md 3). */
function fiboLevels(channels: readonly Fields[]): { price: Dec | null; name: string }[] {
  const given = (wanted: string) => number(channels.find(({ name }) => name === wanted)?.fiboPrice);
  const from = given('0');
  const to = given('1');
  return channels.map((channel) => {
    const name = typeof channel.name === 'string' ? channel.name : '';
    const share = number(channel.name);
    const between = from === null || to === null || share === null ? null : from + mul(to - from, share);
    return { price: number(channel.fiboPrice) ?? between, name };
  });
}

/** A price line at a moment (strategies.md 1, "Line values"); null when it is none. */
function lineAt(value: unknown, now: number): Dec | null {
  const points = Object.entries(fieldsOf(value)).map(
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

/** One object or an array of them. */
function listOf(value: unknown): readonly Fields[] {
  return (Array.isArray(value) ? value : [value]).map(fieldsOf);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
