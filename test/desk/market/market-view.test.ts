/**
 * The prices that consoles see: the same whether the desk has run for days or has just started, each market
 * separately.
 */
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

it('last prices are told by market, each with its time, its volume and the how-manieth of that time it is, and are taken up so', () => {
  const history = new Recorder();
  const view = new MarketView(history, null);
  const tick = (market: string, symbol: string, time: number, price: string, volume: string) =>
    view.onTick(market, { symbol, time, price, volume });
  tick('paper', 'BTCUSDT', START, '1', '10');
  tick('other', 'BTCUSDT', START + 5, '9', '90');
  tick('paper', 'BTCUSDT', START, '2', '20');
  tick('paper', 'BTCUSDT', START, '3', '30');
  tick('paper', 'ETHUSDT', START + 1, '4', '40');
  const known = [
    ['BTCUSDT', '3', START, 3, '30'],
    ['ETHUSDT', '4', START + 1, 1, '40'],
  ] as const;
  expect(view.last('paper')).toEqual(known);
  expect(view.last('other')).toEqual([['BTCUSDT', '9', START + 5, 1, '90']]);
  expect([...view.keys()].map((key) => view.priceAt(key)?.market)).toEqual(['paper', 'other', 'paper']);
  expect(view.price('other', 'ETHUSDT')).toBeUndefined();
  const again = new MarketView(history, null);
  for (const one of known) again.seed('paper', one);
  expect(again.last('paper')).toEqual(known);
  again.onTick('paper', { symbol: 'BTCUSDT', time: START, price: '5', volume: '50' });
  again.onTick('paper', { symbol: 'ETHUSDT', time: START + 2, price: '6', volume: '60' });
  expect(again.last('paper')).toEqual([
    ['BTCUSDT', '5', START, 4, '50'],
    ['ETHUSDT', '6', START + 2, 1, '60'],
  ]);
  // As an older store has them.
  again.seed('paper', ['OLDUSDT', '7', START]);
  expect(again.last('paper').at(-1)).toEqual(['OLDUSDT', '7', START, 1, '0']);
});

it('a line has 59 closes of minutes and the last price, and a new close only with a new minute', () => {
  const view = new MarketView(new Recorder(), null);
  const at = (time: number, price: number) =>
    view.onTick('paper', { symbol: 'BTCUSDT', time: START + time, price: String(price), volume: '1' });
  at(0, 1);
  at(MINUTE_MS - 1, 2);
  expect(view.price('paper', 'BTCUSDT')?.spark).toEqual([2]);
  at(MINUTE_MS, 3);
  expect(view.price('paper', 'BTCUSDT')).toMatchObject({ spark: [2, 3], last: '3', time: START + MINUTE_MS });
  for (let n = 2; n < 200; n++) at(n * MINUTE_MS, n + 2);
  expect(view.price('paper', 'BTCUSDT')?.spark).toEqual(Array.from({ length: 60 }, (_, n) => 142 + n));
});

it('the number of a tick is that among the ticks of its time, and begins anew with each time', () => {
  const view = new MarketView(new Recorder(), null);
  const numbers = [1, 1, 1, 2, 2, 3, 3, 3].map((time) => {
    view.onTick('paper', { symbol: 'BTCUSDT', time: START + time, price: '1', volume: '1' });
    view.onTick('paper', { symbol: 'ETHUSDT', time: START, price: '1', volume: '1' });
    return view.last('paper').map(([, , , nth]) => nth);
  });
  expect(numbers).toEqual([1, 2, 3, 1, 2, 1, 2, 3].map((nth, n) => [nth, n + 1]));
});

it('the newest price of a market is of its own symbols alone, and the latest of them', () => {
  const view = new MarketView(new Recorder(), null);
  const at = (market: string, symbol: string, time: number) =>
    view.onTick(market, { symbol, time: START + time, price: '1', volume: '1' });
  at('paper', 'BTCUSDT', 5);
  at('paper', 'ETHUSDT', 3);
  at('other', 'BTCUSDT', 9);
  expect(['paper', 'other', 'third'].map((market) => view.newest(market))).toEqual([
    START + 5,
    START + 9,
    null,
  ]);
});
