/** The shared market of bots: candles, their closes and for whom they are built (strategies.md 1). */
import { describe, expect, it, vi } from 'vitest';
import { candleRow } from '../../../src/bots/market/candle.ts';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { MAX_KEPT } from '../../../src/bots/market/candle-series.ts';
import { Ema } from '../../../src/bots/market/ema.ts';
import { Rsi } from '../../../src/bots/market/rsi.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { BTC, flat, M, Rig, T } from './rig.ts';

// proves: bot candles bounds, bot candles flat, bot candles unknown
describe('a candle', () => {
  it('covers its period up to, not including, its close time', () => {
    const rig = new Rig();
    rig.hub.subscribe(BTC, M);
    rig.tick(T, '100', '1');
    rig.tick(T + 1, '103', '0.25');
    rig.tick(T + M - 2, '98', '0');
    rig.tick(T + M - 1, '99.5', '0.000000000000000001');
    expect(rig.take()).toEqual([]);
    rig.tick(T + M, '200', '7');
    expect(rig.take()).toEqual([[T + M, BTC, M, [T, '100', '103', '98', '99.5', '1.250000000000000001']]]);
    expect(rig.hub.view(BTC).forming(M)).toMatchObject({ time: T + M, open: dec('200'), volume: dec('7') });
  });

  it('closes flat at the close before when nothing traded in its period', () => {
    const rig = new Rig();
    rig.hub.subscribe(BTC, M);
    rig.tick(T, '100', '1');
    rig.tick(T + 10, '101', '1');
    rig.advance(T + 3 * M);
    expect(rig.take().slice(1)).toEqual([
      [T + 2 * M, BTC, M, [T + M, '101', '101', '101', '101', '0']],
      [T + 3 * M, BTC, M, [T + 2 * M, '101', '101', '101', '101', '0']],
    ]);
  });

  it('is not there for a period before the first known price', () => {
    const rig = new Rig();
    rig.hub.subscribe(BTC, M);
    rig.advance(T + 2 * M);
    expect(rig.take()).toEqual([]);
    expect(rig.hub.view(BTC).lastClosed(M)).toBeNull();
    rig.tick(T + 2 * M + 5, '100');
    rig.advance(T + 3 * M);
    expect(rig.take()).toEqual([[T + 3 * M, BTC, M, [T + 2 * M, '100', '100', '100', '100', '0']]]);
  });

  it('is flat at the last price when that was known before anybody asked for candles', () => {
    const rig = new Rig();
    rig.tick(T + 5, '100', '3');
    rig.hub.subscribe(BTC, M);
    rig.advance(T + M);
    expect(rig.take()).toEqual([[T + M, BTC, M, [T, '100', '100', '100', '100', '0']]]);
  });

  it('is flat at the last close of history when no tick came yet, which is no last price', () => {
    const rig = new Rig();
    rig.hub.subscribe(BTC, M);
    rig.hub.history(BTC, M, [flat(T - M, '90')]);
    expect(rig.hub.view(BTC).price).toBeNull();
    rig.advance(T + M);
    expect(rig.take()).toEqual([[T + M, BTC, M, [T, '90', '90', '90', '90', '0']]]);
  });

  it('being built is null before its first tick', () => {
    const rig = new Rig();
    rig.hub.subscribe(BTC, M);
    const view = rig.hub.view(BTC);
    expect([view.price, view.forming(M)]).toEqual([null, null]);
    rig.tick(T + 5, '100', '3');
    expect(view.forming(M)).toMatchObject({ time: T, close: dec('100') });
    rig.advance(T + M);
    expect([view.price, view.forming(M)]).toEqual([dec('100'), null]);
  });
});

