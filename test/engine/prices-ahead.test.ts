/** The last price between a fill and the trade of the price stream to which the fill belongs. */
import { describe, expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import { FILL_AHEAD_MAX_MS } from '../../src/engine/prices-ahead.ts';
import type { Side } from '../../src/schemas/order.ts';
import { formsOf } from '../support/forms.ts';
import { Bench, type BenchOptions } from './support/bench.ts';

class Scene {
  readonly bench: Bench;

  constructor(options: BenchOptions = {}) {
    this.bench = new Bench(options);
    this.stream('60000', 0);
  }

  /** The stream reports a trade with that time. */
  stream(price: string, time: number): void {
    this.bench.event({ type: 'market', market: 'paper', symbol: 'BTCUSDT', time, price, volume: '1' });
    this.bench.event({ type: 'tick', market: 'paper', symbol: 'BTCUSDT', price });
  }

  /** Fills one of our orders. */
  fill(
    price: string,
    time: number,
    { side = 'BUY', maker = false }: { side?: Side; maker?: boolean } = {},
  ): void {
    const order = this.bench.resting({ side, price: side === 'BUY' ? '59000' : '61000', quantity: '0.01' });
    this.bench.fill(this.bench.trade(order, '0.01', { price, time, maker }));
  }

  get last(): string {
    return str(this.bench.engine.memory.market('paper').prices.get('BTCUSDT') ?? 0n);
  }
}

describe('the last price', () => {
  it('is a newer fill, until the stream tells a trade that is no older', () => {
    const scene = new Scene();
    scene.fill('60700', 10);
    expect(scene.last).toBe('60700');
    scene.stream('60100', 9);
    expect(scene.last).toBe('60700');
    scene.fill('60800', 9);
    expect(scene.last).toBe('60700');
    scene.stream('60200', 10);
    expect(scene.last).toBe('60200');
  });

  it('is the later heard of two fills of one millisecond', () => {
    const scene = new Scene();
    scene.fill('60700', 10);
    scene.fill('60800', 10);
    expect(scene.last).toBe('60800');
  });

  it('is the one of the stream where that is as new, or where the fill has no sensible time', () => {
    const scene = new Scene();
    scene.fill('60700', 0);
    expect(scene.last).toBe('60000');
    scene.fill('60700', FILL_AHEAD_MAX_MS + 2);
    scene.stream('60100', 1);
    expect(scene.last).toBe('60100');
  });

  it.each<[Side, string, string]>([
    ['BUY', '60700', '60000'],
    ['BUY', '59300', '59300'],
    ['SELL', '60700', '60700'],
    ['SELL', '59300', '60000'],
  ])('is at the limit of a %s that rested at %s, or beyond', (side, price, last) => {
    const scene = new Scene();
    scene.fill(price, 10, { side, maker: true });
    expect(scene.last).toBe(last);
  });

  it('is never a fill of an exchange that tells its prices first, nor what one trades by itself', () => {
    const paper = new Scene({ caps: { pricesFirst: true } });
    paper.fill('60700', 10);
    expect(paper.last).toBe('60000');
    const scene = new Scene();
    const order = scene.bench.resting({ price: '59000', quantity: '0.01' });
    const trade = scene.bench.trade(order, '0.01', { price: '50000', time: 10, maker: false });
    scene.bench.fill({ ...trade, clientId: 'liquidation' });
    expect(scene.last).toBe('60000');
  });

  it('does not fire a stop that the engine holds with a trade from before the fill', () => {
    const scene = new Scene({ caps: { forms: formsOf({ native: ['MARKET', 'LIMIT'] }) } });
    scene.fill('60700', 10);
    const { order } = scene.bench.place({
      side: 'SELL',
      type: 'STOP_LIMIT',
      stopPrice: '60500',
      price: '60400',
      quantity: '0.01',
    });
    expect(order.phase).toBe('held');
    scene.stream('60000', 9);
    expect(order.phase).toBe('held');
    scene.stream('60450', 11);
    expect(order.phase).not.toBe('held');
  });
});

describe('a fill ahead of the stream', () => {
  it('needs a price of the stream to be ahead of, and one that is known', () => {
    const bench = new Bench({ price: null });
    const prices = bench.engine.memory.market('paper').prices;
    const order = bench.resting({ price: '59000', quantity: '1' });
    bench.fill(bench.trade(order, '0.1', { price: '58000', time: 10, maker: false }));
    expect(prices.get('BTCUSDT')).toBeUndefined();
    // A known price without a time.
    bench.event({ type: 'price', market: 'paper', symbol: 'BTCUSDT', price: '60000' });
    bench.fill(bench.trade(order, '0.1', { price: '58000', time: 10, maker: false }));
    expect(str(prices.get('BTCUSDT') ?? 0n)).toBe('60000');
  });

  it('is the newest of several, in whatever order they are told', () => {
    const scene = new Scene();
    scene.fill('60700', 10);
    scene.fill('60800', 20);
    scene.fill('60900', 15);
    expect(scene.last).toBe('60800');
    scene.stream('60100', 19);
    expect(scene.last).toBe('60800');
    scene.stream('60100', 20);
    expect(scene.last).toBe('60100');
    // The fill's price no longer applies: an earlier report does not bring it back.
    scene.fill('60900', 20);
    expect(scene.last).toBe('60100');
  });

  it('holds for ten seconds of the exchange and not a moment longer', () => {
    const scene = new Scene();
    scene.fill('60700', 10_001);
    scene.stream('60100', 1);
    expect(scene.last).toBe('60700');
    const late = new Scene();
    late.fill('60700', 10_002);
    late.stream('60100', 1);
    expect(late.last).toBe('60100');
  });

  it('is of its symbol', () => {
    const scene = new Scene();
    scene.fill('60700', 10);
    const { bench } = scene;
    bench.event({ type: 'market', market: 'paper', symbol: 'ETHUSDT', time: 20, price: '3000', volume: '1' });
    expect(scene.last).toBe('60700');
  });
});
