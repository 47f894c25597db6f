/** What consoles see of a price: the same whether the desk has run for days or has just been started, each market by itself. */
import { expect, it } from 'vitest';
import type { MarketHistory } from '../../../src/desk/market/market-history.ts';
import { MarketView } from '../../../src/desk/market/market-view.ts';
import type { Candle } from '../../../src/domain/rows.ts';
import type { Tick } from '../../../src/market/feed.ts';
import { seeded } from '../../venues/paper-support.ts';

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 0, 5, 9, 30);
const MARKETS = ['paper', 'other'] as const;

/** Closed minute candles of the ticks given so far. */
class Recorder implements MarketHistory {
  readonly #minutes = new Map<string, Candle>();
  #now = 0;

  take(market: string, { time, price }: Tick): void {
    this.#now = time;
    const minute = Math.floor(time / MINUTE_MS) * MINUTE_MS;
    const open = this.#minutes.get(`${market} ${minute}`)?.open ?? price;
    const candle = { time: minute, open, high: price, low: price, close: price, volume: '1' };
    this.#minutes.set(`${market} ${minute}`, candle);
  }

  frameMs(): number {
    return MINUTE_MS;
  }

  has(): boolean {
    return true;
  }

  candles(market: string, _symbol: string, _frameMs: number, from: number, to: number): Candle[] {
    const found: Candle[] = [];
    const first = Math.ceil(from / MINUTE_MS) * MINUTE_MS;
    for (let at = first; at < to && at + MINUTE_MS <= this.#now; at += MINUTE_MS) {
      const candle = this.#minutes.get(`${market} ${at}`);
      if (candle) found.push(candle);
    }
    return found;
  }
}

it.each([1, 2, 3])('the price of a day ago and the closes go on with each market (%i)', (seed) => {
  const history = new Recorder();
  const { next } = seeded(seed);
  const view = new MarketView(history, null);
  const shown = new Set<string | null | undefined>();
  const end = START + 30 * 60 * MINUTE_MS;
  for (let time = START, nth = 0; time < end; time += 1 + Math.floor(next() * MINUTE_MS)) {
    for (const [i, market] of MARKETS.entries()) {
      const tick: Tick = { symbol: 'BTCUSDT', time, price: `${60_000 + 10_000 * i + nth++}`, volume: '1' };
      history.take(market, tick);
      view.onTick(market, tick);
      const started = new MarketView(history, null);
      started.seed(market, [tick.symbol, tick.price, time]);
      expect(view.price(market, tick.symbol)).toEqual(started.price(market, tick.symbol));
      shown.add(view.price(market, tick.symbol)?.open24h);
    }
  }
  // None in the first day, then another one each minute.
  expect(shown.size).toBeGreaterThan(600);
  expect(shown).toContain(null);
});