// proves: bot candles flat, bot input order
describe('closes', () => {
  it('come in the order of close time, symbol, frame, however they were asked for', () => {
    const rig = new Rig();
    rig.hub.subscribe('SOLUSDT', M);
    rig.hub.subscribe(BTC, 3 * M);
    rig.hub.subscribe('ETHUSDT', M);
    rig.hub.subscribe(BTC, M);
    for (const symbol of ['SOLUSDT', 'ETHUSDT', BTC]) rig.tick(T, '1', '0', symbol);
    rig.advance(T + 3 * M);
    const minute = (n: number) => [
      [T + n * M, BTC, M],
      [T + n * M, 'ETHUSDT', M],
      [T + n * M, 'SOLUSDT', M],
    ];
    expect(rig.take().map(([time, symbol, frameMs]) => [time, symbol, frameMs])).toEqual([
      ...minute(1),
      ...minute(2),
      [T + 3 * M, BTC, M],
      [T + 3 * M, BTC, 3 * M],
      [T + 3 * M, 'ETHUSDT', M],
      [T + 3 * M, 'SOLUSDT', M],
    ]);
  });

  it('of an instant are all done before the first is told', () => {
    const { hub } = new Rig();
    hub.subscribe(BTC, M);
    hub.subscribe(BTC, 2 * M);
    hub.subscribe('ETHUSDT', M);
    hub.tick(BTC, T, 1n, 0n);
    hub.tick('ETHUSDT', T, 2n, 0n);
    const seen: unknown[] = [];
    hub.advance(T + 2 * M, ({ time }) => {
      seen.push([
        time - T,
        hub.time - T,
        hub.view(BTC).lastClosed(M)?.time,
        hub.view(BTC).lastClosed(2 * M)?.time,
        hub.view('ETHUSDT').lastClosed(M)?.time,
      ]);
    });
    const first = [M, M, T, undefined, T];
    const second = [2 * M, 2 * M, T + M, T, T + M];
    expect(seen).toEqual([first, first, second, second, second]);
  });

  it('are all told over a jump of a year, while no more candles stay than are needed', () => {
    const { hub } = new Rig();
    hub.need(BTC, M, { keep: 20, rsi: 14 });
    hub.tick(BTC, T, dec('100'), 0n);
    let told = 0;
    let open = T;
    const year = 365 * 86_400_000;
    hub.advance(T + year, ({ time, candle }) => {
      if (candle.time !== open || time !== open + M) throw new Error(`told out of order: ${time}`);
      open += M;
      told++;
    });
    expect(told).toBe(525_600);
    expect(hub.view(BTC).closed(M, Number.MAX_SAFE_INTEGER)).toHaveLength(20);
    expect(hub.nextDue).toBe(T + year + M);
  });

  it('may be told one instant at a time', () => {
    const rig = new Rig();
    rig.hub.subscribe(BTC, M);
    rig.hub.subscribe(BTC, 3 * M);
    rig.tick(T, '100');
    const instants: number[] = [];
    while (rig.hub.nextDue <= T + 3 * M) {
      instants.push(rig.hub.nextDue - T);
      rig.advance(rig.hub.nextDue);
    }
    expect(instants).toEqual([M, 2 * M, 3 * M]);
    expect(rig.take()).toHaveLength(4);
    expect(rig.hub.nextDue).toBe(T + 4 * M);
  });

  it('go on when whoever is told of one comes or leaves', () => {
    const { hub } = new Rig();
    const leave = hub.subscribe(BTC, M);
    hub.subscribe('ETHUSDT', M);
    for (const symbol of [BTC, 'ETHUSDT', 'SOLUSDT']) hub.tick(symbol, T, 1n, 0n);
    const told: [number, string][] = [];
    hub.advance(T + 3 * M, ({ time, symbol }) => {
      told.push([(time - T) / M, symbol]);
      if (time !== T + M || symbol !== BTC) return;
      leave();
      hub.subscribe('SOLUSDT', 2 * M);
    });
    expect(told).toEqual([
      [1, BTC],
      [1, 'ETHUSDT'],
      [2, 'ETHUSDT'],
      [2, 'SOLUSDT'],
      [3, 'ETHUSDT'],
    ]);
  });

  it('cannot be asked for by whoever is told of one', () => {
    const { hub } = new Rig();
    hub.subscribe(BTC, M);
    hub.tick(BTC, T, 1n, 0n);
    const again = () => hub.advance(T + 2 * M, () => {});
    expect(() => hub.advance(T + M, again)).toThrow('advanced while closes are told');
    expect(hub.nextDue).toBe(T + 2 * M);
  });

  it('that are due must be told before a tick', () => {
    const { hub } = new Rig();
    hub.subscribe(BTC, M);
    expect(() => hub.tick(BTC, T + M, 1n, 0n)).toThrow('before the closes due by then');
  });
});

