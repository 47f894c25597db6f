/**
 * The state of the market screen at a terminal: one symbol, how its chart is drawn, and the data read for it.
 */
import type { Candle } from '../../domain/rows.ts';
import { fieldsOf } from '../app/memory.ts';
import type { ScreenId } from '../state/ui.ts';
import type { ChartMark } from '../ui/chart-price.ts';

const MINUTE_MS = 60_000;

/** Candle lengths that the screen offers. */
export const FRAMES: readonly { readonly name: string; readonly ms: number }[] = [
  { name: '1m', ms: MINUTE_MS },
  { name: '5m', ms: 5 * MINUTE_MS },
  { name: '15m', ms: 15 * MINUTE_MS },
  { name: '1h', ms: 60 * MINUTE_MS },
  { name: '4h', ms: 240 * MINUTE_MS },
  { name: '1d', ms: 1_440 * MINUTE_MS },
];

/** Lengths of the averages, in candles. */
export const EMA_LENGTHS = [20, 50, 200] as const;

export interface MarketAt {
  readonly market: string;
  readonly symbol: string;
  /** The account that a new order begins with. */
  readonly exchange: string;
}

/** What is drawn; stored for the operator. */
export interface ChartShows {
  readonly volume: boolean;
  /** Number of averages shown, the first ones of `EMA_LENGTHS`. */
  readonly ema: number;
  readonly vwap: boolean;
  readonly rsi: boolean;
  /** Depth and tape, where the market provides them. */
  readonly depth: boolean;
}

/** Data read for a symbol. `key`: its `marketKey`. */
export interface Past {
  readonly key: string;
  readonly frameMs: number;
  /** Closed candles, oldest first. */
  readonly candles: readonly Candle[];
}

export interface Fills {
  readonly key: string;
  /** Oldest first. */
  readonly marks: readonly ChartMark[];
}

export interface MarketScreenView {
  /** Null: no symbol was opened yet. */
  readonly at: MarketAt | null;
  /** The screen from which this one was opened. */
  readonly from: ScreenId;
  readonly frameMs: number;
  readonly shows: ChartShows;
  readonly past: Past | null;
  readonly fills: Fills | null;
  /** Why the desk refuses the symbol; null: it does not. */
  readonly refusal: string | null;
  /** Open time of the candle under the crosshair, Unix ms; null: the chart follows the newest. */
  readonly cursor: number | null;
  /** Price of the crosshair; null without a crosshair. */
  readonly across: string | null;
}

export const FIRST_MARKET: MarketScreenView = {
  at: null,
  from: 'overview',
  frameMs: 15 * MINUTE_MS,
  shows: { volume: true, ema: 1, vwap: false, rsi: false, depth: true },
  past: null,
  fills: null,
  refusal: null,
  cursor: null,
  across: null,
};

/** Reads the stored chart settings; invalid values are dropped. */
export function readChart(kept: unknown): Pick<MarketScreenView, 'frameMs' | 'shows'> {
  const { frameMs, shows } = fieldsOf(kept);
  const found = fieldsOf(shows);
  const was = FIRST_MARKET.shows;
  const flag = (name: 'volume' | 'vwap' | 'rsi' | 'depth') =>
    typeof found[name] === 'boolean' ? found[name] : was[name];
  const isEma = typeof found.ema === 'number' && [0, 1, 2, 3].includes(found.ema);
  return {
    frameMs: FRAMES.find(({ ms }) => ms === frameMs)?.ms ?? FIRST_MARKET.frameMs,
    shows: {
      volume: flag('volume'),
      vwap: flag('vwap'),
      rsi: flag('rsi'),
      depth: flag('depth'),
      ema: isEma ? (found.ema as number) : was.ema,
    },
  };
}

declare module '../state/ui.ts' {
  interface Screens {
    readonly market: true;
  }
  interface Slices {
    readonly market: MarketScreenView;
  }
}
