/**
 * Candles over REST and on the channels: newest first, with `confirm`; days and half days begin at UTC+8
 * unless the bar says `utc`. Sources: OKX v5 "Candlesticks", "Candlesticks history", "Candlesticks channel".
 */
import { type Dec, mul, str } from '../../../src/domain/decimal.ts';
import { type Candle, FRAMES } from '../kit/candles.ts';
import { unitOf } from './instruments.ts';
import type { Instrument } from './market.ts';
import { type Params, wrong } from './params.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Monday 5 January 1970. */
const MONDAY = 4 * DAY;

interface Bar {
  readonly frame: string;
  readonly shift: number;
}

const plain = ['1s', '1m', '3m', '5m', '15m', '30m'].map((bar) => [bar, { frame: bar, shift: 0 }] as const);
const hours = ['1H', '2H', '4H'].map((bar) => [bar, { frame: bar.toLowerCase(), shift: 0 }] as const);
const long = ['6H', '12H', '1D', '3D', '1W'].flatMap((bar) => {
  const frame = bar.toLowerCase();
  const shift = frame === '1w' ? MONDAY : 0;
  return [[bar, { frame, shift: shift - 8 * HOUR }] as const, [`${bar}utc`, { frame, shift }] as const];
});

export const BARS: ReadonlyMap<string, Bar> = new Map([...plain, ...hours, ...long]);

export function barStart(bar: string, time: number): number {
  const { frame, shift } = BARS.get(bar) as Bar;
  const length = FRAMES[frame] as number;
  return Math.floor((time - shift) / length) * length + shift;
}

export const barLength = (bar: string): number => FRAMES[(BARS.get(bar) as Bar).frame] as number;

/** A row: `[ts, o, h, l, c, vol, volCcy, volCcyQuote, confirm]`. */
export function barRow(m: Instrument, bar: string, openTime: number, now: number): string[] {
  const candle = m.candles.candle((BARS.get(bar) as Bar).frame, openTime, now);
  const isSwap = m.spec.instType === 'SWAP';
  const quote: Dec = mul(candle.quote, unitOf(m.spec));
  return [
    String(openTime),
    ...prices(candle),
    str(candle.volume),
    str(isSwap ? mul(candle.volume, unitOf(m.spec)) : quote),
    str(quote),
    openTime + barLength(bar) <= now ? '1' : '0',
  ];
}

function prices({ open, high, low, close }: Candle): string[] {
  return [open, high, low, close].map(str);
}

/**
 * A list. `after`: older than that time; `before`: newer. At most `reach` bars back from now; the history has
 * no unfinished one.
 */
export function barList(
  m: Instrument,
  params: Params,
  now: number,
  reach: number,
  most: number,
  isHistory = false,
): string[][] {
  const bar = params.text('bar') || '1m';
  if (!BARS.has(bar)) throw wrong('bar');
  const length = barLength(bar);
  const limit = params.limit(most, 100);
  const after = params.whole('after');
  const before = params.whole('before');
  const newest = barStart(bar, now) - (isHistory ? length : 0);
  const oldest = Math.max(newest - (reach - 1) * length, 0);
  let time = after === null ? newest : Math.min(barStart(bar, after - 1), newest);
  const rows: string[][] = [];
  while (rows.length < limit && time >= oldest && (before === null || time > before)) {
    rows.push(barRow(m, bar, time, now));
    time -= length;
  }
  return rows;
}