// proves: bot candles shared
describe('what is built', () => {
  it('is one candle and one of each indicator for a thousand readers', () => {
    const rsi = vi.spyOn(Rsi.prototype, 'push');
    const ema = vi.spyOn(Ema.prototype, 'push');
    try {
      const rig = new Rig();
      for (let i = 0; i < 1_000; i++) rig.hub.need(BTC, M, { rsi: 14, ema: 50, keep: 5 });
      rig.tick(T, '100');
      rig.advance(T + 10 * M);
      expect(rig.closes).toHaveLength(10);
      expect([rsi.mock.calls.length, ema.mock.calls.length]).toEqual([10, 10]);
      const [a, b] = [rig.hub.view(BTC), rig.hub.view(BTC)];
      expect(a.lastClosed(M)).toBe(b.lastClosed(M));
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('is built until its last reader has left, however often one says so', () => {
    const rig = new Rig();
    const first = rig.hub.subscribe(BTC, M);
    const second = rig.hub.subscribe(BTC, M);
    rig.tick(T, '100');
    first();
    first();
    rig.advance(T + M);
    expect(rig.take()).toHaveLength(1);
    second();
    rig.advance(T + 5 * M);
    expect(rig.take()).toEqual([]);
    expect(rig.hub.nextDue).toBe(Infinity);
    expect(rig.hub.view(BTC).lastClosed(M)).toBeNull();
    expect(rig.hub.view(BTC).price).toBe(dec('100'));
  });

  it('is what somebody still needs, even if two gave the same words for it', () => {
    const { hub } = new Rig();
    const needs = { rsi: 1, keep: 3 };
    const leave = hub.need(BTC, M, needs);
    hub.need(BTC, M, needs);
    const other = hub.need(BTC, M, { ema: 1, keep: 5 });
    hub.history(
      BTC,
      M,
      [1, 2, 3, 4, 5, 6].map((n) => flat(T - (7 - n) * M, `${n}`)),
    );
    const view = hub.view(BTC);
    const state = () => [view.rsi(M, 1), view.ema(M, 1), view.closed(M, 9).length];
    expect(state()).toEqual([100, 6, 5]);
    leave();
    expect(state()).toEqual([100, 6, 5]);
    other();
    expect(state()).toEqual([100, null, 3]);
  });

  it('is no indicator that only those who left had asked for', () => {
    const rig = new Rig();
    rig.hub.subscribe(BTC, M);
    const leave = [rig.hub.need(BTC, M, { rsi: 1 }), rig.hub.need(BTC, M, { ema: 1 })];
    rig.tick(T, '100');
    rig.advance(T + 2 * M);
    const state = () => [rig.hub.view(BTC).rsi(M, 1), rig.hub.view(BTC).ema(M, 1)];
    expect(state()).toEqual([50, 100]);
    leave[0]?.();
    expect(state()).toEqual([null, 100]);
    leave[1]?.();
    expect(state()).toEqual([null, null]);
  });

  it('is nothing for a frame nobody asked for', () => {
    const view = new Rig().hub.view(BTC);
    expect([
      view.lastClosed(M),
      view.closed(M, 3),
      view.forming(M),
      view.rsi(M, 14),
      view.previousRsi(M, 14),
      view.ema(M, 14),
    ]).toEqual([null, [], null, null, null, null]);
  });

  it('is never more than a bound', () => {
    const { hub } = new Rig();
    expect(() => hub.need(BTC, M, { keep: MAX_KEPT + 1 })).toThrow(
      'keep 1001 is not a whole number from 1 to 1000',
    );
    expect(() => hub.need(BTC, M, { rsi: 0 })).toThrow('rsi 0 is not a whole number from 1 to 5000');
    expect(() => hub.need(BTC, M, { ema: 1.5 })).toThrow('ema 1.5 is not');
    expect(() => hub.need(BTC, 0, {})).toThrow('a frame of 0 ms');
    expect(hub.nextDue).toBe(Infinity);
  });
});

describe('a candle that the exchange closes late', () => {
  it('is its own, and what was traded after it stays in the next one', () => {
    const hub = new CandleHub({ time: T, told: true });
    hub.subscribe(BTC, M);
    hub.tick(BTC, T + 1, dec('100'), dec('1'));
    hub.tick(BTC, T + M + 1, dec('120'), dec('2'));
    hub.tick(BTC, T + M + 2, dec('90'), dec('3'));
    const candle = {
      time: T,
      open: dec('100'),
      high: dec('101'),
      low: dec('99'),
      close: dec('99'),
      volume: dec('7'),
    };
    expect(hub.told(BTC, M, candle)).toEqual({ symbol: BTC, frameMs: M, time: T + M, candle });
    hub.tick(BTC, T + M + 3, dec('110'), dec('4'));
    const forming = hub.view(BTC).forming(M);
    expect(forming && candleRow(forming)).toEqual([T + M, '120', '120', '90', '110', '9']);
    expect(hub.toldNext(BTC, M)).toBe(T + M);
  });
});
