/**
 * Turns the trades of one turn of the event loop into few ticks: for each symbol the lowest, the highest and
 * the last, in their order, so that no stop misses the price that fires it. The volume is that of all of
 * them. Memory grows only with the number of symbols.
 */
import { type Dec, dec, str, ZERO } from '../../../domain/decimal.ts';
import type { LiveTick } from '../../../market/market-data.ts';

interface Trades {
  count: number;
  volume: Dec;
  readonly low: Extreme;
  readonly high: Extreme;
  last: string;
}

interface Extreme {
  price: Dec;
  text: string;
  /** Position among the trades. */
  nth: number;
}

export class TickMerger {
  #trades = new Map<string, Trades>();

  add({ symbol, price: text, volume }: LiveTick): void {
    const price = dec(text);
    const trades = this.#trades.get(symbol);
    if (!trades) {
      const first = () => ({ price, text, nth: 0 });
      this.#trades.set(symbol, { count: 1, volume: dec(volume), low: first(), high: first(), last: text });
      return;
    }
    const { low, high } = trades;
    if (price < low.price) Object.assign(low, { price, text, nth: trades.count });
    else if (price > high.price) Object.assign(high, { price, text, nth: trades.count });
    trades.count += 1;
    trades.volume += dec(volume);
    trades.last = text;
  }

  /** Returns what has been added since the last call, symbols in the order of their first trade. */
  take(): LiveTick[] {
    const ticks: LiveTick[] = [];
    for (const [symbol, { low, high, last, volume }] of this.#trades) {
      const extremes = low.nth < high.nth ? [low.text, high.text] : [high.text, low.text];
      const prices = [...extremes, last].filter((price, at, all) => price !== all[at - 1]);
      // The volume of all trades goes with the last tick, so it is not counted twice.
      const end = prices.length - 1;
      prices.forEach((price, at) => {
        ticks.push({ symbol, price, volume: str(at === end ? volume : ZERO) });
      });
    }
    this.#trades = new Map();
    return ticks;
  }
}
