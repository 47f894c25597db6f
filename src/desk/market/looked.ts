/**
 * One symbol that terminals look at: the last day in minutes, its trades and its depth as they are reported.
 * The market's own candle of a minute replaces the one made here from ticks. Bounded; reads no clock.
 */
import { dec, str } from '../../domain/decimal.ts';
import { type Depth, TAPE_LENGTH } from '../../domain/depth.ts';
import type { Candle } from '../../domain/rows.ts';
import { aggregate, compareDecimals, frameStart } from '../../market/aggregate.ts';
import type { Tick } from '../../market/feed.ts';
import type { LiveTick } from '../../market/market-data.ts';
import type { LookTrade, LookView } from '../console/look-views.ts';

export const DAY_MS = 86_400_000;
/** Most minutes that are made from ticks before the market sends its own. */
const HEARD_MAX = 1_500;
/** A frame long enough to join any candles into one. */
const ALL_MS = Number.MAX_SAFE_INTEGER;

/** A trade with the number of trades before it. */
type Numbered = LookTrade & { readonly nth: number };

export class Looked {
  readonly market: string;
  readonly symbol: string;
  /** Smallest frame of the market, ms. */
  readonly stepMs: number;
  mark: string | null = null;
  funding: LookView['funding'] = null;
  depth: Depth | null = null;
  /** Rises with every trade. */
  trades = 0;
  /** The last trades, oldest first. */
  #tape: Numbered[] = [];
  /** The market's candles of the last 24 hours and the present day, oldest first. */
  #told: readonly Candle[] = [];
  /** The market's candles summed up for a frame or the last day, computed once. */
  readonly #sums = new Map<string, Candle | null>();
  /** Candles made from ticks since then, by the beginning of the step. */
  readonly #heard = new Map<number, Candle>();

  constructor(market: string, symbol: string, stepMs: number) {
    this.market = market;
    this.symbol = symbol;
    this.stepMs = stepMs;
  }

  /** Takes closed candles of the step, oldest first. */
  tell(candles: readonly Candle[]): void {
    this.#told = candles;
    this.#sums.clear();
    const end = this.#end();
    for (const time of this.#heard.keys()) if (time < end) this.#heard.delete(time);
  }

  tick({ time, price, volume }: Pick<Tick, 'time' | 'price' | 'volume'>): void {
    const start = frameStart(time, this.stepMs);
    if (start < this.#end()) return;
    const known = this.#heard.get(start);
    this.#heard.set(start, known ? grown(known, price, volume) : fresh(start, price, volume));
    if (this.#heard.size <= HEARD_MAX) return;
    const [oldest] = this.#heard.keys();
    if (oldest !== undefined) this.#heard.delete(oldest);
  }

  /** Takes ticks that the exchange has reported as trades. */
  print(ticks: readonly LiveTick[]): void {
    for (const { time, side, price, volume } of ticks) {
      if (time === undefined || side === undefined) continue;
      this.#tape.push({ time, side, price, quantity: volume, nth: this.trades++ });
    }
    if (this.#tape.length > TAPE_LENGTH * 2) this.#tape = this.#tape.slice(-TAPE_LENGTH);
  }

  /** Returns the last trades from the nth on, newest first. */
  tape(from = 0): readonly LookTrade[] {
    return this.#tape
      .slice(-TAPE_LENGTH)
      .filter(({ nth }) => nth >= from)
      .reverse()
      .map(({ nth: _, ...trade }) => trade);
  }

  /** Returns the candle of a frame that runs at `now`; null: nothing is known of it. */
  forming(frameMs: number, now: number): Candle | null {
    const from = frameStart(now, frameMs);
    const sum = this.#sum(`frame ${frameMs} ${from}`, from);
    const candle = merged([...(sum ? [sum] : []), ...this.#since(from)]);
    return candle && { ...candle, time: from };
  }

  day(now: number): LookView['day'] {
    const sum = this.#sum('day', frameStart(now, this.stepMs) - DAY_MS);
    const all = merged([...(sum ? [sum] : []), ...this.#since(now - DAY_MS)]);
    return all && { high: all.high, low: all.low, volume: all.volume };
  }

  #sum(name: string, from: number): Candle | null {
    const known = this.#sums.get(name);
    if (known !== undefined) return known;
    const sum = merged(this.#told.filter(({ time }) => time >= from));
    this.#sums.set(name, sum);
    return sum;
  }

  #since(from: number): Candle[] {
    return [...this.#heard.values()].filter(({ time }) => time >= from);
  }

  #end(): number {
    const last = this.#told.at(-1);
    return last ? last.time + this.stepMs : Number.NEGATIVE_INFINITY;
  }
}

function merged(candles: readonly Candle[]): Candle | null {
  return aggregate(candles, ALL_MS)[0] ?? null;
}

function fresh(time: number, price: string, volume: string): Candle {
  return { time, open: price, high: price, low: price, close: price, volume };
}

function grown(candle: Candle, price: string, volume: string): Candle {
  return {
    ...candle,
    high: compareDecimals(price, candle.high) > 0 ? price : candle.high,
    low: compareDecimals(price, candle.low) < 0 ? price : candle.low,
    close: price,
    volume: str(dec(candle.volume) + dec(volume)),
  };
}
