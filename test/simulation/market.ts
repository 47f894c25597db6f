/** A seeded market: tick n has the same symbol, price and volume however often it is read. */
import type { Tick } from '../../src/market/feed.ts';
import type { Dice } from './dice.ts';

export interface SimSymbol {
  readonly symbol: string;
  readonly start: number;
  /** Decimals of the tick size and of the step size. */
  readonly priceDigits: number;
  readonly quantityDigits: number;
  /** Largest volume of a tick, base units. */
  readonly volume: number;
}

export const SYMBOLS: readonly SimSymbol[] = [
  { symbol: 'BTCUSDT', start: 60_000, priceDigits: 2, quantityDigits: 5, volume: 0.4 },
  { symbol: 'ETHUSDT', start: 3_000, priceDigits: 2, quantityDigits: 4, volume: 8 },
];

type BareTick = Omit<Tick, 'time'>;

export class SimMarket {
  readonly #dice: Dice;
  readonly #stride: number;
  readonly #ticks: BareTick[] = [];
  readonly #scale: number;
  readonly #prices: number[];

  /** `scale`: the factor of all its prices. */
  constructor(dice: Dice, stride: number, scale = 1) {
    this.#dice = dice;
    this.#stride = stride;
    this.#scale = scale;
    this.#prices = SYMBOLS.map(({ start }) => start * scale);
  }

  tick(n: number): BareTick {
    while (this.#ticks.length <= n) this.#ticks.push(this.#draw(this.#ticks.length));
    return this.#ticks[n] as BareTick;
  }

  #draw(n: number): BareTick {
    const which = n % SYMBOLS.length;
    const s = SYMBOLS[which] as SimSymbol;
    const last = this.#prices[which] as number;
    // Pulls the price back to the start, so that none runs away in a long seed.
    const start = s.start * this.#scale;
    const pull = ((start - last) / start) * 0.02;
    const price = last * (1 + this.#dice.between(-this.#stride, this.#stride) + pull);
    this.#prices[which] = price;
    const volume = this.#dice.between(0, s.volume) * (this.#dice.chance(0.1) ? 20 : 1);
    return {
      symbol: s.symbol,
      price: price.toFixed(s.priceDigits),
      volume: volume.toFixed(s.quantityDigits),
    };
  }
}
