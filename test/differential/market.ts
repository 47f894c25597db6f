/**
 * The market of a case: random candles as their four ticks, or loose ticks, with gaps, pauses and volumes.
 */
import type { CandleRow, ScenarioEvent } from '../scenarios/scenario.ts';
import type { Dice } from '../simulation/dice.ts';

const MINUTE_MS = 60_000;
const GAP_TIMES = 6;
const HISTORY_MAX = 40;

/** How prices move. */
export interface Walk {
  readonly price: number;
  /** Largest relative change within a candle, or from tick to tick. */
  readonly stride: number;
  readonly tick: number;
  /** Maximum volume of a tick, in base units. */
  readonly volume: number;
}

export type TickEvent = Extract<ScenarioEvent, { tick: string }>;

/** The nearest valid price, as text. */
export function priceText(value: number, tick: number): string {
  const digits = (String(tick).split('.')[1] ?? '').length;
  return (Math.max(1, Math.round(value / tick)) * tick).toFixed(digits);
}

export class Market {
  readonly #dice: Dice;
  readonly #walk: Walk;
  #price: number;

  constructor(dice: Dice, walk: Walk) {
    this.#dice = dice;
    this.#walk = walk;
    this.#price = walk.price;
  }

  /** Candles of a frame from a time on, each as its four ticks. */
  candles(start: number, frameMs: number, count: number): TickEvent[] {
    const events: TickEvent[] = [];
    for (let i = 0; i < count; i++) {
      const at = start + i * frameMs;
      const { open, high, low, close } = this.#candle();
      const way = close >= open ? [open, low, high, close] : [open, high, low, close];
      const offsets = [0, frameMs / 4, frameMs / 2, frameMs - 1];
      const volume = this.#volume();
      way.forEach((price, quarter) => {
        events.push({ at: at + (offsets[quarter] ?? 0), tick: this.#text(price), volume });
      });
    }
    return events;
  }

  /** Ticks at any time, some at the same one, some after minutes of silence. */
  loose(start: number, everyMs: number, count: number): TickEvent[] {
    const dice = this.#dice;
    let at = start;
    return Array.from({ length: count }, () => {
      const event = { at, tick: this.#text(this.#next()), volume: this.#volume() };
      const pause = dice.weighted({ none: 1, short: 8, long: 1 });
      at +=
        pause === 'none'
          ? 0
          : Math.max(1, Math.round(everyMs * dice.between(0.1, 2) * (pause === 'long' ? 8 : 1)));
      return event;
    });
  }

  /** Closed minutes before the start, up to its price. */
  history(start: number): CandleRow[] {
    const count = this.#dice.int(5, HISTORY_MAX);
    const first = Math.floor(start / MINUTE_MS) * MINUTE_MS - count * MINUTE_MS;
    const rows = Array.from({ length: count }, (_, i): CandleRow => {
      const { open, high, low, close } = this.#candle();
      const texts = [open, high, low, close].map((price) => this.#text(price)) as [
        string,
        string,
        string,
        string,
      ];
      return [first + i * MINUTE_MS, ...texts, this.#volume()];
    });
    this.#price = this.#walk.price;
    return rows;
  }

  #candle(): { open: number; high: number; low: number; close: number } {
    const open = this.#dice.chance(0.8) ? this.#price : this.#next();
    const close = this.#next();
    const { stride } = this.#walk;
    const high = Math.max(open, close) * (1 + this.#dice.between(0, stride));
    const low = Math.min(open, close) * (1 - this.#dice.between(0, stride));
    return { open, high, low, close };
  }

  /** Returns the next price, pulled back to the first one, so that no market runs away. */
  #next(): number {
    const { price, stride } = this.#walk;
    const dice = this.#dice;
    if (dice.chance(0.08)) return this.#price;
    const times = dice.chance(0.04) ? GAP_TIMES : 1;
    const pull = ((price - this.#price) / price) * 0.05;
    this.#price *= 1 + dice.between(-stride, stride) * times + pull;
    return this.#price;
  }

  #text(price: number): string {
    return priceText(price, this.#walk.tick);
  }

  #volume(): string {
    const { volume } = this.#walk;
    const most = this.#dice.chance(0.15) ? volume * 20 : volume;
    return this.#dice.chance(0.05) ? '0' : this.#dice.between(0, most).toPrecision(4).replace(/e.*$/, '');
  }
}

/** Merges the ticks of two instruments into one list in time order. */
export function merged(own: readonly TickEvent[], others: readonly TickEvent[]): TickEvent[] {
  return [...own, ...others].sort((a, b) => a.at - b.at);
}
