/**
 * Trades of one turn of the event loop as few ticks: of each symbol the lowest, the highest and the last, in their order, so
 * that no stop misses the price that fires it. The volume is that of all of them. Memory by the count of symbols alone.
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
  /** Which of the trades. */
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

  /** What has been added since the last time, the symbols in the order of their first trade. */
  take(): LiveTick[] {
    const ticks: LiveTick[] = [];
    for (const [symbol, { low, high, last, volume }] of this.#trades) {
      const extremes = low.nth < high.nth ? [low.text, high.text] : [high.text, low.text];
      const prices = [...extremes, last].filter((price, at, all) => price !== all[at - 1]);
      // Not more than there were: the volume belongs to the last one.
      const end = prices.length - 1;
      prices.forEach((price, at) => {
        ticks.push({ symbol, price, volume: str(at === end ? volume : ZERO) });
      });
    }
    this.#trades = new Map();
    return ticks;
  }
}
